/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "user/load/plan.h"

/*
 * Every thread draws the gaps of all threads' requests, so that the schedule depends on the seed
 * alone, not on --threads. At 10 ns a draw this is cheap for the few threads that a generator has.
 */
static long double draw_gaps(struct plan *p, uint32_t nr)
{
	long double sum = 0;

	if (p->options->arrivals == ARRIVALS_CONSTANT)
		return nr;
	while (nr-- > 0)
		sum -= (long double)log(random_unit(&p->random));
	return sum;
}

static void step(struct plan *p)
{
	p->seq += p->options->nr_threads;
	p->count += draw_gaps(p, p->options->nr_threads);
	p->due_ns = profile_time_ns(&p->options->profile, p->count, &p->part);
}

void plan_init(struct plan *p, const struct plan_options *options, uint32_t thread)
{
	*p = (struct plan){.options = options, .seq = thread};
	random_seed(&p->random, options->seed);
	/* The first request of a constant rate is due at 0, that of a Poisson process after a gap.
	 */
	p->count = draw_gaps(p, options->arrivals == ARRIVALS_CONSTANT ? thread : thread + 1);
	p->due_ns = profile_time_ns(&options->profile, p->count, &p->part);
}

uint64_t plan_wake_ns(const struct plan *p)
{
	if (p->options->planner != PLANNER_TICK || p->due_ns < p->horizon_ns ||
	    p->due_ns == PROFILE_NEVER)
		return p->due_ns;
	return p->horizon_ns;
}

static void forget_until(struct plan *p, uint64_t now_ns)
{
	if (p->due_ns >= now_ns)
		return;
	p->nr_replans++;
	while (p->due_ns < now_ns) {
		p->nr_omitted++;
		step(p);
	}
}

static void plan_tick(struct plan *p, uint64_t now_ns)
{
	const struct plan_options *o = p->options;

	if (now_ns - p->horizon_ns <= o->tolerance_ns) {
		p->horizon_ns += (now_ns - p->horizon_ns + o->tick_ns) / o->tick_ns * o->tick_ns;
		return;
	}
	forget_until(p, now_ns);
	p->horizon_ns = now_ns + o->tick_ns;
}

bool plan_take(struct plan *p, uint64_t now_ns, uint64_t *ret_seq, uint64_t *ret_intended_ns)
{
	const struct plan_options *o = p->options;

	if (o->planner == PLANNER_TICK && now_ns >= p->horizon_ns && p->due_ns >= p->horizon_ns)
		plan_tick(p, now_ns);
	if (o->planner == PLANNER_NOW && now_ns > p->due_ns && now_ns - p->due_ns > o->tolerance_ns)
		forget_until(p, now_ns);
	if (p->due_ns > now_ns || p->due_ns == PROFILE_NEVER ||
	    (o->planner == PLANNER_TICK && p->due_ns >= p->horizon_ns))
		return false;
	*ret_seq = p->seq;
	*ret_intended_ns = p->due_ns;
	step(p);
	return true;
}
