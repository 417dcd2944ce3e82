/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that ended last. The record of a thread's end is written early on its way out: it may
 * still be preempted, or wait, before it is gone, and an interval of that is no new life.
 *
 * A table of fixed size: of two threads whose tids fall together, the later is remembered.
 */
#ifndef STANDSTILL_TIMELINE_ENDED_H
#define STANDSTILL_TIMELINE_ENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/event.h"

#define ENDED_SLOTS 4096

struct ended {
	struct ended_slot {
		uint32_t tid, tgid;
		uint32_t seq; /* of its last interval before its end */
		uint64_t at_ns;
	} slots[ENDED_SLOTS];
};

/* Thread @tid of @tgid ended at @at_ns, after interval number @seq. */
void ended_put(struct ended *ended, uint32_t tid, uint32_t tgid, uint32_t seq, uint64_t at_ns);

/* Whether @off is of a thread that was on its way out: the next numbers of the same thread, within
 * a second. A thread that got its tid begins to count again. */
bool ended_has(const struct ended *ended, const struct event_offcpu *off);

#endif
