/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/attribution/split_stretch.h"

#define SEGMENTS_MIN 32

/* A list, walked once from begin to end. */
struct cursor {
	const struct conditions *list;
	size_t next; /* the first that is not over */
};

/* One stretch, piece by piece. */
struct laying {
	const struct split_request *request;
	const struct stretch *stretch;
	struct split_result *result;
	struct cursor losses, own, pauses, at_work, previous;
	uint64_t left_ns[NR_BACKLOGS]; /* of the backlog, not laid out yet */
};

bool split_is_stop(enum cause cause)
{
	return cause >= CAUSE_PAUSE && cause <= CAUSE_THROTTLED;
}

enum cause split_backlog_of(enum cause cause)
{
	if (cause >= CAUSE_BACKLOG_PAUSE && cause <= CAUSE_BACKLOG_LOAD)
		return cause;
	switch (cause) {
	case CAUSE_PAUSE:
	case CAUSE_PAUSE_RUN_QUEUE:
	case CAUSE_PAUSE_FAULT:
		return CAUSE_BACKLOG_PAUSE;
	case CAUSE_PAUSE_STOPPED:
	case CAUSE_STOPPED:
		return CAUSE_BACKLOG_STOPPED;
	case CAUSE_PAUSE_THROTTLED:
	case CAUSE_THROTTLED:
		return CAUSE_BACKLOG_THROTTLED;
	case CAUSE_LOCK:
		return CAUSE_BACKLOG_LOCK;
	case CAUSE_DOWNSTREAM:
		return CAUSE_BACKLOG_DOWNSTREAM;
	case CAUSE_RUN_QUEUE_GC:
	case CAUSE_RUN_QUEUE_OWN:
	case CAUSE_RUN_QUEUE_OTHERS:
	case CAUSE_RUN_QUEUE:
		return CAUSE_BACKLOG_RUN_QUEUE;
	case CAUSE_GENERATOR:
		return CAUSE_BACKLOG_GENERATOR;
	default:
		return CAUSE_BACKLOG_LOAD;
	}
}

static bool is_run_queue(enum cause cause)
{
	return split_backlog_of(cause) == CAUSE_BACKLOG_RUN_QUEUE &&
	       cause != CAUSE_BACKLOG_RUN_QUEUE;
}

/* ---- lists ---- */

static void cursor_begin(struct cursor *cursor, const struct conditions *list, uint64_t from_ns)
{
	size_t low = 0, high = list ? list->nr : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->at[middle].to_ns <= from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	*cursor = (struct cursor){list, low};
}

/* What holds at @ns, or NULL; *until_ns is brought forward to where that changes. */
static const struct condition *cursor_at(struct cursor *cursor, uint64_t ns, uint64_t *until_ns)
{
	const struct condition *at;
	uint64_t change_ns;

	while (cursor->list && cursor->next < cursor->list->nr &&
	       cursor->list->at[cursor->next].to_ns <= ns)
		cursor->next++;
	if (!cursor->list || cursor->next == cursor->list->nr)
		return NULL;
	at = &cursor->list->at[cursor->next];
	change_ns = at->from_ns > ns ? at->from_ns : at->to_ns;
	if (change_ns < *until_ns)
		*until_ns = change_ns;
	return at->from_ns > ns ? NULL : at;
}

/* ---- segments ---- */

static int put(struct split_result *result, const struct segment *segment)
{
	struct segment *last = result->nr ? &result->segments[result->nr - 1] : NULL;

	result->split.ns[segment->cause] += segment->to_ns - segment->from_ns;
	if (last && last->cause == segment->cause && last->tid == segment->tid &&
	    last->pause_nr == segment->pause_nr) {
		last->to_ns = segment->to_ns;
		return 0;
	}
	if (result->nr == result->room) {
		size_t room = result->room ? result->room * 2 : SEGMENTS_MIN;
		struct segment *segments =
			reallocarray(result->segments, room, sizeof(segments[0]));

		if (!segments)
			return -ENOMEM;
		result->segments = segments;
		result->room = room;
	}
	result->segments[result->nr++] = *segment;
	return 0;
}

/* ---- backlog ---- */

/* What the thread itself was stopped for during its wait is told where it happened; the replay's
 * part of that cause has it, too, and must not tell it twice. */
