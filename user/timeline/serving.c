/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "user/timeline/pauses.h"
#include "user/timeline/serving.h"

enum mark_kind {
	MARK_IDLE,	 /* began to wait for any of several files, or for a connection */
	MARK_READ_BLOCK, /* began to wait in a read or for one file; of what, only the read that
			    follows tells */
	MARK_PARK,	 /* began to wait for a futex */
	MARK_WAKE,	 /* the end of one of the three, whose mark is just before it */
	MARK_READ,
	MARK_WRITE,
};

struct mark {
	uint64_t ts_ns;
	uint32_t conn; /* READ, WRITE: of an accepted connection; 0: of another */
	uint32_t kind;
};

struct marks {
	uint64_t nr; /* ever put */
	struct mark ring[SERVING_MARKS];
};

static const struct mark *mark_at(const struct marks *marks, uint64_t nr)
{
	return &marks->ring[nr % SERVING_MARKS];
}

static uint64_t oldest(const struct marks *marks)
{
	return marks->nr > SERVING_MARKS ? marks->nr - SERVING_MARKS : 0;
}

static int put(struct serving *s, uint32_t tid, const struct mark *mark)
{
	struct marks *marks = map_get(&s->by_tid, tid);

	if (!marks) {
		marks = calloc(1, sizeof(*marks));
		if (!marks || map_put(&s->by_tid, tid, marks)) {
			free(marks);
			return -ENOMEM;
		}
	}
	marks->ring[marks->nr++ % SERVING_MARKS] = *mark;
	return 0;
}

int serving_read(struct serving *s, uint32_t tid, uint64_t ts_ns, uint32_t conn, bool accepted)
{
	return put(s, tid, &(struct mark){ts_ns, accepted ? conn : 0, MARK_READ});
}

int serving_write(struct serving *s, uint32_t tid, uint64_t ts_ns, uint32_t conn, bool accepted)
{
	return put(s, tid, &(struct mark){ts_ns, accepted ? conn : 0, MARK_WRITE});
}

/* A JVM's blocking sockets wait in poll for the one file they then read (JDK 13 and later). */
static bool is_poll(const struct event_offcpu *off)
{
#ifdef SYS_poll
	if (off->nr == SYS_poll)
		return true;
#endif
	return off->nr == SYS_ppoll;
}

int serving_span(struct serving *s, const struct span *span)
{
	uint32_t kind;
	int err;

	if (!span->off || span->open || pauses_is_barrier_wait(span->off))
		return 0;
	switch (span->reason) {
	case REASON_EPOLL:
		kind = is_poll(span->off) ? MARK_READ_BLOCK : MARK_IDLE;
		break;
	case REASON_ACCEPT:
		kind = MARK_IDLE;
		break;
	case REASON_SOCKET_READ:
		kind = MARK_READ_BLOCK;
		break;
	case REASON_PARKED:
		kind = MARK_PARK;
		break;
	default:
		return 0;
	}
	err = put(s, span->tid, &(struct mark){span->from_ns, 0, kind});
	return err ? err : put(s, span->tid, &(struct mark){span->to_ns, 0, MARK_WAKE});
}

void serving_gone(struct serving *s, uint32_t tid)
{
	free(map_remove(&s->by_tid, tid));
}

/* What the wait whose begin is @nr was for: true when for a new request, false when for something
 * else. *ret_known: it can be told. */
static bool read_was_for_work(const struct marks *marks, uint64_t nr, bool *ret_known)
{
	const struct mark *after = nr + 2 < marks->nr ? mark_at(marks, nr + 2) : NULL;

	*ret_known = after != NULL;
	return after && after->kind == MARK_READ && after->conn;
}

uint64_t serving_reader_until(const struct serving *s, uint32_t tid, uint64_t read_ns,
			      uint64_t until_ns, uint32_t conn)
{
	const struct marks *marks = map_get(&s->by_tid, tid);
	uint64_t nr = marks ? oldest(marks) : 0;
	bool known = true;

	if (!marks || (nr && mark_at(marks, nr)->ts_ns > read_ns))
		return 0;
	for (; nr < marks->nr; nr++) {
		const struct mark *mark = mark_at(marks, nr);

		if (mark->ts_ns < read_ns || (mark->ts_ns == read_ns && mark->conn == conn))
			continue;
		if (mark->ts_ns >= until_ns)
			return until_ns;
		if (mark->kind == MARK_IDLE ||
		    (mark->kind == MARK_READ && mark->conn && mark->conn != conn))
			return mark->ts_ns;
		if (mark->kind == MARK_READ_BLOCK && read_was_for_work(marks, nr, &known))
			return mark->ts_ns;
		if (!known)
			return 0;
	}
	return 0; /* nothing heard of it since: it may be waiting */
}

uint64_t serving_answerer_since(const struct serving *s, uint32_t tid, uint64_t out_ns)
{
	const struct marks *marks = map_get(&s->by_tid, tid);
	uint64_t nr = marks ? marks->nr : 0, first = marks ? oldest(marks) : 0;
	bool known;

	while (nr > first) {
		const struct mark *mark = mark_at(marks, --nr);

		if (mark->ts_ns >= out_ns)
			continue;
		if ((mark->kind == MARK_WRITE || mark->kind == MARK_READ) && mark->conn)
			return mark->ts_ns;
		if (mark->kind != MARK_WAKE || nr == first)
			continue;
		if (mark_at(marks, nr - 1)->kind != MARK_READ_BLOCK ||
		    read_was_for_work(marks, nr - 1, &known))
			return mark->ts_ns;
	}
	return 0;
}

void serving_free(struct serving *s)
{
	struct marks *marks;
	size_t cursor = 0;

	while ((marks = map_next(&s->by_tid, &cursor)))
		free(marks);
	map_free(&s->by_tid);
}
