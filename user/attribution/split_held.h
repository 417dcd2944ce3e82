/* SPDX-License-Identifier: BSD-2-Clause */
/* Finished requests until they can be split, the earliest arrival first (a heap). The inside of
 * splitter.h; nobody else includes it. */
#ifndef STANDSTILL_ATTRIBUTION_SPLIT_HELD_H
#define STANDSTILL_ATTRIBUTION_SPLIT_HELD_H

#include "user/import/schedule.h"
#include "user/timeline/request.h"

struct held_request {
	uint64_t order_ns; /* its arrival, as well as that is known */
	uint64_t nr;	   /* in order of their end: those of one arrival stay in it */
	bool has_schedule;
	struct schedule_request schedule;
	struct request request;
};

struct held_requests { /* {0} is an empty one */
	struct held_request **heap;
	size_t nr, room;
	uint64_t nr_ever;
};

/* 0 or -ENOMEM. */
int held_put(struct held_requests *held, const struct request *request,
	     const struct schedule_request *schedule);

/* Of which there is one. */
static inline const struct held_request *held_first(const struct held_requests *held)
{
	return held->heap[0];
}

void held_drop_first(struct held_requests *held);
void held_free(struct held_requests *held);

#endif
