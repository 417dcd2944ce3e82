/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "tests/lib/story.h"

static struct story *story;

static void begin(void)
{
	story = story_new();
}

static void end(void)
{
	story_free(story);
}

TestSuite(thread_lives, .init = begin, .fini = end);

/* Thread 7 of process 5, on a CPU at 1000. */
static const char *const running_at_1000 =
	"1000 thread 7 tgid=5 state=0xffffffff nr=-1 comm=\"worker\"";

Test(thread_lives, a_tid_used_again_is_another_thread)
{
	story_tell(story, "1000 task_new 7 tgid=5 parent_tid=6 comm=\"first\"");
	story_tell(story, "1100 offcpu 7 tgid=5 seq=1 off_ns=100 runq_ns=100 nr=-1 flags=0x200");
	story_tell(story, "1200 task_exit 7 tgid=5 exec_ns=100");
	story_tell(story, "5000 task_new 7 tgid=5 parent_tid=6 comm=\"second\"");
	story_tell(story, "5100 offcpu 7 tgid=5 seq=1 off_ns=100 runq_ns=100 nr=-1 flags=0x200");
	story_tell(story, "5400 task_exit 7 tgid=5 exec_ns=300");
	cr_assert(eq(sz, story->nr_gone, 2));
	cr_expect(eq(str, story->gone[0].name, "first"));
	cr_expect(eq(u64, story->gone[0].last_ns, 1200));
	cr_expect(eq(str, story->gone[1].name, "second"));
	cr_expect(eq(u64, story->gone[1].in_ns[REASON_RUNNING], 300));
}

/* After the record of its end it still gives back its memory, and may be preempted meanwhile. */
Test(thread_lives, what_a_thread_does_on_its_way_out_is_no_new_life)
{
	story_tell(story, "1000 task_new 7 tgid=5 parent_tid=6 comm=\"first\"");
	story_tell(story, "1100 offcpu 7 tgid=5 seq=1 off_ns=100 runq_ns=100 nr=-1 flags=0x200");
	story_tell(story, "1200 task_exit 7 tgid=5 exec_ns=100");
	story_tell(story, "1400 offcpu 7 tgid=5 seq=2 off_ns=150 runq_ns=150 nr=231");
	story_tell(story, "1600 offcpu 7 tgid=5 seq=3 off_ns=50 runq_ns=50 nr=231");
	cr_assert(eq(sz, story->nr_gone, 1));
	cr_expect(zero(ptr, (void *)threads_find(story->threads, 7)));
	story_tell(story, "1700 offcpu 7 tgid=5 seq=1 off_ns=50 runq_ns=50 nr=-1 flags=0x200");
	cr_assert(ne(ptr, (void *)threads_find(story->threads, 7), NULL));
	cr_expect(eq(u64, threads_find(story->threads, 7)->first_ns, 1650));
}

Test(thread_lives, a_lost_end_is_noticed_when_the_tid_comes_again)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1500 offcpu 7 tgid=5 seq=8 off_ns=100 runq_ns=100 nr=-1");
	story_tell(story, "2500 offcpu 7 tgid=5 seq=1 off_ns=100 runq_ns=100 nr=-1 flags=0x200");
	story_end(story, 2500);
	cr_assert(eq(sz, story->nr_gone, 1));
	cr_expect(eq(u64, story->gone[0].last_ns, 2400));
	cr_expect(eq(u64, story->gone[0].in_ns[REASON_UNKNOWN], 400 + 900));
	cr_expect(eq(u64, threads_find(story->threads, 7)->first_ns, 2400));
}

/* Rounds of snapshots are seconds apart; a thread they no longer show has ended. */
Test(thread_lives, a_lost_end_is_noticed_by_the_next_rounds_of_snapshots)
{
	story_tell(story, running_at_1000);
	story_tell(story, "1001 thread 8 tgid=5 state=0xffffffff nr=-1 comm=\"other\"");
	story_tell(story, "5000001000 thread 8 tgid=5 state=0xffffffff nr=-1 comm=\"other\"");
	cr_expect(zero(sz, story->nr_gone)); /* its snapshot may still come */
	story_tell(story, "10000001000 thread 8 tgid=5 state=0xffffffff nr=-1 comm=\"other\"");
	cr_assert(eq(sz, story->nr_gone, 1));
	cr_expect(eq(u32, story->gone[0].tid, 7));
	cr_expect(eq(u64, story->gone[0].last_ns, 5000001000));
	story_end(story, 10000001000);
}

