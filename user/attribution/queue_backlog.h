/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a request waited for while its server was at work on earlier ones. In: the spans of a replay
 * by the masks below. Out: backlog by cause. Causes go one after the other, in the order of enum
 * queue_cause: backlog of X is the wait with X and all later causes, minus the wait with the later
 * ones only. So two causes that would each have made the request wait are not both billed for it,
 * and the parts add up exactly:
 *
 *   wait (taken - arrival) = sum over all causes, QUEUE_LOAD included, + misfit
 *
 * misfit is what the replay does not explain: positive when the request waited longer than the
 * replay says, negative when it waited less. A part that would be negative goes there whole, and
 * nr_negative counts it; the replay of queue.c yields none.
 */
#ifndef STANDSTILL_ATTRIBUTION_QUEUE_BACKLOG_H
#define STANDSTILL_ATTRIBUTION_QUEUE_BACKLOG_H

#include "user/attribution/queue.h"

/* For queue_new(): everything; without pauses; without pauses and stops; ...; nothing but load. */
extern const uint32_t queue_backlog_masks[NR_QUEUE_CAUSES];

struct queue_backlog {
	int64_t wait_ns;		 /* negative only when taken before its arrival */
	uint64_t of_ns[NR_QUEUE_CAUSES]; /* QUEUE_LOAD: the rest */
	int64_t misfit_ns;
	unsigned int nr_negative;
};

/* @spans are those of one request, by queue_backlog_masks. @taken_ns: when a server really took it.
 */
void queue_backlog(const struct queue_span spans[NR_QUEUE_CAUSES], uint64_t arrival_ns,
		   uint64_t taken_ns, struct queue_backlog *ret);

#endif
