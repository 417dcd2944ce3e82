/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pauses from the futex calls of the VM Thread alone (JDK 13 and later). Every safepoint ends in
 * one call nobody else makes: futex(B, FUTEX_WAKE|PRIVATE, INT_MAX) with *B == 0, where B is the
 * barrier's word, the same for the JVM's life. It begins when the VM Thread has let go of the lock
 * of its queue of operations: its last futex call in the window L around that lock before the wake.
 * Neither word is known at first; until B is, events wait in a queue, so that the first pauses are
 * not lost.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "user/timeline/futex_words.h"
#include "user/timeline/ledger.h"
#include "user/timeline/pause_jvm.h"

#define FUTEX_WAKE_PRIVATE 129u
#define FUTEX_CMD	   127u
#define FUTEX_WAIT_BITSET  9u
#define EVERYBODY	   ((uint32_t)INT_MAX)

#define QUEUE_MAX	  8192
#define WAITS_MAX	  65536
#define LOCK_BEFORE	  0x80ull /* HotSpot keeps mutex and condition of a monitor side by side: */
#define LOCK_BEHIND	  0xa0ull /* this far around the condition's words, glibc 2.36 to 2.43 */
#define SYNC_TOLERANCE_NS 20000ull

union queued {
	struct event_hdr hdr;
	struct event_vm_futex futex;
	struct event_jvm_counters counters;
	struct event_offcpu sleep;
};

struct futex_state {
	struct word barriers[WORDS_MAX], locks[WORDS_MAX];
	size_t nr_barriers, nr_locks;
	uint64_t barrier; /* 0: not known yet */
	union queued *queue;
	size_t nr_queued;
	struct event_offcpu *waits; /* at a barrier whose pause is not known yet; a ring */
	size_t waits_from, nr_waits;
	uint64_t lock_exit_ns; /* the VM Thread's last call in L */
	uint64_t wake_ns;      /* its last wake of the barrier */
	uint64_t wake_ring;    /* position in the ring of spans then; 0: not known */
	bool from_queue;       /* events of the past are being understood */
	bool after_wake;       /* no wait on a condition since */
	uint64_t looked_ns, slept_ns;
	struct event_jvm_counters before, now;
	bool has_before, has_now;
	struct ledger ledger;
};

static struct futex_state *state_of(struct pause_jvm *jvm)
{
	struct futex_state *state;

	if (jvm->futex)
		return jvm->futex;
	state = calloc(1, sizeof(*state));
	if (!state)
		return NULL;
	state->queue = calloc(QUEUE_MAX, sizeof(state->queue[0]));
	state->waits =
		calloc(WAITS_MAX, sizeof(state->waits[0])); /* untouched pages cost nothing */
	state->before = jvm->first;
	state->has_before = jvm->has_first;
	jvm->futex = state;
	if (state->queue && state->waits)
		return state;
	return NULL;
}

void futex_free(struct futex_state *state)
{
	if (!state)
		return;
	free(state->queue);
	free(state->waits);
	free(state);
}

static bool is_barrier_wake(const struct event_vm_futex *event)
{
	return event->op == FUTEX_WAKE_PRIVATE && event->val == EVERYBODY && event->word_read &&
	       !event->word;
}

static bool is_condition_wait(const struct event_vm_futex *event)
{
	return (event->op & FUTEX_CMD) == FUTEX_WAIT_BITSET;
}

/* The first condition it waits on after a pause is that of its queue of operations. A condition has
 * two words that take turns, 4 bytes apart. Before the first pause, the first wait seen at all has
 * to serve. */
static void learn_lock(struct futex_state *state, const struct event_vm_futex *event)
{
	if (!is_condition_wait(event) || (!state->after_wake && state->nr_locks))
		return;
	state->after_wake = false;
	words_entry(state->locks, &state->nr_locks, event->uaddr & ~4ull)->nr_wakes++;
}

static bool is_in_lock(const struct futex_state *state, uint64_t uaddr)
{
	const struct word *lock = words_most_woken(state->locks, state->nr_locks);

	return lock && uaddr >= lock->uaddr - LOCK_BEFORE && uaddr < lock->uaddr + LOCK_BEHIND;
}

/* ---- a pause ---- */

static bool sync_by_counter(const struct futex_state *state, struct pause *pause, uint64_t limit_ns)
{
	const struct event_jvm_counters *before = &state->before, *now = &state->now;
	uint32_t flags = JVM_COUNTER_SYNC | JVM_COUNTER_SAFEPOINTS;
	uint64_t sync_ns;

	if (!state->has_before || !state->has_now || (before->valid & now->valid & flags) != flags)
		return false;
	if (now->safepoints != before->safepoints + 1 || now->sync_ns < before->sync_ns)
		return false;
	sync_ns = pause->begin_ns + (now->sync_ns - before->sync_ns);
	if (!pause->begin_ns || sync_ns > limit_ns + SYNC_TOLERANCE_NS)
		return false;
	pause->sync_ns = sync_ns < limit_ns ? sync_ns : limit_ns;
	pause->sync_source = SYNC_JVM_COUNTER;
	return true;
}

