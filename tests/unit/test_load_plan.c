/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "user/base/units.h"
#include "user/load/plan.h"

static void set_rate(struct plan_options *o, const char *rate, uint64_t duration_ns)
{
	const char *wrong;

	cr_assert_eq(profile_parse(rate, duration_ns, &o->profile, &wrong), 0, "%s: %s", rate,
		     wrong);
	if (!o->nr_threads)
		o->nr_threads = 1;
}

/* All intended times of thread @thread, taken the moment they are due. */
static size_t plan_all(const struct plan_options *o, uint32_t thread, uint64_t *times, size_t max)
{
	struct plan plan;
	uint64_t seq, at_ns;
	size_t nr = 0;

	plan_init(&plan, o, thread);
	while ((at_ns = plan_wake_ns(&plan)) != PROFILE_NEVER && nr < max) {
		if (!plan_take(&plan, at_ns, &seq, &times[nr]))
			continue;
		cr_assert(eq(u64, seq, nr * o->nr_threads + thread));
		cr_assert(times[nr] <= at_ns);
		nr++;
	}
	return nr;
}

#define MANY 2000000
static uint64_t times[MANY], others[MANY];

Test(load_plan, constant_gaps_are_exact_and_so_is_the_number)
{
	static const double rates[] = {1000, 3, 7777, 0.5, 123456.7};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct plan_options o = {0};
		char rate[32];
		size_t nr;

		snprintf(rate, sizeof(rate), "%.1f", rates[i]);
		set_rate(&o, rate, 10 * NS_PER_S);
		nr = plan_all(&o, 0, times, MANY);
		cr_expect_eq(nr, (size_t)ceil(strtod(rate, NULL) * 10), "%s: %zu", rate, nr);
		for (size_t k = 0; k < nr; k++)
			cr_assert_leq(fabsl((long double)times[k] -
					    (long double)k * 1e9L / strtold(rate, NULL)),
				      0.5001L, "request %zu at %s", k, rate);
	}
}

Test(load_plan, threads_share_the_one_schedule_whatever_their_number)
{
	static const enum arrivals kinds[] = {ARRIVALS_CONSTANT, ARRIVALS_POISSON};

	for (int kind = 0; kind < 2; kind++) {
		struct plan_options one = {.arrivals = kinds[kind], .seed = 42}, three = one;
		size_t nr, nr_others;

		three.nr_threads = 3;
		set_rate(&one, "0s:1000,2s:500..3000@5s", 10 * NS_PER_S);
		set_rate(&three, "0s:1000,2s:500..3000@5s", 10 * NS_PER_S);
		nr = plan_all(&one, 0, times, MANY);
		for (uint32_t thread = 0; thread < 3; thread++) {
			nr_others = plan_all(&three, thread, others, MANY);
			cr_expect_eq(nr_others, (nr + 2 - thread) / 3);
			for (size_t k = 0; k < nr_others;
			     k++) /* sums of threads round differently in the last bit */
				cr_assert_leq(llabs((long long)(others[k] - times[3 * k + thread])),
					      1);
		}
	}
}

/* The Kolmogorov-Smirnov statistic of @nr gaps against the exponential distribution of @mean_ns,
 * times sqrt(nr). */
static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double kolmogorov_smirnov(double *gaps, size_t nr, double mean)
{
	double worst = 0;

	qsort(gaps, nr, sizeof(*gaps), by_size);
	for (size_t i = 0; i < nr; i++) {
		double expected = 1 - exp(-gaps[i] / mean);

		worst = fmax(worst, fmax(fabs(expected - (double)i / (double)nr),
					 fabs((double)(i + 1) / (double)nr - expected)));
	}
	return worst * sqrt((double)nr);
}

Test(load_plan, poisson_gaps_are_exponential)
{
	static double gaps[MANY];
	struct plan_options o = {.arrivals = ARRIVALS_POISSON, .seed = 1};
	size_t nr;

	set_rate(&o, "1000", 1000 * NS_PER_S);
	nr = plan_all(&o, 0, times, MANY);
	cr_expect(nr > 999000 && nr < 1001000, "%zu requests: not within 0.1 %%", nr);
	for (size_t k = 1; k < nr; k++)
		gaps[k - 1] = (double)(times[k] - times[k - 1]);
	/* 1.36: what 5 % of samples of the distribution exceed. */
	cr_expect_lt(kolmogorov_smirnov(gaps, nr - 1, 1e6), 1.36);
	/* The test can fail: even gaps, or another mean, are far off. */
	cr_expect_gt(kolmogorov_smirnov(gaps, nr - 1, 1.01e6), 1.63);
}

Test(load_plan, another_seed_is_another_schedule_and_the_same_is_the_same)
{
	struct plan_options o = {.arrivals = ARRIVALS_POISSON, .seed = 5};
	size_t nr;

	set_rate(&o, "1000", NS_PER_S);
	nr = plan_all(&o, 0, times, MANY);
	cr_expect_eq(plan_all(&o, 0, others, MANY), nr);
	cr_expect_arr_eq(times, others, nr * sizeof(*times));
	o.seed = 6;
	plan_all(&o, 0, others, MANY);
	cr_expect_neq(times[10], others[10]);
}

