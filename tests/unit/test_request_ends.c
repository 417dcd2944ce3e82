/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/lib/random.h"
#include "tests/lib/request_tale.h"

#define ACCEPTED                                                                                   \
	"1000 conn_open 0 conn=1 tgid=5 local_port=80 remote_port=99 family=2 role=1 state=1 "     \
	"first_in=3 first_out=4\n"

/* ---- both ends ---- */

static struct request_tale *tale;

static void begin(void)
{
	tale = request_tale_new();
}

static void end(void)
{
	request_tale_free(tale);
}

TestSuite(both_ends, .init = begin, .fini = end);
TestSuite(serving, .init = begin, .fini = end);

#define expect_requests(text) cr_expect(eq(str, (char *)request_tale_text(tale), text))

#define CLIENT_END                                                                                 \
	"1000 info 90 key=\"target.role\" value=\"client\"\n"                                      \
	"1000 conn_open 90 conn=2 tgid=90 local_port=99 remote_port=80 family=10 role=2 state=1 "  \
	"first_in=4 first_out=3\n"

static const char *const asked_and_answered =
	"1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	"1105 write 90 conn=2 tgid=90 out_bytes=10 bytes=10 took_ns=15 flags=0x40\n"
	"1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	"1390 arrive 0 conn=2 tgid=90 in_bytes=5 out_bytes=10\n"
	"1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5 took_ns=30 flags=0x40\n"
	"1420 read 91 conn=2 tgid=90 in_bytes=5 out_bytes=10 bytes=5\n";

Test(both_ends, are_one_request)
{
	struct requests_totals totals;

	request_tale_tell(tale, ACCEPTED CLIENT_END);
	request_tale_tell(tale, asked_and_answered);
	request_tale_end(tale, 9000);
	expect_requests("0-10>0-5 whole 10+50+220+30+0+20 r7 a7 both\n");
	cr_expect(eq(u32, tale->found[0].sender_tid, 90));
	cr_expect(eq(u32, tale->found[0].receiver_tid, 91));
	requests_totals(tale->requests, &totals);
	cr_expect(eq(u64, totals.nr_linked, 1));
	cr_expect(eq(u64, totals.nr[REQUEST_SERVED], 1));
	cr_expect(zero(u64, totals.nr[REQUEST_SENT] + totals.nr[REQUEST_DOWNSTREAM]));
}

Test(both_ends, the_client_may_be_heard_of_first)
{
	request_tale_tell(tale, CLIENT_END ACCEPTED);
	request_tale_tell(tale, asked_and_answered);
	request_tale_end(tale, 9000);
	expect_requests("0-10>0-5 whole 10+50+220+30+0+20 r7 a7 both\n");
}

Test(both_ends, other_sequence_numbers_are_another_connection)
{
	request_tale_tell(tale,
			  ACCEPTED "1000 conn_open 90 conn=2 tgid=90 local_port=99 remote_port=80 "
				   "family=10 role=2 state=1 first_in=4 first_out=77\n");
	request_tale_tell(tale, asked_and_answered);
	request_tale_end(tale, 9000);
	cr_expect(eq(sz, tale->nr, 2)); /* served, and somebody's downstream */
}

Test(both_ends, the_server_may_close_before_the_client_has_read)
{
	request_tale_tell(tale, ACCEPTED CLIENT_END);
	request_tale_tell(tale, "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
				"1105 write 90 conn=2 tgid=90 out_bytes=10 bytes=10\n"
				"1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
				"1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n"
				"1410 conn_close 7 conn=1 tgid=5\n"
				"1500 read 90 conn=2 tgid=90 in_bytes=5 out_bytes=10 bytes=5\n"
				"1510 conn_close 90 conn=2 tgid=90\n");
	request_tale_end(tale, 9000);
	expect_requests("0-10>0-5 whole -5+50+250+0+0+100 r7 a7 both crossed\n");
}

