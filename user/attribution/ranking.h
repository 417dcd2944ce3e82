/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which causes make the tail: response times with their splits in, the mean split of the requests
 * around a percentile, or of all beyond it, out. In fixed memory: requests are counted by response
 * time in classes as wide as 1/RANKING_FINE of the power of two they lie in, a sum of splits each,
 * so that "the requests at p99" are those of the class p99 falls into.
 */
#ifndef STANDSTILL_ATTRIBUTION_RANKING_H
#define STANDSTILL_ATTRIBUTION_RANKING_H

#include "user/attribution/cause.h"

#define RANKING_FINE	16
#define RANKING_CLASSES (62 * RANKING_FINE)

struct ranking_class {
	uint64_t nr;
	uint64_t ns[NR_CAUSES];
};

struct ranking { /* {0} is an empty one */
	uint64_t nr;
	struct ranking_class *classes; /* RANKING_CLASSES, made with the first request */
};

/* A request whose response time is the sum over @split. 0 or -ENOMEM. */
int ranking_add(struct ranking *r, const struct split *split);

struct ranked { /* of some requests: their number, and what their response times are made of */
	uint64_t nr;
	uint64_t total_ns;
	uint64_t ns[NR_CAUSES];	 /* sums; they add up to total_ns */
	uint64_t from_ns, to_ns; /* the response times of the classes they are of */
};

/* Those of the class that the percentile @percent in [0, 100] falls into, by nearest rank. */
struct ranked ranking_at(const struct ranking *r, double percent);

/* Those of that class and all above. */
struct ranked ranking_beyond(const struct ranking *r, double percent);

/* Causes in order of their part, largest first; only those with any. Returns their number. */
uint32_t ranked_order(const struct ranked *ranked, enum cause ret[NR_CAUSES]);

void ranking_free(struct ranking *r);

#endif
