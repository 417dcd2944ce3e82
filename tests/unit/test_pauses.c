/* SPDX-License-Identifier: BSD-2-Clause */
/* Pauses by the JVM's own probes: when they began, were reached, were released. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "tests/lib/jvm_story.h"
#include "user/recording/record.h"

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

TestSuite(pauses, .init = begin, .fini = end);

Test(pauses, a_pause_is_all_that_its_records_say)
{
	const struct pause *pause;

	jvm_vm_thread_wakes(story);
	jvm_collects(story);
	story_end(story, 3000000);
	cr_assert(eq(sz, story->nr_found, 1));
	pause = jvm_pause(story, 0);
	cr_expect(eq(u64, pause->nr, 1));
	cr_expect(eq(int, (int)pause->source, PAUSE_SOURCE_USDT));
	cr_expect(eq(u64, pause->begin_ns, 2000000));
	cr_expect(eq(u64, pause->sync_ns, 2092000));
	cr_expect(eq(int, (int)pause->sync_source, SYNC_JVM_COUNTER));
	cr_expect(eq(u64, pause->op_begin_ns, 2095000));
	cr_expect(eq(u64, pause->op_end_ns, 2500000));
	cr_expect(eq(u64, pause->release_ns, 2503000));
	cr_expect(eq(int, (int)pause->release_source, RELEASE_WAKE));
	cr_expect(eq(u64, pause->end_ns, 2515000));
	cr_expect(eq(str, (char *)pause->operation, "G1CollectForAllocation"));
	cr_expect(eq(str, (char *)pause->cause, "G1 Evacuation Pause"));
	cr_expect(pause->gc);
	cr_expect(not(pause->gc_full));
	cr_expect(not(pause->cut));
	cr_expect(not(pause->incomplete));
	cr_expect(eq(u64, pause->nr_safepoints, 8));
	cr_expect(zero(u64, pause->missed_before));
}

Test(pauses, those_who_waited_at_the_barrier_were_stopped)
{
	const struct pause *pause;

	jvm_vm_thread_wakes(story);
	jvm_collects(story);
	story_end(story, 3000000);
	pause = jvm_pause(story, 0);
	cr_assert(eq(sz, pause->nr_stopped, 2));
	cr_expect(eq(u32, pause->stopped[0].tid, 11)); /* sorted by return */
	cr_expect(eq(u64, pause->stopped[0].arrived_ns, 2060000));
	cr_expect(eq(u64, pause->stopped[0].woken_ns, 2503000));
	cr_expect(eq(u64, pause->stopped[0].back_ns, 2523000));
	cr_expect(eq(u32, pause->stopped[1].tid, 12));
	cr_expect(eq(u64, pause_lost(pause, &pause->stopped[1]), 535000));
	cr_expect(eq(u64, pause->lost_ns, 463000 + 535000));
}

Test(pauses, the_last_to_arrive_was_late)
{
	const struct pause *pause;

	jvm_vm_thread_wakes(story);
	jvm_collects(story);
	story_end(story, 3000000);
	pause = jvm_pause(story, 0);
	cr_expect(eq(u32, pause->late_tid, 11));
	cr_expect(eq(u64, pause->late_arrived_ns, 2060000));
	cr_expect(eq(u64, pause->late_ns[REASON_RUNNING], 60000));
}

/* The VM Thread: 10 us running, 28 asleep, 2 runnable, 5 running, 43 asleep, 2 runnable; then
 * running to the release. */
Test(pauses, what_the_vm_thread_did_is_split_at_synchronized_and_cut_at_the_release)
{
	const struct pause *pause;

	jvm_vm_thread_wakes(story);
	jvm_collects(story);
	story_tell(story, "2900000 offcpu 10 tgid=5 seq=4 off_ns=100000 runq_ns=100000 nr=-1");
	story_end(story, 3000000);
	pause = jvm_pause(story, 0);
	cr_expect(eq(u64, pause->vm_reaching_ns[REASON_RUNNING], 10000 + 5000 + 2000));
	cr_expect(eq(u64, pause->vm_reaching_ns[REASON_SLEEP], 28000 + 43000));
	cr_expect(eq(u64, pause->vm_reaching_ns[REASON_RUN_QUEUE], 2000 + 2000));
	cr_expect(eq(u64, pause->vm_operation_ns[REASON_RUNNING], 2503000 - 2092000));
}

Test(pauses, gc_workers_count_in_the_operation_only)
{
	const struct pause *pause;

	jvm_vm_thread_wakes(story);
	story_tell(story, "2094000 offcpu 14 tgid=5 seq=1 off_ns=2093000 runq_ns=500 state=1 "
			  "nr=202 waker_tid=10 flags=0x900");
	jvm_collects(story);
	story_tell(story, "2600000 offcpu 14 tgid=5 seq=2 off_ns=300000 runq_ns=300000 "
			  "throttled_ns=250000 nr=-1 flags=2");
	story_end(story, 3000000);
	pause = jvm_pause(story, 0);
	cr_expect(eq(u64, pause->gc_operation_ns[REASON_RUNNING], 2300000 - 2094000));
	cr_expect(eq(u64, pause->gc_operation_ns[REASON_THROTTLED], 2503000 - 2300000));
}

