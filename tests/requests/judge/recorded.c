/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/requests/judge/recorded.h"
#include "user/recording/text.h"

union record {
	struct event_hdr hdr;
	struct event_sock sock;
	struct event_conn conn;
	struct record_clock clock;
	struct record_lost lost;
	char bytes[EVENT_BYTES_MAX];
};

static struct recorded_conn *find(const struct recorded *recorded, uint32_t conn)
{
	for (size_t i = recorded->nr; i-- > 0;)
		if (recorded->conns[i].conn == conn)
			return &recorded->conns[i];
	return NULL;
}

static int open_conn(struct recorded *recorded, const struct event_conn *event)
{
	struct recorded_conn *conn;

	if (event->family == 1 || find(recorded, event->conn))
		return 0;
	if (recorded->nr == recorded->size) {
		size_t size = recorded->size ? 2 * recorded->size : 64;
		struct recorded_conn *grown = realloc(recorded->conns, size * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		recorded->conns = grown;
		recorded->size = size;
	}
	conn = &recorded->conns[recorded->nr++];
	*conn = (struct recorded_conn){
		.conn = event->conn,
		.tgid = event->tgid,
		.local = {event->local_high, event->local_low, event->local_port},
		.remote = {event->remote_high, event->remote_low, event->remote_port},
		.first_in = event->first_in,
		.first_out = event->first_out,
		.in_bytes = event->in_bytes,
		.out_bytes = event->out_bytes,
		.in = {.first_seq = event->first_in},
		.out = {.first_seq = event->first_out},
	};
	return 0;
}

static int add_arrival(struct recorded_conn *conn, const struct event_sock *event)
{
	const struct marks *arrived = &conn->arrived;
	uint64_t before = arrived->nr ? arrived->marks[arrived->nr - 1].position : conn->in_bytes;
	const struct mark mark = {
		.position = event->in_bytes,
		.at_ns = event->hdr.ts_ns,
		.again = event->in_bytes == before,
	};

	return marks_add(&conn->arrived, &mark);
}

static int add_event(struct recorded *recorded, const struct event_sock *event)
{
	struct recorded_conn *conn = find(recorded, event->conn);
	struct mark mark = {.position = event->in_bytes, .at_ns = event->hdr.ts_ns};

	if (event->flags & SOCK_COUNTED)
		return 0;
	if (!conn) {
		recorded->nr_unknown++;
		return 0;
	}
	if (event->hdr.kind == EVENT_SOCK_ARRIVE)
		return add_arrival(conn, event);
	if (event->hdr.kind == EVENT_SOCK_READ)
		return marks_add(&conn->taken, &mark);
	mark.position = event->out_bytes;
	mark.took_ns = event->took_ns;
	mark.unsent = event->unsent;
	return marks_add(&conn->written, &mark);
}

static int add(struct recorded *recorded, const union record *record)
{
	if (!recorded->from_ns)
		recorded->from_ns = record->hdr.ts_ns;
	if (record->hdr.ts_ns > recorded->to_ns)
		recorded->to_ns = record->hdr.ts_ns;
	switch (record->hdr.kind) {
	case EVENT_CONN_OPEN:
		return open_conn(recorded, &record->conn);
	case EVENT_SOCK_ARRIVE:
	case EVENT_SOCK_READ:
	case EVENT_SOCK_WRITE:
		return add_event(recorded, &record->sock);
	case RECORD_CLOCK:
		return clocks_add(&recorded->clocks, &record->clock);
	case RECORD_LOST:
		recorded->nr_lost += record->lost.nr;
		return 0;
	default:
		return 0;
	}
}

int recorded_read(FILE *file, struct recorded *ret, size_t *ret_line)
{
	char line[TEXT_LINE_MAX];
	union record record;
	const char *why;

	*ret_line = 0;
	while (fgets(line, sizeof(line), file)) {
		int error;

		++*ret_line;
		line[strcspn(line, "\n")] = 0;
		error = text_parse(line, &record.hdr, &why);
		if (error == -ENOENT)
			continue;
		error = error ? error : add(ret, &record);
		if (error)
			return error;
	}
	return ferror(file) ? -EIO : 0;
}
