/* SPDX-License-Identifier: BSD-2-Clause */
/* Pauses by the futex calls of the VM Thread alone: the barrier's word is 0x7000, the queue's lock
 * lies at 0x4fd8. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/lib/jvm_story.h"

#define BARRIER 0x7000u
#define LOCK	0x4fd8u
#define QUEUE	0x5000u

static struct story *story;

static void begin(void)
{
	story = story_new();
	jvm_cast(story);
}

static void end(void)
{
	story_free(story);
}

TestSuite(pause_futex, .init = begin, .fini = end);

static void futex(uint64_t at_ns, uint32_t uaddr, uint32_t op, uint32_t val, uint32_t word)
{
	story_tell_line(story, "%lu vm_futex 10 tgid=5 uaddr=%u op=%u val=%u word=%u word_read=1",
			(unsigned long)at_ns, uaddr, op, val, word);
}

static void wakes_everybody(uint64_t at_ns, uint32_t uaddr)
{
	futex(at_ns, uaddr, 129, 0x7fffffff, 0);
}

/* The VM Thread takes an operation from its queue: the pause begins at @at_ns. */
static void takes_operation(uint64_t at_ns)
{
	futex(at_ns - 4000, QUEUE, 393, 0, 2);
	futex(at_ns, LOCK, 129, 1, 0);
}

static void pauses_for(uint64_t at_ns, uint64_t length_ns)
{
	takes_operation(at_ns);
	wakes_everybody(at_ns + length_ns, BARRIER);
}

static void expect_pause(size_t nr, uint64_t begin_ns, uint64_t release_ns)
{
	const struct pause *pause = jvm_pause(story, nr);

	cr_expect(eq(u64, pause->begin_ns, begin_ns), "pause %zu", nr);
	cr_expect(eq(u64, pause->release_ns, release_ns), "pause %zu", nr);
	cr_expect(eq(int, (int)pause->source, PAUSE_SOURCE_FUTEX));
	cr_expect(not(pause->cut));
}

Test(pause_futex, the_first_pauses_are_not_lost)
{
	for (uint64_t i = 0; i < 10; i++)
		pauses_for(2000000 + i * 1000000, 100000 + i);
	story_end(story, 20000000);
	cr_assert(eq(sz, story->nr_found, 10));
	for (uint64_t i = 0; i < 10; i++)
		expect_pause(i, 2000000 + i * 1000000, 2100000 + i * 1000000 + i);
}

Test(pause_futex, one_pause_is_enough_when_there_is_no_more)
{
	pauses_for(2000000, 100000);
	story_end(story, 20000000);
	cr_assert(eq(sz, story->nr_found, 1));
	expect_pause(0, 2000000, 2100000);
	cr_expect(eq(int, (int)jvm_pause(story, 0)->release_source, RELEASE_FUTEX));
	cr_expect(eq(int, (int)jvm_pause(story, 0)->sync_source, SYNC_FIRST_LOOK));
}

/* glibc's conditions make such a call now and then, on a word of their own. */
Test(pause_futex, the_word_woken_most_is_the_barrier)
{
	wakes_everybody(1500000, 0x9000);
	for (uint64_t i = 0; i < 8; i++)
		pauses_for(2000000 + i * 1000000, 100000);
	wakes_everybody(19000000, 0x9000);
	story_end(story, 20000000);
	cr_expect(eq(sz, story->nr_found, 8));
	expect_pause(0, 2000000, 2100000);
}

