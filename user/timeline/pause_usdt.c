/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pauses from the JVM's own probes (JDK 13 to 27): [counters] safepoint__begin, vmops__begin,
 * [gc__begin, gc__end], vmops__end, [counters] safepoint__end. The threads are let go just before
 * safepoint__end. Operations outside of a safepoint, or with a mode other than 0, are handshakes
 * and concurrent operations: no pauses.
 */
#include <errno.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/timeline/pause_jvm.h"

#define MODE_SAFEPOINT 0u

/*
 * The JVM's figure counts from its own reading of the clock, a microsecond before the probe we
 * begin at; so it may end that much after the operation began. More than this means that it is of
 * another safepoint.
 */
#define SYNC_TOLERANCE_NS 20000ull

static bool counters_have(const struct event_jvm_counters *a, const struct event_jvm_counters *b,
			  uint32_t flags)
{
	return (a->valid & b->valid & flags) == flags;
}

static bool sync_by_counter(const struct pause_jvm *jvm, struct pause *pause, uint64_t limit_ns)
{
	const struct event_jvm_counters *before = &jvm->begin_counters, *after = &jvm->counters;
	uint64_t sync_ns;

	if (!jvm->has_begin_counters || !jvm->fresh_counters ||
	    !counters_have(before, after, JVM_COUNTER_SYNC | JVM_COUNTER_SAFEPOINTS))
		return false;
	if (after->safepoints != before->safepoints + 1 || after->sync_ns < before->sync_ns)
		return false; /* something was missed in between */
	sync_ns = pause->begin_ns + (after->sync_ns - before->sync_ns);
	if (sync_ns > limit_ns + SYNC_TOLERANCE_NS)
		return false;
	pause->sync_ns = sync_ns < limit_ns ? sync_ns : limit_ns;
	pause->sync_source = SYNC_JVM_COUNTER;
	return true;
}

static void find_sync(const struct pause_jvm *jvm, struct stop *stop, uint64_t end_ns)
{
	struct pause *pause = &stop->pause;

	/* Still reaching when the recording ended: how long that took, nobody knows. */
	if (!pause->begin_ns || (!pause->end_ns && !pause->op_begin_ns))
		return;
	if (sync_by_counter(jvm, pause, pause->op_begin_ns ? pause->op_begin_ns : end_ns))
		return;
	if (stop->slept_ns) {
		pause->sync_ns = stop->slept_ns;
		pause->sync_source = SYNC_LAST_SLEEP;
	} else {
		pause->sync_ns = pause->op_begin_ns ? pause->op_begin_ns : pause->begin_ns;
		pause->sync_source = SYNC_FIRST_LOOK;
	}
}

/* How many pauses the JVM counted that were not seen, up to @counters, of which @own are known now.
 */
static uint64_t count_missed(struct pause_jvm *jvm, const struct event_jvm_counters *counters,
			     uint64_t own)
{
	uint64_t before = jvm->counted, missed = 0;

	if (!(counters->valid & JVM_COUNTER_SAFEPOINTS))
		return 0;
	if (before && counters->safepoints > before + own)
		missed = counters->safepoints - before - own;
	jvm->counted = counters->safepoints;
	return missed;
}

/* The pauses of G1's concurrent cycle set no cause: the last one is still that of the collection
 * before. */
static bool has_no_cause(const char *operation)
{
	static const char *const operations[] = {"G1PauseRemark", "G1PauseCleanup",
						 "CGC_Operation"};

	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		if (!strcmp(operation, operations[i]))
			return true;
	return false;
}

static void find_cause(const struct pause_jvm *jvm, struct pause *pause)
{
	const struct event_jvm_counters *counters = &jvm->counters;

	if (!pause->gc || !jvm->fresh_counters || has_no_cause(pause->operation))
		return;
	if (counters->valid & JVM_COUNTER_CAUSE &&
	    strncmp(counters->cause, "No GC", EVENT_CAUSE_BYTES))
		memcpy(pause->cause, counters->cause, EVENT_CAUSE_BYTES - 1);
	else if (counters->valid & JVM_COUNTER_LAST_CAUSE &&
		 strncmp(counters->last_cause, "No GC", EVENT_CAUSE_BYTES))
		memcpy(pause->cause, counters->last_cause, EVENT_CAUSE_BYTES - 1);
}

static int close_open(struct pauses *p, struct pause_jvm *jvm, uint64_t closed_ns)
{
	struct stop *stop = jvm->open;

	jvm->open = NULL;
	jvm->depth = 0;
	find_sync(jvm, stop, closed_ns);
	return pauses_close(p, stop, closed_ns);
}

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

static int on_begin(struct pauses *p, struct pause_jvm *jvm, const struct event_jvm *event)
{
	struct stop *stop;
	int err = 0;

	if (jvm->open) { /* its end was lost */
		jvm->open->pause.incomplete = true;
		err = close_open(p, jvm, later(jvm->open->pause.begin_ns, event->hdr.ts_ns));
	}
	jvm->vm_tid = event->hdr.tid;
	stop = pauses_begin(p, jvm, PAUSE_SOURCE_USDT, event->hdr.ts_ns);
	if (!stop)
		return -ENOMEM;
	jvm->open = stop;
	jvm->depth = 0;
	jvm->unmatched_end_ns = 0;
	jvm->has_begin_counters = jvm->fresh_counters;
	if (jvm->fresh_counters) {
		jvm->begin_counters = jvm->counters;
		stop->pause.missed_before = count_missed(jvm, &jvm->counters, 0);
	}
	return err;
}

