/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/timeline/ended.h"
#include "user/base/units.h"

#define WAY_OUT_NS	  NS_PER_S
#define WAY_OUT_INTERVALS 64

void ended_put(struct ended *ended, uint32_t tid, uint32_t tgid, uint32_t seq, uint64_t at_ns)
{
	ended->slots[tid % ENDED_SLOTS] = (struct ended_slot){tid, tgid, seq, at_ns};
}

bool ended_has(const struct ended *ended, const struct event_offcpu *off)
{
	const struct ended_slot *slot = &ended->slots[off->hdr.tid % ENDED_SLOTS];
	uint64_t from_ns = off->hdr.ts_ns - off->off_ns;

	return slot->tid == off->hdr.tid && slot->tgid == off->tgid && from_ns >= slot->at_ns &&
	       from_ns - slot->at_ns <= WAY_OUT_NS && off->seq > slot->seq &&
	       off->seq - slot->seq <= WAY_OUT_INTERVALS;
}
