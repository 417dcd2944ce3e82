/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pause, by what it waited for itself: while reaching, the thread that was late (else the VM
 * Thread); from then to the release, what most of those at work on the operation were in, VM Thread
 * and GC workers. Where nobody is known to wait it is the pause's own.
 */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/conditions_store.h"
#include "user/base/cleanup.h"

enum inner { /* where as many are in each, the first counts */
	     INNER_RUNNING,
	     INNER_RUN_QUEUE,
	     INNER_THROTTLED,
	     INNER_STOPPED,
	     INNER_FAULT,
	     NR_INNER,
	     INNER_NONE = NR_INNER /* waits for the others, or nothing is known */
};

struct edge {
	uint64_t at_ns;
	enum inner inner;
	int step;
};

struct edges {
	struct edge *at;
	size_t nr, room;
};

static enum inner inner_of(uint8_t reason)
{
	switch (reason) {
	case REASON_RUNNING:
		return INNER_RUNNING;
	case REASON_RUN_QUEUE:
		return INNER_RUN_QUEUE;
	case REASON_THROTTLED:
		return INNER_THROTTLED;
	case REASON_STOPPED:
	case REASON_TRACED:
	case REASON_FROZEN:
		return INNER_STOPPED;
	case REASON_PAGE_FAULT:
	case REASON_FILE_IO:
	case REASON_MEMORY:
	case REASON_KERNEL_LOCK:
		return INNER_FAULT;
	default:
		return INNER_NONE;
	}
}

static enum cause cause_of_inner(enum inner inner)
{
	static const enum cause causes[NR_INNER] = {
		[INNER_RUNNING] = CAUSE_PAUSE,
		[INNER_RUN_QUEUE] = CAUSE_PAUSE_RUN_QUEUE,
		[INNER_THROTTLED] = CAUSE_PAUSE_THROTTLED,
		[INNER_STOPPED] = CAUSE_PAUSE_STOPPED,
		[INNER_FAULT] = CAUSE_PAUSE_FAULT,
	};

	return causes[inner];
}

static int put_edge(struct edges *edges, uint64_t at_ns, enum inner inner, int step)
{
	if (edges->nr == edges->room) {
		size_t room = edges->room ? edges->room * 2 : 64;
		struct edge *at = reallocarray(edges->at, room, sizeof(at[0]));

		if (!at)
			return -ENOMEM;
		edges->at = at;
		edges->room = room;
	}
	edges->at[edges->nr++] = (struct edge){at_ns, inner, step};
	return 0;
}

static int put_both(struct edges *edges, enum inner inner, uint64_t from_ns, uint64_t to_ns)
{
	int err;

	if (inner == INNER_NONE || from_ns >= to_ns)
		return 0;
	err = put_edge(edges, from_ns, inner, 1);
	return err ? err : put_edge(edges, to_ns, inner, -1);
}

/* Since its last wait that is over it has run, as far as anybody knows. */
static int add_thread(struct edges *edges, const struct thread_past *thread, uint64_t from_ns,
		      uint64_t to_ns)
{
	uint64_t nr = past_after(&thread->spans, from_ns), end_ns = from_ns;
	int err = 0;

	for (; nr < thread->spans.end && !err; nr++) {
		const struct past *span = past_at(&thread->spans, nr);

		if (span->from_ns >= to_ns)
			return 0;
		end_ns = span->to_ns;
		err = put_both(edges, inner_of(span->what),
			       span->from_ns > from_ns ? span->from_ns : from_ns,
			       span->to_ns < to_ns ? span->to_ns : to_ns);
	}
	return err || end_ns == from_ns ? err : put_both(edges, INNER_RUNNING, end_ns, to_ns);
}

static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

static enum inner most(const int nr[NR_INNER])
{
	enum inner ret = INNER_RUNNING;

	for (enum inner inner = 0; inner < NR_INNER; inner++)
		if (nr[inner] > nr[ret])
			ret = inner;
	return ret;
}

