/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From records to splits. A server of one thread, an event loop: a request comes every millisecond
 * and is worked on for half of one; once, all stands still for 20 ms. So it is known to the
 * nanosecond what each request lost to that, and everything else is as ever.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "tests/lib/split_tale.h"
#include "user/attribution/split_connection.h"

#define US	    1000ull
#define MS	    1000000ull
#define NR_CONNS    40
#define EVERY_NS    (1 * MS)
#define SERVICE_NS  (500 * US)
#define WAKE_NS	    (2 * US) /* the loop's thread is woken, and runs */
#define STOP_AT_NS  (60 * MS + 300 * US)
#define STOP_NS	    (20 * MS)
#define NR_REQUESTS 120

enum stop { STOP_NONE, STOP_PAUSE, STOP_SIGNAL, STOP_QUOTA, STOP_LOCK };

struct loop { /* the server's thread, 11 */
	struct split_tale *tale;
	enum stop stop;
	uint64_t now_ns; /* it is at work until then */
	uint32_t seq;
	bool stopped;
};

static void cast(struct split_tale *tale)
{
	split_tale_tell(tale, "1000 thread 10 tgid=5 off_since_ns=1000 state=1 flags=0x100 nr=202 "
			      "comm=\"VM Thread\"\n"
			      "1000 thread 11 tgid=5 off_since_ns=1000 state=1 flags=0x100 nr=232 "
			      "comm=\"loop\"\n"
			      "1000 thread 12 tgid=5 state=0xffffffff nr=-1 comm=\"other\"\n");
	for (int i = 1; i <= NR_CONNS; i++)
		split_tale_tell(tale,
				"1000 conn_open 0 conn=%d tgid=5 local_port=80 remote_port=%d "
				"family=2 role=1 state=1 first_in=3 first_out=4\n",
				i, 1000 + i);
}

/* Off the CPU from the loop's present until @to_ns, of which the last @runq_ns runnable. */
static void off(struct loop *loop, uint64_t to_ns, uint64_t runq_ns, const char *how)
{
	split_tale_tell(loop->tale,
			"%" PRIu64 " offcpu 11 tgid=5 seq=%u off_ns=%" PRIu64 " runq_ns=%" PRIu64
			" %s\n",
			to_ns, ++loop->seq, to_ns - loop->now_ns, runq_ns, how);
	loop->now_ns = to_ns;
}

static void pause_begins(struct split_tale *tale)
{
	split_tale_tell(tale,
			"%llu offcpu 10 tgid=5 seq=1 off_ns=%llu runq_ns=1000 state=1 nr=202 "
			"flags=0x900\n"
			"%llu safepoint_begin 10 tgid=5\n"
			"%llu vmop_begin 10 tgid=5 name=\"G1CollectForAllocation\"\n",
			STOP_AT_NS - 10 * US, STOP_AT_NS - 10 * US - 1000, STOP_AT_NS,
			STOP_AT_NS + 5 * US);
}

static void pause_ends(struct split_tale *tale, uint64_t at_ns)
{
	split_tale_tell(tale,
			"%" PRIu64 " vmop_end 10 tgid=5 name=\"G1CollectForAllocation\"\n"
			"%" PRIu64 " safepoint_end 10 tgid=5\n",
			at_ns - 2000, at_ns - 1000);
}

/* The loop stands still from its present for STOP_NS. */
static void stand_still(struct loop *loop)
{
	uint64_t to_ns = loop->now_ns + STOP_NS;

	loop->stopped = true;
	switch (loop->stop) {
	case STOP_PAUSE:
		pause_ends(loop->tale, to_ns);
		off(loop, to_ns, 1000,
		    "arg0=0x70 arg1=128 arg2=15 state=1 nr=202 waker_tid=10 "
		    "waker_tgid=5 flags=0x800");
		return;
	case STOP_SIGNAL:
		off(loop, to_ns, 1000, "state=4 nr=-1 flags=0x800");
		return;
	case STOP_QUOTA:
		split_tale_tell(loop->tale,
				"%" PRIu64 " offcpu 11 tgid=5 seq=%u off_ns=%llu runq_ns=%llu "
				"throttled_ns=%llu state=0 nr=-1 flags=0x2\n",
				to_ns, ++loop->seq, STOP_NS, STOP_NS, STOP_NS - 1000);
		loop->now_ns = to_ns;
		return;
	default:
		return;
	}
}

