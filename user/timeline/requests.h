/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every request of a recording: records, spans and pauses in, in order of time; finished requests
 * out, once both ends of the connection have been heard and no pause that touches them can still
 * come. Memory is bounded by what is open, and by REQUESTS_HELD_MAX finished ones.
 */
#ifndef STANDSTILL_TIMELINE_REQUESTS_H
#define STANDSTILL_TIMELINE_REQUESTS_H

#include "user/timeline/pauses.h"
#include "user/timeline/request.h"

#define REQUESTS_HELD_MAX (1u << 18)
#define REQUESTS_HOLD_NS  (2 * PAUSE_GRACE_NS) /* after its end: for pauses and the other end */
#define REQUESTS_QUIET_NS                                                                          \
	10000000000ull		 /* an answer is over when nothing of it came for so long          \
				  */
#define CROSSING_MAX_NS 20000ull /* more than two probes can differ */

typedef void request_fn(void *arg, const struct request *request);

struct requests;

/* Of @pauses it is only asked which are still open. NULL when out of memory. */
struct requests *requests_new(request_fn *fn, void *arg, const struct pauses *pauses);

/* Each 0 or -ENOMEM. A record before its spans, and those before its pauses, as replay.h gives
 * them. */
int requests_event(struct requests *r, const struct event_hdr *event);
int requests_span(struct requests *r, const struct span *span);
int requests_pause(struct requests *r, const struct pause *pause);
void requests_gone(struct requests *r, uint32_t tid);

/* The recording ended: the rest goes out. */
int requests_end(struct requests *r);

struct requests_totals {
	uint64_t nr[NR_REQUEST_KINDS];
	uint64_t nr_state[NR_REQUEST_STATES]; /* of served ones, and sent ones */
	uint64_t nr_connections, nr_linked, nr_refused, nr_accepted_before;
	uint64_t nr_steps;     /* records of sockets */
	uint64_t nr_unplaced;  /* of connections whose opening is not in the recording */
	uint64_t nr_continued; /* written, or read by a client, after its turn was taken for over */
	uint64_t nr_fallen;    /* whose position fell back: left out */
	uint64_t nr_crossed, nr_crossed_far, crossed_max_ns;
	uint64_t nr_both, nr_http;
	uint64_t nr_rushed; /* given out before all pauses were known, for want of room */
};
void requests_totals(const struct requests *r, struct requests_totals *ret);

void requests_free(struct requests *r);

#endif
