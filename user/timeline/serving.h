/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which thread can be serving a request, and how long: for each thread its most recent reads,
 * writes and waits for work. A thread serves from its read until it reads from another client or
 * goes idle; who answers has served since it was last woken for it, or since its previous answer.
 * Waiting at a safepoint's barrier and waiting for somebody downstream end nothing. What no mark
 * tells is not known. Bounded: SERVING_MARKS a thread.
 */
#ifndef STANDSTILL_TIMELINE_SERVING_H
#define STANDSTILL_TIMELINE_SERVING_H

#include <stdbool.h>
#include <stdint.h>

#include "user/base/map.h"
#include "user/timeline/threads.h"

#define SERVING_MARKS 64

struct serving { /* {0} is an empty one */
	struct map by_tid;
};

/* A read or write of @tid on an accepted connection (or not) just happened. 0 or -ENOMEM. */
int serving_read(struct serving *s, uint32_t tid, uint64_t ts_ns, uint32_t conn, bool accepted);
int serving_write(struct serving *s, uint32_t tid, uint64_t ts_ns, uint32_t conn, bool accepted);

int serving_span(struct serving *s, const struct span *span);
void serving_gone(struct serving *s, uint32_t tid);

/* Until when @tid can have served what it read from @conn at @read_ns, @until_ns at the latest. 0:
 * not known (yet). */
uint64_t serving_reader_until(const struct serving *s, uint32_t tid, uint64_t read_ns,
			      uint64_t until_ns, uint32_t conn);

/* Since when @tid can have served what it began to answer at @out_ns. 0: not known. */
uint64_t serving_answerer_since(const struct serving *s, uint32_t tid, uint64_t out_ns);

void serving_free(struct serving *s);

#endif
