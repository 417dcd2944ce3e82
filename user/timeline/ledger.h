/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot keeps a book of its time without a gap: at work, reaching, at a safepoint, at work again
 * (safepoint.cpp, SafepointTracing: each begins where the other ended). The sum of the three
 * counters at a begin is that begin's time but for one offset, the same for the JVM's life. Early
 * but noisy estimates of the begins go in, the begins come out.
 */
#ifndef STANDSTILL_TIMELINE_LEDGER_H
#define STANDSTILL_TIMELINE_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/event.h"

#define LEDGER_PAUSES 64 /* whose estimates are remembered */

struct ledger { /* {0} is an empty one */
	uint64_t offsets_ns[LEDGER_PAUSES];
	size_t nr; /* ever entered */
};

/*
 * When the safepoint began that @wake_ns ends, where @now and @before are the counters read at its
 * end and at the end of the one before, and @early_ns is the estimate: nearly always a little
 * early. The offset is the largest that the remembered estimates give, outliers left out; so a late
 * estimate is mended, too. Returns @early_ns where counters are missing or do not fit.
 */
uint64_t ledger_begin(struct ledger *ledger, const struct event_jvm_counters *before,
		      const struct event_jvm_counters *now, uint64_t early_ns, uint64_t wake_ns);

#endif