Test(pause_futex, the_word_others_wait_at_is_the_barrier)
{
	wakes_everybody(1500000, 0x9000);
	takes_operation(2000000);
	wakes_everybody(2100000, BARRIER);
	story_tell(story, "2150000 offcpu 11 tgid=5 seq=1 off_ns=130000 runq_ns=49000 arg0=0x7000 "
			  "arg1=128 arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 20000000);
	cr_assert(eq(sz, story->nr_found, 1));
	cr_expect(eq(u64, jvm_pause(story, 0)->begin_ns, 2000000));
	cr_expect(eq(u64, jvm_pause(story, 0)->release_ns, 2101000));
	cr_expect(eq(int, (int)jvm_pause(story, 0)->release_source, RELEASE_WAKE));
	cr_expect(eq(sz, jvm_pause(story, 0)->nr_stopped, 1));
}

/* The thread it woke preempts the VM Thread, whose call returns long after. */
Test(pause_futex, who_is_back_before_the_call_returns_was_stopped_too)
{
	for (uint64_t i = 0; i < 5; i++)
		pauses_for(2000000 + i * 1000000, 100000);
	takes_operation(8000000);
	story_tell(story, "8120000 offcpu 11 tgid=5 seq=1 off_ns=100000 runq_ns=20000 arg0=0x7000 "
			  "arg1=128 arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	wakes_everybody(8300000, BARRIER);
	story_end(story, 20000000);
	cr_assert(eq(sz, story->nr_found, 6));
	cr_expect(eq(sz, jvm_pause(story, 4)->nr_stopped, 0));
	cr_expect(eq(sz, jvm_pause(story, 5)->nr_stopped, 1));
	cr_expect(eq(u64, jvm_pause(story, 5)->release_ns, 8100000));
}

/* Nothing of the queue's lock between the two: the second begins where the first ended. */
Test(pause_futex, without_a_call_in_between_a_pause_begins_with_the_end_of_the_last)
{
	for (uint64_t i = 0; i < 5; i++)
		pauses_for(2000000 + i * 1000000, 100000);
	wakes_everybody(6300000, BARRIER);
	story_end(story, 20000000);
	cr_assert(eq(sz, story->nr_found, 6));
	expect_pause(5, 6100000, 6300000);
}

Test(pause_futex, one_that_began_before_the_recording_is_cut)
{
	wakes_everybody(2100000, BARRIER);
	futex(2105000, QUEUE, 129, 0x7fffffff, 2);
	for (uint64_t i = 1; i < 5; i++)
		pauses_for(2000000 + i * 1000000, 100000);
	story_end(story, 20000000);
	cr_assert(eq(sz, story->nr_found, 5));
	cr_expect(jvm_pause(story, 0)->cut);
	cr_expect(zero(u64, jvm_pause(story, 0)->begin_ns));
	expect_pause(1, 3000000, 3100000);
}

/* A handshake: the VM Thread takes an operation, and wakes nobody at the barrier. */
Test(pause_futex, operations_without_a_barrier_are_no_pauses)
{
	for (uint64_t i = 0; i < 5; i++) {
		takes_operation(1500000 + i * 1000000);
		pauses_for(2000000 + i * 1000000, 100000);
	}
	story_end(story, 20000000);
	cr_assert(eq(sz, story->nr_found, 5));
	expect_pause(3, 5000000, 5100000);
}

Test(pause_futex, the_last_sleep_ends_reaching_without_counters)
{
	takes_operation(2000000);
	story_tell(story, "2080000 offcpu 10 tgid=5 seq=1 off_ns=70000 runq_ns=2000 state=1 nr=230 "
			  "flags=0x880");
	wakes_everybody(2100000, BARRIER);
	story_end(story, 20000000);
	cr_expect(eq(int, (int)jvm_pause(story, 0)->sync_source, SYNC_LAST_SLEEP));
	cr_expect(eq(u64, jvm_pause(story, 0)->sync_ns, 2080000));
}

static void counters(uint64_t at_ns, uint64_t nr, uint64_t sync_ns, uint64_t nr_collections,
		     const char *last)
{
	story_tell_line(story,
			"%lu jvm_counters 10 tgid=5 valid=0x3f safepoints=%lu sync_ns=%lu "
			"gc_invocations=%lu cause=\"No "
			"GC\" last_cause=\"%s\"",
			(unsigned long)at_ns, (unsigned long)nr, (unsigned long)sync_ns,
			(unsigned long)nr_collections, last);
}

Test(pause_futex, the_jvms_counters_tell_reaching_the_cause_and_what_was_missed)
{
	takes_operation(2000000);
	counters(2100000, 8, 1000, 3, "Allocation Failure");
	wakes_everybody(2100000, BARRIER);
	takes_operation(3000000);
	counters(3100000, 9, 31000, 4, "System.gc()");
	wakes_everybody(3100000, BARRIER);
	takes_operation(4000000);
	counters(4100000, 12, 91000, 4, "System.gc()");
	wakes_everybody(4100000, BARRIER);
	story_end(story, 20000000);
	cr_assert(eq(sz, story->nr_found, 3));
	cr_expect(eq(int, (int)jvm_pause(story, 1)->sync_source, SYNC_JVM_COUNTER));
	cr_expect(eq(u64, jvm_pause(story, 1)->sync_ns, 3030000));
	cr_expect(eq(str, (char *)jvm_pause(story, 1)->cause, "System.gc()"));
	cr_expect(jvm_pause(story, 1)->gc);
	cr_expect(zero(u64, jvm_pause(story, 1)->missed_before));
	cr_expect(eq(int, (int)jvm_pause(story, 2)->sync_source, SYNC_FIRST_LOOK));
	cr_expect(not(jvm_pause(story, 2)->gc));
	cr_expect(eq(u64, jvm_pause(story, 2)->missed_before, 2));
	cr_expect(eq(u64, jvm_pause(story, 2)->nr_safepoints, 12));
}

Test(pause_futex, what_the_recorder_read_at_first_serves_the_first_pause)
{
	story_tell(
		story,
		"1500000 counters 5 tgid=5 valid=15 safepoints=7 sync_ns=1000 before_ns=1499000");
	takes_operation(2000000);
	counters(2100000, 8, 11000, 3, "Allocation Failure");
	wakes_everybody(2100000, BARRIER);
	story_end(story, 20000000);
	cr_expect(eq(int, (int)jvm_pause(story, 0)->sync_source, SYNC_JVM_COUNTER));
	cr_expect(eq(u64, jvm_pause(story, 0)->sync_ns, 2010000));
}

/* With the JVM's own probes in the same recording, its futex calls tell nothing new. */
Test(pause_futex, usdt_is_believed_before_futex_calls)
{
	jvm_cleans_up(story, 2000000);
	pauses_for(2000000, 6000);
	story_end(story, 20000000);
	cr_expect(eq(sz, story->nr_found, 1));
	cr_expect(eq(int, (int)jvm_pause(story, 0)->source, PAUSE_SOURCE_USDT));
}

/* More than the queue holds, and not one wake of everybody in it: then pauses. */
Test(pause_futex, a_long_wait_for_the_first_pause_costs_nothing)
{
	for (uint64_t i = 0; i < 30000; i++)
		takes_operation(2000000 + i * 10000);
	for (uint64_t i = 0; i < 5; i++)
		pauses_for(400000000 + i * 1000000, 100000);
	story_end(story, 500000000);
	cr_assert(eq(sz, story->nr_found, 5));
	expect_pause(0, 400000000, 400100000);
}

/* The JVM has begun one more than have ended; what ends it is after the end of the recording. */
Test(pause_futex, one_still_open_at_the_end_is_cut)
{
	for (uint64_t i = 0; i < 5; i++) {
		takes_operation(2000000 + i * 1000000);
		story_tell_line(story, "%lu jvm_counters 10 tgid=5 valid=1 safepoints=%lu",
				(unsigned long)(2100000 + i * 1000000), (unsigned long)(i + 1));
		wakes_everybody(2100000 + i * 1000000, BARRIER);
	}
	takes_operation(8000000);
	story_tell(story, "19000000 counters 5 tgid=5 valid=1 safepoints=6 edge=1");
	story_end(story, 20000000);
	cr_assert(eq(sz, story->nr_found, 6));
	cr_expect(eq(u64, jvm_pause(story, 5)->begin_ns, 8000000));
	cr_expect(eq(u64, jvm_pause(story, 5)->release_ns, 0));
	cr_expect(jvm_pause(story, 5)->cut);
	cr_expect(eq(u64, jvm_pause(story, 5)->nr_safepoints, 6));
}

Test(pause_futex, an_operation_that_is_no_safepoint_is_not_open_at_the_end)
{
	takes_operation(2000000);
	story_tell(story, "2100000 jvm_counters 10 tgid=5 valid=1 safepoints=1");
	wakes_everybody(2100000, BARRIER);
	takes_operation(8000000);
	story_tell(story, "19000000 counters 5 tgid=5 valid=1 safepoints=1 edge=1");
	story_end(story, 20000000);
	cr_expect(eq(sz, story->nr_found, 1));
}
