/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>

#include "user/timeline/ledger.h"

#define FLAGS                                                                                      \
	(JVM_COUNTER_SAFEPOINTS | JVM_COUNTER_SYNC | JVM_COUNTER_SAFEPOINT_TIME |                  \
	 JVM_COUNTER_APPLICATION)
#define MOST_EARLY_NS 1000000ull /* estimates are microseconds early, a preempted one more */

static bool follow_each_other(const struct event_jvm_counters *before,
			      const struct event_jvm_counters *now)
{
	return (before->valid & now->valid & FLAGS) == FLAGS &&
	       now->safepoints == before->safepoints + 1 && now->sync_ns >= before->sync_ns;
}

/* At the end of a safepoint its own time at work and reaching have been entered, its time stopped
 * not yet. */
static uint64_t book_at_begin(const struct event_jvm_counters *before,
			      const struct event_jvm_counters *now)
{
	return now->application_ns + before->sync_ns + now->safepoint_time_ns;
}

/* Unsigned differences of CLOCK_MONOTONIC and a sum that began later: never negative. */
static uint64_t largest_offset(struct ledger *ledger, uint64_t offset_ns)
{
	uint64_t largest = 0;

	ledger->offsets_ns[ledger->nr++ % LEDGER_PAUSES] = offset_ns;
	for (size_t i = 0; i < LEDGER_PAUSES && i < ledger->nr; i++)
		if (ledger->offsets_ns[i] > largest)
			largest = ledger->offsets_ns[i];
	return largest;
}

uint64_t ledger_begin(struct ledger *ledger, const struct event_jvm_counters *before,
		      const struct event_jvm_counters *now, uint64_t early_ns, uint64_t wake_ns)
{
	uint64_t book_ns, begin_ns, sync_ns;

	if (!follow_each_other(before, now))
		return early_ns;
	book_ns = book_at_begin(before, now);
	if (book_ns > early_ns)
		return early_ns;
	begin_ns = book_ns + largest_offset(ledger, early_ns - book_ns);
	sync_ns = begin_ns + (now->sync_ns - before->sync_ns);
	return begin_ns - early_ns > MOST_EARLY_NS || sync_ns > wake_ns ? early_ns : begin_ns;
}
