/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A made-up server that answers requests on several connections, each in random pieces: every
 * request it served is found, with the times at which its bytes went by.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/lib/random.h"
#include "tests/lib/request_tale.h"
#include "user/recording/schema.h"

#define CONNECTIONS 8
#define REQUESTS    400 /* on each */

struct truth {
	uint64_t in_from, in_to, out_from, out_to;
	uint64_t first_arrival_ns, arrived_ns, read_ns, first_out_ns, last_out_ns;
};

struct line { /* a connection, and how far it is */
	uint64_t in, read, out;
	size_t nr;
	bool asking, answering;
	struct truth truth[REQUESTS];
};

static struct line lines[CONNECTIONS];

static void step(struct request_tale *tale, uint16_t kind, size_t i, uint64_t ts_ns, uint32_t bytes)
{
	struct event_sock event = {
		.hdr = {.kind = kind,
			.size = sizeof(event),
			.tid = kind == EVENT_SOCK_ARRIVE ? 0 : 10 + (uint32_t)(ts_ns % 3),
			.ts_ns = ts_ns},
		.in_bytes = kind == EVENT_SOCK_READ ? lines[i].read : lines[i].in,
		.out_bytes = lines[i].out,
		.conn = (uint32_t)i + 1,
		.tgid = 5,
		.bytes = bytes,
	};

	request_tale_event(tale, &event.hdr);
}

static void arrive(struct request_tale *tale, size_t i, uint64_t ts_ns, uint64_t *state)
{
	struct line *line = &lines[i];
	struct truth *t = &line->truth[line->nr];
	uint32_t bytes = 1 + (uint32_t)(random_next(state) % 900);

	if (!line->asking) {
		*t = (struct truth){.in_from = line->in, .first_arrival_ns = ts_ns};
		line->asking = true;
	}
	line->in += bytes;
	t->in_to = line->in;
	t->arrived_ns = ts_ns;
	step(tale, EVENT_SOCK_ARRIVE, i, ts_ns, 0);
}

static void take(struct request_tale *tale, size_t i, uint64_t ts_ns, uint64_t *state)
{
	struct line *line = &lines[i];
	uint64_t left = line->in - line->read;
	uint64_t bytes = random_next(state) % 3 ? left : 1 + random_next(state) % left;

	line->read += bytes;
	line->truth[line->nr].read_ns = ts_ns;
	step(tale, EVENT_SOCK_READ, i, ts_ns, (uint32_t)bytes);
}

static void answer(struct request_tale *tale, size_t i, uint64_t ts_ns, uint64_t *state)
{
	struct line *line = &lines[i];
	struct truth *t = &line->truth[line->nr];

	if (!line->answering) {
		t->out_from = line->out;
		t->first_out_ns = ts_ns;
	}
	line->answering = true;
	line->out += 1 + random_next(state) % 5000;
	t->out_to = line->out;
	t->last_out_ns = ts_ns;
	step(tale, EVENT_SOCK_WRITE, i, ts_ns, 1);
}

/* One thing that a server without pipelining can do next on this connection. */
static void go_on(struct request_tale *tale, size_t i, uint64_t ts_ns, uint64_t *state)
{
	struct line *line = &lines[i];
	uint64_t dice = random_next(state) % 4;

	if (line->nr == REQUESTS)
		return;
	if (line->answering && dice) {
		line->nr++;
		line->asking = line->answering = false;
	} else if (line->answering) {
		answer(tale, i, ts_ns, state);
	} else if (!line->asking || dice == 0) {
		arrive(tale, i, ts_ns, state);
	} else if (line->read < line->in) {
		take(tale, i, ts_ns, state);
	} else {
		answer(tale, i, ts_ns, state);
	}
}

