/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "user/output/hdr.h"

#define SUB_BUCKETS 2048u
#define NS_PER_MS   1e6

static uint32_t bucket_of(uint64_t value)
{
	uint32_t shift = (uint32_t)(63 - __builtin_clzll(value | (SUB_BUCKETS - 1))) - 10;

	return ((shift + 1) << 10) + (uint32_t)(value >> shift) - 1024;
}

/* Of the values in a bucket: the lowest, and how many there are. */
static uint64_t bucket_from(uint32_t bucket, uint64_t *ret_width)
{
	uint32_t shift = bucket < SUB_BUCKETS ? 0 : (bucket >> 10) - 1;

	*ret_width = 1ull << shift;
	return bucket < SUB_BUCKETS ? bucket : (uint64_t)((bucket & 1023) + 1024) << shift;
}

void hdr_add(struct hdr *h, uint64_t value)
{
	if (value > HDR_VALUE_MAX) {
		value = HDR_VALUE_MAX;
		h->nr_over++;
	}
	if (h->nr == 0 || value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->nr++;
	h->counts[bucket_of(value)]++;
}

void hdr_merge(struct hdr *to, const struct hdr *from)
{
	if (from->nr == 0)
		return;
	if (to->nr == 0 || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->nr += from->nr;
	to->nr_over += from->nr_over;
	for (uint32_t i = 0; i < HDR_BUCKETS; i++)
		to->counts[i] += from->counts[i];
}

uint64_t hdr_percentile_of(const struct hdr *h, double percent, uint64_t nr_more)
{
	double share = percent / 100 * (double)(h->nr + nr_more);
	uint64_t rank = (uint64_t)ceil(share - 1e-9 * share), seen = 0, width;

	if (rank == 0)
		rank = 1;
	if (rank > h->nr)
		return nr_more ? UINT64_MAX : 0;
	if (rank == h->nr)
		return h->max;
	for (uint32_t i = 0; i < HDR_BUCKETS; i++) {
		seen += h->counts[i];
		if (seen >= rank) {
			uint64_t to = bucket_from(i, &width) + width - 1;

			return to < h->max ? to : h->max;
		}
	}
	return h->max;
}

uint64_t hdr_percentile(const struct hdr *h, double percent)
{
	return hdr_percentile_of(h, percent, 0);
}

static double moment(const struct hdr *h, double from, int power)
{
	double sum = 0;
	uint64_t width;

	for (uint32_t i = 0; i < HDR_BUCKETS; i++) {
		if (h->counts[i] == 0)
			continue;
		double middle = (double)(bucket_from(i, &width) + width / 2);
		sum += (double)h->counts[i] * pow(middle - from, power);
	}
	return h->nr ? sum / (double)h->nr : 0;
}

double hdr_mean(const struct hdr *h)
{
	return moment(h, 0, 1);
}

double hdr_deviation(const struct hdr *h)
{
	return sqrt(moment(h, hdr_mean(h), 2));
}

/*
 * The levels of HdrHistogram's PercentileIterator: with each halving of the distance to 100 % the
 * steps halve too. A level is printed once values reach it; levels within one bucket repeat its
 * value.
 */
static double next_level(double level, unsigned int ticks)
{
	double halvings = floor(log2(100 / (100 - level))) + 1;

	return level + 100 / (ticks * exp2(halvings));
}

static void print_levels(const struct hdr *h, unsigned int ticks, FILE *to)
{
	uint64_t seen = 0, width;
	double level = 0;

	for (uint32_t i = 0; i < HDR_BUCKETS && seen < h->nr; i++) {
		uint64_t value = bucket_from(i, &width) + width - 1;

		seen += h->counts[i];
		while (h->counts[i] && level <= 100 * (double)seen / (double)h->nr) {
			fprintf(to, "%12.3f %2.12f %10llu %14.2f\n",
				(double)(value < h->max ? value : h->max) / NS_PER_MS, level / 100,
				(unsigned long long)seen, 1 / (1 - level / 100));
			level = next_level(level, ticks);
			if (seen == h->nr)
				break; /* once; the line of 100 % follows */
		}
	}
}

void hdr_print_percentiles(const struct hdr *h, unsigned int ticks, FILE *to)
{
	fprintf(to, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	print_levels(h, ticks, to);
	if (h->nr)
		fprintf(to, "%12.3f %2.12f %10llu\n", (double)h->max / NS_PER_MS, 1.0,
			(unsigned long long)h->nr);
	fprintf(to, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", hdr_mean(h) / NS_PER_MS,
		hdr_deviation(h) / NS_PER_MS);
	fprintf(to, "#[Max     = %12.3f, Total count    = %12llu]\n", (double)h->max / NS_PER_MS,
		(unsigned long long)h->nr);
	fprintf(to, "#[Buckets = %12u, SubBuckets     = %12u]\n", HDR_BUCKETS / 1024 - 1,
		SUB_BUCKETS);
}
