/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/conditions_ring.h"

#define PAST_MIN 16

static int grow(struct past_ring *ring)
{
	size_t room = ring->room ? ring->room * 2 : PAST_MIN;
	struct past *at = calloc(room, sizeof(at[0]));

	if (!at)
		return -ENOMEM;
	for (uint64_t nr = ring->first; nr < ring->end; nr++)
		at[nr & (room - 1)] = *past_at(ring, nr);
	free(ring->at);
	ring->at = at;
	ring->room = room;
	return 0;
}

int past_put(struct past_ring *ring, const struct past *past)
{
	uint64_t nr;

	if (ring->end - ring->first == ring->room) {
		bool young = !ring->room ||
			     past_at(ring, ring->first)->to_ns + PAST_KEPT_NS > past->to_ns;

		if (young && ring->room < PAST_MAX) {
			if (grow(ring))
				return -ENOMEM;
		} else {
			ring->first++;
		}
	}
	for (nr = ring->end++; nr > ring->first && past_at(ring, nr - 1)->to_ns > past->to_ns; nr--)
		*past_at(ring, nr) = *past_at(ring, nr - 1);
	*past_at(ring, nr) = *past;
	return 0;
}

uint64_t past_after(const struct past_ring *ring, uint64_t ns)
{
	uint64_t low = ring->first, high = ring->end;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (past_at(ring, middle)->to_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct past *past_holding(const struct past_ring *ring, uint64_t ns)
{
	uint64_t nr = past_after(ring, ns);

	return nr < ring->end && past_at(ring, nr)->from_ns <= ns ? past_at(ring, nr) : NULL;
}

void past_free(struct past_ring *ring)
{
	free(ring->at);
	*ring = (struct past_ring){0};
}
