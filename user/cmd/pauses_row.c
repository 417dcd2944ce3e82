/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/cmd/pauses.h"

static void copy_name(char to[EVENT_NAME_BYTES], const struct threads *threads, uint32_t tid)
{
	const char *name = tid ? threads_name(threads, tid) : NULL;

	if (name)
		snprintf(to, EVENT_NAME_BYTES, "%s", name);
}

/* A requester that is no application thread waits for its own doing: a collector's, or that of an
 * attached tool. */
static bool may_be_worst(const struct threads *threads, const struct pause_stopped *stopped)
{
	const struct thread *thread = threads_find(threads, stopped->tid);

	return !stopped->requester || !thread || thread->role == ROLE_APPLICATION;
}

static int copy_stopped(struct pause_row *row, const struct pause *pause,
			const struct threads *threads)
{
	row->stopped = calloc(pause->nr_stopped + 1, sizeof(row->stopped[0]));
	if (!row->stopped)
		return -1;
	for (size_t i = 0; i < pause->nr_stopped; i++) {
		struct stopped_row *stopped = &row->stopped[i];

		stopped->stopped = pause->stopped[i];
		stopped->lost_ns = pause_lost(pause, &pause->stopped[i]);
		copy_name(stopped->name, threads, stopped->stopped.tid);
		if (may_be_worst(threads, &stopped->stopped) &&
		    (!row->worst || stopped->lost_ns > row->worst->lost_ns))
			row->worst = stopped;
	}
	return 0;
}

static void find_phases(struct pause_row *row)
{
	const struct pause *pause = &row->pause;
	uint64_t back_ns =
		pause->nr_stopped ? row->stopped[pause->nr_stopped - 1].stopped.back_ns : 0;

	row->has_duration = pause->begin_ns && pause->release_ns >= pause->begin_ns;
	if (row->has_duration)
		row->duration_ns = pause->release_ns - pause->begin_ns;
	row->has_phases = row->has_duration && pause->sync_ns >= pause->begin_ns &&
			  pause->sync_ns <= pause->release_ns;
	if (row->has_phases) {
		row->reaching_ns = pause->sync_ns - pause->begin_ns;
		row->operation_ns = pause->release_ns - pause->sync_ns;
	}
	row->has_lost = pause->release_ns || !pause->cut;
	row->has_leaving = pause->release_ns != 0;
	if (row->has_leaving && back_ns > pause->release_ns)
		row->leaving_ns = back_ns - pause->release_ns;
}

static uint64_t in_operation(const struct pause *pause, enum reason reason)
{
	return pause->vm_operation_ns[reason] + pause->gc_operation_ns[reason];
}

static void find_sums(struct pause_row *row)
{
	const struct pause *pause = &row->pause;

	for (int reason = REASON_PARKED; reason < NR_REASONS; reason++)
		row->late_blocked_ns += pause->late_ns[reason];
	row->op_running_ns = in_operation(pause, REASON_RUNNING);
	row->op_run_queue_ns = in_operation(pause, REASON_RUN_QUEUE);
	row->op_throttled_ns = in_operation(pause, REASON_THROTTLED);
	row->op_stopped_ns = in_operation(pause, REASON_STOPPED) +
			     in_operation(pause, REASON_TRACED) +
			     in_operation(pause, REASON_FROZEN);
	row->op_fault_ns =
		in_operation(pause, REASON_PAGE_FAULT) + in_operation(pause, REASON_MEMORY);
}

struct pause_row *pause_row_new(const struct pause *pause, const struct threads *threads)
{
	struct pause_row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->pause = *pause;
	row->pause.stopped = NULL;
	if (copy_stopped(row, pause, threads)) {
		free(row);
		return NULL;
	}
	copy_name(row->late_name, threads, pause->late_tid);
	copy_name(row->requester_name, threads, pause->requester_tid);
	find_phases(row);
	find_sums(row);
	return row;
}

void pause_row_free(struct pause_row *row)
{
	if (!row)
		return;
	free(row->stopped);
	free(row);
}

uint64_t pause_row_key(const struct pause_row *row, enum pauses_sort sort)
{
	switch (sort) {
	case SORT_DURATION:
		return row->duration_ns;
	case SORT_REACHING:
		return row->reaching_ns;
	case SORT_LOST:
		return row->pause.lost_ns;
	case SORT_BEGIN:
		break;
	}
	return row->pause.begin_ns;
}
