/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "user/timeline/pause_stop.h"

#define FUTEX_CMD	      127u
#define FUTEX_WAIT_PRIVATE    128u
#define FUTEX_WAIT_BITSET_CMD 9u

struct stop *stop_new(uint32_t tgid, uint32_t vm_tid)
{
	struct stop *stop = calloc(1, sizeof(*stop));

	if (!stop)
		return NULL;
	stop->pause.tgid = tgid;
	stop->vm_tid = vm_tid;
	return stop;
}

void stop_free(struct stop *stop)
{
	size_t cursor = 0;
	void *part;

	if (!stop)
		return;
	while ((part = map_next(&stop->parts, &cursor)))
		free(part);
	map_free(&stop->parts);
	free(stop);
}

/* FUTEX_WAIT|PRIVATE for an odd value, the safepoint's number. glibc's locks wait the same way, but
 * for 2; its conditions with another operation. JDK 13 and later. */
bool pauses_is_barrier_wait(const struct event_offcpu *off)
{
	return off->nr == SYS_futex && off->arg1 == FUTEX_WAIT_PRIVATE && off->arg2 & 1 &&
	       off->state;
}

bool stop_is_condition_wait(const struct event_offcpu *off)
{
	return off->nr == SYS_futex && (off->arg1 & FUTEX_CMD) == FUTEX_WAIT_BITSET_CMD &&
	       off->state;
}

bool stop_is_sleep(const struct event_offcpu *off)
{
	return (off->nr == SYS_nanosleep || off->nr == SYS_clock_nanosleep) && off->state;
}

static struct part *part_of(struct stop *stop, uint32_t tid)
{
	struct part *part = map_get(&stop->parts, tid);

	if (part)
		return part;
	part = calloc(1, sizeof(*part));
	if (!part)
		return NULL;
	if (map_put(&stop->parts, tid, part)) {
		free(part);
		return NULL;
	}
	part->tid = tid;
	return part;
}

static void part_wait(struct stop *stop, struct part *part, const struct event_offcpu *off)
{
	uint64_t from_ns = off->hdr.ts_ns - off->off_ns;
	bool by_vm_thread = off->flags & OFFCPU_WOKEN && off->waker_tid == stop->vm_tid;

	if (!part->arrived_ns || from_ns < part->arrived_ns)
		part->arrived_ns = from_ns;
	if (!part->safe_ns && from_ns >= stop->pause.begin_ns)
		part->safe_ns = from_ns;
	if (off->hdr.ts_ns < part->back_ns)
		return;
	part->by_vm_thread = by_vm_thread;
	part->woken_ns = off->hdr.ts_ns - off->runq_ns;
	part->back_ns = off->hdr.ts_ns;
}

int stop_barrier(struct stop *stop, const struct event_offcpu *off)
{
	struct part *part = part_of(stop, off->hdr.tid);

	if (!part)
		return -ENOMEM;
	part->at_barrier = true;
	part_wait(stop, part, off);
	return 0;
}

int stop_requester(struct stop *stop, const struct event_offcpu *off)
{
	struct part *part = part_of(stop, off->hdr.tid);

	if (!part)
		return -ENOMEM;
	part->requester = true;
	part_wait(stop, part, off);
	return 0;
}

static uint64_t overlap(const struct past_span *span, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t from = span->from_ns > from_ns ? span->from_ns : from_ns;
	uint64_t to = span->to_ns < to_ns ? span->to_ns : to_ns;

	return to > from ? to - from : 0;
}

/* Where *reaching* ends and the operation begins, as well as that is known. */
static uint64_t phase_change(const struct stop *stop)
{
	const struct pause *pause = &stop->pause;

	uint64_t change_ns = pause->sync_ns ? pause->sync_ns : pause->op_begin_ns;

	return change_ns && change_ns < stop->closed_ns ? change_ns : stop->closed_ns;
}

static void add_tail(struct stop *stop, const struct past_span *span, uint64_t from_ns, bool gc)
{
	struct tail tail = {
		.from_ns = span->from_ns > from_ns ? span->from_ns : from_ns,
		.to_ns = span->to_ns < stop->closed_ns ? span->to_ns : stop->closed_ns,
		.reason = span->reason,
		.gc = gc,
	};

	if (tail.from_ns >= tail.to_ns)
		return;
	if (stop->nr_tail < TAIL_MAX)
		stop->tail[stop->nr_tail++] = tail;
	else
		stop->tail_is_full = true;
}

