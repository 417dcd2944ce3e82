/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An HdrHistogram of three significant digits: durations in ns up to 2^46 (19 hours) counted in
 * buckets at most 1/1024 of their value wide. The layout is the one of the HdrHistogram libraries
 * (lowest value 1, 2048 sub-buckets), so that their readers take what is written here: as
 * percentile output, and as one interval of an hlog, version 1.3.
 *
 * A bucket: values below 2048 have one each; above, value v lies in bucket (b + 1) * 1024 + (v >>
 * b) - 1024 with b = floor(log2 v) - 10.
 */
#ifndef STANDSTILL_OUTPUT_HDR_H
#define STANDSTILL_OUTPUT_HDR_H

#include <stdint.h>
#include <stdio.h>

#define HDR_VALUE_MAX ((1ull << 46) - 1)
#define HDR_BUCKETS   (37 * 1024)

/* Fixed size and no pointers: it may lie in memory that two processes share. {0} is empty. */
struct hdr {
	uint64_t nr, min, max;
	uint64_t nr_over; /* values over HDR_VALUE_MAX, counted as that */
	uint64_t counts[HDR_BUCKETS];
};

void hdr_add(struct hdr *h, uint64_t value);
void hdr_merge(struct hdr *to, const struct hdr *from);

/*
 * The smallest recorded value, as the upper end of its bucket, with at least @percent of all values
 * at or below it; 100 is the exact maximum. 0 when empty. This is what HdrHistogram's
 * getValueAtPercentile gives.
 */
uint64_t hdr_percentile(const struct hdr *h, double percent);

/* As above, among @nr_more values beyond the largest too (requests without an answer); UINT64_MAX
 * when it is one of those. */
uint64_t hdr_percentile_of(const struct hdr *h, double percent, uint64_t nr_more);

double hdr_mean(const struct hdr *h);
double hdr_deviation(const struct hdr *h);

/* The table that HdrHistogram's plotters read, values in ms, @ticks a half distance (5 is usual).
 */
void hdr_print_percentiles(const struct hdr *h, unsigned int ticks, FILE *to);

#endif
