/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

static int compare_offsets(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a < *b) - (*a > *b);
}

/*
 * Enter @offset_ns and take the largest believed: all are early, but for the few that took another
 * lock's call for the queue's, which are late by anything. One in eight may be such; while there
 * are few, half of them.
 */
static uint64_t enter_offset(struct ledger *ledger, uint64_t offset_ns)
{
	uint64_t sorted_ns[LEDGER_PAUSES];
	size_t nr;

	ledger->offsets_ns[ledger->nr++ % LEDGER_PAUSES] = offset_ns;
	nr = ledger->nr < LEDGER_PAUSES ? ledger->nr : LEDGER_PAUSES;
	memcpy(sorted_ns, ledger->offsets_ns, nr * sizeof(sorted_ns[0]));
	qsort(sorted_ns, nr, sizeof(sorted_ns[0]), compare_offsets);
	return sorted_ns[nr < 8 ? nr / 2 : nr / 8];
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
	begin_ns = book_ns + enter_offset(ledger, early_ns - book_ns);
	sync_ns = begin_ns + (now->sync_ns - before->sync_ns);
	if (begin_ns > early_ns + MOST_EARLY_NS || sync_ns > wake_ns)
		return early_ns;
	return begin_ns;
}