/* Until it has worked for @work_ns. */
static void work(struct loop *loop, uint64_t work_ns)
{
	if (loop->stop && !loop->stopped && loop->now_ns + work_ns > STOP_AT_NS) {
		work_ns -= STOP_AT_NS - loop->now_ns;
		loop->now_ns = STOP_AT_NS;
		stand_still(loop);
	}
	loop->now_ns += work_ns;
}

struct sent {
	uint64_t at_ns, in;
	int conn;
};

/* Arrivals up to @until_ns; the stream of records is in order of time. */
static void arrive(struct loop *loop, uint64_t until_ns, uint64_t *nr)
{
	while (*nr < NR_REQUESTS && (*nr + 1) * EVERY_NS <= until_ns) {
		uint64_t turn = *nr / NR_CONNS;

		split_tale_tell(loop->tale,
				"%" PRIu64 " arrive 0 conn=%d tgid=5 in_bytes=%" PRIu64
				" out_bytes=%" PRIu64 "\n",
				(uint64_t)((*nr + 1) * EVERY_NS), (int)(*nr % NR_CONNS) + 1,
				(turn + 1) * 10, turn * 5);
		++*nr;
	}
}

/* The records of one stand-still come when it is over: arrivals in it are told before. */
static void serve(struct loop *loop, uint64_t request, uint64_t *nr)
{
	uint64_t at_ns = (request + 1) * EVERY_NS, turn = request / NR_CONNS, read_ns;
	int conn = (int)(request % NR_CONNS) + 1;

	if (at_ns >= loop->now_ns) { /* it had gone idle */
		arrive(loop, at_ns, nr);
		off(loop, at_ns + WAKE_NS, WAKE_NS, "state=1 nr=232 flags=0x880");
	}
	read_ns = loop->now_ns;
	arrive(loop, read_ns, nr);
	split_tale_tell(loop->tale,
			"%" PRIu64 " read 11 conn=%d tgid=5 in_bytes=%" PRIu64 " out_bytes=%" PRIu64
			" bytes=10\n",
			read_ns, conn, (turn + 1) * 10, turn * 5);
	if (loop->stop == STOP_PAUSE && !loop->stopped && read_ns + SERVICE_NS > STOP_AT_NS)
		pause_begins(loop->tale);
	if (loop->stop && !loop->stopped && read_ns + SERVICE_NS > STOP_AT_NS)
		arrive(loop, STOP_AT_NS + STOP_NS - 3 * US, nr);
	work(loop, SERVICE_NS);
	arrive(loop, loop->now_ns - 1, nr);
	split_tale_tell(loop->tale,
			"%" PRIu64 " write 11 conn=%d tgid=5 in_bytes=%" PRIu64
			" out_bytes=%" PRIu64 " bytes=5 took_ns=1000 flags=0x40\n",
			loop->now_ns, conn, (turn + 1) * 10, (turn + 1) * 5);
}

static struct split_tale *run(enum stop stop)
{
	struct split_tale *tale = split_tale_new();
	struct loop loop = {.tale = tale, .stop = stop, .now_ns = 1000};
	uint64_t nr = 0;

	cast(tale);
	for (uint64_t i = 0; i < NR_REQUESTS; i++)
		serve(&loop, i, &nr);
	off(&loop, 400 * MS, WAKE_NS, "state=1 nr=232 flags=0x880");
	split_tale_end(tale, 401 * MS);
	cr_assert(eq(sz, tale->nr, NR_REQUESTS));
	return tale;
}

static uint64_t response(const struct split_tale *tale)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < tale->nr; i++)
		sum_ns += tale->found[i].end_ns - tale->found[i].begin_ns;
	return sum_ns;
}

/* All that the stop added goes to it and its backlog, and nothing else changes but by the wakes
 * that a busy loop does not need. */
