/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/random.h"
#include "user/attribution/omitted.h"
#include "user/base/histogram.h"

#define MS	 1000000ull
#define S	 1000000000ull
#define REQUESTS 60000
#define PAUSES	 64

/* A simulated run: one server, pauses of the whole machine. */
struct story {
	struct omitted_span pauses[PAUSES];
	size_t nr_pauses;
	uint64_t due[REQUESTS], truth[REQUESTS]; /* responses when nothing is omitted */
	bool omitted[REQUESTS];			 /* by a planner that is stopped */
	uint64_t measured[REQUESTS];		 /* responses without those */
	size_t nr;
	struct omitted_run run;
};

static struct story story;
static struct histogram truth, measured, corrected[NR_OMITTED_SPEEDS][NR_OMITTED_ORDERS];
static uint64_t nr_outside_interval, nr_checked, nr_taken, last_due_ns;

static double unit(uint64_t *random)
{
	return ((double)(random_next(random) >> 11) + 0.5) / 0x1p53;
}

static void make_pauses(uint64_t every_ns, uint64_t ns, uint64_t spread_ns, uint64_t *random)
{
	uint64_t at = every_ns / 2;

	story.run = (struct omitted_run){0, 30 * S, story.pauses, 0, story.pauses, 0};
	for (story.nr_pauses = 0; at < 30 * S && story.nr_pauses < PAUSES; story.nr_pauses++) {
		struct omitted_span *p = &story.pauses[story.nr_pauses];

		*p = (struct omitted_span){at, at + ns + random_next(random) % (spread_ns + 1)};
		at += every_ns;
	}
	story.run.nr_generator = story.run.nr_server = story.nr_pauses;
}

/* @mean_ns between requests; 0 < @even: constant arrivals. */
static void make_requests(uint64_t mean_ns, bool even, uint64_t *random)
{
	double at = 0;

	story.nr = 0;
	for (;;) {
		at += even ? (double)mean_ns : -log(unit(random)) * (double)mean_ns;
		if (at >= 30e9 || story.nr == REQUESTS)
			break;
		story.due[story.nr++] = (uint64_t)at;
	}
	for (size_t i = 0, p = 0; i < story.nr; i++) {
		while (p < story.nr_pauses && story.pauses[p].to_ns <= story.due[i])
			p++;
		story.omitted[i] = p < story.nr_pauses && story.due[i] >= story.pauses[p].from_ns;
	}
}

static uint64_t present(uint64_t ns, size_t *p)
{
	while (*p < story.nr_pauses && story.pauses[*p].to_ns <= ns)
		(*p)++;
	return *p < story.nr_pauses && story.pauses[*p].from_ns <= ns ? story.pauses[*p].to_ns : ns;
}

/* Lindley's recursion over absolute times, and a server that is away in pauses. */
static void serve(uint64_t mean_ns, bool jitter, bool with_omitted, uint64_t *ret)
{
	uint64_t free_ns = 0, random = 77;
	size_t p = 0, q;

	for (size_t i = 0; i < story.nr; i++) {
		uint64_t work = mean_ns / 2 + random_next(&random) % mean_ns;

		work = jitter ? work : mean_ns;
		if (!with_omitted && story.omitted[i])
			continue;
		free_ns = present(free_ns > story.due[i] ? free_ns : story.due[i], &p);
		for (q = p; q < story.nr_pauses && story.pauses[q].from_ns < free_ns + work; q++)
			if (story.pauses[q].from_ns > free_ns) {
				work -= story.pauses[q].from_ns - free_ns;
				free_ns = story.pauses[q].to_ns;
			}
		free_ns += work;
		ret[i] = free_ns - story.due[i];
	}
}

static void take(void *context, const struct omitted_result *r)
{
	const bool *raise = context;

	cr_assert(ge(u64, r->due_ns, last_due_ns));
	cr_assert(le(u64, r->low_ns, r->high_ns));
	last_due_ns = r->due_ns;
	nr_taken++;
	for (int i = 0; i < NR_OMITTED_SPEEDS; i++)
		for (int j = 0; j < NR_OMITTED_ORDERS; j++)
			histogram_add(&corrected[i][j], r->restored || *raise ? r->response_ns[i][j]
									      : r->measured_ns);
	if (!r->restored)
		return;
	/* Even arrivals: each restored request is one that was omitted. */
	for (size_t k = 0; k < story.nr; k++) {
		if (!story.omitted[k] || story.due[k] + 2 < r->due_ns ||
		    story.due[k] > r->due_ns + 2)
			continue;
		nr_checked++;
		nr_outside_interval +=
			story.truth[k] + 2 < r->low_ns || story.truth[k] > r->high_ns + 2;
	}
}