Test(both_ends, a_recorded_client_of_somebody_else_is_a_request_without_spans)
{
	request_tale_tell(tale, CLIENT_END);
	request_tale_tell(tale,
			  "1105 write 90 conn=2 tgid=90 out_bytes=10 bytes=10 took_ns=5 flags=64\n"
			  "1390 arrive 0 conn=2 tgid=90 in_bytes=5 out_bytes=10\n"
			  "1420 read 91 conn=2 tgid=90 in_bytes=5 out_bytes=10 bytes=5\n"
			  "1500 write 90 conn=2 tgid=90 in_bytes=5 out_bytes=20 bytes=10\n");
	request_tale_end(tale, 9000);
	expect_requests("0-5>0-10 whole\n5-5>10-20 cut at the end\n");
	cr_expect(eq(int, (int)tale->found[0].kind, REQUEST_SENT));
	cr_expect(eq(u64, tale->found[0].end_ns - tale->found[0].begin_ns, 320));
}

Test(both_ends, a_call_to_a_recorded_listener_is_never_downstream)
{
	request_tale_tell(tale, "1000 conn_listen 0 conn=3 tgid=6 local_port=81 family=2 role=3\n"
				"1000 conn_open 7 conn=2 tgid=5 local_port=99 remote_port=81 "
				"family=2 role=2 state=1 first_in=4 first_out=3\n"
				"1105 write 7 conn=2 tgid=5 out_bytes=10 bytes=10\n"
				"1420 read 7 conn=2 tgid=5 in_bytes=5 out_bytes=10 bytes=5\n");
	request_tale_end(tale, 9000);
	expect_requests("");
}

/* ---- who serves, and when ---- */

/* Thread 7 reads at 2000; 8 answers at 9000. */
static const char *const read_by_7 = "1990 arrive 0 conn=1 tgid=5 in_bytes=10\n"
				     "2000 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n";
static const char *const answered_by_8 =
	"9000 write 8 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n";

static void expect_service(uint64_t until_ns, uint64_t since_ns)
{
	cr_assert(eq(sz, tale->nr, 1));
	cr_expect(eq(u64, tale->found[0].reader_until_ns, until_ns));
	cr_expect(eq(u64, tale->found[0].answerer_since_ns, since_ns));
	cr_expect(eq(int, tale->found[0].has_handoff, until_ns &&since_ns));
	if (until_ns && since_ns)
		cr_expect(eq(u64, tale->found[0].handoff_ns, since_ns - until_ns));
}

static void tell_service(const char *between)
{
	request_tale_tell(tale, ACCEPTED);
	request_tale_tell(tale, read_by_7);
	request_tale_tell(tale, between);
	request_tale_tell(tale, answered_by_8);
	request_tale_end(tale, 20000);
}

Test(serving, a_loop_that_goes_idle_hands_over_to_who_wakes_up)
{
	tell_service("6000 offcpu 8 tgid=5 off_ns=5000 runq_ns=1000 seq=1 state=1 nr=202\n"
		     "8000 offcpu 7 tgid=5 off_ns=5000 runq_ns=10 seq=1 state=1 nr=232\n");
	expect_service(3000, 5000);
}

Test(serving, a_loop_that_reads_from_another_client_has_handed_over)
{
	tell_service("2500 conn_open 0 conn=4 tgid=5 local_port=80 remote_port=98 family=2 "
		     "role=1 state=1 first_in=13 first_out=14\n"
		     "2600 arrive 0 conn=4 tgid=5 in_bytes=10\n"
		     "2700 read 7 conn=4 tgid=5 in_bytes=10 bytes=10\n"
		     "6000 offcpu 8 tgid=5 off_ns=5000 runq_ns=1000 seq=1 state=1 nr=202\n");
	cr_assert(eq(sz, tale->nr, 2));
	cr_expect(eq(u64, tale->found[0].reader_until_ns, 2700));
	cr_expect(eq(u64, tale->found[0].handoff_ns, 2300));
}

Test(serving, a_previous_answer_bounds_the_answerer)
{
	tell_service("2500 conn_open 0 conn=4 tgid=5 local_port=80 remote_port=98 family=2 "
		     "role=1 state=1 first_in=13 first_out=14 flags=0x10\n"
		     "7000 write 8 conn=4 tgid=5 out_bytes=10 bytes=10\n"
		     "8000 offcpu 7 tgid=5 off_ns=5000 runq_ns=10 seq=1 state=1 nr=232\n");
	cr_assert(eq(sz, tale->nr, 2));
	cr_expect(eq(u64, tale->found[0].reader_until_ns, 3000));
	cr_expect(eq(u64, tale->found[0].answerer_since_ns, 7000));
}