static void leave_out_direct(struct laying *l, const struct condition *stop, uint64_t ns)
{
	uint64_t *left_ns =
		&l->left_ns[split_backlog_of((enum cause)stop->cause) - CAUSE_BACKLOG_PAUSE];

	*left_ns -= ns < *left_ns ? ns : *left_ns;
}

static void prepare_backlog(struct laying *l)
{
	const struct stretch *s = l->stretch;
	struct cursor losses, own;
	const struct conditions *list = s->kind == STRETCH_CONNECTION ? &l->request->previous
					: s->thread		      ? &s->thread->conditions
								      : NULL;

	if (!s->backlog || !s->backlog->replayed)
		return;
	memcpy(l->left_ns, s->backlog->ns, sizeof(l->left_ns));
	for (size_t i = 0; i < NR_BACKLOGS; i++)
		l->result->split.misfit_ns -= (int64_t)s->backlog->ns[i];
	cursor_begin(&losses, &l->request->losses, s->from_ns);
	cursor_begin(&own, list, s->from_ns);
	for (uint64_t ns = s->from_ns, until_ns; ns < s->to_ns; ns = until_ns) {
		bool lost;
		const struct condition *at;

		until_ns = s->to_ns;
		lost = cursor_at(&losses, ns, &until_ns);
		at = cursor_at(&own, ns, &until_ns);
		if (!lost && at && split_is_stop((enum cause)at->cause))
			leave_out_direct(l, at, until_ns - ns);
	}
}

/* The latest pause that had begun by then. */
static uint64_t pause_before(const struct conditions *pauses, uint64_t ns)
{
	size_t low = 0, high = pauses->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pauses->at[middle].from_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? pauses->at[low - 1].pause_nr : 0;
}

/* The next part that is left, in the order of blame; it may end before the piece does. */
static void take_backlog(struct laying *l, struct segment *piece)
{
	size_t part = 0, load = CAUSE_BACKLOG_LOAD - CAUSE_BACKLOG_PAUSE;

	while (part < load && !l->left_ns[part])
		part++;
	piece->cause = CAUSE_BACKLOG_PAUSE + (uint32_t)part;
	if (part < load) {
		if (l->left_ns[part] < piece->to_ns - piece->from_ns)
			piece->to_ns = piece->from_ns + l->left_ns[part];
		l->left_ns[part] -= piece->to_ns - piece->from_ns;
	}
	if (piece->cause == CAUSE_BACKLOG_PAUSE)
		piece->pause_nr = pause_before(&l->request->pauses, piece->from_ns);
}

/* ---- one piece: the first cause that holds ---- */

static void take(struct segment *piece, const struct condition *at)
{
	piece->cause = at->cause;
	piece->pause_nr = at->pause_nr;
}

static void of_connection(struct laying *l, struct segment *piece)
{
	const struct condition *at = cursor_at(&l->previous, piece->from_ns, &piece->to_ns);

	if (at && split_is_stop((enum cause)at->cause))
		take(piece, at);
	else if (at && l->stretch->backlog->replayed)
		take_backlog(l, piece);
	else
		piece->cause = CAUSE_CONNECTION_WAIT;
}

/* Of a generator's thread only what kept it from a CPU is a reason. */
static void of_client(struct laying *l, struct segment *piece)
{
	const struct condition *at = cursor_at(&l->own, piece->from_ns, &piece->to_ns);
	enum cause cause = at ? (enum cause)at->cause : CAUSE_UNKNOWN;

	if (at && (split_is_stop(cause) || is_run_queue(cause)))
		take(piece, at);
	else if (cause == CAUSE_ON_CPU)
		piece->cause = CAUSE_GENERATOR;
	else
		piece->cause = l->stretch->otherwise;
}

/* Who waits for work holds no request: nobody can have kept a lock from it. */
static enum cause of_idle_thread(enum cause cause)
{
	return cause == CAUSE_LOCK ? CAUSE_PARKED : cause;
}

