/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread was in, piece by piece. */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/conditions_store.h"

struct looking {
	const struct condition_store *s;
	const struct thread_past *thread;
	const struct past_ring *pieces; /* of its process's pauses; NULL: it had none */
	struct condition_list *ret;
};

int condition_list_put(struct condition_list *list, const struct condition *condition)
{
	struct condition *last = list->nr ? &list->at[list->nr - 1] : NULL;

	if (last && last->to_ns == condition->from_ns && last->cause == condition->cause &&
	    last->pause_nr == condition->pause_nr && last->idle == condition->idle) {
		last->to_ns = condition->to_ns;
		return 0;
	}
	if (list->nr == list->room) {
		size_t room = list->room ? list->room * 2 : 32;
		struct condition *at = reallocarray(list->at, room, sizeof(at[0]));

		if (!at)
			return -ENOMEM;
		list->at = at;
		list->room = room;
	}
	list->at[list->nr++] = *condition;
	return 0;
}

void condition_list_free(struct condition_list *list)
{
	free(list->at);
	*list = (struct condition_list){0};
}

/* ---- what one span was ---- */

static bool was_at_work(const struct thread_past *thread, uint64_t ns)
{
	return thread && past_holding(&thread->work, ns);
}

/* Woken, it went on with its request, and woke another that had come to wait while it did and held
 * a request, too: they queued for one thing. */
static bool is_chain(const struct looking *l, const struct past *wait)
{
	const struct past_ring *wakes = &l->thread->wakes;
	const struct past *work = past_holding(&l->thread->work, wait->to_ns), *wake;
	uint64_t nr = past_after(wakes, wait->to_ns);

	if (!work || nr == wakes->end)
		return false;
	wake = past_at(wakes, nr);
	return wake->to_ns < work->to_ns && wake->from_ns < wait->to_ns &&
	       was_at_work(past_of(l->s, wake->tid), wake->from_ns);
}

/* A futex names no lock: who woke it tells. */
static enum cause cause_of_park(const struct looking *l, const struct past *wait)
{
	const struct thread_past *waker;

	if (wait->flags & PAST_TIMER)
		return CAUSE_SLEEPING;
	if (!wait->tid || !(wait->flags & PAST_OWN))
		return CAUSE_PARKED;
	waker = past_of(l->s, wait->tid);
	if (waker && waker->role == ROLE_GC && wait->flags & PAST_CONDITION)
		return CAUSE_ALLOCATION_STALL;
	if (was_at_work(waker, wait->to_ns) || is_chain(l, wait))
		return CAUSE_LOCK;
	return CAUSE_PARKED;
}

static enum cause cause_of_run_queue(const struct looking *l, const struct past *wait)
{
	const struct thread_past *ahead;

	if (!wait->tid)
		return CAUSE_RUN_QUEUE;
	if (!(wait->flags & PAST_OWN))
		return CAUSE_RUN_QUEUE_OTHERS;
	ahead = past_of(l->s, wait->tid);
	if (ahead && (ahead->role == ROLE_GC || ahead->role == ROLE_COMPILER ||
		      ahead->role == ROLE_VM_THREAD))
		return CAUSE_RUN_QUEUE_GC;
	return CAUSE_RUN_QUEUE_OWN;
}

static bool waits_for_one(const struct past *span)
{
	return span->what == REASON_SOCKET_READ ||
	       (span->what == REASON_EPOLL && span->flags & PAST_ONE_FILE);
}

static bool meets_downstream(const struct looking *l, const struct past *span)
{
	const struct past_ring *ring = &l->thread->downstream;
	uint64_t nr = past_after(ring, span->from_ns);

	return nr < ring->end && past_at(ring, nr)->from_ns < span->to_ns;
}

static enum cause cause_of_unknown(const struct looking *l, const struct past *span)
{
	uint64_t nr = past_after(&l->s->losses, span->from_ns);

	return nr < l->s->losses.end && past_at(&l->s->losses, nr)->from_ns < span->to_ns
		       ? CAUSE_LOST
		       : CAUSE_UNKNOWN;
}

static enum cause cause_of(const struct looking *l, const struct past *span)
{
	switch (span->what) {
	case REASON_RUNNING:
		return CAUSE_ON_CPU;
	case REASON_RUN_QUEUE:
		return cause_of_run_queue(l, span);
	case REASON_THROTTLED:
		return CAUSE_THROTTLED;
	case REASON_PARKED:
		return span->flags & PAST_BARRIER ? CAUSE_PAUSE : cause_of_park(l, span);
	case REASON_SOCKET_READ:
	case REASON_EPOLL:
		return waits_for_one(span) && meets_downstream(l, span) ? CAUSE_DOWNSTREAM
									: CAUSE_UNKNOWN;
	case REASON_CONNECT:
		return CAUSE_DOWNSTREAM;
	case REASON_SOCKET_WRITE:
		return CAUSE_PEER_NOT_READING;
	case REASON_SLEEP:
		return CAUSE_SLEEPING;
	case REASON_PAGE_FAULT:
	case REASON_FILE_IO:
	case REASON_MEMORY:
	case REASON_KERNEL_LOCK:
		return CAUSE_IO;
	case REASON_STOPPED:
	case REASON_TRACED:
	case REASON_FROZEN:
		return CAUSE_STOPPED;
	case REASON_UNKNOWN:
		return cause_of_unknown(l, span);
	default:
		return CAUSE_UNKNOWN;
	}
}