static void expect_blamed(enum stop stop, enum cause direct, enum cause backlog)
{
	struct split_tale *calm = run(STOP_NONE), *tale = run(stop);
	uint64_t added_ns = response(tale) - response(calm);
	uint64_t blamed_ns = split_tale_sum(tale, direct) + split_tale_sum(tale, backlog);

	cr_log_info("added %" PRIu64 ", blamed %" PRIu64, added_ns, blamed_ns);
	for (enum cause cause = 0; cause < NR_CAUSES; cause++) {
		uint64_t now_ns = split_tale_sum(tale, cause),
			 then_ns = split_tale_sum(calm, cause);

		if (now_ns != then_ns)
			cr_log_info("%s %" PRIu64 " instead of %" PRIu64, cause_name(cause), now_ns,
				    then_ns);
		if (cause != direct && cause != backlog)
			cr_expect(le(u64, now_ns, then_ns + added_ns / 100), "%s",
				  cause_name(cause));
	}
	cr_expect(gt(u64, added_ns, 400 * MS)); /* 20 + 19.5 + 19 ... */
	cr_expect(ge(u64, blamed_ns, added_ns - added_ns / 100));
	cr_expect(le(u64, blamed_ns, added_ns + added_ns / 100));
	cr_expect(zero(u64, split_tale_sum(tale, CAUSE_UNKNOWN)));
	split_tale_free(calm);
	split_tale_free(tale);
}

Test(splitter, an_undisturbed_server_works_and_is_woken)
{
	struct split_tale *tale = run(STOP_NONE);

	cr_expect(eq(str, tale->found[10].text, "2000 run_queue 11, 500000 on_cpu 11"));
	split_tale_free(tale);
}

Test(splitter, what_a_pause_added_is_the_pause_and_its_backlog)
{
	expect_blamed(STOP_PAUSE, CAUSE_PAUSE, CAUSE_BACKLOG_PAUSE);
}

Test(splitter, what_a_stop_signal_added_is_the_stop_and_its_backlog)
{
	expect_blamed(STOP_SIGNAL, CAUSE_STOPPED, CAUSE_BACKLOG_STOPPED);
}

Test(splitter, what_a_quota_added_is_throttling_and_its_backlog)
{
	expect_blamed(STOP_QUOTA, CAUSE_THROTTLED, CAUSE_BACKLOG_THROTTLED);
}

Test(splitter, each_pause_is_named_by_those_it_hit_and_by_those_behind)
{
	struct split_tale *tale = run(STOP_PAUSE);

	for (size_t i = 60; i < 80; i++)
		cr_expect(eq(u64, tale->found[i].split.pause_nr, 1), "%s", tale->found[i].text);
	cr_expect(zero(u64, tale->found[20].split.pause_nr));
	split_tale_free(tale);
}

/* One connection, and a client that waits for each answer: those behind the one that a pause hit
 * wait for the connection. */
Test(splitter, a_wait_for_the_connection_is_what_those_before_on_it_waited_for)
{
	struct split_connections connections = {0};
	struct segment segments[2] = {{1000, 21000, 1, CAUSE_PAUSE, 11},
				      {21000, 21500, 0, CAUSE_ON_CPU, 11}};
	struct split_result result = {
		.segments = segments, .nr = 2, .room = 2, .begin_ns = 1000, .end_ns = 21500};
	struct split_request request = {.at_ns = {[AT_INTENDED] = 1000, [AT_SENT] = 1000}};
	struct split_backlog backlog;
	struct conditions previous;

	cr_assert(zero(int, split_connection_add(&connections, 7, &request, &result, &previous,
						 &backlog)));
	cr_expect(zero(u64, backlog.ns[0]));
	cr_expect(zero(sz, previous.nr));
	segments[0] = (struct segment){21500, 22000, 0, CAUSE_ON_CPU, 11};
	result.nr = 1;
	result.begin_ns = 2000;
	result.end_ns = 22000;
	request.at_ns[AT_INTENDED] = 2000;
	request.at_ns[AT_SENT] = 21500;
	request.connection_wait_ns = 19500;
	cr_assert(zero(int, split_connection_add(&connections, 7, &request, &result, &previous,
						 &backlog)));
	cr_expect(eq(u64, backlog.ns[0], 19500)); /* without the pause it had been free */
	cr_assert(eq(sz, previous.nr, 2));
	cr_expect(eq(u64, previous.at[0].pause_nr, 1));
	request.at_ns[AT_INTENDED] = 2100; /* and a third, of 400 ns without the pause */
	request.at_ns[AT_SENT] = 22000;
	request.connection_wait_ns = 19900;
	segments[0] = (struct segment){22000, 22500, 0, CAUSE_ON_CPU, 11};
	result.end_ns = 22500;
	cr_assert(zero(int, split_connection_add(&connections, 7, &request, &result, &previous,
						 &backlog)));
	cr_expect(eq(u64, backlog.ns[0], 19500));
	cr_expect(eq(u64, backlog.ns[NR_BACKLOGS - 1], 400));
	split_connections_free(&connections);
}