static void absorb_jvm(struct stop *stop, const struct past_span *span, bool gc)
{
	struct pause *pause = &stop->pause;
	uint64_t sync_ns = phase_change(stop);

	if (!pause->begin_ns)
		return; /* where its phases lie is not known */
	if (!stop->tail_ns) {
		stop->tail_ns = pause->op_end_ns;
		if (!stop->tail_ns || stop->tail_ns > stop->closed_ns)
			stop->tail_ns = stop->closed_ns - pause->begin_ns > TAIL_MAX_NS
						? stop->closed_ns - TAIL_MAX_NS
						: pause->begin_ns;
		if (stop->tail_ns < sync_ns)
			stop->tail_ns = sync_ns;
	}
	if (gc) {
		pause->gc_operation_ns[span->reason] += overlap(span, sync_ns, stop->tail_ns);
	} else {
		pause->vm_reaching_ns[span->reason] += overlap(span, pause->begin_ns, sync_ns);
		pause->vm_operation_ns[span->reason] += overlap(span, sync_ns, stop->tail_ns);
	}
	add_tail(stop, span, stop->tail_ns, gc);
}

/*
 * A thread that is blocked in a system call is safe: it is in native code, or the JVM knows that it
 * waits. One that waits for a page, for memory or for a kernel lock outside of any call was running
 * Java or the JVM's own code.
 */
static bool is_safe(const struct past_span *span)
{
	switch (span->reason) {
	case REASON_RUNNING:
	case REASON_RUN_QUEUE:
	case REASON_THROTTLED:
	case REASON_STOPPED:
	case REASON_TRACED:
	case REASON_FROZEN:
	case REASON_UNKNOWN:
		return false;
	default:
		return span->in_syscall;
	}
}

static void add_unsafe(struct part *part, const struct past_span *span, uint64_t ns)
{
	if (span->reason != REASON_RUNNING) {
		part->since_ns[span->reason] += ns;
		return;
	}
	for (int reason = 0; reason < NR_REASONS; reason++)
		part->ns[reason] += part->since_ns[reason];
	memset(part->since_ns, 0, sizeof(part->since_ns));
	part->ns[REASON_RUNNING] += ns;
	part->left_cpu_ns = span->to_ns;
}

static int absorb_candidate(struct stop *stop, const struct past_span *span)
{
	uint64_t begin_ns = stop->pause.begin_ns, until_ns = phase_change(stop) + LATE_SLACK_NS;
	bool covers_begin = span->from_ns <= begin_ns && span->to_ns > begin_ns;
	struct part *part = map_get(&stop->parts, span->tid);

	if (span->from_ns >= until_ns)
		return 0;
	if (!part && (!covers_begin || is_safe(span)))
		return 0;
	if (!part)
		part = part_of(stop, span->tid);
	if (!part)
		return -ENOMEM;
	part->role = span->role;
	if (covers_begin)
		part->unsafe = !is_safe(span);
	if (!part->unsafe || (part->safe_ns && span->from_ns >= part->safe_ns))
		return 0;
	if (is_safe(span)) {
		part->safe_ns = span->from_ns;
		return 0;
	}
	add_unsafe(part, span, overlap(span, begin_ns, part->safe_ns ? part->safe_ns : UINT64_MAX));
	return 0;
}

/*
 * Whether what is unknown of a thread leaves the pause in doubt: who was stopped, who was late,
 * when all were safe. Of the operation itself it does not: there it is a part of the sums like any
 * other.
 */
static bool leaves_doubt(const struct stop *stop, const struct past_span *span)
{
	uint64_t begin_ns = stop->pause.begin_ns;

	if (span->reason != REASON_UNKNOWN || span->open || span->role == ROLE_GC)
		return false;
	if (span->tid == stop->vm_tid)
		return overlap(span, begin_ns, phase_change(stop)) > 0;
	return overlap(span, begin_ns, stop->closed_ns) > 0;
}

void stop_doubt(struct stop *stop, const struct past_span *span)
{
	if (leaves_doubt(stop, span))
		stop->pause.incomplete = true;
}

int stop_absorb(struct stop *stop, const struct past_span *span)
{
	stop_doubt(stop, span);
	if (span->tid == stop->vm_tid)
		absorb_jvm(stop, span, false);
	else if (span->role == ROLE_GC)
		absorb_jvm(stop, span, true);
	else if (!stop->again)
		return absorb_candidate(stop, span);
	return 0;
}
