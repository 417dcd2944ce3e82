/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How well matched pairs agree: names, the errors of begin, release and reaching, and whether the
 * late thread is the one that was made late on purpose. Errors are standstill's time minus the
 * log's.
 *
 * The release is held against the moment just before the threads are let go, logged ("leaving",
 * JDK 21.0.13 and later) or seen; else against the end of the safepoint, which the JVM stamps after
 * it has woken them all. The threads just woken like to push the VM Thread off its CPU, so the
 * distance is given twice, as it is and less the time the VM Thread was off its CPU inside it
 * ("explained").
 */
#ifndef STANDSTILL_LIVE_AGREEMENT_H
#define STANDSTILL_LIVE_AGREEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "tests/live/agree/match.h"

#define LATE_MIN_NS 1000000 /* the log's reaching from which on somebody must have been late */

struct error { /* of absolute values; nr == 0: the rest means nothing */
	size_t nr;
	size_t nr_unknown; /* pairs without it, though the pause is not called incomplete */
	int64_t p50_ns, p90_ns;
};

struct agreement {
	size_t nr_names_differ, nr_names_unknown;
	struct error begin, release, release_explained, reaching;
	size_t nr_leaves;	       /* pairs whose release is held against a leave, not an end */
	size_t nr_late, nr_late_named; /* pauses somebody was late for; of them, with the offender
					  as late thread */
	size_t nr_incomplete;
	uint64_t nr_missed_before; /* pauses that standstill itself says it missed */
};

/* @offender: the late thread's name, or NULL. 0 or -ENOMEM. */
int agreement_of(const struct match *match, const struct off_list *off, const char *offender,
		 struct agreement *ret);

#endif
