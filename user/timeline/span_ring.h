/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The most recent spans of all threads, in the order they became known: a pause is understood only
 * at its end, and then wants the spans since its begin. Of fixed size; the oldest are overwritten.
 */
#ifndef STANDSTILL_TIMELINE_SPAN_RING_H
#define STANDSTILL_TIMELINE_SPAN_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPAN_RING_SPANS (1u << 18) /* 10 MB; 5 s at 50,000 spans a second */

struct past_span {
	uint64_t from_ns, to_ns;
	uint64_t known_ns; /* time of the record it came with; never falls */
	uint32_t tgid, tid;
	uint8_t reason;	 /* enum reason */
	uint8_t role;	 /* enum thread_role */
	bool in_syscall; /* blocked in one */
	bool open;	 /* cut off by the end of what is known, not by a loss */
};

struct span_ring {
	struct past_span *spans;
	uint64_t nr; /* ever put */
};

int span_ring_init(struct span_ring *ring);
void span_ring_put(struct span_ring *ring, const struct past_span *span);

/* Where to start so as to see every span that became known after @since_ns, none of which was put
 * before @from; *ret_whole is false when the ring no longer reaches back so far. Then up to
 * ring->nr. */
uint64_t span_ring_since(const struct span_ring *ring, uint64_t from, uint64_t since_ns,
			 bool *ret_whole);

static inline const struct past_span *span_ring_at(const struct span_ring *ring, uint64_t nr)
{
	return &ring->spans[nr % SPAN_RING_SPANS];
}

void span_ring_free(struct span_ring *ring);

#endif