static void find_sync(const struct futex_state *state, struct stop *stop, uint64_t wake_ns)
{
	struct pause *pause = &stop->pause;

	if (state->slept_ns > pause->begin_ns && pause->begin_ns)
		stop->slept_ns = state->slept_ns;
	if (state->looked_ns > pause->begin_ns && pause->begin_ns)
		stop->looked_ns = state->looked_ns;
	if (!pause->begin_ns || sync_by_counter(state, pause, wake_ns))
		return;
	pause->sync_ns = stop->slept_ns ? stop->slept_ns : pause->begin_ns;
	pause->sync_source = stop->slept_ns ? SYNC_LAST_SLEEP : SYNC_FIRST_LOOK;
}

static bool is_cause(const char *cause)
{
	return cause[0] && strncmp(cause, "No GC", EVENT_CAUSE_BYTES) != 0;
}

static void read_counters(const struct futex_state *state, struct pause *pause)
{
	const struct event_jvm_counters *before = &state->before, *now = &state->now;
	const char *cause = NULL;
	uint32_t both = state->has_before ? before->valid & now->valid : 0;

	if (!state->has_now)
		return;
	if (now->valid & JVM_COUNTER_SAFEPOINTS)
		pause->nr_safepoints = now->safepoints;
	if (both & JVM_COUNTER_SAFEPOINTS && now->safepoints > before->safepoints + 1)
		pause->missed_before = now->safepoints - before->safepoints - 1;
	if (now->valid & JVM_COUNTER_CAUSE && is_cause(now->cause))
		cause = now->cause;
	else if (both & JVM_COUNTER_GC && now->gc_invocations > before->gc_invocations &&
		 now->valid & JVM_COUNTER_LAST_CAUSE && is_cause(now->last_cause))
		cause = now->last_cause;
	if (!cause)
		return;
	pause->gc = true;
	memcpy(pause->cause, cause, EVENT_CAUSE_BYTES - 1);
}

/* Some of those it woke were back before the VM Thread's own call returned. */
static int take_waits(struct futex_state *state, struct stop *stop)
{
	int err = 0;

	while (state->nr_waits && !err) {
		const struct event_offcpu *off = &state->waits[state->waits_from];

		if (off->hdr.ts_ns - off->off_ns >= stop->closed_ns)
			return 0;
		if (off->hdr.ts_ns - off->runq_ns >= stop->pause.begin_ns)
			err = stop_barrier(stop, off);
		state->waits_from = (state->waits_from + 1) % WAITS_MAX;
		state->nr_waits--;
	}
	return err;
}

/* The last call in L comes a little before the begin; by the JVM's own book it is known better. */
static uint64_t find_begin(struct futex_state *state, uint64_t wake_ns)
{
	if (state->lock_exit_ns <= state->wake_ns)
		return state->wake_ns;
	if (!state->has_before || !state->has_now)
		return state->lock_exit_ns;
	return ledger_begin(&state->ledger, &state->before, &state->now, state->lock_exit_ns,
			    wake_ns);
}

static int on_barrier_wake(struct pauses *p, struct pause_jvm *jvm,
			   const struct event_vm_futex *event)
{
	struct futex_state *state = jvm->futex;
	uint64_t wake_ns = event->hdr.ts_ns;
	uint64_t begin_ns = find_begin(state, wake_ns);
	bool in_order = begin_ns <= wake_ns;
	struct stop *stop = pauses_begin(p, jvm, PAUSE_SOURCE_FUTEX, in_order ? begin_ns : 0);
	int err;

	if (!stop)
		return -ENOMEM;
	stop->ring_from = state->wake_ring;
	state->wake_ring = state->from_queue ? 0 : p->ring.nr;
	stop->pause.cut = begin_ns == 0;
	stop->pause.incomplete = !in_order;
	stop->pause.release_ns = wake_ns;
	stop->pause.release_source = RELEASE_FUTEX;
	find_sync(state, stop, wake_ns);
	read_counters(state, &stop->pause);
	err = pauses_close(p, stop, wake_ns);
	state->wake_ns = wake_ns;
	state->after_wake = true;
	if (state->has_now) {
		state->before = state->now;
		state->has_before = true;
	}
	state->has_now = false;
	return err ? err : take_waits(state, stop);
}

static int process(struct pauses *p, struct pause_jvm *jvm, const union queued *event)
{
	struct futex_state *state = jvm->futex;

	switch (event->hdr.kind) {
	case EVENT_JVM_COUNTERS:
		state->now = event->counters;
		state->has_now = true;
		return 0;
	case EVENT_OFFCPU:
		state->looked_ns = state->slept_ns;
		state->slept_ns = event->hdr.ts_ns;
		return 0;
	}
	if (is_barrier_wake(&event->futex) && event->futex.uaddr == state->barrier)
		return on_barrier_wake(p, jvm, &event->futex);
	learn_lock(state, &event->futex);
	if (is_in_lock(state, event->futex.uaddr))
		state->lock_exit_ns = event->hdr.ts_ns;
	return 0;
}

