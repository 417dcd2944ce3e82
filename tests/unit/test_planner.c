/* SPDX-License-Identifier: BSD-2-Clause */
/* Schedules made by the load generator's own planner, with stalls put in. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/planner.h"
#include "user/base/units.h"
#include "user/load/plan.h"

#define MS	 NS_PER_MS
#define REQUESTS 200000

struct sent {
	uint64_t due_ns;
	int64_t late_ns;
};

static struct sent all[REQUESTS];

static int compare(const void *left, const void *right)
{
	const struct sent *a = left, *b = right;

	return (a->due_ns > b->due_ns) - (a->due_ns < b->due_ns);
}

/* Each @every_ns from 1 s on, all threads are stopped for @stall_ns. */
static uint64_t running(uint64_t ns, uint64_t every_ns, uint64_t stall_ns)
{
	uint64_t into = every_ns ? ns % every_ns : 0;

	return every_ns && ns >= NS_PER_S && into < stall_ns ? ns - into + stall_ns : ns;
}

static size_t run(const struct plan_options *o, uint64_t every_ns, uint64_t stall_ns)
{
	size_t nr = 0;

	for (uint32_t thread = 0; thread < o->nr_threads; thread++) {
		struct plan plan;
		uint64_t seq, due_ns, at_ns = 0;

		plan_init(&plan, o, thread);
		while (plan_wake_ns(&plan) != PROFILE_NEVER && nr < REQUESTS) {
			if (plan_wake_ns(&plan) > at_ns)
				at_ns = plan_wake_ns(&plan);
			/* Woken 60 us late, and it takes 5 us to send. */
			at_ns = running(at_ns + 60000, every_ns, stall_ns);
			while (nr < REQUESTS && plan_take(&plan, at_ns, &seq, &due_ns)) {
				at_ns = running(at_ns + 5000, every_ns, stall_ns);
				all[nr++] = (struct sent){due_ns, (int64_t)(at_ns - due_ns)};
			}
		}
	}
	qsort(all, nr, sizeof(all[0]), compare);
	return nr;
}

static struct planner_verdict judge(size_t nr)
{
	struct planner_watch w = {0};
	struct planner_verdict verdict;

	for (size_t i = 0; i < nr; i++)
		cr_assert(zero(int, planner_watch_add(&w, all[i].due_ns, all[i].late_ns)));
	planner_watch_end(&w, &verdict);
	return verdict;
}

static struct plan_options options(const char *rate, enum arrivals arrivals, enum planner planner,
				   uint32_t nr_threads)
{
	struct plan_options o = {.arrivals = arrivals,
				 .planner = planner,
				 .tick_ns = 50 * MS,
				 .tolerance_ns = 10 * MS,
				 .seed = 7,
				 .nr_threads = nr_threads};
	const char *wrong;

	cr_assert(zero(int, profile_parse(rate, 30 * NS_PER_S, &o.profile, &wrong)));
	return o;
}

static const enum arrivals kinds[] = {ARRIVALS_CONSTANT, ARRIVALS_POISSON};

Test(planner, each_policy_is_told_from_what_it_did)
{
	static const struct {
		enum planner planner;
		enum planner_policy policy;
	} rows[] = {{PLANNER_IDEAL, PLANNER_CATCHES_UP},
		    {PLANNER_NOW, PLANNER_FROM_NOW},
		    {PLANNER_TICK, PLANNER_AHEAD}};
	static const uint64_t stalls[] = {80 * MS, 200 * MS, 500 * MS};

	for (size_t i = 0; i < 3 * 2 * 3 * 2; i++) {
		uint32_t nr_threads = i / 18 ? 3 : 1;
		struct plan_options o =
			options("1500", kinds[i / 3 % 2], rows[i % 3].planner, nr_threads);
		uint64_t stall_ns = stalls[i / 6 % 3];
		struct planner_verdict v = judge(run(&o, 1307 * MS, stall_ns));

		cr_expect(eq(u32, v.policy, rows[i % 3].policy),
			  "plan %d, arrivals %d, stall %lu, threads %u: caught up %lu, forgot %lu, "
			  "ahead %lu",
			  rows[i % 3].planner, kinds[i / 3 % 2], stall_ns, nr_threads,
			  v.caught_up.nr, v.forgotten.nr, v.ahead.nr);
		cr_expect(ge(u64, v.caught_up.nr + v.forgotten.nr + v.ahead.nr, 20), "%zu", i);
		if (v.policy == PLANNER_AHEAD) {
			cr_expect(ge(u64, v.ahead_ns, 25 * MS));
			cr_expect(le(u64, v.ahead_ns, 61 * MS));
		}
	}
}

Test(planner, without_a_stall_it_is_unknown)
{
	for (size_t i = 0; i < 6; i++) {
		struct plan_options o = options("5000", kinds[i % 2], (enum planner)(i / 2), 1);
		struct planner_verdict v = judge(run(&o, 0, 0));

		cr_expect(eq(u32, v.policy, PLANNER_UNKNOWN));
		cr_expect(zero(u64, v.caught_up.nr + v.forgotten.nr + v.ahead.nr + v.nr_short));
	}
	cr_expect(eq(u32, judge(0).policy, PLANNER_UNKNOWN));
}

Test(planner, a_change_of_rate_is_no_stall)
{
	for (size_t i = 0; i < 2; i++) {
		struct plan_options o = options("0s:2000,5s:20,15s:3000..100@20s,22s:1000",
						kinds[i], PLANNER_NOW, 1);

		cr_expect(eq(u32, judge(run(&o, 0, 0)).policy, PLANNER_UNKNOWN));
	}
}

Test(planner, stalls_within_the_tolerance_are_caught_up_and_longer_ones_decide)
{
	struct plan_options o = options("1500", ARRIVALS_CONSTANT, PLANNER_NOW, 1);
	size_t nr = run(&o, 1307 * MS, 8 * MS);
	struct planner_verdict v = judge(nr);

	cr_expect(eq(u32, v.policy, PLANNER_CATCHES_UP));
	cr_expect(le(u64, v.caught_up.longest_ns, 9 * MS), "and it says up to which stalls");
}

Test(planner, a_sender_that_is_always_late_is_not_stalled)
{
	struct plan_options o = options("1500", ARRIVALS_POISSON, PLANNER_IDEAL, 1);
	size_t nr = run(&o, 0, 0);

	for (size_t i = 0; i < nr; i++)
		all[i].late_ns += (int64_t)(50 * MS + i * 1000);
	cr_expect(le(u64, judge(nr).nr_short, 1));
	cr_expect(zero(u64, judge(nr).caught_up.nr));
}

Test(planner, what_is_out_of_order_is_refused)
{
	struct planner_watch w = {0};

	cr_expect(zero(int, planner_watch_add(&w, 10, 0)));
	cr_expect(eq(int, planner_watch_add(&w, 9, 0), -EINVAL));
}
