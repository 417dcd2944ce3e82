/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a hash to indices: the caller keeps the things, the map only finds candidates, which the
 *caller compares. Open addressing; nothing is ever removed.
 *
 *	for (at = map_begin(hash); (i = map_candidate(m, hash, &at)) != MAP_NONE;)
 *		if (things[i] is the one)
 *			return i;
 */
#ifndef STANDSTILL_RECORDING_MAP_H
#define STANDSTILL_RECORDING_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAP_NONE 0xffffffffu

struct map {
	uint64_t *slots; /* high half: of the hash; low half: index + 1, 0 when free */
	size_t size, nr; /* size: a power of two, more than twice nr */
};

static inline uint64_t map_hash(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9fb21c651e98df25ull; /* odd, from Evensen's rrmxmx */
	return hash ^ hash >> 29;
}

/* Where to look first: by the half of the hash that is kept, so that the map can grow by itself. */
static inline uint64_t map_begin(uint64_t hash)
{
	return hash >> 32;
}

static inline uint32_t map_candidate(const struct map *m, uint64_t hash, uint64_t *at)
{
	while (m->size) {
		uint64_t slot = m->slots[(*at)++ & (m->size - 1)];

		if (!(uint32_t)slot)
			return MAP_NONE;
		if (slot >> 32 == hash >> 32)
			return (uint32_t)slot - 1;
	}
	return MAP_NONE;
}

static inline void map_place(struct map *m, uint64_t slot)
{
	uint64_t at = map_begin(slot);

	while ((uint32_t)m->slots[at & (m->size - 1)])
		at++;
	m->slots[at & (m->size - 1)] = slot;
}

static inline bool map_grow(struct map *m)
{
	struct map bigger = {.size = m->size ? m->size * 2 : 256, .nr = m->nr};

	bigger.slots = calloc(bigger.size, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < m->size; i++)
		if ((uint32_t)m->slots[i])
			map_place(&bigger, m->slots[i]);
	free(m->slots);
	*m = bigger;
	return true;
}

/* False when out of memory. */
static inline bool map_add(struct map *m, uint64_t hash, uint32_t index)
{
	if (m->nr * 2 >= m->size && !map_grow(m))
		return false;
	map_place(m, (hash & ~0xffffffffull) | (index + 1));
	m->nr++;
	return true;
}

static inline void map_reset(struct map *m)
{
	if (m->nr)
		memset(m->slots, 0, m->size * sizeof(*m->slots));
	m->nr = 0;
}

static inline void map_free(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}

#endif
