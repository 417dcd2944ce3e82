/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a server did, one thing at a time. In: half-open intervals that may nest, touch, overlap and
 * repeat. Out: disjoint pieces in order, each with the first cause (enum queue_cause) that holds
 * there; or the segments of one service. A piece is elsewhere only where all intervals of its cause
 * are. Knows nothing of queues.
 */
#ifndef STANDSTILL_ATTRIBUTION_QUEUE_PIECES_H
#define STANDSTILL_ATTRIBUTION_QUEUE_PIECES_H

#include "user/attribution/queue.h"

struct queue_edge {
	uint64_t at_ns;
	uint8_t kind;
	int8_t step;
};

/* Used again and again; {0} at first. */
struct queue_pieces {
	struct queue_interval *pieces;
	struct queue_segment *segments;
	struct queue_edge *edges;
	size_t nr_pieces, nr_segments;
	size_t room; /* of all three */
};

/* The pieces of @intervals within [from_ns, to_ns), into p->pieces; nothing lies in gaps. 0,
 * -EINVAL (an interval that ends before it begins, no such cause) or -ENOMEM. */
int queue_pieces_cut(struct queue_pieces *p, uint64_t from_ns, uint64_t to_ns,
		     const struct queue_interval *intervals, size_t nr);

/*
 * A service in [from_ns, to_ns), as queue_add() wants it, into p->segments: gaps are QUEUE_LOAD,
 * and what lies in one of the windows @away (sorted, disjoint; those given to queue_add_away) is
 * left out, unless it is elsewhere. Replayed with everything from from_ns on, it ends at to_ns.
 */
int queue_pieces_service(struct queue_pieces *p, uint64_t from_ns, uint64_t to_ns,
			 const struct queue_interval *intervals, size_t nr,
			 const struct queue_interval *away, size_t nr_away);

void queue_pieces_free(struct queue_pieces *p);

#endif
