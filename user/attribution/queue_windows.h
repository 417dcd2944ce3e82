/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows in which all servers of a queue are away, and work that stands still in them. Not for
 * others: the replay includes this. Times asked about must not decrease, for each struct
 * windows_at.
 */
#ifndef STANDSTILL_ATTRIBUTION_QUEUE_WINDOWS_H
#define STANDSTILL_ATTRIBUTION_QUEUE_WINDOWS_H

#include "user/attribution/queue.h"

struct windows {
	struct queue_interval *at; /* sorted, disjoint */
	size_t first, nr, room;	   /* those before first are over */
	uint64_t nr_gone;	   /* taken out of the array */
};

/* A reader's place: the first window that is not over for it, counted from the first there ever
 * was. */
struct windows_at {
	uint64_t next;
};

int windows_add(struct windows *w, const struct queue_interval *window); /* 0, -EINVAL, -ENOMEM */
void windows_forget(struct windows *w, uint64_t before_ns); /* those that end by then */
void windows_free(struct windows *w);

/* Nothing before @ns matters to @at any more. */
void windows_seek(const struct windows *w, struct windows_at *at, uint64_t ns);

/* @ns, or the end of the window it lies in. Windows of causes in @without are none. */
uint64_t windows_present(const struct windows *w, const struct windows_at *at, uint32_t without,
			 uint64_t ns);

/* Whether a window of a cause in @mask begins before @to_ns. */
bool windows_any(const struct windows *w, const struct windows_at *at, uint32_t mask,
		 uint64_t to_ns);

/* When @segments, begun at @ns, are done; those of causes in @without take no time. */
uint64_t windows_finish(const struct windows *w, const struct windows_at *at, uint32_t without,
			uint64_t ns, const struct queue_segment *segments, size_t nr);

#endif
