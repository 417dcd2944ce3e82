/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "user/base/cleanup.h"
#include "user/load/dispatch.h"
#include "user/load/now.h"
#include "user/load/options.h"
#include "user/load/sender.h"

#define CONNECT_WAIT_NS 5000000000ull /* for the connections that are opened before the run */
#define LOOK_AROUND_NS	50000000ull   /* the longest sleep: whether to stop is seen then */
#define START_SPIN_NS	200000ull
#define QUEUE_WAIT_NS	1000000ull
#define SENDS_AT_ONCE	64 /* then answers get their turn, however much is due */

struct sender {
	struct senders *shared;
	struct dispatch dispatch;
	struct plan plan;
	uint64_t start_ns;
};

/* Nothing is due before; the last bit is spun through, so that the first request is on time too. */
static void wait_until(uint64_t start_ns)
{
	uint64_t wake_ns = start_ns - START_SPIN_NS;
	struct timespec wake = {.tv_sec = (time_t)(wake_ns / 1000000000),
				.tv_nsec = (long)(wake_ns % 1000000000)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
	while (now_ns() < start_ns)
		;
}

bool sender_wait_for_start(struct senders *shared, uint32_t nr_connected, int error,
			   uint64_t *ret_start_ns)
{
	struct timespec pause = {.tv_nsec = 1000000};
	int none = 0;

	if (error)
		atomic_compare_exchange_strong(&shared->first_error, &none, error);
	atomic_fetch_add(&shared->nr_connected, nr_connected);
	atomic_fetch_add(&shared->nr_ready, 1);
	while (!(*ret_start_ns = atomic_load(&shared->handover->start_ns))) {
		if (atomic_load(&shared->stop) == STOP_NOW)
			return false;
		nanosleep(&pause, NULL);
	}
	wait_until(*ret_start_ns);
	return true;
}

void sender_count_cost(struct handover_thread *out)
{
	FILE *file CLEANUP(fclosep) = fopen("/proc/thread-self/schedstat", "re");
	unsigned long long on_cpu_ns, waited_ns;

	if (!file || fscanf(file, "%llu %llu", &on_cpu_ns, &waited_ns) != 2)
		return;
	handover_set(out, COUNT_CPU_NS, on_cpu_ns);
	handover_set(out, COUNT_RUN_QUEUE_NS, waited_ns);
}

static void connect_all(struct sender *s)
{
	uint64_t until_ns = now_ns() + CONNECT_WAIT_NS;

	dispatch_connect(&s->dispatch);
	while (s->dispatch.nr_connecting && now_ns() < until_ns &&
	       atomic_load(&s->shared->stop) == STOP_NOT)
		dispatch_wait(&s->dispatch, LOOK_AROUND_NS);
}

/* Send what is due. False: more is. */
static bool send_due(struct sender *s)
{
	const struct load_options *o = s->shared->options;
	uint64_t seq, intended_ns;

	for (int i = 0; i < SENDS_AT_ONCE; i++) {
		struct flight *f;

		if (!plan_take(&s->plan, now_ns() - s->start_ns, &seq, &intended_ns))
			return true;
		f = handover_plan(s->dispatch.wire.out, seq, s->start_ns + intended_ns);
		if (!f) { /* cannot be: there is room for all that can be live within a timeout */
			handover_count(s->dispatch.wire.out, COUNT_LOST, 1);
			continue;
		}
		f->message = message_pick(&o->messages, seq);
		f->request.label = o->messages.messages[f->message].label ? f->message + 1 : 0;
		dispatch_request(&s->dispatch, f);
	}
	return false;
}

/*
 * While requests wait for a connection, what is due can only join them: it need not do so on the
 * dot. To spin then would take CPU from those who are to answer.
 */
static uint64_t queue_until_ns(const struct load_options *o, uint64_t at_ns)
{
	uint64_t wait_ns = QUEUE_WAIT_NS;

	if (o->plan.planner != PLANNER_IDEAL && o->plan.tolerance_ns / 4 < wait_ns)
		wait_ns = o->plan.tolerance_ns / 4; /* it must not look like a stall */
	return at_ns + wait_ns;
}

/* When the next send is due, or in HYBRID the time before it that is spun through begins. */
static uint64_t send_from_ns(const struct sender *s, uint64_t due_ns)
{
	const struct load_options *o = s->shared->options;

	if (due_ns == PROFILE_NEVER)
		return UINT64_MAX;
	return s->start_ns + due_ns - (o->pacing == PACING_HYBRID ? o->spin_ns : 0);
}

/* How long to wait for events. */
static uint64_t wait_for(const struct sender *s, uint64_t due_ns)
{
	const struct load_options *o = s->shared->options;
	uint64_t at_ns = now_ns(), until_ns = at_ns + LOOK_AROUND_NS;
	uint64_t deadline_ns = dispatch_deadline_ns(&s->dispatch),
		 send_ns = send_from_ns(s, due_ns);

	if (o->pacing == PACING_SPIN)
		return 0;
	if (s->dispatch.stuck_since_ns && send_ns < queue_until_ns(o, at_ns))
		send_ns = queue_until_ns(o, at_ns);
	if (deadline_ns < until_ns)
		until_ns = deadline_ns;
	if (send_ns < until_ns)
		until_ns = send_ns;
	return until_ns > at_ns ? until_ns - at_ns : 0;
}

static void run(struct sender *s)
{
	bool planning = true;
	uint32_t stop;

	for (;;) {
		bool all_sent = true;

		stop = atomic_load_explicit(&s->shared->stop, memory_order_relaxed);
		planning = planning && stop == STOP_NOT && plan_wake_ns(&s->plan) != PROFILE_NEVER;
		if (planning)
			all_sent = send_due(s);
		else if (!s->dispatch.wire.out->nr_live || stop == STOP_NOW)
			return;
		dispatch_expire(&s->dispatch, now_ns());
		dispatch_wait(&s->dispatch, all_sent ? wait_for(s, planning ? plan_wake_ns(&s->plan)
									    : PROFILE_NEVER)
						     : 0);
	}
}

void sender_run(struct senders *shared, uint32_t thread)
{
	struct handover_thread *out = &shared->handover->threads[thread];
	struct sender s = {.shared = shared};
	int error = dispatch_init(&s.dispatch, shared->options, out, thread);

	prctl(PR_SET_TIMERSLACK, 1ul); /* the default lets the kernel be 50 us late */
	plan_init(&s.plan, &shared->options->plan, thread);
	if (!error)
		connect_all(&s);
	if (sender_wait_for_start(shared, s.dispatch.idle.first ? s.dispatch.nr_connections : 0,
				  error ? error : s.dispatch.first_error, &s.start_ns) &&
	    !error)
		run(&s);
	handover_set(out, COUNT_OMITTED, s.plan.nr_omitted);
	handover_set(out, COUNT_REPLANS, s.plan.nr_replans);
	dispatch_cut(&s.dispatch);
	sender_count_cost(out);
	dispatch_free(&s.dispatch);
}
