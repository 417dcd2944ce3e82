/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/random.h"
#include "user/output/hdr.h"
#include "user/output/hlog.h"

static struct hdr histogram, other;

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

Test(hdr, every_size_of_value_comes_out_within_a_thousandth)
{
	static uint64_t values[20000];
	uint64_t state = 11;

	for (size_t i = 0; i < 20000; i++) {
		values[i] = random_next(&state) >> (18 + random_next(&state) % 45);
		hdr_add(&histogram, values[i]);
	}
	qsort(values, 20000, sizeof(*values), by_value);
	for (size_t rank = 1; rank <= 20000; rank += 7) {
		uint64_t got = hdr_percentile(&histogram, 100.0 * (double)rank / 20000),
			 is = values[rank - 1];

		cr_assert(got >= is && got - is <= is / 1024 + 1, "rank %zu: %llu for %llu", rank,
			  (unsigned long long)got, (unsigned long long)is);
	}
	cr_expect_eq(hdr_percentile(&histogram, 100), values[19999]);
	cr_expect_eq(histogram.min, values[0]);
}

Test(hdr, an_empty_one_says_0)
{
	cr_expect_eq(hdr_percentile(&histogram, 99), 0);
	cr_expect(ieee_ulp_eq(dbl, hdr_mean(&histogram), 0, 1));
}

Test(hdr, what_has_no_answer_ranks_behind_all_that_have)
{
	for (uint64_t i = 1; i <= 90; i++)
		hdr_add(&histogram, i);
	cr_expect_eq(hdr_percentile_of(&histogram, 50, 10), 50);
	cr_expect_eq(hdr_percentile_of(&histogram, 90, 10), 90);
	cr_expect_eq(hdr_percentile_of(&histogram, 91, 10), UINT64_MAX);
	cr_expect_eq(hdr_percentile_of(&histogram, 91, 0), 82);
}

Test(hdr, too_large_is_counted)
{
	hdr_add(&histogram, UINT64_MAX - 1);
	cr_expect_eq(histogram.nr_over, 1);
	cr_expect_eq(hdr_percentile(&histogram, 50), HDR_VALUE_MAX);
}

Test(hdr, merged_is_as_added)
{
	static struct hdr both;
	uint64_t state = 2;

	for (size_t i = 0; i < 1000; i++) {
		uint64_t value = random_next(&state) >> 30;

		hdr_add(i % 3 ? &histogram : &other, value);
		hdr_add(&both, value);
	}
	hdr_merge(&histogram, &other);
	cr_expect_eq(memcmp(&histogram, &both, sizeof(both)), 0);
}

static char *print_percentiles(void)
{
	char *text = NULL;
	size_t nr;
	FILE *to = open_memstream(&text, &nr);

	hdr_print_percentiles(&histogram, 5, to);
	fclose(to);
	return text;
}

/* outputPercentileDistribution(System.out, 5, 1e6) of HdrHistogram 2.1.11, but that the maximum is
 * the exact one here. */
static const char java_table[] = "       Value     Percentile TotalCount 1/(1-Percentile)\n"
				 "\n"
				 "       1.000 0.000000000000          1           1.00\n"
				 "       2.001 0.100000000000          2           1.11\n"
				 "       3.000 0.200000000000          3           1.25\n"
				 "       4.002 0.300000000000          4           1.43\n"
				 "       5.001 0.400000000000          5           1.67\n"
				 "       6.001 0.500000000000          6           2.00\n"
				 "       7.000 0.550000000000          7           2.22\n"
				 "       7.000 0.600000000000          7           2.50\n"
				 "       8.004 0.650000000000          8           2.86\n"
				 "       8.004 0.700000000000          8           3.33\n"
				 "       9.003 0.750000000000          9           4.00\n"
				 "       9.003 0.775000000000          9           4.44\n"
				 "       9.003 0.800000000000          9           5.00\n"
				 "      10.002 0.825000000000         10           5.71\n"
				 "      10.002 0.850000000000         10           6.67\n"
				 "      10.002 0.875000000000         10           8.00\n"
				 "      10.002 0.887500000000         10           8.89\n"
				 "      10.002 0.900000000000         10          10.00\n"
				 "    1000.000 0.912500000000         11          11.43\n"
				 "    1000.000 1.000000000000         11\n"
				 "#[Mean    =       95.916, StdDeviation   =      285.935]\n"
				 "#[Max     =     1000.000, Total count    =           11]\n"
				 "#[Buckets =           36, SubBuckets     =         2048]\n";

Test(hdr, the_table_is_the_one_of_the_java_library)
{
	char *text;

	for (uint64_t i = 1; i <= 10; i++)
		hdr_add(&histogram, i * 1000000);
	hdr_add(&histogram, 1000000000);
	text = print_percentiles();
	cr_expect_str_eq(text, java_table);
	free(text);
}

/* encodeIntoCompressedByteBuffer() of HdrHistogram 2.1.11, of the same three values. */
static const char java_interval[] =
	"Tag=response,2.000,1.000,1.000,HISTFAAAACZ4nJNpmSzMwMDAzgABzFCakYHB/"
	"j8I2H+AijAx7V7HyAQAsGgJKw==\n";

static const char hlog_head[] = "#[Histogram log format version 1.3]\n"
				"#[StartTime: 1500000000.123 (seconds since epoch)]\n"
				"#[BaseTime: 1500000000.123 (seconds since epoch)]\n"
				"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
				"\"Interval_Compressed_Histogram\"\n";

Test(hdr, an_interval_is_byte_for_byte_what_the_java_library_writes)
{
	char *text = NULL;
	size_t nr;
	FILE *to = open_memstream(&text, &nr);

	hdr_add(&histogram, 1);
	hdr_add(&histogram, 2);
	hdr_add(&histogram, 1000000);
	hlog_begin(to, 1500000000123000000);
	cr_assert_eq(hlog_interval(to, "response", 2000000000, 1000000000, &histogram), 0);
	fclose(to);
	cr_assert_eq(strncmp(text, hlog_head, strlen(hlog_head)), 0, "%s", text);
	cr_expect_str_eq(text + strlen(hlog_head), java_interval);
	free(text);
}
