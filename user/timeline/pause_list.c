/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/timeline/pause_list.h"

/* One more at the end: in the room that others left at the front, or in more room. */
static int make_room(struct pause_list *list)
{
	size_t room = list->room ? list->room * 2 : 64;
	struct listed *items;

	if (list->from + list->nr < list->room)
		return 0;
	if (list->from > list->room / 2) {
		memmove(list->items, list->items + list->from, list->nr * sizeof(list->items[0]));
		list->from = 0;
		return 0;
	}
	items = reallocarray(list->items, room, sizeof(items[0]));
	if (!items)
		return -ENOMEM;
	list->items = items;
	list->room = room;
	return 0;
}

int pause_list_insert(struct pause_list *list, const struct listed *item)
{
	size_t at;

	if (make_room(list))
		return -ENOMEM;
	at = list->nr++;
	while (item->begin_ns && at && pause_list_at(list, at - 1)->begin_ns > item->begin_ns) {
		*pause_list_at(list, at) = *pause_list_at(list, at - 1);
		at--;
	}
	*pause_list_at(list, at) = *item;
	return 0;
}

void pause_list_close(struct pause_list *list, const struct stop *stop, uint64_t closed_ns)
{
	for (size_t i = list->nr; i-- > 0;) {
		if (pause_list_at(list, i)->stop != stop)
			continue;
		pause_list_at(list, i)->closed_ns = closed_ns;
		return;
	}
}

void pause_list_remove(struct pause_list *list, size_t i)
{
	list->nr--;
	if (i == 0)
		list->from++;
	else
		memmove(pause_list_at(list, i), pause_list_at(list, i + 1),
			(list->nr - i) * sizeof(list->items[0]));
}

void pause_list_free(struct pause_list *list)
{
	free(list->items);
	*list = (struct pause_list){0};
}
