/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/base/map.h"

#define MAP_SLOTS_MIN 64

/* The finaliser of MurmurHash3: thread numbers come in rows, and a plain multiplication clusters
 * them. */
static size_t map_home(const struct map *map, uint64_t key)
{
	key ^= key >> 33;
	key *= 0xff51afd7ed558ccdull;
	key ^= key >> 33;
	key *= 0xc4ceb9fe1a85ec53ull;
	key ^= key >> 33;
	return key & (map->nr_slots - 1);
}

/* The slot that holds @key, or the free one where it belongs. */
static struct map_slot *map_find(const struct map *map, uint64_t key)
{
	size_t at = map_home(map, key);

	while (map->slots[at].value && map->slots[at].key != key)
		at = (at + 1) & (map->nr_slots - 1);
	return &map->slots[at];
}

static int map_grow(struct map *map)
{
	size_t nr_slots = map->nr_slots ? map->nr_slots * 2 : MAP_SLOTS_MIN;
	struct map bigger = {calloc(nr_slots, sizeof(struct map_slot)), nr_slots, map->nr};

	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->nr_slots; i++)
		if (map->slots[i].value)
			*map_find(&bigger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = bigger;
	return 0;
}

void *map_get(const struct map *map, uint64_t key)
{
	return map->nr ? map_find(map, key)->value : NULL;
}

int map_put(struct map *map, uint64_t key, void *value)
{
	struct map_slot *slot;

	if (map->nr * 4 >= map->nr_slots * 3 && map_grow(map))
		return -ENOMEM;
	slot = map_find(map, key);
	map->nr += !slot->value;
	*slot = (struct map_slot){key, value};
	return 0;
}

/* Close the hole at @hole, so that no later look-up stops there too early. */
static void map_close_hole(struct map *map, size_t hole)
{
	size_t mask = map->nr_slots - 1;

	for (size_t at = (hole + 1) & mask; map->slots[at].value; at = (at + 1) & mask) {
		size_t home = map_home(map, map->slots[at].key);

		if (((at - home) & mask) < ((at - hole) & mask))
			continue; /* its home lies behind the hole */
		map->slots[hole] = map->slots[at];
		hole = at;
	}
	map->slots[hole].value = NULL;
}

void *map_remove(struct map *map, uint64_t key)
{
	struct map_slot *slot = map->nr ? map_find(map, key) : NULL;
	void *value = slot ? slot->value : NULL;

	if (!value)
		return NULL;
	map->nr--;
	map_close_hole(map, (size_t)(slot - map->slots));
	return value;
}

void *map_next(const struct map *map, size_t *cursor)
{
	while (*cursor < map->nr_slots) {
		void *value = map->slots[(*cursor)++].value;

		if (value)
			return value;
	}
	return NULL;
}

void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){0};
}
