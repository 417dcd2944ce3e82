/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "tests/lib/random.h"
#include "user/base/histogram.h"

Test(histogram, an_empty_one_says_0)
{
	struct histogram h = {0};

	cr_expect(eq(u64, histogram_percentile(&h, 50), 0));
}

Test(histogram, few_values_come_out_exactly_by_nearest_rank)
{
	struct histogram h = {0};
	const uint64_t values[] = {1000003, 7, 1000001, 500009, 3};

	for (size_t i = 0; i < 5; i++)
		histogram_add(&h, values[i]);
	cr_expect(eq(u64, histogram_percentile(&h, 0), 3));
	cr_expect(eq(u64, histogram_percentile(&h, 20), 3));
	cr_expect(eq(u64, histogram_percentile(&h, 20.1), 7));
	cr_expect(eq(u64, histogram_percentile(&h, 50), 500009));
	cr_expect(eq(u64, histogram_percentile(&h, 80), 1000001));
	cr_expect(eq(u64, histogram_percentile(&h, 99), 1000003));
	histogram_add(&h, 1); /* after a percentile was asked for */
	cr_expect(eq(u64, histogram_percentile(&h, 0), 1));
	cr_expect(eq(u64, h.min, 1));
	cr_expect(eq(u64, h.max, 1000003));
	cr_expect(eq(u64, h.sum, 2500024));
}

Test(histogram, a_rank_is_not_rounded_up_by_a_fraction_of_a_bit)
{
	struct histogram h = {0};

	for (uint64_t i = 1; i <= 1000; i++)
		histogram_add(&h, i);
	cr_expect(eq(u64, histogram_percentile(&h, 99.9), 999));
	cr_expect(eq(u64, histogram_percentile(&h, 99), 990));
	cr_expect(eq(u64, histogram_percentile(&h, 7), 70));
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

#define MANY 20000

Test(histogram, many_values_come_out_within_their_bound_at_every_size)
{
	static uint64_t values[MANY];
	static struct histogram h;
	uint64_t random = 7;

	for (size_t i = 0; i < MANY; i++) {
		values[i] = random_next(&random) >> (random_next(&random) % 64);
		histogram_add(&h, values[i]);
	}
	qsort(values, MANY, sizeof(values[0]), compare);
	for (int percent = 1; percent <= 100; percent++) {
		uint64_t truth = values[MANY / 100 * percent - 1],
			 found = histogram_percentile(&h, percent);
		uint64_t error = found > truth ? found - truth : truth - found;

		cr_expect(le(u64, error, truth / 256), "p%d is %lu, not %lu", percent,
			  (unsigned long)found, (unsigned long)truth);
	}
	cr_expect(eq(u64, histogram_percentile(&h, 100), values[MANY - 1]));
}

Test(histogram, the_largest_value_there_is_has_a_bucket)
{
	static struct histogram h;

	for (int i = 0; i < 2 * HISTOGRAM_EXACT; i++)
		histogram_add(&h, UINT64_MAX);
	cr_expect(eq(u64, histogram_percentile(&h, 50), UINT64_MAX));
}
