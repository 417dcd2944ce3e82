/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the generator was good enough for a percentile. In: what a run measured and what its
 * generator says of itself; out: yes, or the reasons why not, as sentences. docs/load.md explains
 * the rules.
 */
#ifndef STANDSTILL_LOAD_VERDICT_H
#define STANDSTILL_LOAD_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

struct load_summary;

/* What the schedule says about its run; SCHEDULE_UNKNOWN: nothing. */
struct run_facts {
	uint64_t duration_ns; /* from the first intended time to the end, warm-up included */
	uint64_t threads;
	uint64_t planned, omitted, replans, lost, missing;
	uint64_t not_open_ns; /* of all threads */
	uint64_t threads_cpu_ns, own_cpu_ns, writer_cpu_ns, run_queue_ns;
	uint64_t throttled_ns, nr_throttled;
	uint64_t connections_opened, in_flight_max, unsolicited;
	bool complete; /* the file has its end */
};

#define VERDICT_REASONS_MAX 12
#define VERDICT_BYTES	    256

struct verdict {
	double percent;
	bool good;
	uint64_t at_ns, on_time_ns; /* response time at the percentile, and had each request been
				       sent on time */
	char reasons[VERDICT_REASONS_MAX][VERDICT_BYTES];
	unsigned int nr_reasons;
};

void verdict_judge(const struct load_summary *s, const struct run_facts *f, double percent,
		   struct verdict *ret);

/* The share of the run during which it was not open-loop, of all threads; negative: not known. */
double verdict_not_open(const struct run_facts *f);

#endif