static void correct(uint64_t service_ns, bool survivors_are_true, struct omitted_found *found,
		    struct omitted_summary *summary)
{
	struct omitted_capacity capacity = {
		{service_ns * 9 / 10, service_ns, service_ns * 12 / 10}};
	const uint64_t *responses = survivors_are_true ? story.truth : story.measured;
	bool raise = !survivors_are_true;
	struct omitted_finder *finder;
	struct omitted_restorer *restorer;

	cr_assert(zero(int, omitted_finder_new(&story.run, &finder)));
	for (size_t i = 0; i < story.nr; i++) {
		histogram_add(&truth, story.truth[i]);
		if (story.omitted[i])
			continue;
		histogram_add(&measured, responses[i]);
		cr_assert(zero(int, omitted_finder_add(finder, story.due[i], responses[i])));
	}
	cr_assert(zero(int, omitted_finder_end(finder, found)));
	omitted_finder_free(finder);
	cr_assert(zero(int, omitted_restorer_new(found, &story.run, &capacity, 64, take, &raise,
						 &restorer)));
	for (size_t i = 0; i < story.nr; i++)
		if (!story.omitted[i])
			cr_assert(zero(int,
				       omitted_restorer_add(restorer, story.due[i], responses[i])));
	cr_assert(zero(int, omitted_restorer_end(restorer, summary)));
	omitted_restorer_free(restorer);
	cr_assert(eq(u64, nr_taken, summary->nr_measured + summary->nr_restored));
	cr_assert(eq(u64, summary->nr_restored, found->nr_restored));
}

static double error_at(double percent, struct histogram *h)
{
	return (double)histogram_percentile(h, percent) /
		       (double)histogram_percentile(&truth, percent) -
	       1;
}

/* The same arrivals, a server of one speed: what is restored is what was omitted. */
Test(omitted, even_arrivals_come_back_where_they_were_and_take_as_long)
{
	struct omitted_found found;
	struct omitted_summary summary;
	uint64_t random = 3;

	make_pauses(3 * S, 200 * MS, 0, &random);
	make_requests(MS, true, &random);
	serve(300000, false, true, story.truth);
	serve(300000, false, false, story.measured);
	correct(300000, false, &found, &summary);
	cr_expect(eq(u64, found.nr, 10));
	cr_expect(found.regular);
	cr_expect(eq(u64, found.base_ns, 300000));
	cr_expect(eq(u64, summary.nr_restored, story.nr - summary.nr_measured));
	cr_expect(eq(u64, nr_checked, summary.nr_restored));
	cr_expect(eq(u64, nr_outside_interval, 0));
	for (int p = 50; p <= 100; p++)
		cr_expect_leq(fabs(error_at(p, &corrected[OMITTED_LIKELY][OMITTED_FIFO])), 1e-6,
			      "p%d", p);
	omitted_found_free(&found);
}

/* A generator in the paused process, against the same one outside. */
Test(omitted, a_shared_process_is_corrected_to_what_a_separate_one_measures)
{
	struct omitted_found found;
	struct omitted_summary summary;
	uint64_t random = 4;

	make_pauses(2 * S, 150 * MS, 150 * MS, &random);
	make_requests(666667, false, &random);
	serve(170000, true, true, story.truth);
	serve(170000, true, false, story.measured);
	correct(170000, false, &found, &summary);
	cr_expect_not(found.regular);
	cr_expect_lt(error_at(99, &measured), -0.9, "there is something to correct");
	for (int i = 0; i < NR_OMITTED_SPEEDS; i++)
		for (int j = 0; j < NR_OMITTED_ORDERS; j++) {
			cr_expect_lt(fabs(error_at(99, &corrected[i][j])), 0.05, "%d %d: %f", i, j,
				     error_at(99, &corrected[i][j]));
			cr_expect_lt(fabs(error_at(99.9, &corrected[i][j])), 0.05, "%d %d: %f", i,
				     j, error_at(99.9, &corrected[i][j]));
		}
	cr_expect(gt(u64, summary.nr_raised, 100));
	cr_expect_not(summary.unstable[OMITTED_SLOW]);
	omitted_found_free(&found);
}

