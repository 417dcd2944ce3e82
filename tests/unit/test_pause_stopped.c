/* SPDX-License-Identifier: BSD-2-Clause */
/* Who was stopped by a pause, who asked for it, who was late for it. */
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

TestSuite(pause_stopped, .init = begin, .fini = end);

Test(pause_stopped, the_requester_waits_elsewhere)
{
	const struct pause *pause;

	jvm_vm_thread_wakes(story);
	story_tell(story, "1980000 vmop_request 12 tgid=5 name=\"Cleanup\"");
	jvm_cleans_up(story, 2000000);
	story_tell(story, "2050000 offcpu 12 tgid=5 seq=1 off_ns=65000 runq_ns=5000 arg0=0x90 "
			  "arg1=393 arg2=0 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 3000000);
	pause = jvm_pause(story, 0);
	cr_expect(eq(u32, pause->requester_tid, 12));
	cr_assert(eq(sz, pause->nr_stopped, 1));
	cr_expect(pause->stopped[0].requester);
	cr_expect(eq(u64, pause_lost(pause, &pause->stopped[0]), 50000)); /* from the begin on */
}

Test(pause_stopped, a_request_for_another_operation_is_no_request_for_this_one)
{
	story_tell(story, "1980000 vmop_request 12 tgid=5 name=\"ThreadDump\"");
	jvm_cleans_up(story, 2000000);
	story_end(story, 3000000);
	cr_expect(zero(u32, jvm_pause(story, 0)->requester_tid));
}

/* 11 was stopped in the first pause, and woken at its end, but is on a CPU again only in the second
 * one. */
Test(pause_stopped, a_thread_belongs_to_the_pause_it_was_woken_by)
{
	jvm_vm_thread_wakes(story);
	jvm_cleans_up(story, 2000000);
	jvm_cleans_up(story, 2100000);
	story_tell(story, "2110000 offcpu 11 tgid=5 seq=1 off_ns=108000 runq_ns=103000 arg0=0x70 "
			  "arg1=128 arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_tell(
		story,
		"2140000 offcpu 11 tgid=5 seq=2 off_ns=27000 runq_ns=33000 arg0=0x70 arg1=128 "
		"arg2=17 state=1 nr=202 "
		"waker_tid=10 flags=0x800"); /* damaged: it could run for longer than it was away */
	story_end(story, 3000000);
	cr_assert(eq(sz, jvm_pause(story, 0)->nr_stopped, 1));
	cr_expect(eq(u64, jvm_pause(story, 0)->release_ns, 2007000));
	cr_expect(zero(sz, jvm_pause(story, 1)->nr_stopped));
}

Test(pause_stopped, locks_of_glibc_are_no_barriers)
{
	jvm_vm_thread_wakes(story);
	jvm_cleans_up(story, 2000000);
	story_tell(story, "2040000 offcpu 11 tgid=5 seq=1 off_ns=30000 runq_ns=5000 arg0=0x70 "
			  "arg1=128 arg2=2 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 3000000);
	cr_expect(zero(sz, jvm_pause(story, 0)->nr_stopped));
}

Test(pause_stopped, who_is_back_after_the_grace_is_counted)
{
	struct pauses_totals totals;

	jvm_cleans_up(story, 2000000);
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

Test(pause_stopped, a_pause_is_given_out_when_its_grace_is_over_and_not_before)
{
	jvm_cleans_up(story, 2000000);
	story_tell_line(story, "%llu lost 0 from_ns=1 nr=1 lost_kind=5", 2030000 + PAUSE_GRACE_NS);
	cr_expect(zero(sz, story->nr_found));
	story_tell_line(story, "%llu lost 0 from_ns=1 nr=1 lost_kind=5", 2030001 + PAUSE_GRACE_NS);
	cr_expect(eq(sz, story->nr_found, 1));
}

/* ---- who was late ---- */

static void tell_late_pause(const char *records)
{
	jvm_vm_thread_wakes(story);
	story_tell(story, "2000000 safepoint_begin 10 tgid=5");
	story_tell(story, records);
	story_tell(story, "9090000 offcpu 10 tgid=5 seq=2 off_ns=1000000 runq_ns=2000 state=1 "
			  "nr=230 flags=0x880\n"
			  "9095000 vmop_begin 10 tgid=5 name=\"Cleanup\"\n"
			  "9096000 vmop_end 10 tgid=5 name=\"Cleanup\"\n"
			  "9099000 safepoint_end 10 tgid=5");
}

Test(pause_stopped, a_late_thread_may_have_been_kept_from_running)
{
	tell_late_pause("8500000 offcpu 11 tgid=5 seq=1 off_ns=7000000 runq_ns=7000000 "
			"throttled_ns=6900000 nr=-1 flags=2");
	story_tell(story, "9110000 offcpu 11 tgid=5 seq=2 off_ns=600000 runq_ns=11000 arg1=128 "
			  "arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 10000000);
	cr_expect(eq(u32, jvm_pause(story, 0)->late_tid, 11));
	cr_expect(eq(u64, jvm_pause(story, 0)->late_arrived_ns, 8510000));
	cr_expect(eq(u64, jvm_pause(story, 0)->late_ns[REASON_THROTTLED],
		     6400000)); /* what of it lies behind the begin */
	cr_expect(eq(u64, jvm_pause(story, 0)->late_ns[REASON_RUN_QUEUE], 100000));
	cr_expect(eq(u64, jvm_pause(story, 0)->late_ns[REASON_RUNNING], 10000));
}

Test(pause_stopped, a_late_thread_may_have_waited_for_a_page)
{
	tell_late_pause("8500000 offcpu 11 tgid=5 seq=1 off_ns=6600000 runq_ns=100000 state=0x102 "
			"nr=-1 flags=0x820");
	story_tell(story, "9110000 offcpu 11 tgid=5 seq=2 off_ns=600000 runq_ns=11000 arg1=128 "
			  "arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 10000000);
	cr_expect(eq(u32, jvm_pause(story, 0)->late_tid, 11));
	cr_expect(eq(u64, jvm_pause(story, 0)->late_ns[REASON_PAGE_FAULT], 6400000));
}

/* 13 comes back from epoll in the middle, and stops at the barrier last: but it had been safe all
 * along. */
Test(pause_stopped, a_thread_that_was_safe_is_not_late)
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
	cr_expect(eq(sz, jvm_pause(story, 0)->nr_stopped, 2));
	cr_expect(eq(u32, jvm_pause(story, 0)->late_tid, 11));
}

/* One that arrived before the VM Thread last found somebody missing was not the one it waited for.
 */
Test(pause_stopped, who_arrived_before_the_last_look_but_one_is_not_late)
{
	tell_late_pause("8085000 offcpu 10 tgid=5 seq=2 off_ns=6000000 runq_ns=2000 state=1 nr=230 "
			"flags=0x880");
	story_tell(story, "9110000 offcpu 11 tgid=5 seq=1 off_ns=7000000 runq_ns=11000 arg1=128 "
			  "arg2=15 state=1 nr=202 "
			  "waker_tid=10 flags=0x800");
	story_end(story, 10000000);
	cr_expect(zero(u32, jvm_pause(story, 0)->late_tid));
}

Test(pause_stopped, a_late_thread_may_block_elsewhere_and_be_safe_by_that)
{
	tell_late_pause("8900000 offcpu 11 tgid=5 seq=1 off_ns=200000 runq_ns=1000 arg1=393 "
			"state=1 nr=202 flags=0x800");
	story_end(story, 10000000);
	cr_expect(eq(u32, jvm_pause(story, 0)->late_tid, 11));
	cr_expect(eq(u64, jvm_pause(story, 0)->late_arrived_ns, 8700000));
	cr_expect(eq(u64, jvm_pause(story, 0)->late_ns[REASON_RUNNING], 6700000));
}
