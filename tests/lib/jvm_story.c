/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/lib/jvm_story.h"

void jvm_cast(struct story *story)
{
	story_tell(
		story,
		"1000 thread 10 tgid=5 off_since_ns=1000 state=1 flags=0x100 nr=202 comm=\"VM "
		"Thread\"\n"
		"1000 thread 11 tgid=5 state=0xffffffff nr=-1 comm=\"app-1\"\n"
		"1000 thread 12 tgid=5 state=0xffffffff nr=-1 comm=\"app-2\"\n"
		"1000 thread 13 tgid=5 off_since_ns=1000 state=1 flags=0x100 nr=232 comm=\"idle\"\n"
		"1000 thread 14 tgid=5 off_since_ns=1000 state=1 flags=0x100 nr=202 comm=\"GC "
		"Thread#0\"\n");
}

void jvm_vm_thread_wakes(struct story *story)
{
	story_tell(story, "1990000 offcpu 10 tgid=5 seq=1 off_ns=1989000 runq_ns=1000 state=1 "
			  "nr=202 flags=0x900\n");
}

void jvm_collects(struct story *story)
{
	story_tell(story, "2000000 jvm_counters 10 tgid=5 valid=0x3f safepoints=7 sync_ns=1000 "
			  "cause=\"No GC\"\n"
			  "2000000 safepoint_begin 10 tgid=5\n"
			  "2040000 offcpu 10 tgid=5 seq=2 off_ns=30000 runq_ns=2000 state=1 nr=230 "
			  "flags=0x880\n"
			  "2090000 offcpu 10 tgid=5 seq=3 off_ns=45000 runq_ns=2000 state=1 nr=230 "
			  "flags=0x880\n"
			  "2095000 vmop_begin 10 tgid=5 name=\"G1CollectForAllocation\"\n"
			  "2100000 gc_begin 10 tgid=5\n"
			  "2490000 gc_end 10 tgid=5\n"
			  "2500000 vmop_end 10 tgid=5 name=\"G1CollectForAllocation\"\n"
			  "2515000 jvm_counters 10 tgid=5 valid=0x3f safepoints=8 sync_ns=93000 "
			  "gc_invocations=1 "
			  "cause=\"No GC\" last_cause=\"G1 "
			  "Evacuation Pause\"\n"
			  "2515000 safepoint_end 10 tgid=5\n"
			  "2523000 offcpu 11 tgid=5 seq=1 off_ns=463000 runq_ns=20000 arg0=0x70 "
			  "arg1=128 arg2=15 "
			  "state=1 nr=202 "
			  "waker_tid=10 flags=0x800\n"
			  "2545000 offcpu 12 tgid=5 seq=1 off_ns=535000 runq_ns=40000 arg0=0x70 "
			  "arg1=128 arg2=15 "
			  "state=1 nr=202 "
			  "waker_tid=10 flags=0x800\n");
}

void jvm_cleans_up(struct story *story, uint64_t at_ns)
{
	story_tell_line(story, "%lu safepoint_begin 10 tgid=5", (unsigned long)at_ns);
	story_tell_line(story, "%lu vmop_begin 10 tgid=5 name=\"Cleanup\"",
			(unsigned long)at_ns + 5000);
	story_tell_line(story, "%lu vmop_end 10 tgid=5 name=\"Cleanup\"",
			(unsigned long)at_ns + 6000);
	story_tell_line(story, "%lu safepoint_end 10 tgid=5", (unsigned long)at_ns + 30000);
}

const struct pause *jvm_pause(const struct story *story, size_t nr)
{
	cr_assert(lt(sz, nr, story->nr_found), "only %zu pauses were found", story->nr_found);
	return &story->found[nr].pause;
}
