/* SPDX-License-Identifier: BSD-2-Clause */
/* What is no pause, what is half of one, and what losses leave in doubt. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "tests/lib/jvm_story.h"
#include "tests/lib/random.h"
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
	cr_expect(eq(u64, jvm_pause(story, 0)->op_end_ns, 2000000));
	cr_expect(eq(str, (char *)jvm_pause(story, 0)->operation, "Cleanup"));
	cr_expect(eq(u64, jvm_pause(story, 0)->end_ns, 2009000));
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

static uint64_t sum_of(const uint64_t ns[NR_REASONS])
{
	uint64_t sum_ns = 0;

	for (int reason = 0; reason < NR_REASONS; reason++)
		sum_ns += ns[reason];
	return sum_ns;
}

/* No part of a pause is longer than the pause. */
static void check_pause(const struct pause *pause)
{
	uint64_t last_ns = pause->release_ns ? pause->release_ns : 200000000;

	if (!pause->begin_ns)
		return;
	cr_assert(ge(u64, last_ns, pause->begin_ns), "pause %lu is released before it begins",
		  (unsigned long)pause->nr);
	cr_assert(le(u64, sum_of(pause->vm_reaching_ns) + sum_of(pause->vm_operation_ns),
		     last_ns - pause->begin_ns));
	cr_assert(le(u64, sum_of(pause->gc_operation_ns),
		     2 * (last_ns - pause->begin_ns))); /* two workers */
	cr_assert(le(u64, sum_of(pause->late_ns), last_ns - pause->begin_ns));
	for (size_t i = 0; i < pause->nr_stopped && i < 16; i++)
		cr_assert(le(u64, pause_lost(pause, &pause->stopped[i]), 200000000));
}

union any_record {
	struct event_hdr hdr;
	struct event_offcpu off;
	struct event_jvm jvm;
	struct event_vm_futex futex;
	struct event_jvm_counters counters;
	struct record_lost lost;
	char bytes[EVENT_BYTES_MAX];
};

static void make_record(uint64_t *random, union any_record *record, uint32_t seq)
{
	static const uint16_t kinds[] = {
		EVENT_OFFCPU,	     EVENT_OFFCPU,	 EVENT_OFFCPU,	 EVENT_SAFEPOINT_BEGIN,
		EVENT_SAFEPOINT_END, EVENT_VMOP_BEGIN,	 EVENT_VMOP_END, EVENT_VMOP_REQUEST,
		EVENT_VM_FUTEX,	     EVENT_JVM_COUNTERS, RECORD_LOST};
	static const uint32_t operations[] = {128, 393, 129, 1};

	record->hdr.kind = kinds[random_next(random) % 11];
	record->hdr.tid = 10 + random_next(random) % 5;
	if (record->hdr.kind == EVENT_OFFCPU) {
		record->off.tgid = 5;
		record->off.seq = seq;
		record->off.off_ns = random_next(random) % 20000;
		record->off.runq_ns = random_next(random) % (record->off.off_ns + 1);
		record->off.nr = random_next(random) % 4 ? 202 : 230;
		record->off.arg0 = 0x7000;
		record->off.arg1 = operations[random_next(random) % 4];
		record->off.arg2 = (uint32_t)random_next(random) % 4;
		record->off.state = random_next(random) % 4 != 0;
		record->off.waker_tid = 10 + random_next(random) % 2;
		record->off.flags = OFFCPU_WOKEN;
	} else if (record->hdr.kind == EVENT_VM_FUTEX) {
		record->hdr.tid = 10;
		record->futex.tgid = 5;
		record->futex.uaddr = random_next(random) % 2 ? 0x7000 : 0x5000;
		record->futex.op = operations[random_next(random) % 4];
		record->futex.val = random_next(random) % 2 ? 0x7fffffff : 1;
		record->futex.word = record->futex.uaddr == 0x7000 ? 0 : 2;
		record->futex.word_read = 1;
	} else if (record->hdr.kind == EVENT_JVM_COUNTERS) {
		record->counters.tgid = 5;
		record->counters.valid = random_next(random) % 64;
		record->counters.safepoints = random_next(random) % 3 + seq / 8;
		record->counters.sync_ns = random_next(random) % 10000 + seq;
	} else if (record->hdr.kind == RECORD_LOST) {
		record->lost.lost_kind = random_next(random) % 4;
		record->lost.from_ns = record->hdr.ts_ns - random_next(random) % 1000;
	} else {
		record->hdr.tid = 10;
		record->jvm.tgid = 5;
		record->jvm.mode = random_next(random) % 2;
		record->jvm.name[0] = (char)('A' + random_next(random) % 2);
	}
}

/* With the JVM's probes in it, and without: records of all kinds in an order no JVM makes, some of
 * them late. */
static void tell_chaos(bool usdt)
{
	uint64_t random = usdt ? 5 : 6, now_ns = 1000000;

	for (uint32_t i = 1; i <= 20000; i++) {
		union any_record record;

		now_ns += random_next(&random) % 2000;
		memset(&record, 0, sizeof(record));
		record.hdr.ts_ns =
			random_next(&random) % 40 ? now_ns : now_ns - random_next(&random) % 5000;
		make_record(&random, &record, i);
		if (usdt || record.hdr.kind < EVENT_SAFEPOINT_BEGIN ||
		    record.hdr.kind > EVENT_VMOP_END)
			story_event(story, &record.hdr);
	}
	story_end(story, now_ns + 1000);
	cr_assert(gt(sz, story->nr_found, 50));
	for (size_t i = 0; i < story->nr_found; i++)
		check_pause(jvm_pause(story, i));
}

Test(pause_doubts, no_part_of_a_pause_is_longer_than_it_whatever_the_probes_say)
{
	tell_chaos(true);
}

Test(pause_doubts, no_part_of_a_pause_is_longer_than_it_whatever_futex_calls_say)
{
	tell_chaos(false);
}
