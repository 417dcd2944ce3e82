/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "user/attribution/conditions_store.h"
#include "user/recording/record.h"

#define FUTEX_CMD	      127u
#define FUTEX_WAIT_BITSET_CMD 9u
#define GONE_MAX	      64 /* threads that ended are looked through after so many */

struct condition_store *condition_store_new(void)
{
	return calloc(1, sizeof(struct condition_store));
}

static struct thread_past *make_past(struct condition_store *s, uint32_t tid)
{
	struct thread_past *past = past_of(s, tid);

	if (past)
		return past;
	past = calloc(1, sizeof(*past));
	if (!past || map_put(&s->threads, tid, past)) {
		free(past);
		return NULL;
	}
	past->tid = tid;
	return past;
}

static void thread_past_free(struct thread_past *past)
{
	past_free(&past->spans);
	past_free(&past->stops);
	past_free(&past->work);
	past_free(&past->downstream);
	past_free(&past->wakes);
	free(past);
}

struct process_past *conditions_process(struct condition_store *s, uint32_t tgid)
{
	struct process_past *process = map_get(&s->processes, tgid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process || map_put(&s->processes, tgid, process)) {
		free(process);
		return NULL;
	}
	process->tgid = tgid;
	return process;
}

/* ---- spans ---- */

static bool is_poll(const struct event_offcpu *off)
{
#ifdef SYS_poll
	if (off->nr == SYS_poll)
		return true;
#endif
	return off->nr == SYS_ppoll;
}

static void describe(const struct span *span, struct past *ret)
{
	const struct event_offcpu *off = span->off;

	*ret = (struct past){.from_ns = span->from_ns, .to_ns = span->to_ns, .what = span->reason};
	if (!off || span->open)
		return;
	if (span->reason == REASON_RUN_QUEUE) {
		ret->tid = off->flags & OFFCPU_END_UNSEEN ? 0 : off->ahead_tid;
		ret->flags = off->ahead_tgid == span->tgid ? PAST_OWN : 0;
		return;
	}
	ret->tid = off->waker_tid;
	ret->flags = off->waker_tgid == span->tgid ? PAST_OWN : 0;
	if (off->flags & OFFCPU_WOKEN_BY_IRQ)
		ret->flags |= PAST_TIMER;
	if (is_poll(off))
		ret->flags |= PAST_ONE_FILE;
	if (span->reason != REASON_PARKED)
		return;
	if (pauses_is_barrier_wait(off))
		ret->flags |= PAST_BARRIER;
	if ((off->arg1 & FUTEX_CMD) == FUTEX_WAIT_BITSET_CMD)
		ret->flags |= PAST_CONDITION;
}

static int put_wake(struct condition_store *s, const struct span *span, const struct past *wait)
{
	struct past wake = {.from_ns = wait->from_ns, .to_ns = wait->to_ns, .tid = span->tid};
	struct thread_past *waker = make_past(s, wait->tid);

	return waker ? past_put(&waker->wakes, &wake) : -ENOMEM;
}

/* A stop signal and the freezer are the process's, and so is its quota. */
static int put_away(struct condition_store *s, const struct span *span)
{
	bool stopped = span->reason == REASON_STOPPED || span->reason == REASON_FROZEN;
	struct past away = {.from_ns = span->from_ns,
			    .to_ns = span->to_ns,
			    .what = stopped ? CAUSE_STOPPED : CAUSE_THROTTLED};
	struct process_past *process;

	if (!stopped && span->reason != REASON_THROTTLED)
		return 0;
	process = conditions_process(s, span->tgid);
	return process ? past_put(&process->away, &away) : -ENOMEM;
}

int condition_store_span(struct condition_store *s, const struct thread *thread,
			 const struct span *span)
{
	struct thread_past *past = make_past(s, span->tid);
	struct past entry;
	int err;

	if (!past)
		return -ENOMEM;
	past->tgid = span->tgid;
	past->role = thread->role;
	past->gone_ns = 0;
	describe(span, &entry);
	err = past_put(&past->spans, &entry);
	if (!err && span->reason == REASON_PARKED && entry.tid && entry.flags & PAST_OWN &&
	    !(entry.flags & PAST_BARRIER))
		err = put_wake(s, span, &entry);
	return err ? err : put_away(s, span);
}

/* ---- records ---- */

/* That it hit a probe at that time says that it ran then. Nothing else does before its next wait is
 * over, and that may be long. */
static void see(struct condition_store *s, const struct event_hdr *event)
{
	struct thread_past *past = past_of(s, event->tid);

	if (past && event->ts_ns > past->seen_ns)
		past->seen_ns = event->ts_ns;
}

