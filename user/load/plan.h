/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When each request of one thread should be sent. In: the profile, the kind of arrivals, the
 * planner's policy. Out: requests, numbered over all threads, with their intended times. Request k
 * belongs to thread k mod nr_threads, and is due at the same time however many threads there are.
 * Knows nothing of sockets or clocks: time is an argument, in ns since the run's start.
 */
#ifndef STANDSTILL_LOAD_PLAN_H
#define STANDSTILL_LOAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/load/profile.h"
#include "user/load/random.h"

enum arrivals {
	ARRIVALS_CONSTANT,
	ARRIVALS_POISSON,
};

enum planner {
	PLANNER_IDEAL, /* a thread that comes late sends what was due meanwhile, at its ideal times
			*/
	PLANNER_NOW,   /* a thread that comes late by more than the tolerance forgets what was due
			  meanwhile */
	PLANNER_TICK,  /* as NOW, but plans a tick ahead: what a tick has planned is sent, however
			  late */
};

struct plan_options {
	struct profile profile;
	enum arrivals arrivals;
	enum planner planner;
	uint64_t tick_ns;
	uint64_t tolerance_ns; /* of NOW and TICK */
	uint64_t seed;
	uint32_t nr_threads;
};

struct plan {
	const struct plan_options *options;
	struct generator random;
	long double count; /* in the unit process: requests that precede the next one */
	size_t part;
	uint64_t seq;	     /* of the next request */
	uint64_t due_ns;     /* PROFILE_NEVER: there is no next */
	uint64_t horizon_ns; /* TICK: what is due before this has been planned */
	uint64_t nr_omitted; /* forgotten by NOW and TICK: never sent */
	uint64_t nr_replans; /* how often */
};

void plan_init(struct plan *p, const struct plan_options *options, uint32_t thread);

/* The earliest time at which plan_take() could give something, or TICK has to look at the clock;
 * PROFILE_NEVER at the end. */
uint64_t plan_wake_ns(const struct plan *p);

/* The next request that is due at @now_ns. False when there is none. */
bool plan_take(struct plan *p, uint64_t now_ns, uint64_t *ret_seq, uint64_t *ret_intended_ns);

#endif