static int put_piece(struct past_ring *pieces, struct past *piece, uint64_t to_ns, enum cause next)
{
	int err;

	piece->to_ns = to_ns;
	if (piece->what == next || piece->from_ns >= piece->to_ns) {
		piece->what = next;
		return 0;
	}
	err = past_put(pieces, piece);
	piece->from_ns = to_ns;
	piece->what = next;
	return err;
}

/* The phase [@phase->from_ns, @phase->to_ns), cut where most of those in @edges changes. */
static int put_phase(struct past_ring *pieces, const struct past *phase, struct edges *edges)
{
	struct past piece = *phase;
	int nr[NR_INNER] = {0}, err = 0;

	if (phase->from_ns >= phase->to_ns)
		return 0;
	if (edges->nr)
		qsort(edges->at, edges->nr, sizeof(edges->at[0]), compare_edges);
	piece.what = CAUSE_PAUSE;
	for (size_t i = 0; i < edges->nr && !err; i++) {
		nr[edges->at[i].inner] += edges->at[i].step;
		if (i + 1 < edges->nr && edges->at[i + 1].at_ns == edges->at[i].at_ns)
			continue;
		err = put_piece(pieces, &piece, edges->at[i].at_ns, cause_of_inner(most(nr)));
	}
	piece.to_ns = phase->to_ns;
	if (err || piece.from_ns >= piece.to_ns)
		return err;
	return past_put(pieces, &piece);
}

static bool is_at_work_in(const struct thread_past *thread, uint32_t tgid)
{
	return thread->tgid == tgid && (thread->role == ROLE_GC || thread->role == ROLE_VM_THREAD);
}

static int put_reaching(struct condition_store *s, struct past_ring *pieces,
			const struct pause *pause, const struct past *phase)
{
	struct edges edges = {0};
	const struct thread_past *thread = past_of(s, pause->late_tid);
	size_t cursor = 0;
	int err = 0;

	if (pause->late_tid && thread)
		err = add_thread(&edges, thread, phase->from_ns,
				 pause->late_arrived_ns < phase->to_ns ? pause->late_arrived_ns
								       : phase->to_ns);
	while (!pause->late_tid && !err && (thread = map_next(&s->threads, &cursor)))
		if (thread->tgid == pause->tgid && thread->role == ROLE_VM_THREAD)
			err = add_thread(&edges, thread, phase->from_ns, phase->to_ns);
	if (!err)
		err = put_phase(pieces, phase, &edges);
	free(edges.at);
	return err;
}

static int put_operation(struct condition_store *s, struct past_ring *pieces,
			 const struct pause *pause, const struct past *phase)
{
	struct edges edges = {0};
	const struct thread_past *thread;
	size_t cursor = 0;
	int err = 0;

	while (!err && (thread = map_next(&s->threads, &cursor)))
		if (is_at_work_in(thread, pause->tgid))
			err = add_thread(&edges, thread, phase->from_ns, phase->to_ns);
	if (!err)
		err = put_phase(pieces, phase, &edges);
	free(edges.at);
	return err;
}

static uint64_t first_of(uint64_t a_ns, uint64_t b_ns, uint64_t c_ns)
{
	if (a_ns)
		return a_ns;
	return b_ns ? b_ns : c_ns;
}

int conditions_put_pieces(struct condition_store *s, const struct pause *pause)
{
	struct process_past *process = conditions_process(s, pause->tgid);
	uint64_t end_ns = first_of(pause->release_ns, pause->end_ns, s->now_ns);
	uint64_t sync_ns = first_of(pause->sync_ns, pause->op_begin_ns, pause->begin_ns);
	struct past phase = {.from_ns = pause->begin_ns, .nr = pause->nr};
	int err;

	if (!process)
		return -ENOMEM;
	if (sync_ns > end_ns)
		sync_ns = end_ns;
	phase.to_ns = sync_ns;
	err = pause->begin_ns ? put_reaching(s, &process->pieces, pause, &phase) : 0;
	phase.from_ns = sync_ns;
	phase.to_ns = end_ns;
	phase.flags = PAST_WIDE;
	return err ? err : put_operation(s, &process->pieces, pause, &phase);
}
