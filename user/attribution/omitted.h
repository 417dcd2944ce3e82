/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Omitted requests: what a generator that was stopped together with the server never sent. In: the
 * schedule twice (once to find the holes, once to fill them), the pauses of the generator's and of
 * the server's process, and how much the server can do. Out: the missing requests with the
 * response times they would have had, and what each measured one would have waited longer for them;
 * six ways each, as an interval. Knows nothing of who recorded or sent. docs/attribution.md has the
 * method, and what it was checked against.
 *
 * For a generator that catches up at ideal times (planner.h) nothing is omitted: do not ask.
 */
#ifndef STANDSTILL_ATTRIBUTION_OMITTED_H
#define STANDSTILL_ATTRIBUTION_OMITTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OMITTED_UNKNOWN	 UINT64_MAX
#define OMITTED_MIN_NS	 3000000ull /* a shorter pause leaves no hole that could be told */
#define OMITTED_MIN_GAPS 5	    /* nor one shorter than so many mean intervals */

struct omitted_span {
	uint64_t from_ns, to_ns;
};

/* Pauses are sorted and disjoint. All is the caller's, and stays until the end. */
struct omitted_run {
	uint64_t from_ns, to_ns; /* requests were due in it */
	const struct omitted_span *generator;
	size_t nr_generator;
	const struct omitted_span *server;
	size_t nr_server;
};

/* A hole [from_ns, to_ns), and its @nr requests: number j, from 1 on, is due at
 * base_ns + j * span_ns / parts. */
struct omitted_stretch {
	uint64_t from_ns, to_ns;
	uint64_t nr, base_ns, span_ns, parts;
};

struct omitted_found {
	struct omitted_stretch *stretches; /* sorted */
	size_t nr;
	uint64_t nr_restored;
	uint64_t limit_ns;		 /* pauses and holes must be longer */
	uint64_t nr_requests;		 /* of the schedule */
	uint64_t nr_outside, outside_ns; /* requests and time outside the holes: their ratio is the
					    rate */
	bool regular;	  /* gaps outside are even: their variance is under a quarter of a Poisson
			     process's */
	uint64_t base_ns; /* median response away from the server's pauses; UNKNOWN: none */
	uint64_t nr_hit;  /* measured requests that met a pause of the server over the limit */
	uint64_t nr_pauses, pause_ns; /* such pauses, within the run */
};

struct omitted_finder;

int omitted_finder_new(const struct omitted_run *run, struct omitted_finder **ret);

/* The next request in order of @due_ns (its intended send). @response_ns from there; UNKNOWN when
 * there was no answer. 0, -EINVAL (out of order or outside the run) or -ENOMEM. */
int omitted_finder_add(struct omitted_finder *f, uint64_t due_ns, uint64_t response_ns);

/* 0, -ENODATA (no request outside holes) or -ENOMEM. */
int omitted_finder_end(struct omitted_finder *f, struct omitted_found *ret);

void omitted_finder_free(struct omitted_finder *f);
void omitted_found_free(struct omitted_found *found);

/* How long the server is busy with a request: cores / capacity. */
enum omitted_speed {
	OMITTED_FAST,
	OMITTED_LIKELY,
	OMITTED_SLOW,
	NR_OMITTED_SPEEDS,
};

enum omitted_order {
	OMITTED_FIFO,
	OMITTED_RANDOM, /* those that wait, up to a number of connections, are served in any order
			 */
	NR_OMITTED_ORDERS,
};

struct omitted_capacity {
	uint64_t service_ns[NR_OMITTED_SPEEDS];
};

/* CPU time of the server's process during nr_requests, outside pauses. */
struct omitted_cpu {
	uint64_t nr_requests;
	uint64_t busy_ns;    /* all threads */
	uint64_t gc_ns;	     /* of it: collecting */
	uint64_t other_ns;   /* of it: neither collecting nor serving (compilers, the generator) */
	uint64_t millicores; /* it may use: CPUs, or a quota */
};

/*
 * A request's share of the cores: (busy - gc) / requests / cores, as composite measurements found
 * best; fast: without the others' CPU too; slow: collecting takes its share always. 0 or -ENODATA.
 */
int omitted_capacity_from_cpu(const struct omitted_cpu *cpu, struct omitted_capacity *ret);

struct omitted_result {
	uint64_t due_ns;
	uint64_t measured_ns; /* response; UNKNOWN: restored, or never answered */
	bool restored;
	uint64_t response_ns[NR_OMITTED_SPEEDS][NR_OMITTED_ORDERS]; /* UNKNOWN: never answered */
	uint64_t low_ns, high_ns;				    /* least and most of them */
};

struct omitted_summary {
	uint64_t nr_measured, nr_restored;
	uint64_t nr_raised; /* measured ones that would have waited longer (LIKELY, FIFO) */
	/* At this speed the server cannot serve the rate: responses are those of a queue that
	 * grows all the time, and no figure for a percentile. */
	bool unstable[NR_OMITTED_SPEEDS];
};

struct omitted_restorer;

/*
 * @found, @run stay the caller's. @connections: how many requests can be at the server at once; 0:
 * not known, RANDOM is then FIFO. @take gets each request, measured and restored, in order of
 * due_ns. 0, -ENODATA (no base) or -ENOMEM.
 */
int omitted_restorer_new(const struct omitted_found *found, const struct omitted_run *run,
			 const struct omitted_capacity *capacity, size_t connections,
			 void (*take)(void *context, const struct omitted_result *result),
			 void *context, struct omitted_restorer **ret);

/* As omitted_finder_add, the same requests. */
int omitted_restorer_add(struct omitted_restorer *r, uint64_t due_ns, uint64_t response_ns);

int omitted_restorer_end(struct omitted_restorer *r, struct omitted_summary *ret);

void omitted_restorer_free(struct omitted_restorer *r);

/* At which quantiles the measured response times are wrong. Shares are of 1. */
struct omitted_shares {
	double hit_measured; /* h_c: requests in flight, or planned, when a pause begins */
	double hit_all;	     /* h_d: requests that a pause delays when none is omitted; at most 1 */
	double from, to;     /* wrong for quantiles between these; equal: for none */
};

/*
 * h_c = (response + planned ahead / 2) * pauses / duration; h_d = pause time / duration / (1 -
 * utilisation). Where h_c < 1 - q < h_d, the quantile q lies on a pause for the user and beside it
 * in the measurement. Where both exceed 1 - q it lies on a pause in both, though not on an equally
 * long one.
 */
void omitted_shares(const struct omitted_found *found, uint64_t duration_ns, uint64_t service_ns,
		    uint64_t planned_ahead_ns, struct omitted_shares *ret);

#endif