/* ---- when all were safe ---- */

Test(pauses, without_counters_the_last_sleep_ends_reaching)
{
	story_tell(story, "2000000 safepoint_begin 10 tgid=5\n"
			  "2090000 offcpu 10 tgid=5 seq=1 off_ns=45000 runq_ns=2000 state=1 nr=230 "
			  "flags=0x880\n"
			  "2095000 vmop_begin 10 tgid=5 name=\"Cleanup\"\n"
			  "2096000 vmop_end 10 tgid=5 name=\"Cleanup\"\n"
			  "2099000 safepoint_end 10 tgid=5\n");
	story_end(story, 3000000);
	cr_expect(eq(int, (int)jvm_pause(story, 0)->sync_source, SYNC_LAST_SLEEP));
	cr_expect(eq(u64, jvm_pause(story, 0)->sync_ns, 2090000));
}

Test(pauses, without_a_sleep_all_were_safe_at_the_first_look)
{
	story_tell(story, "2000000 safepoint_begin 10 tgid=5\n"
			  "2005000 vmop_begin 10 tgid=5 name=\"Cleanup\"\n"
			  "2006000 vmop_end 10 tgid=5 name=\"Cleanup\"\n"
			  "2009000 safepoint_end 10 tgid=5\n");
	story_end(story, 3000000);
	cr_expect(eq(int, (int)jvm_pause(story, 0)->sync_source, SYNC_FIRST_LOOK));
	cr_expect(eq(u64, jvm_pause(story, 0)->sync_ns, 2005000));
	cr_expect(zero(u32, jvm_pause(story, 0)->late_tid));
}

/* A count that grew by two is of two safepoints: its time is not this one's. */
Test(pauses, a_counter_of_another_safepoint_is_not_believed)
{
	story_tell(story, "2000000 jvm_counters 10 tgid=5 valid=0x3f safepoints=7 sync_ns=1000\n"
			  "2000000 safepoint_begin 10 tgid=5\n"
			  "2005000 vmop_begin 10 tgid=5 name=\"Cleanup\"\n"
			  "2006000 vmop_end 10 tgid=5 name=\"Cleanup\"\n"
			  "2009000 jvm_counters 10 tgid=5 valid=0x3f safepoints=9 sync_ns=3000\n"
			  "2009000 safepoint_end 10 tgid=5\n");
	story_end(story, 3000000);
	cr_expect(eq(int, (int)jvm_pause(story, 0)->sync_source, SYNC_FIRST_LOOK));
	cr_expect(eq(u64, jvm_pause(story, 0)->missed_before, 1));
}

Test(pauses, a_counter_that_ends_long_after_the_operation_began_is_not_believed)
{
	story_tell(story, "2000000 jvm_counters 10 tgid=5 valid=0x3f safepoints=7 sync_ns=1000\n"
			  "2000000 safepoint_begin 10 tgid=5\n"
			  "2005000 vmop_begin 10 tgid=5 name=\"Cleanup\"\n"
			  "2006000 vmop_end 10 tgid=5 name=\"Cleanup\"\n"
			  "2009000 jvm_counters 10 tgid=5 valid=0x3f safepoints=8 sync_ns=61000\n"
			  "2009000 safepoint_end 10 tgid=5\n");
	story_end(story, 3000000);
	cr_expect(eq(int, (int)jvm_pause(story, 0)->sync_source, SYNC_FIRST_LOOK));
}

/* ---- the release ---- */

Test(pauses, one_that_nobody_waited_for_ends_as_others_did_after_their_operation)
{
	jvm_vm_thread_wakes(story);
	jvm_collects(story); /* 3 us from the operation's end to the first wake */
	jvm_cleans_up(story, 4000000);
	story_end(story, 5000000);
	cr_expect(eq(int, (int)jvm_pause(story, 1)->release_source, RELEASE_OPERATION));
	cr_expect(eq(u64, jvm_pause(story, 1)->release_ns, 4006000 + 3000));
	cr_expect(zero(sz, jvm_pause(story, 1)->nr_stopped));
}

Test(pauses, without_the_operations_end_the_end_probe_has_to_do)
{
	story_tell(story, "2000000 safepoint_begin 10 tgid=5\n2009000 safepoint_end 10 tgid=5");
	story_end(story, 3000000);
	cr_expect(eq(int, (int)jvm_pause(story, 0)->release_source, RELEASE_END));
	cr_expect(eq(u64, jvm_pause(story, 0)->release_ns, 2009000));
}
