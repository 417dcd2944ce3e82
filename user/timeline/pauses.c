/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/map.h"
#include "user/timeline/pause_jvm.h"
#include "user/timeline/pauses.h"

/* How often a span may be looked at once more, on average: a second's spans for some fifty pauses
 * in it, which is more than a JVM makes whose release is known only late. */
#define LOOKS_A_SPAN 64

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

struct stop *pauses_begin(struct pauses *p, struct pause_jvm *jvm, enum pause_source source,
			  uint64_t begin_ns)
{
	struct stop *stop = stop_new(jvm->tgid, jvm->vm_tid);

	if (!stop)
		return NULL;
	if (pause_list_insert(&p->list, &(struct listed){begin_ns, 0, jvm->tgid, stop})) {
		stop_free(stop);
		return NULL;
	}
	stop->pause.nr = ++p->nr;
	stop->pause.source = source;
	stop->pause.begin_ns = begin_ns;
	stop->ring_from = p->ring.nr;
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

/*
 * All spans of its process that touch it, as far back as the ring goes. Pauses of a JVM follow each
 * other, so each span is looked at once or twice; only one that is added up again costs more, and
 * may not cost more than a fixed number of looks a span.
 */
static int absorb_past(struct pauses *p, struct stop *stop)
{
	uint64_t from_ns = stop->pause.begin_ns ? stop->pause.begin_ns : stop->closed_ns;
	bool whole;
	uint64_t nr = span_ring_since(&p->ring, stop->ring_from, from_ns, &whole);
	int err = 0;

	if (stop->again && p->ring.nr - nr > p->credit) {
		stop->pause.incomplete = true;
		return 0;
	}
	p->credit -= stop->again ? p->ring.nr - nr : 0;
	for (; nr < p->ring.nr && !err; nr++) {
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
	pause_list_close(&p->list, stop, closed_ns);
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

static int give_out(struct pauses *p, size_t at)
{
	struct stop *stop = pause_list_at(&p->list, at)->stop;
	struct pause_stopped *stopped CLEANUP(freep) = NULL;
	struct pause_jvm *jvm = pauses_jvm(p, stop->pause.tgid);
	uint64_t closed_ns = stop->closed_ns;
	int err = finish(p, stop, jvm, &stopped);

	pause_list_remove(&p->list, at);
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

/* More pauses in a second than any JVM makes: the oldest that has ended goes out before its threads
 * need be back. */
static int make_room(struct pauses *p)
{
	size_t at = 0;

	if (p->list.nr <= LISTED_MAX)
		return 0;
	while (at < p->list.nr && !pause_list_at(&p->list, at)->closed_ns)
		at++;
	if (at == p->list.nr)
		return 0; /* one of each JVM at most */
	pause_list_at(&p->list, at)->stop->pause.incomplete = true;
	return give_out(p, at);
}

static bool first_is_due(const struct pauses *p)
{
	uint64_t closed_ns = p->list.nr ? pause_list_at(&p->list, 0)->closed_ns : 0;

	return closed_ns && p->now_ns > closed_ns && p->now_ns - closed_ns > PAUSE_GRACE_NS;
}

/* Pauses go out in order: one that is still open holds back those behind it. */
static int give_out_due(struct pauses *p)
{
	int err = make_room(p);

	while (!err && first_is_due(p))
		err = give_out(p, 0);
	return err;
}

struct stop *pauses_find(const struct pauses *p, const struct event_offcpu *off)
{
	uint64_t from_ns = off->hdr.ts_ns - off->off_ns, woken_ns = off->hdr.ts_ns - off->runq_ns;

	for (size_t i = p->list.nr; i-- > 0;) {
		const struct listed *listed = pause_list_at(&p->list, i);

		if (listed->tgid != off->tgid || listed->begin_ns > woken_ns)
			continue;
		return listed->closed_ns && from_ns >= listed->closed_ns ? NULL : listed->stop;
	}
	return NULL;
}

/* The requester of a pause may have begun to wait before it began, and is woken after its end. */
struct stop *pauses_find_requested(const struct pauses *p, const struct event_offcpu *off)
{
	uint64_t from_ns = off->hdr.ts_ns - off->off_ns, woken_ns = off->hdr.ts_ns - off->runq_ns;

	for (size_t i = p->list.nr; i-- > 0;) {
		const struct listed *listed = pause_list_at(&p->list, i);

		if (listed->tgid != off->tgid || listed->begin_ns >= woken_ns ||
		    (listed->closed_ns && from_ns >= listed->closed_ns))
			continue;
		if (listed->stop->pause.requester_tid == off->hdr.tid)
			return listed->stop;
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

/*
 * A thread that did the same all through a pause was neither stopped by it nor late for it. A long
 * span goes through many pauses: it is to cost none of them memory.
 */
static bool is_through(const struct listed *listed, const struct past_span *span)
{
	return span->from_ns <= listed->begin_ns && span->to_ns >= listed->closed_ns &&
	       span->role != ROLE_GC && span->role != ROLE_VM_THREAD;
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
	p->credit += LOOKS_A_SPAN;
	for (size_t i = p->list.nr; i-- > 0 && !err;) {
		const struct listed *listed = pause_list_at(&p->list, i);

		if (!listed->closed_ns || listed->tgid != past.tgid)
			continue;
		if (listed->closed_ns <= past.from_ns)
			break;
		if (listed->begin_ns >= past.to_ns)
			continue;
		if (is_through(listed, &past))
			stop_doubt(listed->stop, &past);
		else
			err = stop_absorb(listed->stop, &past);
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

uint64_t pauses_open_since(const struct pauses *p)
{
	return p->list.nr ? pause_list_at(&p->list, 0)->begin_ns : UINT64_MAX;
}

int pauses_end(struct pauses *p, uint64_t end_ns)
{
	size_t cursor = 0;
	struct pause_jvm *jvm;
	int err = 0;

	while (!err && (jvm = map_next(&p->jvms, &cursor)))
		err = pauses_end_jvm(p, jvm, end_ns);
	while (p->list.nr && !err)
		err = give_out(p, 0);
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
	for (size_t i = 0; i < p->list.nr; i++)
		stop_free(pause_list_at(&p->list, i)->stop);
	pause_list_free(&p->list);
	span_ring_free(&p->ring);
	free(p);
}
