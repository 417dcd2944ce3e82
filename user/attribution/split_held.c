/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/split_held.h"

static bool is_before(const struct held_request *a, const struct held_request *b)
{
	return a->order_ns != b->order_ns ? a->order_ns < b->order_ns : a->nr < b->nr;
}

static int make_room(struct held_requests *held)
{
	size_t room = held->room ? held->room * 2 : 64;
	struct held_request **heap;

	if (held->nr < held->room)
		return 0;
	heap = reallocarray(held->heap, room, sizeof(heap[0]));
	if (!heap)
		return -ENOMEM;
	held->heap = heap;
	held->room = room;
	return 0;
}

static void rise(struct held_requests *held, size_t at)
{
	struct held_request *item = held->heap[at];

	while (at && is_before(item, held->heap[(at - 1) / 2])) {
		held->heap[at] = held->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	held->heap[at] = item;
}

int held_put(struct held_requests *held, const struct request *request,
	     const struct schedule_request *schedule)
{
	struct held_request *item;

	if (make_room(held))
		return -ENOMEM;
	item = calloc(1, sizeof(*item));
	if (!item)
		return -ENOMEM;
	item->request = *request;
	item->order_ns = request->arrived_ns ? request->arrived_ns : request->begin_ns;
	item->nr = held->nr_ever++;
	item->has_schedule = schedule != NULL;
	if (schedule)
		item->schedule = *schedule;
	held->heap[held->nr++] = item;
	rise(held, held->nr - 1);
	return 0;
}

void held_drop_first(struct held_requests *held)
{
	struct held_request *item = held->heap[--held->nr];
	size_t at = 0, child;

	if (!held->nr) {
		free(item);
		return;
	}
	free(held->heap[0]);
	while ((child = 2 * at + 1) < held->nr) {
		if (child + 1 < held->nr && is_before(held->heap[child + 1], held->heap[child]))
			child++;
		if (!is_before(held->heap[child], item))
			break;
		held->heap[at] = held->heap[child];
		at = child;
	}
	held->heap[at] = item;
}

void held_free(struct held_requests *held)
{
	for (size_t i = 0; i < held->nr; i++)
		free(held->heap[i]);
	free(held->heap);
	*held = (struct held_requests){0};
}
