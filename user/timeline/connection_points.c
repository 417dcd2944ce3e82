/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/timeline/connection_points.h"

#define POINTS_MIN 8

static const struct point *at(const struct points *points, size_t i)
{
	return &points->items[points->from + i];
}

static int make_room(struct points *points)
{
	size_t room = points->room ? points->room * 2 : POINTS_MIN;
	struct point *items;

	if (points->from + points->nr < points->room)
		return 0;
	if (points->from > points->room / 2) {
		memmove(points->items, points->items + points->from,
			points->nr * sizeof(points->items[0]));
		points->from = 0;
		return 0;
	}
	items = reallocarray(points->items, room, sizeof(items[0]));
	if (!items)
		return -ENOMEM;
	points->items = items;
	points->room = room;
	return 0;
}

int points_put(struct points *points, const struct point *point)
{
	if (points->nr && point->pos < at(points, points->nr - 1)->pos) {
		points->nr_fallen++;
		return 0;
	}
	if (make_room(points))
		return -ENOMEM;
	points->items[points->from + points->nr++] = *point;
	return 0;
}

/* The index of the first that has reached @pos. */
static size_t index_reaching(const struct points *points, uint64_t pos)
{
	size_t low = 0, high = points->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (at(points, middle)->pos >= pos)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct point *points_reaching(const struct points *points, uint64_t pos)
{
	size_t i = index_reaching(points, pos);

	return i < points->nr ? at(points, i) : NULL;
}

const struct point *points_before(const struct points *points, uint64_t pos)
{
	size_t i = index_reaching(points, pos);

	return i ? at(points, i - 1) : NULL;
}

size_t points_between(const struct points *points, uint64_t from, uint64_t to)
{
	return index_reaching(points, to + 1) - index_reaching(points, from + 1);
}

const struct point *points_after(const struct points *points, uint64_t from, size_t nr)
{
	size_t i = index_reaching(points, from + 1) + nr;

	return i < points->nr ? at(points, i) : NULL;
}

void points_forget(struct points *points, uint64_t pos)
{
	size_t nr = index_reaching(points, pos + 1);

	points->from += nr;
	points->nr -= nr;
	if (!points->nr)
		points->from = 0;
}

void points_free(struct points *points)
{
	free(points->items);
	*points = (struct points){0};
}
