/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread was in, from its records: times in us. Thread 11 is looked at, from 1000 to 2000;
 * 12 and 13 are of its process, 14 is a GC worker, 10 the VM Thread. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/attribution/conditions.h"
#include "user/attribution/conditions_ring.h"
#include "user/base/cleanup.h"
#include "user/recording/record.h"

#define US ((uint64_t)1000)

struct off { /* a wait of @tid: [at, at + wait) blocked, [.., + runq) runnable */
	uint32_t tid;
	uint64_t at, wait, runq;
	uint32_t waker, ahead, flags, state;
	int nr;
	uint32_t op, value;
};

struct work { /* a request that @tid was at work on; downstream: that it asked somebody for */
	uint32_t tid;
	uint64_t from, to;
	bool downstream;
};

struct row {
	char why[112];
	struct off offs[4];
	struct work works[4];
	uint64_t lost_from, lost_to;
	bool jumps; /* the last of the offs comes after a gap in its thread's numbers */
	char want[256];
};

#define FUTEX	  202
#define EPOLL	  232
#define POLL	  7
#define RECV	  45
#define NANOSLEEP 230
#define WOKEN	  OFFCPU_WOKEN
#define TIMER	  (OFFCPU_WOKEN | OFFCPU_WOKEN_BY_IRQ)
#define ALIVE                                                                                      \
	{                                                                                          \
		11, 900, 50, 0, .nr = EPOLL, .flags = TIMER, .state = 1                            \
	}
#define PARK(...)                                                                                  \
	{                                                                                          \
		11, 1200, 300, 100, .nr = FUTEX, .op = 128, .state = 1, __VA_ARGS__                \
	}
#define LATER                                                                                      \
	{                                                                                          \
		11, 2100, 50, 0, .nr = EPOLL, .flags = TIMER, .state = 1                           \
	}

