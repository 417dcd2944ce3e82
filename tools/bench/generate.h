/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Off-CPU records as a busy server makes them: a small simulation of threads that run, block, are
 * woken by one another and queue for a few CPUs, so that records hang together as real ones do (who
 * ran before, who woke whom, which futex). Durations are lognormal, in whole ns: nothing is easier
 * to pack than in life. Repeatable by seed.
 */
#ifndef STANDSTILL_BENCH_GENERATE_H
#define STANDSTILL_BENCH_GENERATE_H

#include "bpf/event.h"

struct generator;

struct generator_options {
	uint64_t seed;
	uint32_t nr_threads; /* 60 */
	uint32_t nr_cpus;    /* 4 */
	double sleep_us; /* median of the busiest thread's sleeps; 120 gives about 50,000 records a
			    second */
};

/* NULL when out of memory. */
struct generator *generator_new(const struct generator_options *options);

/* The next record, in order of time. */
void generator_next(struct generator *g, struct event_offcpu *ret);

void generator_free(struct generator *g);

#endif
