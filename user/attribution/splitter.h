/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every request of a recording with its split: records, spans, pauses and finished requests in, in
 * order of time; requests out in order of arrival, each once nothing that could change its split
 * can still come. Bounded: SPLITTER_HELD_MAX requests, and the last seconds of each thread
 * (conditions.h). Joins nothing: what a schedule says of a request comes with it.
 */
#ifndef STANDSTILL_ATTRIBUTION_SPLITTER_H
#define STANDSTILL_ATTRIBUTION_SPLITTER_H

#include "user/attribution/split.h"
#include "user/import/schedule.h"
#include "user/timeline/pauses.h"
#include "user/timeline/request.h"

#define SPLITTER_HELD_MAX (1u << 17)
#define SPLITTER_HOLD_NS  4000000000ull /* for those that arrived earlier and ended later */
#define SPLITTER_KNOWN_NS 2000000000ull /* pauses and spans are out so long after they ended */

struct splitter_row {
	const struct request *request;
	const struct schedule_request *schedule; /* NULL: none; else times of CLOCK_MONOTONIC */
	const struct split_result *result;
};

/* The row is the callee's for the call only. */
typedef void splitter_fn(void *arg, const struct splitter_row *row);

struct splitter;

struct splitter *splitter_new(splitter_fn *fn, void *arg);

/* Each 0 or -ENOMEM. A record before its spans, and those before its pauses, as replay.h gives
 * them. */
int splitter_event(struct splitter *s, const struct event_hdr *event);
int splitter_span(struct splitter *s, const struct thread *thread, const struct span *span);
int splitter_pause(struct splitter *s, const struct pause *pause);
void splitter_gone(struct splitter *s, uint32_t tid);

/* A request, as requests.h gives it out, of any kind; @schedule may be NULL. Only those that were
 * served are split. */
int splitter_push(struct splitter *s, const struct request *request,
		  const struct schedule_request *schedule);

/* The recording ended: the rest goes out. */
int splitter_end(struct splitter *s);

struct splitter_totals {
	uint64_t nr_split, nr_unsplit; /* of these less than two boundaries are known */
	uint64_t nr_rushed;	       /* given out early, for want of room */
	uint64_t nr_late;	       /* replayed out of order */
	uint64_t nr_crossed;	       /* whose stamps crossed by more than SPLIT_CROSSED_MAX_NS */
	struct split sum;
};
void splitter_totals(const struct splitter *s, struct splitter_totals *ret);

void splitter_free(struct splitter *s);

#endif
