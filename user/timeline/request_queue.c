/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/timeline/request_queue.h"

#define QUEUE_MIN 64

static int grow(struct request_queue *queue)
{
	size_t room = queue->room ? queue->room * 2 : QUEUE_MIN;
	struct queued_request *items = calloc(room, sizeof(items[0]));

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < queue->nr; i++)
		items[i] = queue->items[(queue->from + i) % queue->room];
	free(queue->items);
	*queue = (struct request_queue){items, 0, queue->nr, room};
	return 0;
}

int request_queue_put(struct request_queue *queue, const struct queued_request *item)
{
	if (queue->nr == queue->room && grow(queue))
		return -ENOMEM;
	queue->items[(queue->from + queue->nr++) % queue->room] = *item;
	return 0;
}

struct queued_request request_queue_take(struct request_queue *queue)
{
	struct queued_request item = queue->items[queue->from];

	queue->from = (queue->from + 1) % queue->room;
	queue->nr--;
	return item;
}

void request_queue_free(struct request_queue *queue)
{
	free(queue->items);
	*queue = (struct request_queue){0};
}
