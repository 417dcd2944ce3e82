/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/random.h"
#include "tests/lib/story.h"
#include "user/recording/record.h"

static struct story *story;

static void begin(void)
{
	story = story_new();
}

static void end(void)
{
	story_free(story);
}

TestSuite(threads, .init = begin, .fini = end);

#define expect_spans(tid, text) cr_expect(eq(str, (char *)story_spans(story, tid), text))

/* Thread 7 of process 5, on a CPU at 1000. */
static const char *const running_at_1000 =
	"1000 thread 7 tgid=5 state=0xffffffff nr=-1 comm=\"worker\"";

Test(threads, an_interval_is_a_block_then_a_wait_for_the_cpu)
{
	story_tell(story, running_at_1000);
	story_tell(story,
		   "1500 offcpu 7 tgid=5 seq=1 off_ns=300 runq_ns=100 state=1 nr=202 flags=0x800");
	story_tell(story, "1900 offcpu 7 tgid=5 seq=2 off_ns=50 runq_ns=50 nr=-1");
	story_end(story, 1900);
	expect_spans(7, "running 200, parked 200, run queue 100, running 350, run queue 50");
	cr_expect(eq(u64, story_thread(story, 7)->nr_intervals, 2));
	cr_expect(eq(u64, story_thread(story, 7)->nr_wakes, 1));
}

Test(threads, quota_comes_before_the_run_queue)
{
	story_tell(story, running_at_1000);
	story_tell(
		story,
		"1500 offcpu 7 tgid=5 seq=1 off_ns=400 runq_ns=400 throttled_ns=390 nr=-1 flags=2");
	story_tell(story, "2500 offcpu 7 tgid=5 seq=2 off_ns=900 runq_ns=500 throttled_ns=300 "
			  "state=1 nr=202 flags=0x804");
	story_end(story, 2500);
	expect_spans(7, "running 100, throttled 390, run queue 10, running 100, parked 400, "
			"throttled 300, run queue 200");
}

Test(threads, quota_of_unknown_length_takes_all_of_the_wait)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1500 offcpu 7 tgid=5 seq=1 off_ns=400 runq_ns=400 nr=-1 flags=0x402");
	story_end(story, 1500);
	expect_spans(7, "running 100, throttled 400");
}

/* The run queue's clock had stood still before the wake-up. */
Test(threads, quota_never_takes_more_than_the_wait)
{
	story_tell(story, running_at_1000);
	story_tell(story,
		   "9001500 offcpu 7 tgid=5 seq=1 off_ns=9000400 runq_ns=500 throttled_ns=5000000 "
		   "state=1 nr=202 flags=0x804");
	story_end(story, 9001500);
	expect_spans(7, "running 100, parked 8999900, throttled 500");
	cr_expect(zero(u64, story_thread(story, 7)->nr_damaged));
}

Test(threads, quota_longer_than_its_interval_is_damage)
{
	story_tell(story, running_at_1000);
	story_tell(story, "9001500 offcpu 7 tgid=5 seq=1 off_ns=9000400 runq_ns=9000400 "
			  "throttled_ns=9200000 flags=2");
	story_end(story, 9001500);
	expect_spans(7, "running 100, unknown 9000400");
	cr_expect(eq(u64, story_thread(story, 7)->nr_damaged, 1));
}

Test(threads, a_thread_that_was_waiting_at_attach_began_then)
{
	story_tell(
		story,
		"1000 thread 7 tgid=5 off_since_ns=990 state=1 nr=232 flags=0x100 comm=\"idle\"");
	story_tell(story,
		   "1500 offcpu 7 tgid=5 seq=1 off_ns=510 runq_ns=10 state=1 nr=232 flags=0x900");
	story_end(story, 1500);
	expect_spans(7, "epoll 500, run queue 10");
	cr_expect(eq(u64, story_thread(story, 7)->first_ns, 990));
}

Test(threads, a_thread_nobody_announced_begins_with_its_first_interval)
{
	story_tell(story,
		   "1500 offcpu 7 tgid=5 seq=9 off_ns=510 runq_ns=10 state=1 nr=35 flags=0x800");
	story_end(story, 1500);
	expect_spans(7, "sleep 500, run queue 10");
	cr_expect(eq(u64, story_thread(story, 7)->nr_lost, 0));
}

Test(threads, a_snapshot_that_comes_late_does_not_cut_the_first_interval)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1010 offcpu 7 tgid=5 seq=1 off_ns=110 runq_ns=10 state=1 nr=202");
	story_end(story, 1010);
	expect_spans(7, "parked 100, run queue 10");
	cr_expect(eq(u64, story_thread(story, 7)->first_ns, 900));
}

