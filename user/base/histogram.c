/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>

#include "user/base/histogram.h"

static size_t bucket_of(uint64_t value)
{
	int shift;

	if (value < 256)
		return value;
	shift = 63 - __builtin_clzll(value) - 7;
	return (size_t)(shift + 1) * 128 + (value >> shift) - 128;
}

static uint64_t middle_of(size_t bucket)
{
	int shift;

	if (bucket < 256)
		return bucket;
	shift = (int)(bucket / 128) - 1;
	return ((uint64_t)(bucket % 128 + 128) << shift) + ((1ull << shift) >> 1);
}

void histogram_add(struct histogram *h, uint64_t value)
{
	if (h->nr < HISTOGRAM_EXACT)
		h->exact[h->nr] = value;
	h->counts[bucket_of(value)]++;
	h->min = !h->nr || value < h->min ? value : h->min;
	h->max = value > h->max ? value : h->max;
	h->sum += value;
	h->nr++;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static uint64_t exact_rank(struct histogram *h, uint64_t rank)
{
	if (h->nr_sorted != h->nr)
		qsort(h->exact, h->nr, sizeof(h->exact[0]), compare);
	h->nr_sorted = h->nr;
	return h->exact[rank - 1];
}

uint64_t histogram_percentile(struct histogram *h, double percent)
{
	uint64_t rank, seen = 0, value;
	size_t bucket = 0;

	if (!h->nr)
		return 0;
	/* A percentage is rarely a binary fraction: 99.9 % of 1000 is not to become rank 1000. */
	rank = (uint64_t)ceil((double)h->nr * percent / 100 - 1e-9 * (double)h->nr);
	rank = rank < 1 ? 1 : rank > h->nr ? h->nr : rank;
	if (rank == h->nr)
		return h->max;
	if (h->nr <= HISTOGRAM_EXACT)
		return exact_rank(h, rank);
	while ((seen += h->counts[bucket]) < rank)
		bucket++;
	value = middle_of(bucket);
	return value < h->min ? h->min : value > h->max ? h->max : value;
}