Test(thread_lives, a_round_with_lost_snapshots_proves_nothing)
{
	story_tell(story, running_at_1000);
	story_tell(story, "5000001000 thread 8 tgid=5 state=0xffffffff nr=-1 comm=\"other\"");
	story_tell(story, "5000002000 lost 0 from_ns=5000000000 nr=1 lost_kind=2 cause=1");
	story_tell(story, "10000001000 thread 8 tgid=5 state=0xffffffff nr=-1 comm=\"other\"");
	cr_expect(zero(sz, story->nr_gone));
}

static const char *name_of(uint32_t tid)
{
	return threads_name(story->threads, tid);
}

Test(thread_lives, the_full_java_name_wins_over_what_the_kernel_shows_of_it)
{
	story_tell(story, "1000 task_new 7 tgid=5 parent_tid=6 comm=\"main\"");
	story_tell(story,
		   "1001 java_thread_start 7 tgid=5 id=7 name=\"a-very-long-thread-name-12\"");
	story_tell(story, "1002 task_rename 7 tgid=5 comm=\"a-very-long-thr\"");
	cr_expect(eq(str, (char *)name_of(7), "a-very-long-thread-name-12"));
	story_tell(
		story,
		"1003 task_rename 7 tgid=5 comm=\"a-very-..ame-12\""); /* as JDK 27 shortens it */
	cr_expect(eq(str, (char *)name_of(7), "a-very-long-thread-name-12"));
	story_tell(story, "1004 task_rename 7 tgid=5 comm=\"renamed\"");
	cr_expect(eq(str, (char *)name_of(7), "renamed"));
}

Test(thread_lives, a_name_may_come_before_its_thread)
{
	story_tell(story, "1000 name 7 tgid=5 source=2 name=\"main\"");
	story_tell(story, "1001 thread 7 tgid=5 state=0xffffffff nr=-1 comm=\"java\"");
	cr_expect(eq(str, (char *)name_of(7), "main"));
	story_tell(story, "1002 name 900 tgid=900 source=1 name=\"stranger\"");
	cr_expect(eq(str, (char *)name_of(900), "stranger"));
	cr_expect(eq(ptr, (void *)name_of(901), NULL));
}

Test(thread_lives, a_name_of_another_process_is_not_taken)
{
	story_tell(story, "1000 name 7 tgid=99 source=2 name=\"of the one before\"");
	story_tell(story, "1001 thread 7 tgid=5 state=0xffffffff nr=-1 comm=\"worker\"");
	cr_expect(eq(str, (char *)name_of(7), "worker"));
}

Test(thread_lives, exec_makes_the_caller_the_leader)
{
	story_tell(story, "1000 thread 5 tgid=5 state=0xffffffff nr=-1 comm=\"java\"");
	story_tell(story, "1000 thread 7 tgid=5 seq=3 state=0xffffffff nr=-1 comm=\"worker\"");
	story_tell(story, "2000 task_exit 5 tgid=5");
	story_tell(story, "2001 task_exec 5 tgid=5 parent_tid=7 comm=\"bash\"");
	story_tell(story, "2100 offcpu 5 tgid=5 seq=4 off_ns=50 runq_ns=50 nr=-1");
	story_end(story, 2100);
	cr_expect(eq(str, (char *)name_of(5), "bash"));
	cr_expect(eq(u64, threads_find(story->threads, 5)->nr_lost, 0));
	cr_expect(eq(ptr, (void *)threads_find(story->threads, 7), NULL));
}

Test(thread_lives, the_role_follows_the_name)
{
	story_tell(story, "1000 task_new 7 tgid=5 parent_tid=6 comm=\"java\"");
	cr_expect(eq(int, (int)threads_find(story->threads, 7)->role, ROLE_APPLICATION));
	story_tell(story, "1001 task_rename 7 tgid=5 comm=\"GC Thread#0\"");
	cr_expect(eq(int, (int)threads_find(story->threads, 7)->role, ROLE_GC));
}

Test(thread_lives, the_schedulers_clock_is_read_where_the_spans_reach)
{
	const struct thread *thread;

	story_tell(story,
		   "1000 thread 7 tgid=5 state=0xffffffff nr=-1 exec_ns=5000 comm=\"worker\"");
	story_tell(story, "1500 offcpu 7 tgid=5 seq=1 off_ns=300 runq_ns=100 state=1 nr=202");
	story_tell(story, "2000 thread 7 tgid=5 seq=1 off_since_ns=1700 state=1 nr=202 "
			  "exec_ns=5400 comm=\"worker\"");
	thread = threads_find(story->threads, 7);
	cr_expect(eq(u64, thread->exec_last_ns - thread->exec_first_ns, 400));
	cr_expect(eq(u64, thread->running_last_ns - thread->running_first_ns, 400));
}