static bool is_idle(const struct past *span, enum cause cause)
{
	switch (span->what) {
	case REASON_PARKED:
		return cause != CAUSE_PAUSE;
	case REASON_EPOLL:
	case REASON_SOCKET_READ:
		return cause != CAUSE_DOWNSTREAM;
	case REASON_ACCEPT:
	case REASON_UNKNOWN:
		return true;
	default:
		return false;
	}
}

/* ---- and one instant of it ---- */

static enum cause cause_in_pause(const struct past *span)
{
	switch (span->what) {
	case REASON_RUN_QUEUE:
		return CAUSE_PAUSE_RUN_QUEUE;
	case REASON_THROTTLED:
		return CAUSE_PAUSE_THROTTLED;
	case REASON_STOPPED:
	case REASON_TRACED:
	case REASON_FROZEN:
		return CAUSE_PAUSE_STOPPED;
	default:
		return CAUSE_PAUSE;
	}
}

/* What holds of @ring at @ns; *until_ns is brought forward to where that changes. */
static const struct past *holding(const struct past_ring *ring, uint64_t ns, uint64_t *until_ns)
{
	uint64_t nr = ring ? past_after(ring, ns) : 0, change_ns;
	const struct past *past;

	if (!ring || nr == ring->end)
		return NULL;
	past = past_at(ring, nr);
	change_ns = past->from_ns > ns ? past->from_ns : past->to_ns;
	if (change_ns < *until_ns)
		*until_ns = change_ns;
	return past->from_ns > ns ? NULL : past;
}

/* At the barrier it waits for what the pause waits for; woken, for a CPU of its own. */
static void of_pause(const struct looking *l, const struct past *span, const struct past *stop,
		     struct condition *piece)
{
	const struct past *inner;

	piece->cause = cause_in_pause(span);
	piece->pause_nr = stop ? stop->nr : 0;
	piece->idle = false;
	if (span->what != REASON_PARKED)
		return;
	inner = holding(l->pieces, piece->from_ns, &piece->to_ns);
	if (!inner || (stop && inner->nr != stop->nr))
		return;
	piece->cause = inner->what;
	piece->pause_nr = inner->nr;
}

static int put_span(const struct looking *l, const struct past *span, uint64_t from_ns,
		    uint64_t to_ns)
{
	enum cause cause = cause_of(l, span);
	bool idle = is_idle(span, cause);
	struct condition piece = {.to_ns = from_ns};
	int err = 0;

	while (!err && piece.to_ns < to_ns) {
		const struct past *stop, *downstream;

		piece = (struct condition){
			.from_ns = piece.to_ns, .to_ns = to_ns, .cause = cause, .idle = idle};
		stop = holding(&l->thread->stops, piece.from_ns, &piece.to_ns);
		downstream = holding(&l->thread->downstream, piece.from_ns, &piece.to_ns);
		if (cause == CAUSE_STOPPED && downstream)
			piece.cause = CAUSE_DOWNSTREAM;
		else if (stop || cause == CAUSE_PAUSE)
			of_pause(l, span, stop, &piece);
		err = condition_list_put(l->ret, &piece);
	}
	return err;
}

/* Since its last wait it has run as long as probes saw it do something. */
static int put_tail(const struct looking *l, uint64_t from_ns, uint64_t to_ns)
{
	const struct past_ring *spans = &l->thread->spans;
	struct past tail = {.what = REASON_RUNNING, .to_ns = l->thread->seen_ns};

	if (spans->end == spans->first)
		return 0;
	tail.from_ns = past_at(spans, spans->end - 1)->to_ns;
	if (from_ns < tail.from_ns)
		from_ns = tail.from_ns;
	if (to_ns > tail.to_ns)
		to_ns = tail.to_ns;
	return from_ns < to_ns ? put_span(l, &tail, from_ns, to_ns) : 0;
}

int condition_store_of(const struct condition_store *s, uint32_t tid, uint64_t from_ns,
		       uint64_t to_ns, struct condition_list *ret)
{
	struct looking l = {s, past_of(s, tid), NULL, ret};
	const struct process_past *process;
	int err = 0;

	ret->nr = 0;
	if (!l.thread)
		return 0;
	process = map_get(&s->processes, l.thread->tgid);
	l.pieces = process ? &process->pieces : NULL;
	for (uint64_t nr = past_after(&l.thread->spans, from_ns); nr < l.thread->spans.end && !err;
	     nr++) {
		const struct past *span = past_at(&l.thread->spans, nr);

		if (span->from_ns >= to_ns)
			return 0;
		err = put_span(&l, span, span->from_ns > from_ns ? span->from_ns : from_ns,
			       span->to_ns < to_ns ? span->to_ns : to_ns);
	}
	return err ? err : put_tail(&l, from_ns, to_ns);
}