Test(threads, a_new_thread_waits_for_its_first_cpu)
{
	story_tell(story, "1000 task_new 7 tgid=5 parent_tid=6 comm=\"parent\"");
	story_tell(story, "1100 offcpu 7 tgid=5 seq=1 off_ns=95 runq_ns=95 nr=-1 flags=0x200");
	story_tell(story, "1200 task_exit 7 tgid=5 exec_ns=100");
	expect_spans(7, "run queue 5, run queue 95, running 100");
	cr_assert(eq(sz, story->nr_gone, 1));
	cr_expect(story->gone[0].exited);
	cr_expect(eq(u64, story->gone[0].exec_last_ns, story->gone[0].running_last_ns));
	cr_expect(eq(ptr, (void *)threads_find(story->threads, 7), NULL));
}

/* ---- losses ---- */

Test(threads, a_gap_in_the_numbers_is_unknown)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1500 offcpu 7 tgid=5 seq=1 off_ns=300 runq_ns=100 state=1 nr=202");
	story_tell(story, "2500 offcpu 7 tgid=5 seq=4 off_ns=300 runq_ns=100 state=1 nr=202");
	story_end(story, 2500);
	expect_spans(
		7,
		"running 200, parked 200, run queue 100, unknown 700, parked 200, run queue 100");
	cr_expect(eq(u64, story_thread(story, 7)->nr_lost, 2));
}

Test(threads, a_snapshot_after_the_last_lost_one_ends_the_gap)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1500 offcpu 7 tgid=5 seq=1 off_ns=300 runq_ns=100 state=1 nr=202");
	story_tell(story, "2000 thread 7 tgid=5 seq=3 state=0xffffffff nr=-1 comm=\"worker\"");
	story_tell(story, "2500 offcpu 7 tgid=5 seq=4 off_ns=300 runq_ns=100 state=1 nr=202");
	story_end(story, 2500);
	expect_spans(7, "running 200, parked 200, run queue 100, unknown 500, running 200, parked "
			"200, run queue 100");
}

Test(threads, a_snapshot_overtaken_by_its_interval_is_no_loss)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1399 thread 7 tgid=5 seq=1 state=0xffffffff nr=-1 comm=\"worker\"");
	story_tell(story, "1400 offcpu 7 tgid=5 seq=1 off_ns=300 runq_ns=100 state=1 nr=202");
	story_tell(story, "1500 offcpu 7 tgid=5 seq=2 off_ns=50 runq_ns=50 nr=-1");
	story_end(story, 1500);
	expect_spans(7, "running 100, parked 200, run queue 100, running 50, run queue 50");
	cr_expect(eq(u64, story_thread(story, 7)->nr_lost, 0));
}

Test(threads, after_a_loss_nobody_is_taken_to_have_run_to_its_end)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1500 offcpu 7 tgid=5 seq=1 off_ns=300 runq_ns=100 state=1 nr=202");
	story_tell(story, "1600 lost 0 from_ns=1400 nr=1 lost_kind=1 cause=1");
	story_tell(story, "2000 task_exit 7 tgid=5 exec_ns=100");
	expect_spans(7, "running 200, parked 200, run queue 100, unknown 500");
}

Test(threads, a_later_snapshot_with_its_number_lifts_the_doubt)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1500 offcpu 7 tgid=5 seq=1 off_ns=300 runq_ns=100 state=1 nr=202");
	story_tell(story, "1600 lost 0 from_ns=1400 nr=1 lost_kind=1 cause=1");
	story_tell(story, "1700 thread 7 tgid=5 seq=1 state=0xffffffff nr=-1 comm=\"worker\"");
	story_tell(story, "2000 task_exit 7 tgid=5 exec_ns=100");
	expect_spans(7, "running 200, parked 200, run queue 100, running 500");
}

Test(threads, an_interval_that_comes_too_late_is_counted_and_left_out)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1500 offcpu 7 tgid=5 seq=2 off_ns=100 runq_ns=100 nr=-1");
	story_tell(story, "1300 offcpu 7 tgid=5 seq=1 off_ns=100 runq_ns=100 nr=-1");
	story_end(story, 1500);
	expect_spans(7, "unknown 400, run queue 100");
	cr_expect(eq(u64, story_thread(story, 7)->nr_disordered, 1));
}

Test(threads, parts_longer_than_the_whole_are_unknown)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1500 offcpu 7 tgid=5 seq=1 off_ns=300 runq_ns=301 state=1 nr=202");
	story_end(story, 1500);
	expect_spans(7, "running 200, unknown 300");
	cr_expect(eq(u64, story_thread(story, 7)->nr_damaged, 1));
}

