/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <math.h>

#include "user/attribution/omitted.h"

#define MS 1000000ull

/* A request a millisecond in [0, 1 s), but for [@from, @to). */
static int find(const struct omitted_run *run, uint64_t from, uint64_t to,
		struct omitted_found *ret)
{
	struct omitted_finder *f;
	int err;

	cr_assert(zero(int, omitted_finder_new(run, &f)));
	for (uint64_t at = 0; at < 1000 * MS; at += MS)
		if (at < from || at >= to)
			cr_assert(zero(int, omitted_finder_add(f, at, MS / 2)));
	err = omitted_finder_end(f, ret);
	omitted_finder_free(f);
	return err;
}

static void expect(const char *why, struct omitted_span pause, uint64_t from, uint64_t to,
		   struct omitted_span hole, uint64_t nr)
{
	struct omitted_run run = {0, 1000 * MS, &pause, 1, &pause, 1};
	struct omitted_found found;

	cr_assert(zero(int, find(&run, from, to, &found)));
	cr_expect(eq(u64, found.nr, hole.to_ns != 0), "%s", why);
	cr_expect(eq(u64, found.nr_restored, nr), "%s", why);
	if (found.nr == 1) {
		cr_expect(eq(u64, found.stretches[0].from_ns, hole.from_ns), "%s", why);
		cr_expect(eq(u64, found.stretches[0].to_ns, hole.to_ns), "%s", why);
	}
	omitted_found_free(&found);
}

#define SPAN(from, to) ((struct omitted_span){(from), (to)})

Test(omitted_edges, a_hole_is_from_pause_or_last_planned_to_the_next_planned)
{
	const uint64_t half = MS / 2;

	expect("planned when due", SPAN(100 * MS + half, 200 * MS), 101 * MS, 200 * MS,
	       SPAN(100 * MS + half, 200 * MS), 99);
	expect("the planner is back late", SPAN(100 * MS + half, 200 * MS), 101 * MS, 203 * MS,
	       SPAN(100 * MS + half, 203 * MS), 102);
	expect("planned 50 ms ahead", SPAN(100 * MS + half, 200 * MS), 151 * MS, 200 * MS,
	       SPAN(150 * MS, 200 * MS), 49);
	expect("all was planned", SPAN(100 * MS + half, 200 * MS), 0, 0, SPAN(0, 0), 0);
	expect("a hole without a pause", SPAN(500 * MS, 510 * MS), 101 * MS, 200 * MS, SPAN(0, 0),
	       0);
	expect("a hole beside a short pause", SPAN(101 * MS, 105 * MS), 101 * MS, 200 * MS,
	       SPAN(0, 0), 0);
	expect("a pause across the end", SPAN(900 * MS + half, 1200 * MS), 901 * MS, 1000 * MS,
	       SPAN(900 * MS + half, 1000 * MS), 99);
	expect("a pause across the begin", SPAN(0, 100 * MS), 0, 100 * MS, SPAN(0, 100 * MS), 99);
}

Test(omitted_edges, what_makes_no_sense_is_refused)
{
	struct omitted_run run = {10, 100, NULL, 0, NULL, 0};
	struct omitted_capacity capacity;
	struct omitted_found found = {.base_ns = OMITTED_UNKNOWN, .outside_ns = 1};
	struct omitted_restorer *restorer;
	struct omitted_finder *f;

	cr_assert(zero(int, omitted_finder_new(&run, &f)));
	cr_expect(eq(int, omitted_finder_end(f, &found), -ENODATA));
	cr_expect(eq(int, omitted_finder_add(f, 9, 1), -EINVAL), "before the run");
	cr_expect(eq(int, omitted_finder_add(f, 100, 1), -EINVAL), "at its end");
	cr_expect(eq(int, omitted_finder_add(f, 50, 1), 0));
	cr_expect(eq(int, omitted_finder_add(f, 49, 1), -EINVAL), "out of order");
	omitted_finder_free(f);
	omitted_finder_free(NULL);
	cr_expect(eq(int, omitted_restorer_new(&found, &run, &capacity, 1, NULL, NULL, &restorer),
		     -ENODATA));
}

Test(omitted_edges, capacity_is_a_range_from_cpu_counters)
{
	struct omitted_cpu cpu = {.nr_requests = 10000,
				  .busy_ns = 4400 * MS,
				  .gc_ns = 400 * MS,
				  .other_ns = 1000 * MS,
				  .millicores = 2000};
	struct omitted_capacity c;

	cr_expect(zero(int, omitted_capacity_from_cpu(&cpu, &c)));
	cr_expect(eq(u64, c.service_ns[OMITTED_FAST], 150000));
	cr_expect(eq(u64, c.service_ns[OMITTED_LIKELY], 200000));
	cr_expect(eq(u64, c.service_ns[OMITTED_SLOW], 220000));
	cpu.other_ns = 4000 * MS;
	cr_expect(eq(int, omitted_capacity_from_cpu(&cpu, &c), -ENODATA));
	cpu = (struct omitted_cpu){.busy_ns = 1, .millicores = 1};
	cr_expect(eq(int, omitted_capacity_from_cpu(&cpu, &c), -ENODATA));
}

/* The table of composite measurements: 2 pauses of 100 ms a second and 26 % utilisation. */
Test(omitted_edges, shares_say_at_which_quantiles_the_measurement_is_wrong)
{
	struct omitted_found found = {.nr_outside = 1300,
				      .outside_ns = 1000 * MS,
				      .base_ns = 400000,
				      .nr_pauses = 2,
				      .pause_ns = 200 * MS};
	struct omitted_shares s;

	omitted_shares(&found, 10000 * MS, 200000, 0, &s);
	cr_expect_float_eq(s.hit_measured, 0.00008, 1e-9);
	cr_expect_float_eq(s.hit_all, 0.02 / 0.74, 1e-9);
	cr_expect_float_eq(s.from, 1 - 0.02 / 0.74, 1e-9);
	cr_expect_float_eq(s.to, 0.99992, 1e-9);
	omitted_shares(&found, 10000 * MS, 200000, 500 * MS, &s);
	cr_expect_float_eq(s.from, s.to, 1e-12, "planned so far ahead that nothing is missing");
	omitted_shares(&found, 10000 * MS, 800000, 0, &s);
	cr_expect_float_eq(s.hit_all, 1, 1e-12, "a server that cannot keep up never drains");
	found.nr_pauses = found.pause_ns = 0;
	omitted_shares(&found, 10000 * MS, 200000, 0, &s);
	cr_expect_float_eq(s.from, s.to, 1e-12);
}
