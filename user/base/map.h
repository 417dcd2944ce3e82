/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table from a number to a pointer: open addressing, linear probing, no tombstones. Knows
 * nothing of what it points to; frees none of it. {0} is an empty map.
 */
#ifndef STANDSTILL_BASE_MAP_H
#define STANDSTILL_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	void *value; /* NULL: free */
};

struct map {
	struct map_slot *slots;
	size_t nr_slots; /* 0 or a power of two */
	size_t nr;	 /* in use */
};

void *map_get(const struct map *map, uint64_t key);

/* Set @key to @value, which is not NULL. Returns 0 or -ENOMEM. */
int map_put(struct map *map, uint64_t key, void *value);

/* Take @key out. Returns what it pointed to, or NULL. */
void *map_remove(struct map *map, uint64_t key);

/* Walk: *cursor starts at 0. Returns the next value, or NULL at the end. The map must not change
 * meanwhile. */
void *map_next(const struct map *map, size_t *cursor);

void map_free(struct map *map);

#endif
