/* SPDX-License-Identifier: BSD-2-Clause */
/* Finished requests in the order in which they ended, until they can be given out. The inside of
 * requests.h; nobody else includes it. */
#ifndef STANDSTILL_TIMELINE_REQUEST_QUEUE_H
#define STANDSTILL_TIMELINE_REQUEST_QUEUE_H

#include "user/timeline/request.h"

struct queued_request {
	struct connection *c; /* referred to */
	uint64_t closed_ns;   /* when it was found to be finished */
	struct request request;
};

struct request_queue { /* a ring; {0} is an empty one */
	struct queued_request *items;
	size_t from, nr, room;
};

/* 0 or -ENOMEM. */
int request_queue_put(struct request_queue *queue, const struct queued_request *item);

static inline const struct queued_request *request_queue_first(const struct request_queue *queue)
{
	return &queue->items[queue->from];
}

/* The first, of which there is one. */
struct queued_request request_queue_take(struct request_queue *queue);

void request_queue_free(struct request_queue *queue);

#endif
