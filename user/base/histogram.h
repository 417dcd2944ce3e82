/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Durations in, percentiles out, in fixed memory. The first HISTOGRAM_EXACT values are kept as they
 * are; beyond that, values are counted in buckets that are as wide as 1/128 of the power of two
 * they lie in (the idea of HdrHistogram): 0..255 have a bucket each, and a value v >= 256 goes to
 * bucket (e + 1) * 128 + (v >> e) - 128 with e = floor(log2 v) - 7. A percentile is then the middle
 * of its bucket, at most 1/256 (0.4 %) off.
 *
 * Percentiles are by nearest rank: the smallest value with at least p percent of all values at or
 * below it.
 */
#ifndef STANDSTILL_BASE_HISTOGRAM_H
#define STANDSTILL_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_EXACT	  1024
#define HISTOGRAM_BUCKETS (58 * 128)

struct histogram {
	uint64_t nr, sum, min, max;
	uint64_t exact[HISTOGRAM_EXACT]; /* sorted up to nr_sorted */
	size_t nr_sorted;
	uint64_t counts[HISTOGRAM_BUCKETS];
};

/* {0} is an empty histogram. */
void histogram_add(struct histogram *h, uint64_t value);

/* @percent in [0, 100]. 0 when empty. 100 is the maximum, exactly. */
uint64_t histogram_percentile(struct histogram *h, double percent);

#endif
