/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/ranking.h"

/* 0..2*FINE-1 have a class each; a value v beyond goes to e * FINE + (v >> e), e = floor(log2 v) -
 * log2 FINE: FINE classes for each power of two. */
static uint32_t class_of(uint64_t ns)
{
	uint32_t exponent;

	if (ns < 2 * RANKING_FINE)
		return (uint32_t)ns;
	exponent = 63 - (uint32_t)__builtin_clzll(ns) - (uint32_t)__builtin_ctz(RANKING_FINE);
	return exponent * RANKING_FINE + (uint32_t)(ns >> exponent);
}

static uint64_t class_from_ns(uint32_t class)
{
	uint32_t exponent = class / RANKING_FINE;

	if (class < 2 * RANKING_FINE)
		return class;
	return (uint64_t)(class - (exponent - 1) * RANKING_FINE) << (exponent - 1);
}

int ranking_add(struct ranking *r, const struct split *split)
{
	struct ranking_class *class;

	if (!r->classes)
		r->classes = calloc(RANKING_CLASSES, sizeof(*r->classes));
	if (!r->classes)
		return -ENOMEM;
	class = &r->classes[class_of(split_total_ns(split))];
	r->nr++;
	class->nr++;
	for (size_t i = 0; i < NR_CAUSES; i++)
		class->ns[i] += split->ns[i];
	return 0;
}

static uint32_t class_at(const struct ranking *r, double percent)
{
	uint64_t rank = (uint64_t)((double)r->nr * percent / 100.0), so_far = 0;

	if ((double)rank * 100.0 < (double)r->nr * percent)
		rank++;
	if (rank == 0)
		rank = 1;
	for (uint32_t class = 0; class < RANKING_CLASSES; class ++) {
		so_far += r->classes[class].nr;
		if (so_far >= rank)
			return class;
	}
	return RANKING_CLASSES - 1;
}

static struct ranked sum(const struct ranking *r, uint32_t from, uint32_t to)
{
	struct ranked ranked = {.from_ns = class_from_ns(from), .to_ns = class_from_ns(to)};

	for (uint32_t class = from; class < to; class ++) {
		ranked.nr += r->classes[class].nr;
		for (size_t i = 0; i < NR_CAUSES; i++)
			ranked.ns[i] += r->classes[class].ns[i];
	}
	for (size_t i = 0; i < NR_CAUSES; i++)
		ranked.total_ns += ranked.ns[i];
	return ranked;
}

struct ranked ranking_at(const struct ranking *r, double percent)
{
	uint32_t class;

	if (!r->nr)
		return (struct ranked){0};
	class = class_at(r, percent);
	return sum(r, class, class + 1);
}

struct ranked ranking_beyond(const struct ranking *r, double percent)
{
	if (!r->nr)
		return (struct ranked){0};
	return sum(r, class_at(r, percent), RANKING_CLASSES);
}

uint32_t ranked_order(const struct ranked *ranked, enum cause ret[NR_CAUSES])
{
	uint32_t nr = 0;

	for (enum cause cause = 0; cause < NR_CAUSES; cause++) {
		uint32_t at = nr;

		if (!ranked->ns[cause])
			continue;
		for (; at > 0 && ranked->ns[ret[at - 1]] < ranked->ns[cause]; at--)
			ret[at] = ret[at - 1];
		ret[at] = cause;
		nr++;
	}
	return nr;
}

void ranking_free(struct ranking *r)
{
	free(r->classes);
	*r = (struct ranking){0};
}