/* clang-format off */
static struct row rows[] = {
	{"a wait, then the run queue behind nobody seen",
	 {ALIVE, {11, 1200, 300, 100, .nr = NANOSLEEP, .flags = TIMER, .state = 1}, LATER}, {{0}}, 0, 0, false,
	 "200 on_cpu, 300 sleeping, 100 run_queue, 400 on_cpu"},
	{"behind its own GC worker",
	 {ALIVE, {11, 1200, 0, 100, .ahead = 14, .nr = -1}, LATER}, {{0}}, 0, 0, false,
	 "200 on_cpu, 100 run_queue_gc, 700 on_cpu"},
	{"behind another thread of its process",
	 {ALIVE, {11, 1200, 0, 100, .ahead = 12, .nr = -1}, LATER}, {{0}}, 0, 0, false,
	 "200 on_cpu, 100 run_queue_own, 700 on_cpu"},
	{"behind a stranger",
	 {ALIVE, {11, 1200, 0, 100, .ahead = 99, .nr = -1}, LATER}, {{0}}, 0, 0, false,
	 "200 on_cpu, 100 run_queue_others, 700 on_cpu"},
	{"who ran before is not said where its return was not seen",
	 {ALIVE, {11, 1200, 0, 100, .ahead = 12, .flags = OFFCPU_END_UNSEEN, .nr = -1}, LATER}, {{0}}, 0, 0, false,
	 "200 on_cpu, 100 run_queue, 700 on_cpu"},
	{"parked, woken by a thread that holds no request",
	 {ALIVE, PARK(.waker = 12, .flags = WOKEN), LATER}, {{0}}, 0, 0, false,
	 "200 on_cpu, 300 parked idle, 100 run_queue, 400 on_cpu"},
	{"parked, woken by a timer",
	 {ALIVE, PARK(.flags = TIMER), LATER}, {{0}}, 0, 0, false,
	 "200 on_cpu, 300 sleeping idle, 100 run_queue, 400 on_cpu"},
	{"a lock: its waker was at work on a request",
	 {ALIVE, PARK(.waker = 12, .flags = WOKEN), LATER}, {{12, 1300, 1700, false}}, 0, 0, false,
	 "200 on_cpu, 300 lock idle, 100 run_queue, 400 on_cpu"},
	{"no lock: its waker's request was over",
	 {ALIVE, PARK(.waker = 12, .flags = WOKEN), LATER}, {{12, 1300, 1400, false}}, 0, 0, false,
	 "200 on_cpu, 300 parked idle, 100 run_queue, 400 on_cpu"},
	{"a lock: it woke another that had queued with it",
	 {ALIVE, PARK(.waker = 13, .flags = WOKEN), {12, 1300, 400, 10, .waker = 11, .nr = FUTEX, .op = 128, .flags = WOKEN, .state = 1}, LATER},
	 {{11, 1100, 1900, false}, {12, 1250, 1950, false}}, 0, 0, false,
	 "200 on_cpu, 300 lock idle, 100 run_queue, 400 on_cpu"},
	{"no lock: it woke one that had no request",
	 {ALIVE, PARK(.waker = 13, .flags = WOKEN), {12, 1300, 400, 10, .waker = 11, .nr = FUTEX, .op = 128, .flags = WOKEN, .state = 1}, LATER},
	 {{11, 1100, 1900, false}}, 0, 0, false,
	 "200 on_cpu, 300 parked idle, 100 run_queue, 400 on_cpu"},
	{"no lock: it woke one that came after",
	 {ALIVE, PARK(.waker = 13, .flags = WOKEN), {12, 1650, 50, 10, .waker = 11, .nr = FUTEX, .op = 128, .flags = WOKEN, .state = 1}, LATER},
	 {{11, 1100, 1900, false}, {12, 1250, 1950, false}}, 0, 0, false,
	 "200 on_cpu, 300 parked idle, 100 run_queue, 400 on_cpu"},
	{"an allocation stall: a semaphore that a GC thread gave",
	 {ALIVE, {11, 1200, 300, 100, .waker = 14, .nr = FUTEX, .op = 393, .flags = WOKEN, .state = 1}, LATER}, {{0}}, 0, 0, false,
	 "200 on_cpu, 300 allocation_stall idle, 100 run_queue, 400 on_cpu"},
	{"a barrier whose pause was not found is a pause all the same",
	 {ALIVE, PARK(.waker = 10, .flags = WOKEN, .value = 7), LATER}, {{0}}, 0, 0, false,
	 "200 on_cpu, 300 pause, 100 run_queue, 400 on_cpu"},
	{"downstream: a read until an answer has come",
	 {ALIVE, {11, 1200, 300, 100, .nr = RECV, .flags = TIMER, .state = 1}, LATER}, {{11, 1150, 1495, true}}, 0, 0, false,
	 "200 on_cpu, 300 downstream, 100 run_queue, 400 on_cpu"},
	{"as blocking Java sockets wait for one",
	 {ALIVE, {11, 1200, 300, 100, .nr = POLL, .flags = TIMER, .state = 1}, LATER}, {{11, 1150, 1495, true}}, 0, 0, false,
	 "200 on_cpu, 300 downstream, 100 run_queue, 400 on_cpu"},
	{"a read for nobody's answer is a wait for work",
	 {ALIVE, {11, 1200, 300, 100, .nr = RECV, .flags = TIMER, .state = 1}, LATER}, {{0}}, 0, 0, false,
	 "200 on_cpu, 300 unknown idle, 100 run_queue, 400 on_cpu"},
	{"stopped while the answer has not come is downstream, then stopped",
	 {ALIVE, {11, 1200, 300, 100, .nr = -1, .flags = WOKEN, .state = 4}, LATER}, {{11, 1150, 1400, true}}, 0, 0, false,
	 "200 on_cpu, 200 downstream, 100 stopped, 100 run_queue, 400 on_cpu"},
	{"throttled for the first part of its wait for a CPU",
	 {ALIVE, {11, 1200, 0, 100, .flags = OFFCPU_THROTTLED, .nr = -1}, LATER}, {{0}}, 0, 0, false,
	 "200 on_cpu, 90 throttled, 10 run_queue, 700 on_cpu"},
	{"its records were lost, and the loss was counted",
	 {ALIVE, {11, 1600, 100, 0, .nr = EPOLL, .flags = TIMER, .state = 1}, LATER}, {{0}}, 1750, 1800, true,
	 "600 on_cpu, 100 unknown idle, 300 lost idle"},
	{"its records were lost, and nothing says so",
	 {ALIVE, {11, 1600, 100, 0, .nr = EPOLL, .flags = TIMER, .state = 1}, LATER}, {{0}}, 0, 0, true,
	 "600 on_cpu, 400 unknown idle"},
	{"nothing is known before its first record and after its last",
	 {{11, 1200, 300, 100, .nr = NANOSLEEP, .flags = TIMER, .state = 1}}, {{0}}, 0, 0, false,
	 "gap 200, 300 sleeping, 100 run_queue"},
};
/* clang-format on */