/* B is known: what has waited for that can be understood. */
static int run_queue(struct pauses *p, struct pause_jvm *jvm, uint64_t barrier)
{
	struct futex_state *state = jvm->futex;
	int err = 0;

	state->barrier = barrier;
	state->from_queue = true;
	for (size_t i = 0; i < state->nr_queued && !err; i++)
		err = process(p, jvm, &state->queue[i]);
	state->nr_queued = 0;
	state->from_queue = false;
	return err;
}

static int try_barrier(struct pauses *p, struct pause_jvm *jvm, uint64_t barrier)
{
	return barrier ? run_queue(p, jvm, barrier) : 0;
}

static int handle(struct pauses *p, struct pause_jvm *jvm, const union queued *event)
{
	struct futex_state *state = jvm->futex;
	const struct word *most;
	uint64_t barrier = state->barrier;

	if (!barrier) {
		state->queue[state->nr_queued++] = *event;
		barrier = words_judge(state->barriers, state->nr_barriers);
		most = words_most_woken(state->barriers, state->nr_barriers);
		if (!barrier && state->nr_queued == QUEUE_MAX && most)
			barrier = most->uaddr;
		if (barrier)
			return run_queue(p, jvm, barrier);
		if (state->nr_queued ==
		    QUEUE_MAX) /* not one pause in all of it: the older half tells nothing */
			memmove(state->queue, state->queue + QUEUE_MAX / 2,
				(state->nr_queued = QUEUE_MAX / 2) * sizeof(state->queue[0]));
		return 0;
	}
	return process(p, jvm, event);
}

int futex_event(struct pauses *p, struct pause_jvm *jvm, const struct event_vm_futex *event)
{
	struct futex_state *state = state_of(jvm);

	if (!state)
		return -ENOMEM;
	if (is_barrier_wake(event))
		words_entry(state->barriers, &state->nr_barriers, event->uaddr)->nr_wakes++;
	return handle(p, jvm, &(union queued){.futex = *event});
}

int futex_counters(struct pauses *p, struct pause_jvm *jvm, const struct event_jvm_counters *event)
{
	return state_of(jvm) ? handle(p, jvm, &(union queued){.counters = *event}) : -ENOMEM;
}

int futex_sleep(struct pauses *p, struct pause_jvm *jvm, const struct event_offcpu *off)
{
	return state_of(jvm) ? handle(p, jvm, &(union queued){.sleep = *off}) : -ENOMEM;
}

int futex_barrier_wait(struct pauses *p, struct pause_jvm *jvm, const struct event_offcpu *off)
{
	struct futex_state *state = state_of(jvm);
	size_t at;

	if (!state)
		return -ENOMEM;
	if (off->waker_tid == jvm->vm_tid)
		words_entry(state->barriers, &state->nr_barriers, off->arg0)->nr_waits++;
	if (state->nr_waits == WAITS_MAX) { /* of pauses that never came */
		state->waits_from = (state->waits_from + 1) % WAITS_MAX;
		state->nr_waits--;
		p->totals.nr_late_returns++;
	}
	at = (state->waits_from + state->nr_waits++) % WAITS_MAX;
	state->waits[at] = *off;
	return state->barrier
		       ? 0
		       : try_barrier(p, jvm, words_judge(state->barriers, state->nr_barriers));
}

/*
 * The JVM has counted one safepoint more than have ended: it was in it when the recording ended.
 * Its counter is known to be of now, for nothing has ended since without being counted here.
 */
static int cut_open(struct pauses *p, struct pause_jvm *jvm, uint64_t end_ns)
{
	struct futex_state *state = jvm->futex;
	struct stop *stop;

	if (!state->has_before || !(state->before.valid & JVM_COUNTER_SAFEPOINTS) ||
	    jvm->last_counted != state->before.safepoints + 1)
		return 0;
	stop = pauses_begin(p, jvm, PAUSE_SOURCE_FUTEX,
			    state->lock_exit_ns > state->wake_ns ? state->lock_exit_ns
								 : state->wake_ns);
	if (!stop)
		return -ENOMEM;
	stop->ring_from = state->wake_ring;
	stop->pause.cut = true;
	stop->pause.nr_safepoints = jvm->last_counted;
	return pauses_close(p, stop, end_ns);
}

int futex_end(struct pauses *p, struct pause_jvm *jvm, uint64_t end_ns)
{
	const struct word *most;
	uint64_t barrier;
	int err;

	if (!jvm->futex)
		return 0;
	if (!jvm->futex->barrier) {
		barrier = words_judge(jvm->futex->barriers, jvm->futex->nr_barriers);
		most = words_most_woken(jvm->futex->barriers, jvm->futex->nr_barriers);
		err = try_barrier(p, jvm, barrier || !most ? barrier : most->uaddr);
		if (err)
			return err;
	}
	return cut_open(p, jvm, end_ns);
}
