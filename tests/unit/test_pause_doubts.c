/* SPDX-License-Identifier: BSD-2-Clause */
/* What is no pause, what is half of one, and what losses leave in doubt. */
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

TestSuite(pause_doubts, .init = begin, .fini = end);

Test(pause_doubts, handshakes_are_no_pauses)
{
	story_tell(story, "2000000 vmop_begin 10 tgid=5 mode=1 name=\"HandshakeAllThreads\"\n"
			  "2000100 vmop_end 10 tgid=5 mode=1 name=\"HandshakeAllThreads\"");
	story_end(story, 3000000);
	cr_expect(zero(sz, story->nr_found));
}

Test(pause_doubts, an_operation_inside_an_operation_does_not_take_its_place)
{
	story_tell(story, "2000000 safepoint_begin 10 tgid=5\n"
			  "2001000 vmop_begin 10 tgid=5 name=\"HeapDumper\"\n"
			  "2002000 vmop_begin 10 tgid=5 mode=1 name=\"HandshakeAllThreads\"\n"
			  "2003000 vmop_end 10 tgid=5 mode=1 name=\"HandshakeAllThreads\"\n"
			  "2004000 vmop_end 10 tgid=5 name=\"HeapDumper\"\n"
			  "2005000 safepoint_end 10 tgid=5");
	story_end(story, 3000000);
	cr_assert(eq(sz, story->nr_found, 1));
	cr_expect(eq(str, (char *)jvm_pause(story, 0)->operation, "HeapDumper"));
	cr_expect(eq(u64, jvm_pause(story, 0)->op_begin_ns, 2001000));
	cr_expect(eq(u64, jvm_pause(story, 0)->op_end_ns, 2004000));
}

Test(pause_doubts, the_last_safepoint_of_a_jvm_has_no_end)
{
	story_tell(story,
		   "2000000 safepoint_begin 10 tgid=5\n2001000 vmop_begin 10 tgid=5 name=\"Exit\"\n"
		   "2900000 task_exit 5 tgid=5 group_dead=1");
	story_end(story, 3000000);
	cr_assert(eq(sz, story->nr_found, 1));
	cr_expect(jvm_pause(story, 0)->cut);
	cr_expect(eq(str, (char *)jvm_pause(story, 0)->operation, "Exit"));
	cr_expect(zero(u64, jvm_pause(story, 0)->release_ns));
}

Test(pause_doubts, one_that_began_before_the_recording_has_only_an_end)
{
	story_tell(story,
		   "2000000 vmop_end 10 tgid=5 name=\"Cleanup\"\n2009000 safepoint_end 10 tgid=5");
	story_end(story, 3000000);
	cr_assert(eq(sz, story->nr_found, 1));
	cr_expect(jvm_pause(story, 0)->cut);
	cr_expect(zero(u64, jvm_pause(story, 0)->begin_ns));
	cr_expect(zero(u64, jvm_pause(story, 0)->sync_ns));
	cr_expect(eq(u64, jvm_pause(story, 0)->release_ns, 2009000));
}

Test(pause_doubts, one_whose_end_was_lost_ends_with_the_next)
{
	story_tell(
		story,
		"2000000 safepoint_begin 10 tgid=5\n2009000 vmop_begin 10 tgid=5 name=\"Cleanup\"");
	jvm_cleans_up(story, 4000000);
	story_end(story, 5000000);
	cr_assert(eq(sz, story->nr_found, 2));
	cr_expect(jvm_pause(story, 0)->incomplete);
	cr_expect(zero(u64, jvm_pause(story, 0)->release_ns));
	cr_expect(not(jvm_pause(story, 1)->incomplete));
}

Test(pause_doubts, a_loss_inside_leaves_it_in_doubt_and_one_outside_does_not)
{
	jvm_cleans_up(story, 2000000);
	jvm_cleans_up(story, 2100000);
	story_tell(story, "2115000 lost 0 from_ns=2050000 nr=3 lost_kind=1 cause=1");
	jvm_cleans_up(story, 2200000);
	story_tell(story,
		   "2300000 lost 0 from_ns=2210000 nr=3 lost_kind=5 cause=1"); /* of a name */
	story_end(story, 3000000);
	cr_expect(not(jvm_pause(story, 0)->incomplete));
	cr_expect(jvm_pause(story, 1)->incomplete);
	cr_expect(not(jvm_pause(story, 2)->incomplete));
}

/* A loss is told when the ring is drained, which may be before the end of the pause it lies in. */
Test(pause_doubts, a_loss_told_while_it_is_open_counts)
{
	story_tell(story, "2000000 safepoint_begin 10 tgid=5\n"
			  "2005000 lost 0 from_ns=2001000 nr=3 lost_kind=1 cause=1\n"
			  "2009000 safepoint_end 10 tgid=5");
	story_end(story, 3000000);
	cr_expect(jvm_pause(story, 0)->incomplete);
}

Test(pause_doubts, a_hidden_switch_counts_where_it_touches_who_was_stopped)
{
	jvm_vm_thread_wakes(story);
	story_tell(story, "2001000 lost 0 from_ns=1990000 nr=1 lost_kind=1 cause=7");
	jvm_cleans_up(story, 2000000);
	story_tell(story, "2500000 offcpu 14 tgid=5 seq=2 off_ns=100 runq_ns=50 state=1 nr=202 "
			  "flags=0x800"); /* GC: 1 lost */
	story_end(story, 3000000);
	cr_expect(not(jvm_pause(story, 0)->incomplete));
}

Test(pause_doubts, a_hidden_switch_of_an_application_thread_leaves_doubt)
{
	jvm_vm_thread_wakes(story);
	jvm_cleans_up(story, 2000000);
	story_tell(
		story,
		"2500000 offcpu 11 tgid=5 seq=2 off_ns=100 runq_ns=50 state=1 nr=202 flags=0x800");
	story_end(story, 3000000);
	cr_expect(jvm_pause(story, 0)->incomplete);
}

Test(pause_doubts, pauses_the_jvm_counted_and_nobody_saw_are_told)
{
	jvm_vm_thread_wakes(story);
	jvm_collects(story); /* number 8 */
	story_tell(story, "4000000 jvm_counters 10 tgid=5 valid=0x3f safepoints=10\n"
			  "4000000 safepoint_begin 10 tgid=5\n"
			  "4009000 jvm_counters 10 tgid=5 valid=0x3f safepoints=11\n"
			  "4009000 safepoint_end 10 tgid=5");
	story_end(story, 5000000);
	cr_expect(eq(u64, jvm_pause(story, 1)->missed_before, 2));
	cr_expect(eq(u64, jvm_pause(story, 1)->nr_safepoints, 11));
}
