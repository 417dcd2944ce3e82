/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where one direction of a connection had got to, and when: positions in the byte stream that never
 * fall, first in, first out. What happened to any byte is then found by its position, however
 * calls and segments cut the stream. Knows nothing of requests.
 */
#ifndef STANDSTILL_TIMELINE_CONNECTION_POINTS_H
#define STANDSTILL_TIMELINE_CONNECTION_POINTS_H

#include <stddef.h>
#include <stdint.h>

struct event_sock;

struct point {
	uint64_t pos;	   /* bytes of this direction so far */
	uint64_t other;	   /* bytes of the other direction then */
	uint64_t ts_ns;	   /* when */
	uint64_t start_ns; /* when the call began; ts_ns where that was not seen */
	uint32_t tid, bytes, unsent, window;
	uint32_t flags; /* enum sock_flag */
};

struct points { /* {0} is an empty one */
	struct point *items;
	size_t from, nr, room;
	uint64_t nr_fallen; /* points whose position was lower than the one before: left out */
};

/* 0 or -ENOMEM. */
int points_put(struct points *points, const struct point *point);

/* The first that has reached @pos: the one that dealt with the byte before it. NULL: none yet. */
const struct point *points_reaching(const struct points *points, uint64_t pos);

/* The last that had not reached @pos. NULL: none. */
const struct point *points_before(const struct points *points, uint64_t pos);

/* How many reached further than @from and not further than @to. */
size_t points_between(const struct points *points, uint64_t from, uint64_t to);

/* The @nr-th (from 0) that reached further than @from. NULL: there are fewer. */
const struct point *points_after(const struct points *points, uint64_t from, size_t nr);

/* Nothing up to @pos will be asked for again. */
void points_forget(struct points *points, uint64_t pos);

void points_free(struct points *points);

#endif
