/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What response times were promised, and when that was broken. In: a promise as a person types it,
 * then requests in order of their intended sends. Out: each window that broke it, and each breach:
 * a run of such windows, with the time at which things were normal again. Knows nothing of causes.
 *
 *   p99<50ms              99 % of all requests of the run take less than 50 ms
 *   p99.9<200ms@10s       of each 10 s, counted from the run's begin
 *   max<1s                every request
 *   GET /a:p99<50ms       of the requests with the label "GET /a", up to the last colon
 *
 * Whether a window holds is counted, not estimated: it does when at least ceil(nr * percent / 100)
 * requests (nearest rank, as histogram.h) are below the limit. One that was never answered is above
 * every limit. Streams: a window at a time.
 */
#ifndef STANDSTILL_ATTRIBUTION_SLA_H
#define STANDSTILL_ATTRIBUTION_SLA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLA_UNKNOWN   UINT64_MAX /* of a response: none; of a time: not in this run */
#define SLA_LABEL_MAX 255
#define SLA_PERCENT   1000000u /* one percent, in sla.percent */

struct sla {
	char label[SLA_LABEL_MAX + 1]; /* "": all requests */
	uint32_t percent;	       /* in millionths of a percent; 100 percent: max */
	uint64_t limit_ns;
	uint64_t window_ns; /* 0: the whole run */
};

/* 0, or -EINVAL with *ret_wrong pointing at a sentence that says what is wrong. */
int sla_parse(const char *word, struct sla *ret, const char **ret_wrong);

struct sla_window {
	uint64_t from_ns, to_ns;
	uint64_t nr, nr_over, nr_unanswered; /* requests; not below the limit; of these, without an
						answer */
	uint64_t nr_allowed;		     /* may be over */
	/* The percentile; UNKNOWN: it falls on one without an answer. Within 0.4 % where there are
	 * more than 1024 requests, and then never under the limit, which the count shows broken. */
	uint64_t value_ns;
	uint64_t over_ns;		      /* value - limit; UNKNOWN as above */
	uint64_t first_over_ns, last_over_ns; /* their intended sends */
};

struct sla_breach {
	uint64_t from_ns, to_ns; /* its windows; those without requests in between are in it */
	uint64_t nr_windows;	 /* broken */
	uint64_t first_over_ns;
	struct sla_window worst; /* most over; one without a value is more than any */
	/* The intended send of the first request below the limit after the last one over it in a
	 * broken window; UNKNOWN: not in this run, or not known because the run ended. */
	uint64_t normal_ns;
};

struct sla_summary {
	uint64_t nr_windows, nr_broken, nr_empty; /* empty ones are neither held nor broken */
	uint64_t nr_breaches;
};

struct sla_watch;

/* @take_window, @take_breach (or NULL) get what breaks, in order; a breach after its windows. */
int sla_watch_new(const struct sla *sla, uint64_t from_ns, uint64_t to_ns,
		  void (*take_window)(void *context, const struct sla_window *),
		  void (*take_breach)(void *context, const struct sla_breach *), void *context,
		  struct sla_watch **ret);

/* A request of the label, if there is one (the caller chooses). 0, or -EINVAL: of a window before
 * the last one, or outside the run. */
int sla_watch_add(struct sla_watch *w, uint64_t intended_ns, uint64_t response_ns);

void sla_watch_end(struct sla_watch *w, struct sla_summary *ret);
void sla_watch_free(struct sla_watch *w);

#endif
