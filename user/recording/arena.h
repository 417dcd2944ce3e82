/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for many small things that live until the next reset, and never move. Chunks are kept for
 * the next round. */
#ifndef STANDSTILL_RECORDING_ARENA_H
#define STANDSTILL_RECORDING_ARENA_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_CHUNK_BYTES 65536

struct arena_chunk {
	struct arena_chunk *next;
	size_t used;
	_Alignas(16) char data[ARENA_CHUNK_BYTES];
};

struct arena {
	struct arena_chunk *first, *now;
};

/* @bytes zeroed bytes, at most a chunk; NULL when out of memory. */
static inline void *arena_take(struct arena *a, size_t bytes)
{
	struct arena_chunk *chunk = a->now;
	void *taken;

	bytes = (bytes + 15) & ~(size_t)15;
	if (!chunk || ARENA_CHUNK_BYTES - chunk->used < bytes) {
		struct arena_chunk *next = chunk ? chunk->next : a->first;

		if (!next) {
			next = malloc(sizeof(*next));
			if (!next)
				return NULL;
			next->next = NULL;
			*(chunk ? &chunk->next : &a->first) = next;
		}
		next->used = 0;
		a->now = chunk = next;
	}
	taken = chunk->data + chunk->used;
	chunk->used += bytes;
	return memset(taken, 0, bytes);
}

static inline void arena_reset(struct arena *a)
{
	a->now = NULL;
}

static inline void arena_free(struct arena *a)
{
	for (struct arena_chunk *chunk = a->first, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*a = (struct arena){0};
}

#endif