struct tale {
	struct condition_store *store;
	struct threads *threads;
	uint32_t seq[20];
};

static void on_span(void *arg, const struct thread *thread, const struct span *span)
{
	struct tale *tale = arg;

	cr_assert(zero(int, condition_store_span(tale->store, thread, span)));
}

static void take(struct tale *tale, const void *event)
{
	cr_assert(zero(int, condition_store_event(tale->store, event)));
	cr_assert(zero(int, threads_event(tale->threads, event)));
}

static void name(struct tale *tale, uint32_t tid, const char *comm)
{
	struct event_task task = {.hdr = {EVENT_TASK_RENAME, sizeof(task), tid, 1}, .tgid = 5};

	strncpy(task.comm, comm, sizeof(task.comm) - 1);
	take(tale, &task);
}

static void tell(struct tale *tale, const struct off *o, bool jumps)
{
	struct event_offcpu off = {
		.hdr = {EVENT_OFFCPU, sizeof(off), o->tid, (o->at + o->wait + o->runq) * US},
		.off_ns = (o->wait + o->runq) * US,
		.runq_ns = o->runq * US,
		.throttled_ns = o->flags & OFFCPU_THROTTLED ? 90 * US : 0,
		.tgid = 5,
		.seq = ++tale->seq[o->tid] + jumps * 3,
		.arg1 = o->op,
		.arg2 = o->value,
		.state = o->state,
		.waker_tid = o->waker,
		.waker_tgid = o->waker ? 5 : 0,
		.ahead_tid = o->ahead,
		.ahead_tgid = o->ahead == 99 ? 99 : 5,
		.flags = o->flags,
		.nr = (int16_t)o->nr,
	};

	take(tale, &off);
}

static void tell_work(struct tale *tale, const struct work *work)
{
	struct request request = {.kind = REQUEST_SERVED,
				  .reader_tid = work->tid,
				  .answerer_tid = work->tid,
				  .read_ns = work->from * US,
				  .reader_until_ns = work->to * US,
				  .answerer_since_ns = work->from * US,
				  .last_out_ns = work->to * US};

	if (work->downstream)
		request = (struct request){.kind = REQUEST_DOWNSTREAM,
					   .receiver_tid = work->tid,
					   .sent_ns = work->from * US,
					   .arrived_ns = work->to * US};
	cr_assert(zero(int, condition_store_request(tale->store, &request)));
}

static void print(const struct condition_list *list, char *ret, size_t bytes)
{
	FILE *to = fmemopen(ret, bytes, "w");
	uint64_t now_ns = 1000 * US;

	for (size_t i = 0; i < list->nr; i++) {
		const struct condition *at = &list->at[i];

		if (at->from_ns > now_ns)
			fprintf(to, "%sgap %" PRIu64, i ? ", " : "", (at->from_ns - now_ns) / US);
		fprintf(to, "%s%" PRIu64 " %s%s", at->from_ns > now_ns || i ? ", " : "",
			(at->to_ns - at->from_ns) / US, cause_name((enum cause)at->cause),
			at->idle ? " idle" : "");
		now_ns = at->to_ns;
	}
	fclose(to);
}

static struct tale begin(void)
{
	struct tale tale = {.store = condition_store_new()};

	return tale;
}

static void run(struct tale *tale, const struct row *row, struct condition_list *ret)
{
	struct record_lost lost = {.hdr = {RECORD_LOST, sizeof(lost), 0, row->lost_to * US},
				   .from_ns = row->lost_from * US,
				   .nr = 1,
				   .cause = LOST_RING_FULL};

	tale->threads = threads_new(on_span, NULL, tale);
	name(tale, 14, "GC Thread#0");
	name(tale, 10, "VM Thread");
	for (uint32_t tid = 10; tid <= 14; tid++)
		if (tid != 11)
			tell(tale,
			     &(struct off){tid, 100, 10, 0, .nr = EPOLL, .flags = TIMER,
					   .state = 1},
			     false);
	for (size_t i = 0; i < ARRAY_SIZE(row->offs) && row->offs[i].tid; i++)
		tell(tale, &row->offs[i],
		     row->jumps && (i + 1 == ARRAY_SIZE(row->offs) || !row->offs[i + 1].tid));
	if (row->lost_to)
		take(tale, &lost);
	for (size_t i = 0; i < ARRAY_SIZE(row->works) && row->works[i].tid; i++)
		tell_work(tale, &row->works[i]);
	cr_assert(zero(int, condition_store_of(tale->store, 11, 1000 * US, 2000 * US, ret)));
}