Test(threads, an_interval_from_before_time_is_ignored)
{
	story_tell(story, "1500 offcpu 7 tgid=5 seq=1 off_ns=1501 runq_ns=1501");
	cr_expect(eq(ptr, (void *)threads_find(story->threads, 7), NULL));
}

/* ---- the end ---- */

Test(threads, a_wait_still_open_at_the_end_is_told_by_the_last_snapshot)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1500 offcpu 7 tgid=5 seq=1 off_ns=100 runq_ns=100 nr=-1");
	story_tell(story,
		   "2000 thread 7 tgid=5 seq=1 off_since_ns=1700 state=1 nr=202 comm=\"worker\"");
	story_end(story, 2010);
	expect_spans(7, "running 400, run queue 100, running 200, parked 310 open");
}

Test(threads, what_follows_the_last_that_is_known_is_unknown)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1500 offcpu 7 tgid=5 seq=1 off_ns=100 runq_ns=100 nr=-1");
	story_tell(story, "2000 thread 7 tgid=5 seq=1 state=0xffffffff nr=-1 comm=\"worker\"");
	story_end(story, 2010);
	expect_spans(7, "running 400, run queue 100, running 500, unknown 10 open");
}

Test(threads, a_loss_after_the_last_snapshot_ends_what_it_tells)
{
	story_tell(
		story,
		"1000 thread 7 tgid=5 off_since_ns=990 state=1 nr=232 flags=0x100 comm=\"idle\"");
	story_tell(story, "1500 lost 0 from_ns=1400 nr=1 lost_kind=1 cause=1");
	story_end(story, 2000);
	expect_spans(7, "epoll 10 open, unknown 1000 open");
}

Test(threads, losses_the_last_snapshot_knows_of_are_counted)
{
	story_tell(story, running_at_1000);
	story_tell(story,
		   "2000 thread 7 tgid=5 seq=3 off_since_ns=1700 state=1 nr=202 comm=\"worker\"");
	story_end(story, 2010);
	expect_spans(7, "unknown 700, parked 310 open");
	cr_expect(eq(u64, story_thread(story, 7)->nr_lost, 3));
}

/* ---- whatever comes ---- */

/* Records of all kinds with few tids, mostly in order: the checks of tests/lib/story.c hold for all
 * of them. */
Test(threads, sums_are_the_wall_time_whatever_comes)
{
	static const uint16_t kinds[] = {EVENT_OFFCPU,	  EVENT_OFFCPU,	   EVENT_OFFCPU,
					 EVENT_OFFCPU,	  EVENT_THREAD,	   EVENT_TASK_NEW,
					 EVENT_TASK_EXIT, EVENT_TASK_EXEC, RECORD_LOST};
	union {
		struct event_hdr hdr;
		struct event_offcpu off;
		struct event_thread thread;
		struct event_task task;
		struct record_lost lost;
		char bytes[EVENT_BYTES_MAX];
	} record;
	uint64_t random = 11, now_ns = 1000000;

	for (int i = 0; i < 30000; i++) {
		uint32_t tid = 5 + random_next(&random) % 4;

		memset(&record, 0, sizeof(record));
		now_ns += random_next(&random) % 100;
		record.hdr.kind = kinds[random_next(&random) % 9];
		record.hdr.tid = tid;
		record.hdr.ts_ns =
			random_next(&random) % 50 ? now_ns : now_ns - random_next(&random) % 500;
		if (record.hdr.kind == EVENT_OFFCPU) {
			record.off.tgid = 5;
			record.off.seq = (uint32_t)(i / 8 + random_next(&random) % 3);
			record.off.off_ns = random_next(&random) % 300;
			record.off.runq_ns = random_next(&random) % 200;
			record.off.throttled_ns = random_next(&random) % 100;
			record.off.state = random_next(&random) % 3;
			record.off.flags = random_next(&random) % 0x1000;
		} else if (record.hdr.kind == EVENT_THREAD) {
			record.thread.tgid = 5;
			record.thread.seq = (uint32_t)(i / 8 + random_next(&random) % 3);
			record.thread.off_since_ns =
				random_next(&random) % 2 ? now_ns - random_next(&random) % 600 : 0;
			record.thread.state = random_next(&random) % 2 ? THREAD_STATE_ON_CPU : 1;
		} else if (record.hdr.kind == RECORD_LOST) {
			record.lost.lost_kind = random_next(&random) % 3;
		} else {
			record.task.tgid = 5;
			record.task.parent_tid = 5 + random_next(&random) % 4;
		}
		story_event(story, &record.hdr);
	}
	story_end(story, now_ns + 1000);
	cr_assert(gt(sz, story->nr_spans, 1000));
	cr_assert(gt(sz, story->nr_gone, 100));
}
