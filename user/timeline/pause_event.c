/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/recording/record.h"
#include "user/timeline/pause_jvm.h"

#define JVMS_MAX 1024 /* a recording has 8 targets at most; a damaged one may claim any number */

/* NULL with *ret_err 0: there are too many of them to be true. */
static struct pause_jvm *make_jvm(struct pauses *p, uint32_t tgid, int *ret_err)
{
	struct pause_jvm *jvm = pauses_jvm(p, tgid);

	*ret_err = 0;
	if (jvm || p->jvms.nr >= JVMS_MAX)
		return jvm;
	*ret_err = -ENOMEM;
	jvm = calloc(1, sizeof(*jvm));
	if (!jvm)
		return NULL;
	if (map_put(&p->jvms, tgid, jvm)) {
		free(jvm);
		return NULL;
	}
	jvm->tgid = tgid;
	*ret_err = 0;
	return jvm;
}

static int on_barrier_wait(struct pauses *p, struct pause_jvm *jvm, const struct event_offcpu *off)
{
	struct stop *stop = pauses_find(p, off);
	uint64_t woken_ns = off->hdr.ts_ns - off->runq_ns;

	if (stop)
		return stop_barrier(stop, off);
	if (off->waker_tid == jvm->vm_tid && woken_ns <= jvm->given_ns) {
		p->totals.nr_late_returns++;
		return 0;
	}
	return jvm->source == PAUSE_SOURCE_FUTEX ? futex_barrier_wait(p, jvm, off) : 0;
}

static int on_condition_wait(struct pauses *p, const struct event_offcpu *off)
{
	struct stop *stop = pauses_find_requested(p, off);

	return stop ? stop_requester(stop, off) : 0;
}

static int on_vm_sleep(struct pauses *p, struct pause_jvm *jvm, const struct event_offcpu *off)
{
	struct stop *open = jvm->open;

	if (jvm->source == PAUSE_SOURCE_FUTEX)
		return futex_sleep(p, jvm, off);
	if (!open || open->pause.op_begin_ns || off->hdr.ts_ns - off->off_ns < open->pause.begin_ns)
		return 0;
	open->looked_ns = open->slept_ns;
	open->slept_ns = off->hdr.ts_ns;
	return 0;
}

static int on_offcpu(struct pauses *p, const struct event_offcpu *off)
{
	struct pause_jvm *jvm = pauses_jvm(p, off->tgid);

	if (!jvm || off->off_ns > off->hdr.ts_ns || off->runq_ns > off->off_ns)
		return 0;
	if (off->hdr.tid == jvm->vm_tid)
		return stop_is_sleep(off) ? on_vm_sleep(p, jvm, off) : 0;
	if (pauses_is_barrier_wait(off))
		return on_barrier_wait(p, jvm, off);
	return stop_is_condition_wait(off) ? on_condition_wait(p, off) : 0;
}

static int on_jvm(struct pauses *p, const struct event_jvm *event)
{
	int err;
	struct pause_jvm *jvm = make_jvm(p, event->tgid, &err);

	return jvm ? usdt_event(p, jvm, event) : err;
}

static int on_futex(struct pauses *p, const struct event_vm_futex *event)
{
	int err;
	struct pause_jvm *jvm = make_jvm(p, event->tgid, &err);

	if (!jvm || jvm->source == PAUSE_SOURCE_USDT)
		return err;
	jvm->source = PAUSE_SOURCE_FUTEX;
	jvm->vm_tid = event->hdr.tid;
	return futex_event(p, jvm, event);
}

static int on_counters(struct pauses *p, const struct event_jvm_counters *event)
{
	int err;
	struct pause_jvm *jvm = make_jvm(p, event->tgid, &err);

	if (!jvm)
		return err;
	if (jvm->source == PAUSE_SOURCE_FUTEX)
		return futex_counters(p, jvm, event);
	jvm->counters = *event;
	jvm->fresh_counters = true;
	return 0;
}

/* What the recorder read: before the first pause, what that one is held against; at the end,
 * whether one is still open. */
static int on_recorder_counters(struct pauses *p, const struct record_counters *record)
{
	struct event_jvm_counters counters = {
		.hdr = record->hdr,
		.tgid = record->tgid,
		.valid = record->valid &
			 (JVM_COUNTER_SAFEPOINTS | JVM_COUNTER_SYNC | JVM_COUNTER_GC),
		.safepoints = record->safepoints,
		.sync_ns = record->sync_ns,
		.gc_invocations = record->gc_invocations,
	};
	int err;
	struct pause_jvm *jvm = make_jvm(p, record->tgid, &err);

	if (!jvm)
		return err;
	if (counters.valid & JVM_COUNTER_SAFEPOINTS)
		jvm->last_counted = counters.safepoints;
	if (jvm->has_first)
		return 0;
	jvm->has_first = true;
	jvm->first = counters;
	if (!jvm->open && !jvm->counted && counters.valid & JVM_COUNTER_SAFEPOINTS)
		jvm->counted = counters.safepoints;
	return 0;
}

static void on_lost(struct pauses *p, const struct record_lost *lost)
{
	if (lost->lost_kind == EVENT_TASK_RENAME || lost->lost_kind == EVENT_THREAD)
		return;
	if (lost->cause == LOST_UNSEEN)
		return; /* single intervals: each leaves its gap in its thread's spans, and that
			   tells */
	p->losses[p->nr_losses++ % LOSSES_KEPT] = (struct loss){lost->from_ns, lost->hdr.ts_ns};
	for (size_t i = 0; i < p->list.nr; i++) {
		const struct listed *listed = pause_list_at(&p->list, i);

		if (listed->begin_ns < lost->hdr.ts_ns &&
		    (!listed->closed_ns || listed->closed_ns > lost->from_ns))
			listed->stop->pause.incomplete = true;
	}
}

/* The process ended or became another program: whatever its tgid does from now on is another JVM's.
 */
static int on_process_end(struct pauses *p, const struct event_task *task)
{
	struct pause_jvm *jvm = pauses_jvm(p, task->tgid);
	int err;

	if (!jvm || (task->hdr.kind == EVENT_TASK_EXIT && !task->group_dead))
		return 0;
	err = pauses_end_jvm(p, jvm, task->hdr.ts_ns);
	map_remove(&p->jvms, jvm->tgid);
	futex_free(jvm->futex);
	free(jvm);
	p->last_jvm = NULL;
	return err;
}

int pauses_dispatch(struct pauses *p, const struct event_hdr *event)
{
	switch (event->kind) {
	case EVENT_OFFCPU:
		return on_offcpu(p, (const void *)event);
	case EVENT_SAFEPOINT_BEGIN:
	case EVENT_SAFEPOINT_END:
	case EVENT_VMOP_REQUEST:
	case EVENT_VMOP_BEGIN:
	case EVENT_VMOP_END:
	case EVENT_GC_BEGIN:
		return on_jvm(p, (const void *)event);
	case EVENT_VM_FUTEX:
		return on_futex(p, (const void *)event);
	case EVENT_JVM_COUNTERS:
		return on_counters(p, (const void *)event);
	case EVENT_TASK_EXIT:
	case EVENT_TASK_EXEC:
		return on_process_end(p, (const void *)event);
	case RECORD_COUNTERS:
		return on_recorder_counters(p, (const void *)event);
	case RECORD_LOST:
		on_lost(p, (const void *)event);
		return 0;
	default:
		return 0;
	}
}