/* One that began before the recording did, or whose begin was lost. What it ran is known by the
 * operation's own end. */
static int open_cut(struct pauses *p, struct pause_jvm *jvm, uint32_t vm_tid)
{
	struct pause *pause;

	jvm->vm_tid = vm_tid;
	jvm->open = pauses_begin(p, jvm, PAUSE_SOURCE_USDT, 0);
	if (!jvm->open)
		return -ENOMEM;
	pause = &jvm->open->pause;
	pause->cut = true;
	jvm->has_begin_counters = false;
	if (!jvm->unmatched_end_ns)
		return 0;
	pause->op_end_ns = jvm->unmatched_end_ns;
	memcpy(pause->operation, jvm->unmatched_name, EVENT_NAME_BYTES - 1);
	jvm->unmatched_end_ns = 0;
	return 0;
}

static int on_end(struct pauses *p, struct pause_jvm *jvm, const struct event_jvm *event)
{
	struct pause *pause;

	if (!jvm->open && open_cut(p, jvm, event->hdr.tid))
		return -ENOMEM;
	pause = &jvm->open->pause;
	if (event->hdr.ts_ns < pause->begin_ns) { /* out of order: what it says is worth nothing */
		pause->incomplete = true;
		return close_open(p, jvm, pause->begin_ns);
	}
	pause->end_ns = event->hdr.ts_ns;
	pause->release_ns = event->hdr.ts_ns;
	pause->release_source = RELEASE_END;
	find_cause(jvm, pause);
	if (jvm->fresh_counters && jvm->counters.valid & JVM_COUNTER_SAFEPOINTS) {
		pause->nr_safepoints = jvm->counters.safepoints;
		pause->missed_before += count_missed(jvm, &jvm->counters, 1);
	}
	return close_open(p, jvm, event->hdr.ts_ns);
}

/* A record from before the pause came out of order: it is worth nothing. */
static bool is_inside(struct pause *pause, uint64_t ts_ns)
{
	if (ts_ns < pause->begin_ns)
		pause->incomplete = true;
	return ts_ns >= pause->begin_ns;
}

static void on_operation_begin(struct pause_jvm *jvm, const struct event_jvm *event)
{
	struct pause *pause = jvm->open ? &jvm->open->pause : NULL;
	bool requested =
		jvm->request_tid && !strncmp(jvm->request_name, event->name, EVENT_NAME_BYTES);

	if (pause && jvm->depth++ == 0 && event->mode == MODE_SAFEPOINT &&
	    is_inside(pause, event->hdr.ts_ns)) {
		pause->op_begin_ns = event->hdr.ts_ns;
		memcpy(pause->operation, event->name, EVENT_NAME_BYTES - 1);
		if (requested)
			pause->requester_tid = jvm->request_tid;
	}
	/* The slot of the next operation is free again once this one has run: any request in it was
	 * for this one. */
	if (requested)
		jvm->request_tid = 0;
}

static void on_operation_end(struct pause_jvm *jvm, const struct event_jvm *event)
{
	if (!jvm->open) {
		jvm->unmatched_end_ns = event->hdr.ts_ns;
		memcpy(jvm->unmatched_name, event->name, EVENT_NAME_BYTES);
	}
	if (!jvm->open || !jvm->depth)
		return;
	if (--jvm->depth == 0 && is_inside(&jvm->open->pause, event->hdr.ts_ns))
		jvm->open->pause.op_end_ns = event->hdr.ts_ns;
}

static void on_request(struct pause_jvm *jvm, const struct event_jvm *event)
{
	jvm->request_tid = event->hdr.tid;
	memcpy(jvm->request_name, event->name, EVENT_NAME_BYTES);
}

int usdt_event(struct pauses *p, struct pause_jvm *jvm, const struct event_jvm *event)
{
	int err = 0;

	jvm->source = PAUSE_SOURCE_USDT;
	switch (event->hdr.kind) {
	case EVENT_SAFEPOINT_BEGIN:
		err = on_begin(p, jvm, event);
		break;
	case EVENT_SAFEPOINT_END:
		err = on_end(p, jvm, event);
		break;
	case EVENT_VMOP_REQUEST:
		on_request(jvm, event);
		return 0;
	case EVENT_VMOP_BEGIN:
		on_operation_begin(jvm, event);
		return 0;
	case EVENT_VMOP_END:
		on_operation_end(jvm, event);
		return 0;
	case EVENT_GC_BEGIN:
		if (jvm->open) {
			jvm->open->pause.gc = true;
			jvm->open->pause.gc_full |= event->mode == 1;
		}
		return 0;
	}
	jvm->fresh_counters = false;
	return err;
}

int usdt_end(struct pauses *p, struct pause_jvm *jvm, uint64_t end_ns)
{
	if (!jvm->open)
		return 0;
	jvm->open->pause.cut = true;
	return close_open(p, jvm, later(jvm->open->pause.begin_ns, end_ns));
}