Test(load_plan, steps_and_ramps_have_their_rates)
{
	struct plan_options o = {0};
	size_t nr, in_step = 0, in_ramp = 0;

	set_rate(&o, "0s:100,10s:100..300@10s,30s:0,40s:50", 50 * NS_PER_S);
	nr = plan_all(&o, 0, times, MANY);
	cr_expect_eq(nr, 1000 + 2000 + 3000 + 0 + 500);
	for (size_t k = 0; k < nr; k++) {
		in_step += times[k] < 10 * NS_PER_S;
		in_ramp += times[k] >= 10 * NS_PER_S && times[k] < 15 * NS_PER_S;
		cr_assert(times[k] < 30 * NS_PER_S || times[k] >= 40 * NS_PER_S);
	}
	cr_expect_eq(in_step, 1000);
	cr_expect_eq(in_ramp, 750); /* from 100 to 200 a second, for 5 s */
	cr_expect(ieee_ulp_eq(dbl, profile_rate(&o.profile, 15 * NS_PER_S), 200, 4));
	cr_expect(ieee_ulp_eq(dbl, profile_rate(&o.profile, 45 * NS_PER_S), 50, 4));
}

struct bad_rate {
	char word[24];
};

ParameterizedTestParameters(load_plan, nonsense_is_refused_with_a_sentence)
{
	static struct bad_rate rows[] = {
		{""},		{"x"},	     {"-5"},	    {"1000x"},
		{"1e3"},	{"0"},	     {"1..x"},	    {"1..2@"},
		{"1..2@0s"},	{"5s:1000"}, {"0s:1,0s:2"}, {"0s:1,5s:2,3s:4"},
		{"0s:1,11s:2"}, {"1000,"},   {"200M"},	    {"0:1,1:"},
		{"1...2"},
	};

	return cr_make_param_array(struct bad_rate, rows, sizeof(rows) / sizeof(rows[0]));
}

ParameterizedTest(struct bad_rate *row, load_plan, nonsense_is_refused_with_a_sentence)
{
	struct profile profile;
	const char *wrong = NULL;

	cr_expect_neq(profile_parse(row->word, 10 * NS_PER_S, &profile, &wrong), 0, "'%s'",
		      row->word);
	cr_expect_not_null(wrong);
}

/* Take all that is given at @at_ns; the last intended time. */
static size_t take_all(struct plan *plan, uint64_t at_ns, uint64_t *ret_first, uint64_t *ret_last)
{
	uint64_t seq, intended_ns;
	size_t nr = 0;

	while (plan_take(plan, at_ns, &seq, &intended_ns)) {
		if (nr++ == 0)
			*ret_first = intended_ns;
		*ret_last = intended_ns;
	}
	return nr;
}

#define MS(n) ((n)*NS_PER_MS)

Test(load_plan, after_a_stall_ideal_gives_all_that_was_due)
{
	struct plan_options o = {.planner = PLANNER_IDEAL};
	struct plan plan;
	uint64_t first, last;

	set_rate(&o, "1000", NS_PER_S);
	plan_init(&plan, &o, 0);
	cr_expect_eq(take_all(&plan, MS(100), &first, &last), 101);
	cr_expect_eq(take_all(&plan, MS(300), &first, &last), 200);
	cr_expect_eq(first, MS(101));
	cr_expect_eq(plan.nr_omitted, 0);
}

Test(load_plan, after_a_stall_now_forgets_what_was_due_and_counts_it)
{
	struct plan_options o = {.planner = PLANNER_NOW, .tolerance_ns = MS(10)};
	struct plan plan;
	uint64_t first, last;

	set_rate(&o, "1000", NS_PER_S);
	plan_init(&plan, &o, 0);
	cr_expect_eq(take_all(&plan, MS(5), &first, &last), 6);
	cr_expect_eq(take_all(&plan, MS(14), &first, &last), 9); /* within the tolerance */
	cr_expect_eq(take_all(&plan, MS(214), &first, &last), 1);
	cr_expect_eq(first, MS(214));
	cr_expect_eq(plan.nr_omitted, 199);
	cr_expect_eq(plan.nr_replans, 1);
}

Test(load_plan, a_tick_sends_what_it_has_planned_and_forgets_the_rest)
{
	struct plan_options o = {
		.planner = PLANNER_TICK, .tick_ns = MS(50), .tolerance_ns = MS(10)};
	struct plan plan;
	uint64_t first, last;

	set_rate(&o, "1000", NS_PER_S);
	plan_init(&plan, &o, 0);
	cr_expect_eq(take_all(&plan, 0, &first, &last), 1);
	cr_expect_eq(take_all(&plan, MS(20), &first, &last), 20);
	/* A stall until 320: what was planned for up to 50 goes out late, the next tick begins at
	 * 320. */
	cr_expect_eq(take_all(&plan, MS(320), &first, &last), 29 + 1);
	cr_expect_eq(first, MS(21));
	cr_expect_eq(last, MS(320));
	cr_expect_eq(plan.nr_omitted, 320 - 50);
	cr_expect_eq(take_all(&plan, MS(369), &first, &last), 49);
}

Test(load_plan, planners_differ_only_after_stalls)
{
	static const enum planner planners[] = {PLANNER_IDEAL, PLANNER_NOW, PLANNER_TICK};

	for (int i = 0; i < 3; i++) {
		struct plan_options o = {
			.planner = planners[i], .tick_ns = MS(7), .tolerance_ns = MS(10)};

		set_rate(&o, "777", 5 * NS_PER_S);
		cr_expect_eq(plan_all(&o, 0, times, MANY), 3885, "planner %d", i);
	}
}