/* The same-run check: survivors keep their true, already delayed times. */
Test(omitted, what_is_taken_out_of_a_run_and_restored_gives_its_p99_within_5_percent)
{
	static const uint64_t pauses[][2] = {
		{500 * MS, 100 * MS}, {200 * MS, 100 * MS}, {40 * MS, 20 * MS}};

	for (size_t i = 0; i < 3; i++) {
		struct omitted_found found;
		struct omitted_summary summary;
		uint64_t random = 8 + i;

		memset(corrected, 0, sizeof(corrected));
		truth = measured = (struct histogram){0};
		nr_taken = last_due_ns = 0;
		make_pauses(1300 * MS, pauses[i][0], pauses[i][1], &random);
		make_requests(666667, false, &random);
		serve(170000, true, true, story.truth);
		correct(170000, true, &found, &summary);
		cr_expect_lt(error_at(99, &measured), -0.05, "%zu: there is something to correct",
			     i);
		cr_expect_lt(fabs(error_at(99, &corrected[OMITTED_LIKELY][OMITTED_FIFO])), 0.05,
			     "%zu: %f", i, error_at(99, &corrected[OMITTED_LIKELY][OMITTED_FIFO]));
		omitted_found_free(&found);
	}
}

Test(omitted, pauses_too_short_to_leave_a_hole_restore_nothing)
{
	struct omitted_found found;
	struct omitted_summary summary;
	uint64_t random = 5;

	make_pauses(600 * MS, MS, 1400 * 1000, &random); /* as ZGC's */
	make_requests(666667, false, &random);
	serve(170000, true, true, story.truth);
	serve(170000, true, false, story.measured);
	correct(170000, false, &found, &summary);
	cr_expect(zero(u64, summary.nr_restored));
	cr_expect(zero(u64, summary.nr_raised));
	for (int p = 1; p <= 100; p++)
		cr_expect(eq(u64, histogram_percentile(&measured, p),
			     histogram_percentile(&corrected[0][0], p)));
	omitted_found_free(&found);
}

Test(omitted, a_server_too_slow_for_the_rate_is_said_to_be)
{
	struct omitted_found found;
	struct omitted_summary summary;
	uint64_t random = 6;

	make_pauses(3 * S, 200 * MS, 0, &random);
	make_requests(MS, true, &random);
	serve(300000, false, true, story.truth);
	serve(300000, false, false, story.measured);
	correct(900000, false, &found, &summary);
	cr_expect_not(summary.unstable[OMITTED_LIKELY]);
	cr_expect(summary.unstable[OMITTED_SLOW]);
	omitted_found_free(&found);
}

/* HdrHistogram's recordValueWithExpectedInterval(): a value longer than the interval stands for
 * requests that were due meanwhile. */
static void add_expected(struct histogram *h, uint64_t ns, uint64_t interval_ns)
{
	histogram_add(h, ns);
	while (ns >= 2 * interval_ns) {
		ns -= interval_ns;
		histogram_add(h, ns);
	}
}

/* On the same data: 64 connections, each expected to send every 64 mean intervals, hide what is
 * missing; it was never in flight, so no value stands for it. */
Test(omitted, hdrhistograms_expected_interval_does_not_find_what_was_never_planned)
{
	static struct histogram expected;
	struct omitted_found found;
	struct omitted_summary summary;
	uint64_t random = 4;

	make_pauses(2 * S, 150 * MS, 150 * MS, &random);
	make_requests(666667, false, &random);
	serve(170000, true, true, story.truth);
	serve(170000, true, false, story.measured);
	correct(170000, false, &found, &summary);
	for (size_t i = 0; i < story.nr; i++)
		if (!story.omitted[i])
			add_expected(&expected, story.measured[i], 64 * 666667);
	cr_expect_lt(error_at(99, &expected), -0.9, "%f", error_at(99, &expected));
	cr_expect_lt(fabs(error_at(99, &corrected[OMITTED_LIKELY][OMITTED_FIFO])), 0.05);
	omitted_found_free(&found);
}
