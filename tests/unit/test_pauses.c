/* SPDX-License-Identifier: BSD-2-Clause */
/* Pauses by the JVM's own probes, and what is told of them whatever the source. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "tests/lib/story.h"
#include "user/recording/record.h"

static struct story *story;

/* Process 5: VM Thread 10, application threads 11 and 12 on a CPU, 13 in epoll, GC worker 14
 * parked. */
static const char *const cast =
	"1000 thread 10 tgid=5 off_since_ns=1000 state=1 flags=0x100 nr=202 comm=\"VM Thread\"\n"
	"1000 thread 11 tgid=5 state=0xffffffff nr=-1 comm=\"app-1\"\n"
	"1000 thread 12 tgid=5 state=0xffffffff nr=-1 comm=\"app-2\"\n"
	"1000 thread 13 tgid=5 off_since_ns=1000 state=1 flags=0x100 nr=232 comm=\"idle\"\n"
	"1000 thread 14 tgid=5 off_since_ns=1000 state=1 flags=0x100 nr=202 comm=\"GC Thread#0\"\n";

static void begin(void)
{
	story = story_new();
	story_tell(story, cast);
}

static void end(void)
{
	story_free(story);
}

TestSuite(pauses, .init = begin, .fini = end);

static const struct pause *found(size_t nr)
{
	cr_assert(lt(sz, nr, story->nr_found), "only %zu pauses were found", story->nr_found);
	return &story->found[nr].pause;
}

/*
 * A pause that begins at 2000000: 12 reaches its barrier by 10 us, 11 by 60 us, which the VM Thread
 * sees at 90 us. The operation takes until 500 us, 11 and 12 are woken 3 us later, and back 20 and
 * 40 us after that.
 */
static const char *const one_pause =
	"2000000 jvm_counters 10 tgid=5 valid=0x3f safepoints=7 sync_ns=1000 cause=\"No GC\"\n"
	"2000000 safepoint_begin 10 tgid=5\n"
	"2040000 offcpu 10 tgid=5 seq=2 off_ns=30000 runq_ns=2000 state=1 nr=230 flags=0x880\n"
	"2090000 offcpu 10 tgid=5 seq=3 off_ns=45000 runq_ns=2000 state=1 nr=230 flags=0x880\n"
	"2095000 vmop_begin 10 tgid=5 name=\"G1CollectForAllocation\"\n"
	"2100000 gc_begin 10 tgid=5\n"
	"2490000 gc_end 10 tgid=5\n"
	"2500000 vmop_end 10 tgid=5 name=\"G1CollectForAllocation\"\n"
	"2515000 jvm_counters 10 tgid=5 valid=0x3f safepoints=8 sync_ns=93000 gc_invocations=1 "
	"cause=\"No GC\" last_cause=\"G1 "
	"Evacuation Pause\"\n"
	"2515000 safepoint_end 10 tgid=5\n"
	"2523000 offcpu 11 tgid=5 seq=1 off_ns=463000 runq_ns=20000 arg0=0x70 arg1=128 arg2=15 "
	"state=1 nr=202 "
	"waker_tid=10 flags=0x800\n"
	"2545000 offcpu 12 tgid=5 seq=1 off_ns=535000 runq_ns=40000 arg0=0x70 arg1=128 arg2=15 "
	"state=1 nr=202 "
	"waker_tid=10 flags=0x800\n";

/* The VM Thread is woken for the first time; without it, it would have no spans of its own. */
static const char *const vm_thread_wakes =
	"1990000 offcpu 10 tgid=5 seq=1 off_ns=1989000 runq_ns=1000 state=1 nr=202 flags=0x900\n";

Test(pauses, a_pause_is_all_that_its_records_say)
{
	const struct pause *pause;

	story_tell(story, vm_thread_wakes);
	story_tell(story, one_pause);
	story_end(story, 3000000);
	cr_assert(eq(sz, story->nr_found, 1));
	pause = found(0);
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

	story_tell(story, vm_thread_wakes);
	story_tell(story, one_pause);
	story_end(story, 3000000);
	pause = found(0);
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

	story_tell(story, vm_thread_wakes);
	story_tell(story, one_pause);
	story_end(story, 3000000);
	pause = found(0);
	cr_expect(eq(u32, pause->late_tid, 11));
	cr_expect(eq(u64, pause->late_arrived_ns, 2060000));
	cr_expect(eq(u64, pause->late_ns[REASON_RUNNING], 60000));
}

/* The VM Thread: 10 us running, 28 asleep, 2 runnable, 5 running, 43 asleep, 2 runnable; then
 * running to the release. */
