/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log's safepoints and standstill's pauses in, one verdict for the pair of them out.
 *
 * Matching needs no tolerance: the VM Thread stamps line k after it has let the threads of pause k
 * go, and before it can begin pause k + 1. So a pause that lies between the stamps of
 * two lines is the later line's. Two in one gap: one is invented; none: it was missed.
 */
#ifndef STANDSTILL_LIVE_MATCH_H
#define STANDSTILL_LIVE_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "tests/live/agree/found.h"
#include "tests/live/agree/log.h"

struct pair {
	const struct logged *logged;
	const struct found *found;
};

struct match {
	struct pair *pairs; /* in order of time */
	size_t nr_pairs;
	size_t nr_logged;   /* lines whose pause lies wholly inside the window */
	size_t nr_missed;   /* of those, not found, or found only as a pause cut off */
	size_t nr_invented; /* found, anywhere, without a line of its own */
	size_t nr_cut;	    /* found at an edge, and rightly called cut */
};

/* [from_ns, to_ns] is when the probes are known to have been there. 0 or -ENOMEM. */
int match(const struct safepoint_log *log, const struct found_list *found, uint64_t from_ns,
	  uint64_t to_ns, struct match *ret);

/* Whether standstill's name of an operation is the log's: HotSpot has two names for some. */
bool match_same_name(const char *logged, const char *found);

#endif
