/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/map.h"
#include "user/timeline/pause_jvm.h"
#include "user/timeline/pauses.h"

struct pauses *pauses_new(pause_fn *fn, void *arg)
{
	struct pauses *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	if (span_ring_init(&p->ring)) {
		free(p);
		return NULL;
	}
	p->fn = fn;
	p->arg = arg;
	return p;
}

struct pause_jvm *pauses_jvm(struct pauses *p, uint32_t tgid)
{
	if (!p->last_jvm || p->last_jvm->tgid != tgid) {
		struct pause_jvm *jvm = map_get(&p->jvms, tgid);

		if (!jvm)
			return NULL;
		p->last_jvm = jvm;
	}
	return p->last_jvm;
}

/* ---- the list ---- */

static void list_insert(struct pauses *p, struct stop *stop)
{
	struct stop *after = p->last;

	while (after && after->pause.begin_ns > stop->pause.begin_ns && stop->pause.begin_ns)
		after = after->prev;
	stop->prev = after;
	stop->next = after ? after->next : p->first;
	if (stop->next)
		stop->next->prev = stop;
	else
		p->last = stop;
	if (after)
		after->next = stop;
	else
		p->first = stop;
}

static void list_remove(struct pauses *p, struct stop *stop)
{
	if (stop->prev)
		stop->prev->next = stop->next;
	else
		p->first = stop->next;
	if (stop->next)
		stop->next->prev = stop->prev;
	else
		p->last = stop->prev;
}

struct stop *pauses_begin(struct pauses *p, struct pause_jvm *jvm, enum pause_source source,
			  uint64_t begin_ns)
{
	struct stop *stop = stop_new(jvm->tgid, jvm->vm_tid);

	if (!stop)
		return NULL;
	stop->pause.nr = ++p->nr;
	stop->pause.source = source;
	stop->pause.begin_ns = begin_ns;
	list_insert(p, stop);
	return stop;
}

static bool touches_loss(const struct pauses *p, const struct stop *stop)
{
	size_t nr = p->nr_losses < LOSSES_KEPT ? p->nr_losses : LOSSES_KEPT;
	uint64_t from_ns = stop->pause.begin_ns ? stop->pause.begin_ns : stop->closed_ns;

	for (size_t i = 0; i < nr; i++)
		if (p->losses[i].to_ns > from_ns && p->losses[i].from_ns < stop->closed_ns)
			return true;
	return false;
}

/* All spans of its process that touch it, as far back as the ring goes. */
static int absorb_past(struct pauses *p, struct stop *stop)
{
	uint64_t from_ns = stop->pause.begin_ns ? stop->pause.begin_ns : stop->closed_ns;
	bool whole;
	int err = 0;

	for (uint64_t nr = span_ring_since(&p->ring, from_ns, &whole); nr < p->ring.nr && !err;
	     nr++) {
		const struct past_span *span = span_ring_at(&p->ring, nr);

		if (span->tgid == stop->pause.tgid && span->from_ns < stop->closed_ns)
			err = stop_absorb(stop, span);
	}
	if (!whole)
		stop->pause.incomplete = true;
	return err;
}

int pauses_close(struct pauses *p, struct stop *stop, uint64_t closed_ns)
{
	stop->closed_ns = closed_ns;
	if (touches_loss(p, stop))
		stop->pause.incomplete = true;
	return absorb_past(p, stop);
}