static void expect_found(const struct request *r)
{
	const struct line *line = &lines[r->conn.conn - 1];
	const struct truth *t = NULL;

	for (size_t i = 0; i < line->nr && !t; i++)
		if (line->truth[i].in_from == r->in_from)
			t = &line->truth[i];
	if (!t)
		return; /* the last one, under way */
	cr_assert(eq(u64, r->in_to, t->in_to));
	cr_assert(eq(u64, r->out_from, t->out_from));
	cr_assert(eq(u64, r->out_to, t->out_to));
	cr_assert(eq(int, (int)r->state, REQUEST_WHOLE));
	cr_assert(eq(u64, r->first_arrival_ns, t->first_arrival_ns));
	cr_assert(eq(u64, r->arrived_ns, t->arrived_ns));
	cr_assert(eq(u64, r->read_ns, t->read_ns));
	cr_assert(eq(u64, r->first_out_ns, t->first_out_ns));
	cr_assert(eq(u64, r->last_out_ns, t->last_out_ns));
}

Test(request_random, every_request_is_found_with_its_times)
{
	struct request_tale *tale = request_tale_new();
	struct event_conn conn = {.hdr = {EVENT_CONN_OPEN, sizeof(conn), 0, 1000},
				  .tgid = 5,
				  .family = 2,
				  .role = CONN_ACCEPTED,
				  .local_port = 80};
	uint64_t state = 20261130, ts_ns = 2000, nr = 0;

	for (uint32_t i = 0; i < CONNECTIONS; i++) {
		conn.conn = i + 1;
		conn.remote_port = (uint16_t)(1000 + i);
		conn.first_in = i + 1;
		request_tale_event(tale, &conn.hdr);
	}
	for (int i = 0; i < CONNECTIONS * REQUESTS * 8; i++) {
		ts_ns += 1 + random_next(&state) % 3000000;
		go_on(tale, random_next(&state) % CONNECTIONS, ts_ns, &state);
	}
	request_tale_end(tale, ts_ns);
	for (size_t i = 0; i < CONNECTIONS; i++)
		nr += lines[i].nr + (lines[i].nr < REQUESTS && lines[i].asking);
	cr_expect(eq(sz, tale->nr, nr));
	cr_expect(gt(sz, tale->nr, CONNECTIONS * REQUESTS / 2));
	for (size_t i = 0; i < tale->nr; i++)
		expect_found(&tale->found[i]);
	request_tale_free(tale);
}

/* What no probe writes must be survived all the same: a recording may come from anywhere. */
Test(request_random, records_without_sense_are_survived)
{
	struct request_tale *tale = request_tale_new();
	struct requests_totals totals;
	uint64_t state = 1, sum = 0;
	union {
		struct event_hdr hdr;
		struct event_sock sock;
		struct event_conn conn;
		struct record_http http;
		char bytes[EVENT_BYTES_MAX];
	} record;

	for (uint64_t i = 0; i < 30000; i++) {
		uint16_t kind = (uint16_t)(EVENT_SOCK_ARRIVE + random_next(&state) % 10);

		kind = kind > EVENT_CONN_REFUSED ? RECORD_HTTP : kind;
		random_record(&state, schema_kind(kind), &record);
		record.hdr.ts_ns = 1000 + i * 1000;
		if (kind == RECORD_HTTP)
			record.http.conn = (uint32_t)(random_next(&state) % 5);
		else if (kind < EVENT_CONN_OPEN)
			record.sock.conn = (uint32_t)(random_next(&state) % 5);
		else
			record.conn.conn = (uint32_t)(random_next(&state) % 5);
		if (kind >= EVENT_CONN_OPEN && kind <= EVENT_CONN_REFUSED)
			record.conn.role = (uint16_t)(random_next(&state) % 4);
		request_tale_event(tale, &record.hdr);
	}
	request_tale_end(tale, 1000 + 30000 * 1000);
	requests_totals(tale->requests, &totals);
	for (int i = 0; i < NR_REQUEST_STATES; i++)
		sum += totals.nr_state[i];
	cr_expect(eq(u64, sum, totals.nr[REQUEST_SERVED] + totals.nr[REQUEST_SENT]));
	cr_expect(gt(u64, sum, 0));
	request_tale_free(tale);
}
