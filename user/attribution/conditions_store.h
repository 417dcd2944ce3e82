/* SPDX-License-Identifier: BSD-2-Clause */
/* What conditions.h keeps. Its inside, shared by the files that make it up; nobody else includes
 * it. */
#ifndef STANDSTILL_ATTRIBUTION_CONDITIONS_STORE_H
#define STANDSTILL_ATTRIBUTION_CONDITIONS_STORE_H

#include "user/attribution/conditions.h"
#include "user/attribution/conditions_ring.h"
#include "user/base/map.h"

struct thread_past {
	uint32_t tid, tgid;
	enum thread_role role;
	uint64_t gone_ns;	     /* 0: alive */
	uint64_t seen_ns;	     /* it ran: it did something that a record tells of */
	struct past_ring spans;	     /* one after the other */
	struct past_ring stops;	     /* in pauses, from the barrier until back on a CPU */
	struct past_ring work;	     /* at work on a request */
	struct past_ring downstream; /* a request to somebody else had no answer yet */
	struct past_ring wakes;	     /* whom it woke: [parked, woken) */
};

struct process_past {
	uint32_t tgid;
	struct past_ring pieces; /* of its pauses, by what the pause waited for */
	struct past_ring away;	 /* its threads stopped, or throttled */
};

struct condition_store {
	struct map threads, processes;
	struct past_ring losses;
	uint64_t now_ns;
	uint64_t nr_gone; /* since they were last looked through */
};

static inline struct thread_past *past_of(const struct condition_store *s, uint32_t tid)
{
	return map_get(&s->threads, tid);
}

/* NULL: out of memory. */
struct process_past *conditions_process(struct condition_store *s, uint32_t tgid);

/* The pieces of @pause into those of its process. 0 or -ENOMEM. */
int conditions_put_pieces(struct condition_store *s, const struct pause *pause);

#endif
