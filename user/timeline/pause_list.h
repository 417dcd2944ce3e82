/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pauses not given out yet, by begin: their times side by side, for every span is held against
 * them. The inside of pauses.h; nobody else includes it.
 */
#ifndef STANDSTILL_TIMELINE_PAUSE_LIST_H
#define STANDSTILL_TIMELINE_PAUSE_LIST_H

#include <stddef.h>
#include <stdint.h>

struct stop;

struct listed {
	uint64_t begin_ns;
	uint64_t closed_ns; /* 0: still open */
	uint32_t tgid;
	struct stop *stop;
};

struct pause_list { /* {0} is an empty one */
	struct listed *items;
	size_t from, nr, room;
};

static inline struct listed *pause_list_at(const struct pause_list *list, size_t i)
{
	return &list->items[list->from + i];
}

/* Behind all that began earlier; with an unknown begin (0) behind all. 0 or -ENOMEM. */
int pause_list_insert(struct pause_list *list, const struct listed *item);

/* It is closed; most often it is one of the last. */
void pause_list_close(struct pause_list *list, const struct stop *stop, uint64_t closed_ns);

/* Take out the one at @i. */
void pause_list_remove(struct pause_list *list, size_t i);

void pause_list_free(struct pause_list *list);

#endif