Test(pauses, what_the_vm_thread_did_is_split_at_synchronized_and_cut_at_the_release)
{
	const struct pause *pause;

	story_tell(story, vm_thread_wakes);
	story_tell(story, one_pause);
	story_tell(story, "2900000 offcpu 10 tgid=5 seq=4 off_ns=100000 runq_ns=100000 nr=-1");
	story_end(story, 3000000);
	pause = found(0);
	cr_expect(eq(u64, pause->vm_reaching_ns[REASON_RUNNING], 10000 + 5000 + 2000));
	cr_expect(eq(u64, pause->vm_reaching_ns[REASON_SLEEP], 28000 + 43000));
	cr_expect(eq(u64, pause->vm_reaching_ns[REASON_RUN_QUEUE], 2000 + 2000));
	cr_expect(eq(u64, pause->vm_operation_ns[REASON_RUNNING], 2503000 - 2092000));
}

Test(pauses, gc_workers_count_in_the_operation_only)
{
	const struct pause *pause;

	story_tell(story, vm_thread_wakes);
	story_tell(story, "2094000 offcpu 14 tgid=5 seq=1 off_ns=2093000 runq_ns=500 state=1 "
			  "nr=202 waker_tid=10 flags=0x900");
	story_tell(story, one_pause + 0);
	story_tell(story, "2600000 offcpu 14 tgid=5 seq=2 off_ns=300000 runq_ns=300000 "
			  "throttled_ns=250000 nr=-1 flags=2");
	story_end(story, 3000000);
	pause = found(0);
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
	cr_expect(eq(int, (int)found(0)->sync_source, SYNC_LAST_SLEEP));
	cr_expect(eq(u64, found(0)->sync_ns, 2090000));
}

Test(pauses, without_a_sleep_all_were_safe_at_the_first_look)
{
	story_tell(story, "2000000 safepoint_begin 10 tgid=5\n"
			  "2005000 vmop_begin 10 tgid=5 name=\"Cleanup\"\n"
			  "2006000 vmop_end 10 tgid=5 name=\"Cleanup\"\n"
			  "2009000 safepoint_end 10 tgid=5\n");
	story_end(story, 3000000);
	cr_expect(eq(int, (int)found(0)->sync_source, SYNC_FIRST_LOOK));
	cr_expect(eq(u64, found(0)->sync_ns, 2005000));
	cr_expect(zero(u32, found(0)->late_tid));
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
	cr_expect(eq(int, (int)found(0)->sync_source, SYNC_FIRST_LOOK));
	cr_expect(eq(u64, found(0)->missed_before, 1));
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
	cr_expect(eq(int, (int)found(0)->sync_source, SYNC_FIRST_LOOK));
}

/* ---- the release ---- */

static void tell_short_pause(uint64_t at_ns)
{
	story_tell_line(story, "%lu safepoint_begin 10 tgid=5", (unsigned long)at_ns);
	story_tell_line(story, "%lu vmop_begin 10 tgid=5 name=\"Cleanup\"",
			(unsigned long)at_ns + 5000);
	story_tell_line(story, "%lu vmop_end 10 tgid=5 name=\"Cleanup\"",
			(unsigned long)at_ns + 6000);
	story_tell_line(story, "%lu safepoint_end 10 tgid=5", (unsigned long)at_ns + 30000);
}

Test(pauses, one_that_nobody_waited_for_ends_as_others_did_after_their_operation)
{
	story_tell(story, vm_thread_wakes);
	story_tell(story, one_pause); /* 3 us from the operation's end to the first wake */
	tell_short_pause(4000000);
	story_end(story, 5000000);
	cr_expect(eq(int, (int)found(1)->release_source, RELEASE_OPERATION));
	cr_expect(eq(u64, found(1)->release_ns, 4006000 + 3000));
	cr_expect(zero(sz, found(1)->nr_stopped));
}

Test(pauses, without_the_operations_end_the_end_probe_has_to_do)
{
	story_tell(story, "2000000 safepoint_begin 10 tgid=5\n2009000 safepoint_end 10 tgid=5");
	story_end(story, 3000000);
	cr_expect(eq(int, (int)found(0)->release_source, RELEASE_END));
	cr_expect(eq(u64, found(0)->release_ns, 2009000));
}

/* ---- who was stopped ---- */

