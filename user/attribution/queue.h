/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The replay: who waits for whom, and how long if a cause had not been. In: requests in order of
 * arrival at one queue (a listener, or one connection of a closed-loop generator), each with what
 * its service took by cause; the number of servers that take from the queue; windows in which all
 * servers were away. Out: for each of several sets of causes, start and finish of each request had
 * these causes not been. Knows nothing of threads, sockets or recordings. docs/attribution.md has
 * the rules.
 *
 * First come, first served: a request goes to the server that is free first. It starts at the later
 * of its arrival and that server's last finish, at the end of a window when that lies in one. Its
 * service then goes on segment by segment, and stands still in windows. For one server without
 * windows this is Lindley's recursion (1952), W' = max(0, W + S - A); for several Kiefer and
 * Wolfowitz's (1955). Removing causes never makes anything later: every step is monotone in the
 * times that go into it.
 *
 * Streams: memory is a number a server and set, plus the windows that are not over yet.
 */
#ifndef STANDSTILL_ATTRIBUTION_QUEUE_H
#define STANDSTILL_ATTRIBUTION_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum queue_cause { /* in the order of blame: where several hold, the first counts */
		   QUEUE_PAUSE,
		   QUEUE_STOPPED,
		   QUEUE_THROTTLED,
		   QUEUE_LOCK,
		   QUEUE_DOWNSTREAM,
		   QUEUE_RUN_QUEUE,
		   QUEUE_GENERATOR,
		   QUEUE_LOAD, /* work, and whatever has no other name */
		   NR_QUEUE_CAUSES,
};

#define QUEUE_MASK(cause) (1u << (cause))
#define QUEUE_REPLAYS_MAX 32

/* [from_ns, to_ns) */
struct queue_interval {
	uint64_t from_ns, to_ns;
	uint8_t cause;	/* enum queue_cause */
	bool elsewhere; /* goes on while the servers are away: a peer's answer, a timer, a disk */
};

/* A part of a service, as long as it takes with the servers present. */
struct queue_segment {
	uint64_t ns;
	uint8_t cause;
	bool elsewhere;
};

struct queue_request {
	uint64_t arrival_ns;
	const struct queue_segment *segments; /* in order; the caller's, for the call only */
	size_t nr;
};

struct queue_span {
	uint64_t start_ns, finish_ns;
};

struct queue;

/*
 * @masks: the sets of causes to do without, QUEUE_MASK each; 0 is the replay with everything. One
 * that is a superset of an earlier one costs little while the two do not differ. 0, -EINVAL or
 * -ENOMEM.
 */
int queue_new(uint32_t nr_servers, const uint32_t *masks, size_t nr_masks, struct queue **ret);

/*
 * All servers are away in @away (queue_pieces makes such windows of nested ones). In order, and
 * disjoint. 0, -EINVAL when it is not, or -ENOMEM. A window should be known before the requests
 * that are still in service at its begin; one that comes later takes part from the next request on,
 * and counts as late.
 */
int queue_add_away(struct queue *q, const struct queue_interval *away);

uint64_t queue_nr_late(const struct queue *q);

/* The next request, not earlier than the one before. @ret has a place for each mask. 0 or -EINVAL.
 */
int queue_add(struct queue *q, const struct queue_request *request, struct queue_span *ret);

void queue_free(struct queue *q);

#endif