static void of_server(struct laying *l, struct segment *piece)
{
	const struct stretch *s = l->stretch;
	const struct condition *own = cursor_at(&l->own, piece->from_ns, &piece->to_ns);
	const struct condition *pause = cursor_at(&l->pauses, piece->from_ns, &piece->to_ns);
	const struct condition *work = cursor_at(&l->at_work, piece->from_ns, &piece->to_ns);

	if (own && split_is_stop((enum cause)own->cause)) {
		take(piece, own);
	} else if (pause && (!own || own->cause == CAUSE_UNKNOWN)) {
		take(piece, pause);
		piece->tid = own ? piece->tid : 0;
	} else if (work) {
		take_backlog(l, piece);
	} else if (own) {
		take(piece, own);
		if (s->kind == STRETCH_WAIT)
			piece->cause = of_idle_thread((enum cause)own->cause);
	} else {
		piece->cause = s->thread ? CAUSE_UNKNOWN : s->otherwise;
	}
}

static void decide(struct laying *l, struct segment *piece)
{
	if (cursor_at(&l->losses, piece->from_ns, &piece->to_ns)) {
		piece->cause = CAUSE_LOST;
		piece->tid = 0;
		return;
	}
	switch (l->stretch->kind) {
	case STRETCH_CONNECTION:
		of_connection(l, piece);
		return;
	case STRETCH_SENDER:
	case STRETCH_RECEIVER:
		of_client(l, piece);
		return;
	case STRETCH_WIRE:
		piece->cause = l->stretch->otherwise;
		return;
	default:
		of_server(l, piece);
	}
}

/* Of a wait, what its replay speaks of. */
static bool is_explained(const struct segment *piece)
{
	enum cause cause = (enum cause)piece->cause;

	return split_is_stop(cause) ||
	       (cause >= CAUSE_BACKLOG_PAUSE && cause <= CAUSE_BACKLOG_LOAD);
}

static int lay(const struct split_request *request, const struct stretch *stretch,
	       struct split_result *result)
{
	struct laying l = {.request = request, .stretch = stretch, .result = result};
	struct segment piece = {.to_ns = stretch->from_ns};
	int err = 0;

	cursor_begin(&l.losses, &request->losses, stretch->from_ns);
	cursor_begin(&l.own, stretch->thread ? &stretch->thread->conditions : NULL,
		     stretch->from_ns);
	cursor_begin(&l.pauses, stretch->pauses ? &request->pauses : NULL, stretch->from_ns);
	cursor_begin(&l.at_work, stretch->thread ? stretch->at_work : NULL, stretch->from_ns);
	cursor_begin(&l.previous, &request->previous, stretch->from_ns);
	prepare_backlog(&l);
	while (!err && piece.to_ns < stretch->to_ns) {
		piece = (struct segment){.from_ns = piece.to_ns,
					 .to_ns = stretch->to_ns,
					 .tid = stretch->thread ? stretch->thread->tid : 0};
		decide(&l, &piece);
		if (stretch->backlog && stretch->backlog->replayed && is_explained(&piece))
			result->split.misfit_ns += (int64_t)(piece.to_ns - piece.from_ns);
		err = put(result, &piece);
	}
	return err;
}

static uint64_t part_of_pause(const struct split_result *result, size_t from, uint64_t pause_nr)
{
	uint64_t ns = 0;

	for (size_t i = from; i < result->nr; i++)
		if (result->segments[i].pause_nr == pause_nr)
			ns += result->segments[i].to_ns - result->segments[i].from_ns;
	return ns;
}

/* The pause with the largest part. Pauses follow each other: each is added up where it begins. */
static void find_pause(struct split_result *result)
{
	uint64_t last_nr = 0;

	for (size_t i = 0; i < result->nr; i++) {
		uint64_t nr = result->segments[i].pause_nr, ns;

		if (!nr || nr == last_nr)
			continue;
		last_nr = nr;
		ns = part_of_pause(result, i, nr);
		if (ns <= result->split.pause_ns)
			continue;
		result->split.pause_ns = ns;
		result->split.pause_nr = nr;
	}
}

int split_request(const struct split_request *request, struct split_result *ret)
{
	struct stretch all[STRETCHES_MAX];
	size_t nr;
	int err = stretches(request, ret, all, &nr);

	memset(&ret->split, 0, sizeof(ret->split));
	ret->nr = 0;
	for (size_t i = 0; i < nr && !err; i++)
		err = lay(request, &all[i], ret);
	if (err)
		return err;
	find_pause(ret);
	assert(split_total_ns(&ret->split) == ret->end_ns - ret->begin_ns);
	return 0;
}

void split_free(struct split_result *result)
{
	free(result->segments);
	*result = (struct split_result){0};
}
