/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a generator does after a stall of its own, told from its schedule alone. In: requests in
 * order of their intended sends. Out: its policy, and the stalls that show it. Knows nothing of
 * pauses, rates or what the schedule says about itself.
 *
 * A stall shows as requests that were all sent late, as a gap in what was planned, or as both:
 *
 *   late, no gap          it sent what was due meanwhile, at its ideal times: caught up
 *   a gap, none late      it forgot what was due meanwhile: from now
 *   late, then a gap      it sent what it had planned before, and forgot the rest: planned ahead
 *
 * Late: by PLANNER_LATE_NS more than the request before, so that steady lateness is no stall. A gap
 * counts only where chance leaves none: it is longer than PLANNER_GAPS times the mean of the 32
 * gaps before and the 32 behind it, without the two longest, which in a Poisson process happens
 * once in about exp(20) gaps; or than 3 times their longest where these are even (none over twice
 * their mean).
 */
#ifndef STANDSTILL_ATTRIBUTION_PLANNER_H
#define STANDSTILL_ATTRIBUTION_PLANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLANNER_LATE_NS 2000000ull
#define PLANNER_MIN_LATE                                                                           \
	5 /* fewer late requests tell nothing: each thread may have one in hand                    \
	   */
#define PLANNER_GAPS   24
#define PLANNER_BESIDE 32
#define PLANNER_RING   (2 * PLANNER_BESIDE + 2)

enum planner_policy {
	PLANNER_UNKNOWN, /* no stall to tell by, or stalls that contradict each other */
	PLANNER_CATCHES_UP,
	PLANNER_FROM_NOW,
	PLANNER_AHEAD,
};

struct planner_stalls {
	uint64_t nr, longest_ns;
};

struct planner_verdict {
	enum planner_policy policy;
	/* CATCHES_UP: stalls of up to caught_up.longest_ns are known to be; FROM_NOW: shorter
	 * stalls may have been caught up all the same (a tolerance): caught_up says. */
	struct planner_stalls caught_up, forgotten, ahead;
	uint64_t nr_short; /* stalls with too few late requests to tell by */
	uint64_t ahead_ns; /* AHEAD: it plans at least so far ahead */
};

struct planner_sent {
	uint64_t due_ns;
	int64_t late_ns;
};

struct planner_watch { /* {0} at first */
	struct planner_sent ring[PLANNER_RING];
	uint64_t nr, at; /* requests so far; the next to be looked at */
	bool stalled;
	int64_t usual_ns;	   /* lateness before the stall */
	uint64_t from_ns, last_ns; /* its first and last late request were due */
	uint64_t stall_ns, nr_late;
	struct planner_verdict found;
};

/* Sent @late_ns after it was due and a connection was free. 0, or -EINVAL: out of order. */
int planner_watch_add(struct planner_watch *w, uint64_t due_ns, int64_t late_ns);

void planner_watch_end(struct planner_watch *w, struct planner_verdict *ret);

#endif