static int compare_lags(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The median of the last lags; 0 when there is none: the release is then some microseconds early.
 */
static uint64_t usual_lag(const struct pause_jvm *jvm)
{
	size_t nr = jvm && jvm->nr_lags < LAGS_KEPT ? jvm->nr_lags : LAGS_KEPT;
	uint64_t lags_ns[LAGS_KEPT];

	if (!jvm || !nr)
		return 0;
	memcpy(lags_ns, jvm->lags_ns, sizeof(lags_ns));
	qsort(lags_ns, nr, sizeof(lags_ns[0]), compare_lags);
	return lags_ns[nr / 2];
}

static void learn_lag(struct pause_jvm *jvm, const struct pause *pause)
{
	if (pause->release_source == RELEASE_WAKE && pause->op_end_ns &&
	    pause->release_ns > pause->op_end_ns)
		jvm->lags_ns[jvm->nr_lags++ % LAGS_KEPT] = pause->release_ns - pause->op_end_ns;
}

static int finish(struct pauses *p, struct stop *stop, struct pause_jvm *jvm,
		  struct pause_stopped **ret_stopped)
{
	int err = 0;

	if (!stop_release(stop, usual_lag(jvm)))
		err = absorb_past(p, stop);
	return err ? err : stop_finish(stop, ret_stopped);
}

static int give_out(struct pauses *p, struct stop *stop)
{
	struct pause_stopped *stopped CLEANUP(freep) = NULL;
	struct pause_jvm *jvm = pauses_jvm(p, stop->pause.tgid);
	uint64_t closed_ns = stop->closed_ns;
	int err = finish(p, stop, jvm, &stopped);

	list_remove(p, stop);
	p->totals.nr_pauses++;
	p->totals.nr_cut += stop->pause.cut;
	p->totals.nr_incomplete += stop->pause.incomplete;
	p->totals.nr_missed += stop->pause.missed_before;
	if (jvm) {
		jvm->given_ns = closed_ns;
		learn_lag(jvm, &stop->pause);
	}
	if (!err)
		p->fn(p->arg, &stop->pause);
	stop_free(stop);
	return err;
}

/* Pauses go out in order: one that is still open holds back those behind it. */
static int give_out_due(struct pauses *p)
{
	int err = 0;

	while (!err && p->first && p->first->closed_ns &&
	       p->first->closed_ns + PAUSE_GRACE_NS < p->now_ns)
		err = give_out(p, p->first);
	return err;
}

struct stop *pauses_find(const struct pauses *p, const struct event_offcpu *off)
{
	uint64_t from_ns = off->hdr.ts_ns - off->off_ns, woken_ns = off->hdr.ts_ns - off->runq_ns;

	for (struct stop *stop = p->last; stop; stop = stop->prev) {
		if (stop->pause.tgid != off->tgid || stop->pause.begin_ns > woken_ns)
			continue;
		return stop->closed_ns && from_ns >= stop->closed_ns ? NULL : stop;
	}
	return NULL;
}

/* The requester of a pause may have begun to wait before it began, and is woken after its end. */
struct stop *pauses_find_requested(const struct pauses *p, const struct event_offcpu *off)
{
	uint64_t from_ns = off->hdr.ts_ns - off->off_ns, woken_ns = off->hdr.ts_ns - off->runq_ns;

	for (struct stop *stop = p->last; stop; stop = stop->prev) {
		if (stop->pause.requester_tid != off->hdr.tid || stop->pause.tgid != off->tgid)
			continue;
		if (woken_ns > stop->pause.begin_ns &&
		    (!stop->closed_ns || from_ns < stop->closed_ns))
			return stop;
	}
	return NULL;
}

int pauses_end_jvm(struct pauses *p, struct pause_jvm *jvm, uint64_t end_ns)
{
	int err = usdt_end(p, jvm, end_ns);

	return err ? err : futex_end(p, jvm, end_ns);
}

int pauses_event(struct pauses *p, const struct event_hdr *event)
{
	int err;

	if (event->ts_ns > p->now_ns)
		p->now_ns = event->ts_ns;
	err = give_out_due(p);
	return err ? err : pauses_dispatch(p, event);
}

int pauses_span(struct pauses *p, const struct thread *thread, const struct span *span)
{
	struct past_span past = {
		.from_ns = span->from_ns,
		.to_ns = span->to_ns,
		.known_ns = p->now_ns,
		.tgid = span->tgid,
		.tid = span->tid,
		.reason = (uint8_t)span->reason,
		.role = (uint8_t)thread->role,
		.in_syscall = span->off && span->off->nr >= 0,
		.open = span->open,
	};
	int err = 0;

	span_ring_put(&p->ring, &past);
	for (struct stop *stop = p->last; stop && !err; stop = stop->prev) {
		if (!stop->closed_ns || stop->pause.tgid != past.tgid)
			continue;
		if (stop->closed_ns <= past.from_ns)
			break;
		if (stop->pause.begin_ns < past.to_ns)
			err = stop_absorb(stop, &past);
	}
	return err;
}

static bool may_come(const struct pauses *p, const struct event_offcpu *off)
{
	const struct pause_jvm *jvm = map_get(&p->jvms, off->tgid);

	return jvm && jvm->source == PAUSE_SOURCE_FUTEX && off->waker_tid == jvm->vm_tid &&
	       off->hdr.ts_ns - off->runq_ns > jvm->given_ns;
}

const struct pause *pauses_of(const struct pauses *p, const struct event_offcpu *off,
			      bool *ret_later)
{
	const struct stop *stop = NULL;

	*ret_later = false;
	if (off->runq_ns > off->off_ns || off->off_ns > off->hdr.ts_ns)
		return NULL;
	if (pauses_is_barrier_wait(off)) {
		stop = pauses_find(p, off);
		*ret_later = !stop && may_come(p, off);
	} else if (stop_is_condition_wait(off)) {
		stop = pauses_find_requested(p, off);
	}
	return stop ? &stop->pause : NULL;
}

int pauses_end(struct pauses *p, uint64_t end_ns)
{
	size_t cursor = 0;
	struct pause_jvm *jvm;
	int err = 0;

	while (!err && (jvm = map_next(&p->jvms, &cursor)))
		err = pauses_end_jvm(p, jvm, end_ns);
	while (p->first && !err)
		err = give_out(p, p->first);
	return err;
}

void pauses_totals(const struct pauses *p, struct pauses_totals *ret)
{
	*ret = p->totals;
}

void pauses_free(struct pauses *p)
{
	struct pause_jvm *jvm;
	size_t cursor = 0;

	if (!p)
		return;
	while ((jvm = map_next(&p->jvms, &cursor))) {
		futex_free(jvm->futex);
		free(jvm);
	}
	map_free(&p->jvms);
	for (struct stop *stop = p->first, *next; stop; stop = next) {
		next = stop->next;
		stop_free(stop);
	}
	span_ring_free(&p->ring);
	free(p);
}