ParameterizedTestParameters(split_conditions, a_thread_was_in)
{
	return cr_make_param_array(struct row, rows, ARRAY_SIZE(rows));
}

ParameterizedTest(struct row *row, split_conditions, a_thread_was_in)
{
	struct tale tale = begin();
	struct condition_list list = {0};
	char text[512] = "";

	run(&tale, row, &list);
	print(&list, text, sizeof(text));
	cr_expect(eq(str, text, row->want), "%s", row->why);
	condition_list_free(&list);
	threads_free(tale.threads);
	condition_store_free(tale.store);
}

Test(split_conditions, losses_that_overlap_are_one_and_what_came_late_is_none)
{
	static const struct record_lost lost[] = {
		{{RECORD_LOST, sizeof(lost[0]), 0, 60}, 50, 1, 0, LOST_RING_FULL},
		{{RECORD_LOST, sizeof(lost[0]), 0, 100}, 10, 1, 0, LOST_WRITE},
		{{RECORD_LOST, sizeof(lost[0]), 0, 300}, 200, 1, 0, LOST_DISORDER},
		{{RECORD_LOST, sizeof(lost[0]), 0, 500}, 400, 1, 0, LOST_DAMAGED}};
	struct condition_store *store = condition_store_new();
	struct condition_list list = {0};

	for (size_t i = 0; i < ARRAY_SIZE(lost); i++)
		cr_assert(zero(int, condition_store_event(store, &lost[i].hdr)));
	cr_assert(zero(int, condition_store_losses(store, 1, 450, &list)));
	cr_assert(eq(sz, list.nr, 2));
	cr_expect(eq(u64, list.at[0].from_ns, 10));
	cr_expect(eq(u64, list.at[0].to_ns, 100));
	cr_expect(eq(u64, list.at[1].from_ns, 400));
	cr_expect(eq(u64, list.at[1].to_ns, 450));
	condition_list_free(&list);
	condition_store_free(store);
}

Test(split_conditions, a_thread_is_at_work_until_it_goes_idle)
{
	static const struct row row = {
		.offs = {ALIVE, {11, 1400, 50, 0, .nr = EPOLL, .flags = TIMER, .state = 1}, LATER},
		.works = {
			{11, 1050, 1100, false}, {11, 1200, 1300, false}, {11, 1500, 1600, false}}};
	struct tale tale = begin();
	struct condition_list list = {0};

	run(&tale, &row, &list);
	cr_assert(zero(int, condition_store_at_work(tale.store, 11, 1000 * US, 1800 * US, &list)));
	cr_assert(eq(sz, list.nr, 2));
	cr_expect(eq(u64, list.at[0].from_ns, 1050 * US));
	cr_expect(eq(u64, list.at[0].to_ns, 1400 * US));
	cr_expect(eq(u64, list.at[1].from_ns, 1500 * US));
	cr_expect(eq(u64, list.at[1].to_ns, 1800 * US));
	cr_expect(eq(u64, condition_store_busy_until(tale.store, 11, 1100 * US), 1200 * US));
	cr_expect(eq(u64, condition_store_busy_until(tale.store, 11, 1300 * US), 1400 * US));
	condition_list_free(&list);
	threads_free(tale.threads);
	condition_store_free(tale.store);
}

Test(split_conditions, what_is_overwritten_is_not_known)
{
	struct tale tale = begin();
	uint64_t nr = PAST_MAX + 1000, last = 1000 + 2 * (nr - 1);

	for (uint64_t i = 0; i < nr; i++)
		tell_work(&tale, &(struct work){11, 1000 + 2 * i, 1001 + 2 * i, false});
	cr_expect(eq(u64, condition_store_busy_until(tale.store, 11, 1003 * US), 1003 * US));
	cr_expect(eq(u64, condition_store_busy_until(tale.store, 11, (last + 1) * US),
		     (last + 1) * US)); /* it did not do anything that tells that it runs */
	condition_store_free(tale.store);
}
