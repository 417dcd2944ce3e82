/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/timeline/span_ring.h"

int span_ring_init(struct span_ring *ring)
{
	ring->nr = 0;
	ring->spans =
		calloc(SPAN_RING_SPANS, sizeof(ring->spans[0])); /* untouched pages cost nothing */
	return ring->spans ? 0 : -ENOMEM;
}

void span_ring_put(struct span_ring *ring, const struct past_span *span)
{
	ring->spans[ring->nr++ % SPAN_RING_SPANS] = *span;
}

uint64_t span_ring_since(const struct span_ring *ring, uint64_t from, uint64_t since_ns,
			 bool *ret_whole)
{
	uint64_t oldest = ring->nr > SPAN_RING_SPANS ? ring->nr - SPAN_RING_SPANS : 0;
	uint64_t first = from > oldest ? from : oldest, low = first, high = ring->nr;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (span_ring_at(ring, middle)->known_ns > since_ns)
			high = middle;
		else
			low = middle + 1;
	}
	*ret_whole = low > first || first == from || oldest == 0;
	return low;
}

void span_ring_free(struct span_ring *ring)
{
	free(ring->spans);
	*ring = (struct span_ring){0};
}