Test(pauses, the_requester_waits_elsewhere)
{
	const struct pause *pause;

	story_tell(story, vm_thread_wakes);
	story_tell(story, "1980000 vmop_request 12 tgid=5 name=\"Cleanup\"");
	tell_short_pause(2000000);
	story_tell(story, "2050000 offcpu 12 tgid=5 seq=1 off_ns=65000 runq_ns=5000 arg0=0x90 "
			  "arg1=393 arg2=0 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 3000000);
	pause = found(0);
	cr_expect(eq(u32, pause->requester_tid, 12));
	cr_assert(eq(sz, pause->nr_stopped, 1));
	cr_expect(pause->stopped[0].requester);
	cr_expect(eq(u64, pause_lost(pause, &pause->stopped[0]), 50000)); /* from the begin on */
}

Test(pauses, a_request_for_another_operation_is_no_request_for_this_one)
{
	story_tell(story, "1980000 vmop_request 12 tgid=5 name=\"ThreadDump\"");
	tell_short_pause(2000000);
	story_end(story, 3000000);
	cr_expect(zero(u32, found(0)->requester_tid));
}

/* 11 was stopped in the first pause, and woken at its end, but is on a CPU again only in the second
 * one. */
Test(pauses, a_thread_belongs_to_the_pause_it_was_woken_by)
{
	story_tell(story, vm_thread_wakes);
	tell_short_pause(2000000);
	tell_short_pause(2100000);
	story_tell(story, "2110000 offcpu 11 tgid=5 seq=1 off_ns=108000 runq_ns=103000 arg0=0x70 "
			  "arg1=128 arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_tell(
		story,
		"2140000 offcpu 11 tgid=5 seq=2 off_ns=27000 runq_ns=33000 arg0=0x70 arg1=128 "
		"arg2=17 state=1 nr=202 "
		"waker_tid=10 flags=0x800"); /* damaged: it could run for longer than it was away */
	story_end(story, 3000000);
	cr_assert(eq(sz, found(0)->nr_stopped, 1));
	cr_expect(eq(u64, found(0)->release_ns, 2007000));
	cr_expect(zero(sz, found(1)->nr_stopped));
}

Test(pauses, locks_of_glibc_are_no_barriers)
{
	story_tell(story, vm_thread_wakes);
	tell_short_pause(2000000);
	story_tell(story, "2040000 offcpu 11 tgid=5 seq=1 off_ns=30000 runq_ns=5000 arg0=0x70 "
			  "arg1=128 arg2=2 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 3000000);
	cr_expect(zero(sz, found(0)->nr_stopped));
}

Test(pauses, who_is_back_after_the_grace_is_counted)
{
	struct pauses_totals totals;

	tell_short_pause(2000000);
	story_tell(story,
		   "1500000000 lost 0 from_ns=1499999999 nr=1 lost_kind=5 cause=1"); /* any record
											later on */
	cr_assert(eq(sz, story->nr_found, 1));
	story_tell(story, "1600000000 offcpu 11 tgid=5 seq=1 off_ns=1597999000 runq_ns=1597980000 "
			  "arg0=0x70 arg1=128 arg2=15 "
			  "state=1 nr=202 waker_tid=10 flags=0x800");
	pauses_totals(story->pauses, &totals);
	cr_expect(eq(u64, totals.nr_late_returns, 1));
}

Test(pauses, a_pause_is_given_out_when_its_grace_is_over_and_not_before)
{
	tell_short_pause(2000000);
	story_tell_line(story, "%llu lost 0 from_ns=1 nr=1 lost_kind=5", 2030000 + PAUSE_GRACE_NS);
	cr_expect(zero(sz, story->nr_found));
	story_tell_line(story, "%llu lost 0 from_ns=1 nr=1 lost_kind=5", 2030001 + PAUSE_GRACE_NS);
	cr_expect(eq(sz, story->nr_found, 1));
}

/* ---- what is no pause, and what is half of one ---- */

Test(pauses, handshakes_are_no_pauses)
{
	story_tell(story, "2000000 vmop_begin 10 tgid=5 mode=1 name=\"HandshakeAllThreads\"\n"
			  "2000100 vmop_end 10 tgid=5 mode=1 name=\"HandshakeAllThreads\"");
	story_end(story, 3000000);
	cr_expect(zero(sz, story->nr_found));
}

Test(pauses, an_operation_inside_an_operation_does_not_take_its_place)
{
	story_tell(story, "2000000 safepoint_begin 10 tgid=5\n"
			  "2001000 vmop_begin 10 tgid=5 name=\"HeapDumper\"\n"
			  "2002000 vmop_begin 10 tgid=5 mode=1 name=\"HandshakeAllThreads\"\n"
			  "2003000 vmop_end 10 tgid=5 mode=1 name=\"HandshakeAllThreads\"\n"
			  "2004000 vmop_end 10 tgid=5 name=\"HeapDumper\"\n"
			  "2005000 safepoint_end 10 tgid=5");
	story_end(story, 3000000);
	cr_assert(eq(sz, story->nr_found, 1));
	cr_expect(eq(str, (char *)found(0)->operation, "HeapDumper"));
	cr_expect(eq(u64, found(0)->op_begin_ns, 2001000));
	cr_expect(eq(u64, found(0)->op_end_ns, 2004000));
}

Test(pauses, the_last_safepoint_of_a_jvm_has_no_end)
{
	story_tell(story,
		   "2000000 safepoint_begin 10 tgid=5\n2001000 vmop_begin 10 tgid=5 name=\"Exit\"\n"
		   "2900000 task_exit 5 tgid=5 group_dead=1");
	story_end(story, 3000000);
	cr_assert(eq(sz, story->nr_found, 1));
	cr_expect(found(0)->cut);
	cr_expect(eq(str, (char *)found(0)->operation, "Exit"));
	cr_expect(zero(u64, found(0)->release_ns));
}

Test(pauses, one_that_began_before_the_recording_has_only_an_end)
{
	story_tell(story,
		   "2000000 vmop_end 10 tgid=5 name=\"Cleanup\"\n2009000 safepoint_end 10 tgid=5");
	story_end(story, 3000000);
	cr_assert(eq(sz, story->nr_found, 1));
	cr_expect(found(0)->cut);
	cr_expect(zero(u64, found(0)->begin_ns));
	cr_expect(zero(u64, found(0)->sync_ns));
	cr_expect(eq(u64, found(0)->release_ns, 2009000));
}

Test(pauses, one_whose_end_was_lost_ends_with_the_next)
{
	story_tell(
		story,
		"2000000 safepoint_begin 10 tgid=5\n2009000 vmop_begin 10 tgid=5 name=\"Cleanup\"");
	tell_short_pause(4000000);
	story_end(story, 5000000);
	cr_assert(eq(sz, story->nr_found, 2));
	cr_expect(found(0)->incomplete);
	cr_expect(zero(u64, found(0)->release_ns));
	cr_expect(not(found(1)->incomplete));
}

Test(pauses, a_loss_inside_leaves_it_in_doubt_and_one_outside_does_not)
{
	tell_short_pause(2000000);
	tell_short_pause(2100000);
	story_tell(story, "2115000 lost 0 from_ns=2050000 nr=3 lost_kind=1 cause=1");
	tell_short_pause(2200000);
	story_tell(story,
		   "2300000 lost 0 from_ns=2210000 nr=3 lost_kind=5 cause=1"); /* of a name */
	story_end(story, 3000000);
	cr_expect(not(found(0)->incomplete));
	cr_expect(found(1)->incomplete);
	cr_expect(not(found(2)->incomplete));
}

/* A loss is told when the ring is drained, which may be before the end of the pause it lies in. */
Test(pauses, a_loss_told_while_it_is_open_counts)
{
	story_tell(story, "2000000 safepoint_begin 10 tgid=5\n"
			  "2005000 lost 0 from_ns=2001000 nr=3 lost_kind=1 cause=1\n"
			  "2009000 safepoint_end 10 tgid=5");
	story_end(story, 3000000);
	cr_expect(found(0)->incomplete);
}

Test(pauses, a_hidden_switch_counts_where_it_touches_who_was_stopped)
{
	story_tell(story, vm_thread_wakes);
	story_tell(story, "2001000 lost 0 from_ns=1990000 nr=1 lost_kind=1 cause=7");
	tell_short_pause(2000000);
	story_tell(story, "2500000 offcpu 14 tgid=5 seq=2 off_ns=100 runq_ns=50 state=1 nr=202 "
			  "flags=0x800"); /* GC: 1 lost */
	story_end(story, 3000000);
	cr_expect(not(found(0)->incomplete));
}

Test(pauses, a_hidden_switch_of_an_application_thread_leaves_doubt)
{
	story_tell(story, vm_thread_wakes);
	tell_short_pause(2000000);
	story_tell(
		story,
		"2500000 offcpu 11 tgid=5 seq=2 off_ns=100 runq_ns=50 state=1 nr=202 flags=0x800");
	story_end(story, 3000000);
	cr_expect(found(0)->incomplete);
}

Test(pauses, pauses_the_jvm_counted_and_nobody_saw_are_told)
{
	story_tell(story, vm_thread_wakes);
	story_tell(story, one_pause); /* number 8 */
	story_tell(story, "4000000 jvm_counters 10 tgid=5 valid=0x3f safepoints=10\n"
			  "4000000 safepoint_begin 10 tgid=5\n"
			  "4009000 jvm_counters 10 tgid=5 valid=0x3f safepoints=11\n"
			  "4009000 safepoint_end 10 tgid=5");
	story_end(story, 5000000);
	cr_expect(eq(u64, found(1)->missed_before, 2));
	cr_expect(eq(u64, found(1)->nr_safepoints, 11));
}

/* ---- who was late ---- */

static void tell_late_pause(const char *records)
{
	story_tell(story, vm_thread_wakes);
	story_tell(story, "2000000 safepoint_begin 10 tgid=5");
	story_tell(story, records);
	story_tell(story, "9090000 offcpu 10 tgid=5 seq=2 off_ns=1000000 runq_ns=2000 state=1 "
			  "nr=230 flags=0x880\n"
			  "9095000 vmop_begin 10 tgid=5 name=\"Cleanup\"\n"
			  "9096000 vmop_end 10 tgid=5 name=\"Cleanup\"\n"
			  "9099000 safepoint_end 10 tgid=5");
}

Test(pauses, a_late_thread_may_have_been_kept_from_running)
{
	tell_late_pause("8500000 offcpu 11 tgid=5 seq=1 off_ns=7000000 runq_ns=7000000 "
			"throttled_ns=6900000 nr=-1 flags=2");
	story_tell(story, "9110000 offcpu 11 tgid=5 seq=2 off_ns=600000 runq_ns=11000 arg1=128 "
			  "arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 10000000);
	cr_expect(eq(u32, found(0)->late_tid, 11));
	cr_expect(eq(u64, found(0)->late_arrived_ns, 8510000));
	cr_expect(eq(u64, found(0)->late_ns[REASON_THROTTLED],
		     6400000)); /* what of it lies behind the begin */
	cr_expect(eq(u64, found(0)->late_ns[REASON_RUN_QUEUE], 100000));
	cr_expect(eq(u64, found(0)->late_ns[REASON_RUNNING], 10000));
}

Test(pauses, a_late_thread_may_have_waited_for_a_page)
{
	tell_late_pause("8500000 offcpu 11 tgid=5 seq=1 off_ns=6600000 runq_ns=100000 state=0x102 "
			"nr=-1 flags=0x820");
	story_tell(story, "9110000 offcpu 11 tgid=5 seq=2 off_ns=600000 runq_ns=11000 arg1=128 "
			  "arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 10000000);
	cr_expect(eq(u32, found(0)->late_tid, 11));
	cr_expect(eq(u64, found(0)->late_ns[REASON_PAGE_FAULT], 6400000));
}

/* 13 comes back from epoll in the middle, and stops at the barrier last: but it had been safe all
 * along. */
Test(pauses, a_thread_that_was_safe_is_not_late)
{
	tell_late_pause("8520000 offcpu 13 tgid=5 seq=1 off_ns=8519000 runq_ns=1000 state=1 nr=232 "
			"flags=0x900");
	story_tell(story, "9110000 offcpu 11 tgid=5 seq=1 off_ns=600000 runq_ns=11000 arg1=128 "
			  "arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800\n"
			  "9111000 offcpu 13 tgid=5 seq=2 off_ns=580000 runq_ns=11000 arg1=128 "
			  "arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 10000000);
	cr_expect(eq(sz, found(0)->nr_stopped, 2));
	cr_expect(eq(u32, found(0)->late_tid, 11));
}

/* One that arrived before the VM Thread last found somebody missing was not the one it waited for.
 */
Test(pauses, who_arrived_before_the_last_look_but_one_is_not_late)
{
	tell_late_pause("8085000 offcpu 10 tgid=5 seq=2 off_ns=6000000 runq_ns=2000 state=1 nr=230 "
			"flags=0x880");
	story_tell(story, "9110000 offcpu 11 tgid=5 seq=1 off_ns=7000000 runq_ns=11000 arg1=128 "
			  "arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 10000000);
	cr_expect(zero(u32, found(0)->late_tid));
}

Test(pauses, a_late_thread_may_block_elsewhere_and_be_safe_by_that)
{
	tell_late_pause("8900000 offcpu 11 tgid=5 seq=1 off_ns=200000 runq_ns=1000 arg1=393 "
			"state=1 nr=202 flags=0x800");
	story_end(story, 10000000);
	cr_expect(eq(u32, found(0)->late_tid, 11));
	cr_expect(eq(u64, found(0)->late_arrived_ns, 8700000));
	cr_expect(eq(u64, found(0)->late_ns[REASON_RUNNING], 6700000));
}
