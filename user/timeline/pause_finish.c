/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be said of a pause once all that it stopped are back: its release, who was late, who was
 * stopped. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/timeline/pause_stop.h"

static void find_release(struct stop *stop, uint64_t lag_ns)
{
	struct pause *pause = &stop->pause;
	uint64_t first_ns = 0;
	const struct part *part;
	size_t cursor = 0;

	while ((part = map_next(&stop->parts, &cursor)))
		if (part->at_barrier && part->by_vm_thread &&
		    (!first_ns || part->woken_ns < first_ns))
			first_ns = part->woken_ns;
	if (first_ns) {
		pause->release_ns = first_ns;
		pause->release_source = RELEASE_WAKE;
	} else if (pause->op_end_ns && pause->op_end_ns + lag_ns < pause->end_ns) {
		pause->release_ns = pause->op_end_ns + lag_ns;
		pause->release_source = RELEASE_OPERATION;
	}
}

static void settle_tail(struct stop *stop)
{
	struct pause *pause = &stop->pause;
	uint64_t end_ns = pause->release_ns ? pause->release_ns : stop->closed_ns;

	for (size_t i = 0; i < stop->nr_tail; i++) {
		const struct tail *tail = &stop->tail[i];
		uint64_t to_ns = tail->to_ns < end_ns ? tail->to_ns : end_ns;

		if (to_ns > tail->from_ns)
			(tail->gc ? pause->gc_operation_ns
				  : pause->vm_operation_ns)[tail->reason] += to_ns - tail->from_ns;
	}
	stop->nr_tail = 0;
}

/* When @part ceased to hold up the safepoint; 0: it did not, or nobody can tell. */
static uint64_t late_arrival(const struct stop *stop, const struct part *part)
{
	uint64_t arrived_ns = part->safe_ns;

	if (!part->unsafe)
		return 0;
	if (part->role == ROLE_COMPILER && !part->at_barrier)
		return 0; /* it compiles in native state: safe all the time */
	/* It got as far as saying that it is safe, and was put off its CPU before it could wait: it
	 * found the barrier open when it was back. */
	if (!arrived_ns)
		arrived_ns = part->left_cpu_ns;
	/* The VM Thread sleeps until all are safe: the last of them became so after it had last
	 * found one that was not. */
	if (stop->pause.release_ns && arrived_ns > stop->pause.release_ns)
		return 0;
	if (arrived_ns < stop->looked_ns || arrived_ns > stop->pause.sync_ns + LATE_SLACK_NS)
		return 0;
	return arrived_ns;
}

/* A thread that waits at the barrier was held up for sure; one that blocked elsewhere may have been
 * safe before. */
static bool is_later(const struct part *part, uint64_t arrived_ns, const struct part *than,
		     uint64_t than_ns)
{
	if (!than || part->at_barrier != than->at_barrier)
		return !than || part->at_barrier;
	return arrived_ns > than_ns;
}

/* Where the thread's own record came out of order, the parts do not fit: then none of them is told.
 */
static void split_late(struct pause *pause, const struct part *late)
{
	uint64_t sum_ns = 0;

	for (int reason = 0; reason < NR_REASONS; reason++) {
		pause->late_ns[reason] =
			late->ns[reason] + (late->safe_ns ? late->since_ns[reason] : 0);
		sum_ns += pause->late_ns[reason];
	}
	if (sum_ns <= pause->late_arrived_ns - pause->begin_ns)
		return;
	memset(pause->late_ns, 0, sizeof(pause->late_ns));
	pause->incomplete = true;
}

static void find_late(struct stop *stop)
{
	struct pause *pause = &stop->pause;
	const struct part *part, *late = NULL;
	size_t cursor = 0;

	if (!stop->slept_ns || !pause->sync_ns)
		return; /* all were safe when the VM Thread first looked */
	while ((part = map_next(&stop->parts, &cursor))) {
		uint64_t arrived_ns = late_arrival(stop, part);

		if (!arrived_ns || !is_later(part, arrived_ns, late, pause->late_arrived_ns))
			continue;
		late = part;
		pause->late_tid = part->tid;
		pause->late_arrived_ns = arrived_ns;
	}
	if (late)
		split_late(pause, late);
}

static int compare_stopped(const void *left, const void *right)
{
	const struct pause_stopped *a = left, *b = right;

	if (a->back_ns != b->back_ns)
		return a->back_ns < b->back_ns ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static int list_stopped(struct stop *stop, struct pause_stopped **ret)
{
	struct pause *pause = &stop->pause;
	struct pause_stopped *stopped = calloc(stop->parts.nr + 1, sizeof(*stopped));
	const struct part *part;
	size_t cursor = 0;

	if (!stopped)
		return -ENOMEM;
	while ((part = map_next(&stop->parts, &cursor))) {
		if (!part->at_barrier && !part->requester)
			continue;
		stopped[pause->nr_stopped++] =
			(struct pause_stopped){part->tid, part->requester, part->arrived_ns,
					       part->woken_ns, part->back_ns};
		pause->lost_ns += pause_lost(pause, &stopped[pause->nr_stopped - 1]);
	}
	qsort(stopped, pause->nr_stopped, sizeof(*stopped), compare_stopped);
	pause->stopped = stopped;
	*ret = stopped;
	return 0;
}

uint64_t pause_lost(const struct pause *pause, const struct pause_stopped *stopped)
{
	uint64_t from_ns = stopped->arrived_ns;

	if (from_ns < pause->begin_ns)
		from_ns = pause->begin_ns;
	return stopped->back_ns > from_ns ? stopped->back_ns - from_ns : 0;
}

static void start_again(struct stop *stop, uint64_t release_ns)
{
	struct pause *pause = &stop->pause;

	memset(pause->vm_reaching_ns, 0, sizeof(pause->vm_reaching_ns));
	memset(pause->vm_operation_ns, 0, sizeof(pause->vm_operation_ns));
	memset(pause->gc_operation_ns, 0, sizeof(pause->gc_operation_ns));
	stop->nr_tail = 0;
	stop->tail_ns = release_ns;
	stop->closed_ns = release_ns;
	stop->again = true;
	if (pause->sync_ns <= release_ns)
		return;
	pause->sync_ns = 0;
	pause->sync_source = SYNC_UNKNOWN;
}

bool stop_release(struct stop *stop, uint64_t lag_ns)
{
	struct pause *pause = &stop->pause;
	bool beyond;

	find_release(stop, lag_ns);
	/* The record of its real end was lost: what ended it here is the begin of the next one. */
	beyond = pause->release_ns && stop->tail_ns && pause->release_ns < stop->tail_ns;
	if (!beyond && !stop->tail_is_full)
		return true;
	pause->incomplete |= beyond;
	start_again(stop, pause->release_ns ? pause->release_ns : stop->closed_ns);
	return false;
}

int stop_finish(struct stop *stop, struct pause_stopped **ret_stopped)
{
	settle_tail(stop);
	find_late(stop);
	return list_stopped(stop, ret_stopped);
}
