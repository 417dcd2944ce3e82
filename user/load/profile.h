/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rate over time. In: what a person types. Out: when the n-th request is due, exactly. Knows
 * nothing of threads, clocks or randomness: a Poisson process of this rate is the unit process read
 * through the same function.
 *
 *   1000                         1,000 requests a second, always
 *   0s:1000,30s:2000             steps: from 30 s on, 2,000
 *   1000..5000                   a ramp over the whole run
 *   1000..5000@60s               a ramp of 60 s, then 5,000
 *   0s:1000,30s:1000..5k,60s:1k  steps and ramps; a ramp without @ lasts until the next step
 */
#ifndef STANDSTILL_LOAD_PROFILE_H
#define STANDSTILL_LOAD_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#define PROFILE_PARTS_MAX 64
#define PROFILE_NEVER	  UINT64_MAX

/* [from_ns, to_ns), in which the rate goes in a straight line from @rate, requests a second, and
 * changes by @slope a second. */
struct profile_part {
	long double from_ns, to_ns;
	long double rate, slope;
	long double nr_before; /* requests due before from_ns */
};

struct profile {
	struct profile_part parts[PROFILE_PARTS_MAX];
	size_t nr;
	long double total; /* requests due in the whole run, with the fraction */
	uint64_t highest;  /* requests a second, rounded up */
	uint64_t duration_ns;
};

/* 0, or -EINVAL with *ret_wrong pointing at a sentence that says what is wrong. */
int profile_parse(const char *word, uint64_t duration_ns, struct profile *ret,
		  const char **ret_wrong);

/*
 * When the request that @count requests precede is due, in ns since the run's start, rounded to the
 * nearest; PROFILE_NEVER when that is not before the end. *part is the caller's place in the
 * profile, 0 at first; counts must not decrease.
 */
uint64_t profile_time_ns(const struct profile *p, long double count, size_t *part);

/* Requests a second at @ns. */
double profile_rate(const struct profile *p, uint64_t ns);

#endif
