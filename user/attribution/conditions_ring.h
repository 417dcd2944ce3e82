/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was, of one kind and of one thread or process, in order of its end. Grows while what it
 * would overwrite is younger than PAST_KEPT_NS, up to PAST_MAX entries; then the oldest go. The
 * inside of conditions.h; nobody else includes it.
 */
#ifndef STANDSTILL_ATTRIBUTION_CONDITIONS_RING_H
#define STANDSTILL_ATTRIBUTION_CONDITIONS_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAST_KEPT_NS 10000000000ull
#define PAST_MAX     (1u << 19)

enum past_flag {
	PAST_BARRIER = 1 << 0,	 /* waited at a safepoint's barrier */
	PAST_CONDITION = 1 << 1, /* waited in a futex as conditions and semaphores do */
	PAST_TIMER = 1 << 2,	 /* nobody woke it but an interrupt */
	PAST_ONE_FILE = 1 << 3,	 /* waited in poll, as blocking Java sockets do */
	PAST_OWN = 1 << 4,	 /* tid is of its own process */
	PAST_WIDE = 1 << 5,	 /* of a pause: between synchronized and released */
};

struct past { /* [from_ns, to_ns) */
	uint64_t from_ns, to_ns;
	uint64_t nr;   /* of a pause */
	uint32_t tid;  /* of a wait its waker, of a run-queue wait who ran, of a wake-up who was
			  woken; 0: nobody seen */
	uint8_t what;  /* enum reason; of a pause's piece enum cause */
	uint8_t flags; /* enum past_flag */
};

struct past_ring { /* {0} is an empty one */
	struct past *at;
	uint64_t first, end; /* numbers of those kept */
	size_t room;	     /* 0 or a power of two */
};

static inline struct past *past_at(const struct past_ring *ring, uint64_t nr)
{
	return &ring->at[nr & (ring->room - 1)];
}

/* In its place by to_ns. 0 or -ENOMEM. */
int past_put(struct past_ring *ring, const struct past *past);

/* The number of the first that ends after @ns; ring->end: there is none. */
uint64_t past_after(const struct past_ring *ring, uint64_t ns);

/* The one that holds at @ns, of those that do not overlap. NULL: none. */
const struct past *past_holding(const struct past_ring *ring, uint64_t ns);

void past_free(struct past_ring *ring);

#endif