Test(serving, of_a_reader_nothing_was_heard_of_nothing_is_known)
{
	tell_service("6000 offcpu 8 tgid=5 off_ns=5000 runq_ns=1000 seq=1 state=1 nr=202\n");
	expect_service(0, 5000);
}

Test(serving, waiting_for_somebody_downstream_ends_nothing)
{
	tell_service("2500 conn_open 8 conn=4 tgid=5 local_port=97 remote_port=5432 family=2 "
		     "role=2 state=1 first_in=13 first_out=14\n"
		     "5000 offcpu 8 tgid=5 off_ns=1000 runq_ns=100 seq=1 state=1 nr=202\n"
		     "5100 write 8 conn=4 tgid=5 out_bytes=10 bytes=10\n"
		     "7000 offcpu 8 tgid=5 off_ns=1000 runq_ns=100 seq=2 state=1 nr=7\n"
		     "7010 read 8 conn=4 tgid=5 in_bytes=10 out_bytes=10 bytes=10\n"
		     "8000 offcpu 7 tgid=5 off_ns=5000 runq_ns=10 seq=1 state=1 nr=232\n");
	cr_assert(eq(sz, tale->nr, 2));
	cr_expect(eq(u64, tale->found[0].answerer_since_ns, 4900));
	cr_expect(eq(int, (int)tale->found[1].kind, REQUEST_DOWNSTREAM));
}

Test(serving, one_thread_that_waits_for_a_lock_serves_all_the_time)
{
	request_tale_tell(tale, ACCEPTED);
	request_tale_tell(tale, read_by_7);
	request_tale_tell(tale,
			  "6000 offcpu 7 tgid=5 off_ns=3000 runq_ns=1000 seq=1 state=1 nr=202\n"
			  "9000 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n");
	request_tale_end(tale, 20000);
	cr_assert(eq(sz, tale->nr, 1));
	cr_expect(eq(u64, tale->found[0].reader_until_ns, 9000));
	cr_expect(zero(u64, tale->found[0].handoff_ns));
}

/* ---- the queue in front, and what is given out when ---- */

Test(both_ends, requests_to_one_listener_queue)
{
	request_tale_tell(tale, ACCEPTED "1000 conn_open 0 conn=4 tgid=5 local_port=80 "
					 "remote_port=98 family=2 role=1 state=1\n"
					 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
					 "1110 arrive 0 conn=4 tgid=5 in_bytes=10\n"
					 "1120 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
					 "1130 write 7 conn=1 tgid=5 out_bytes=5 bytes=5\n"
					 "1140 arrive 0 conn=1 tgid=5 in_bytes=20 out_bytes=5\n");
	request_tale_end(tale, 9000);
	cr_assert(eq(sz, tale->nr, 3));
	cr_expect(eq(u64, tale->found[0].queue_listener, 0));
	cr_expect(eq(u64, tale->found[1].queue_listener, 1)); /* the second of the first */
	cr_expect(eq(u64, tale->found[2].queue_listener, 1));
}

/* Ten thousand requests on one connection: what is kept does not grow with them. */
Test(both_ends, memory_is_bounded_by_what_is_open)
{
	struct event_sock step = {.hdr = {.size = sizeof(step)}, .conn = 1, .tgid = 5, .bytes = 1};
	static const uint16_t kinds[] = {EVENT_SOCK_ARRIVE, EVENT_SOCK_READ, EVENT_SOCK_WRITE};
	uint64_t before = 0;

	request_tale_tell(tale, ACCEPTED);
	for (uint64_t i = 0; i < 3 * 10000; i++) {
		step.hdr.kind = kinds[i % 3];
		step.hdr.tid = i % 3 ? 7 : 0;
		step.hdr.ts_ns = 2000 + i * 1000000;
		step.in_bytes = i / 3 + 1;
		step.out_bytes = i / 3 + (i % 3 == 2);
		request_tale_event(tale, &step.hdr);
		cr_assert(le(u64, i / 3 - (tale->nr < i / 3 ? tale->nr : i / 3), 700),
			  "more than two seconds of requests are held back");
	}
	before = tale->nr;
	request_tale_end(tale, step.hdr.ts_ns);
	cr_expect(lt(u64, before, 10000));
	cr_expect(eq(sz, tale->nr, 10000));
	for (size_t i = 0; i < tale->nr; i++)
		cr_assert(eq(int, (int)tale->found[i].state, REQUEST_WHOLE));
}