/* What came late is not lost, and a switch that was not seen is found in the thread it is of. */
static int put_loss(struct condition_store *s, const struct record_lost *lost)
{
	struct past loss = {.from_ns = lost->from_ns, .to_ns = lost->hdr.ts_ns};

	if (lost->cause == LOST_DISORDER || lost->cause == LOST_UNSEEN ||
	    loss.from_ns >= loss.to_ns)
		return 0;
	return past_put(&s->losses, &loss);
}

int condition_store_event(struct condition_store *s, const struct event_hdr *event)
{
	if (event->ts_ns > s->now_ns)
		s->now_ns = event->ts_ns;
	switch (event->kind) {
	case EVENT_SAFEPOINT_BEGIN:
	case EVENT_SAFEPOINT_END:
	case EVENT_VMOP_BEGIN:
	case EVENT_VMOP_END:
	case EVENT_SOCK_READ:
	case EVENT_SOCK_WRITE:
		see(s, event);
		return 0;
	case RECORD_LOST:
		return put_loss(s, (const void *)event);
	default:
		return 0;
	}
}

/* ---- pauses ---- */

/* At the barrier it is stopped from its arrival; who asked for the operation would have waited for
 * the VM Thread before, too. */
static int put_stop(struct condition_store *s, const struct pause *pause,
		    const struct pause_stopped *stopped)
{
	struct thread_past *past = make_past(s, stopped->tid);
	struct past stop = {
		.from_ns = stopped->arrived_ns, .to_ns = stopped->back_ns, .nr = pause->nr};

	if (stopped->requester && stop.from_ns < pause->begin_ns)
		stop.from_ns = pause->begin_ns;
	if (!past)
		return -ENOMEM;
	return stop.from_ns < stop.to_ns ? past_put(&past->stops, &stop) : 0;
}

int condition_store_pause(struct condition_store *s, const struct pause *pause)
{
	int err = conditions_put_pieces(s, pause);

	for (size_t i = 0; i < pause->nr_stopped && !err; i++)
		err = put_stop(s, pause, &pause->stopped[i]);
	return err;
}

/* ---- requests ---- */

static int put_work(struct condition_store *s, uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
	struct past work = {.from_ns = from_ns, .to_ns = to_ns};
	struct thread_past *past;

	if (!tid || !from_ns || from_ns >= to_ns)
		return 0;
	past = make_past(s, tid);
	return past ? past_put(&past->work, &work) : -ENOMEM;
}

static int put_downstream(struct condition_store *s, const struct request *r)
{
	struct past wait = {.from_ns = r->sent_ns, .to_ns = r->arrived_ns};
	struct thread_past *past;

	if (!r->receiver_tid || !wait.from_ns || wait.from_ns >= wait.to_ns)
		return 0;
	past = make_past(s, r->receiver_tid);
	return past ? past_put(&past->downstream, &wait) : -ENOMEM;
}

int condition_store_request(struct condition_store *s, const struct request *r)
{
	int err;

	if (r->kind == REQUEST_DOWNSTREAM)
		return put_downstream(s, r);
	if (r->kind != REQUEST_SERVED || !r->read_ns)
		return 0;
	if (r->reader_tid == r->answerer_tid && r->reader_until_ns >= r->answerer_since_ns)
		return put_work(s, r->reader_tid, r->read_ns, r->last_out_ns);
	err = put_work(s, r->reader_tid, r->read_ns, r->reader_until_ns);
	return err ? err : put_work(s, r->answerer_tid, r->answerer_since_ns, r->last_out_ns);
}

/* ---- the end ---- */

static void forget_gone(struct condition_store *s)
{
	struct thread_past *past;
	size_t cursor = 0, nr = 0;
	uint32_t tids[GONE_MAX];

	while (nr < GONE_MAX && (past = map_next(&s->threads, &cursor)))
		if (past->gone_ns && past->gone_ns + PAST_KEPT_NS < s->now_ns)
			tids[nr++] = past->tid;
	for (size_t i = 0; i < nr; i++)
		thread_past_free(map_remove(&s->threads, tids[i]));
}

void condition_store_gone(struct condition_store *s, uint32_t tid)
{
	struct thread_past *past = past_of(s, tid);

	if (!past)
		return;
	past->gone_ns = s->now_ns;
	if (++s->nr_gone % (GONE_MAX / 2) == 0)
		forget_gone(s);
}

void condition_store_free(struct condition_store *s)
{
	struct process_past *process;
	struct thread_past *thread;
	size_t cursor = 0;

	if (!s)
		return;
	while ((thread = map_next(&s->threads, &cursor)))
		thread_past_free(thread);
	cursor = 0;
	while ((process = map_next(&s->processes, &cursor))) {
		past_free(&process->pieces);
		past_free(&process->away);
		free(process);
	}
	map_free(&s->threads);
	map_free(&s->processes);
	past_free(&s->losses);
	free(s);
}
