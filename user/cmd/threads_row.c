/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "user/cmd/threads.h"

void thread_row_span(struct thread_row *row, const struct span *span, uint64_t from_ns,
		     uint64_t to_ns, uint64_t in_pause_ns)
{
	if (!row->wall_ns)
		row->first_ns = from_ns;
	row->last_ns = to_ns;
	row->wall_ns += to_ns - from_ns;
	row->in_ns[span->reason] += to_ns - from_ns;
	row->in_pauses_ns += in_pause_ns;
	if (!span->off || span->open || span->to_ns != span->off->hdr.ts_ns)
		return;
	row->nr_intervals++;
	row->nr_wakes += (span->off->flags & OFFCPU_WOKEN) != 0;
}

void thread_row_finish(struct thread_row *row, const struct thread *thread, bool whole)
{
	uint64_t sum_ns = 0;

	for (int reason = 0; reason < NR_REASONS; reason++)
		sum_ns += row->in_ns[reason];
	assert(sum_ns == row->last_ns - row->first_ns);
	row->tgid = thread->tgid;
	row->tid = thread->tid;
	row->role = thread->role;
	memcpy(row->name, thread->name, sizeof(row->name));
	row->nr_threads = 1;
	if (!whole)
		return; /* the rest is known of the whole recording only */
	row->nr_intervals = thread->nr_intervals;
	row->nr_lost = thread->nr_lost;
	row->nr_wakes = thread->nr_wakes;
	row->has_exec = thread->exec_last_at_ns > thread->exec_first_at_ns;
	if (!row->has_exec)
		return;
	row->exec_ns = thread->exec_last_ns - thread->exec_first_ns;
	row->exec_running_ns = thread->running_last_ns - thread->running_first_ns;
}

void thread_row_merge(struct thread_row *into, const struct thread_row *from)
{
	if (!into->nr_threads) {
		into->only_tid = from->tid;
		memcpy(into->only_name, from->name, sizeof(into->only_name));
	}
	if (!into->nr_threads || from->first_ns < into->first_ns)
		into->first_ns = from->first_ns;
	if (from->last_ns > into->last_ns)
		into->last_ns = from->last_ns;
	into->nr_threads += from->nr_threads;
	into->wall_ns += from->wall_ns;
	for (int reason = 0; reason < NR_REASONS; reason++)
		into->in_ns[reason] += from->in_ns[reason];
	into->in_pauses_ns += from->in_pauses_ns;
	into->nr_intervals += from->nr_intervals;
	into->nr_lost += from->nr_lost;
	into->nr_wakes += from->nr_wakes;
	into->has_exec |= from->has_exec;
	into->exec_ns += from->exec_ns;
	into->exec_running_ns += from->exec_running_ns;
}

uint64_t thread_row_busy(const struct thread_row *row)
{
	return row->in_ns[REASON_RUNNING] + row->in_ns[REASON_RUN_QUEUE] +
	       row->in_ns[REASON_THROTTLED];
}

void thread_row_pattern(char pattern[EVENT_NAME_BYTES], const char *name)
{
	size_t nr = 0;

	for (; *name; name++) {
		bool digit = isdigit((unsigned char)*name);

		if (!digit || !nr || pattern[nr - 1] != '#')
			pattern[nr++] = digit ? '#' : *name;
	}
	memset(pattern + nr, 0, EVENT_NAME_BYTES - nr);
}
