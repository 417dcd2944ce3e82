/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/attribution/queue.h"
#include "user/attribution/queue_windows.h"

/*
 * A replay and its parent, the best earlier one whose mask is a subset, mostly do the same. While
 * they do, the replay has no servers of its own. They come apart with the first request whose spans
 * differ, and are one again when every request whose spans differed is finished in both: servers
 * are then the same, up to those that are free, and of these the time does not matter.
 */
struct replay {
	uint32_t mask, extra; /* extra: not in the parent's */
	int parent;	      /* -1: none */
	bool apart;	      /* has servers of its own */
	uint64_t differs_until_ns;
	uint64_t *free_ns; /* a heap: when each server is free, the earliest first */
	struct windows_at at;
};

struct queue {
	struct windows windows;
	uint32_t nr_servers;
	size_t nr;
	uint64_t arrival_ns, horizon_ns; /* latest arrival, latest finish */
	uint64_t nr_late;
	uint64_t busy_ns[NR_QUEUE_CAUSES]; /* of the request under way */
	uint64_t *free_ns;		   /* of all replays */
	struct replay replays[QUEUE_REPLAYS_MAX];
};

static int find_parent(const struct queue *q, size_t of)
{
	uint32_t mask = q->replays[of].mask;
	int best = -1;

	for (size_t i = 0; i < of; i++) {
		if (q->replays[i].mask & ~mask)
			continue;
		if (best < 0 || __builtin_popcount(q->replays[i].mask) >
					__builtin_popcount(q->replays[best].mask))
			best = (int)i;
	}
	return best;
}

int queue_new(uint32_t nr_servers, const uint32_t *masks, size_t nr_masks, struct queue **ret)
{
	struct queue *q;

	if (!nr_servers || !nr_masks || nr_masks > QUEUE_REPLAYS_MAX)
		return -EINVAL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->free_ns = calloc(nr_masks * nr_servers, sizeof(q->free_ns[0]));
	if (!q->free_ns) {
		free(q);
		return -ENOMEM;
	}
	q->nr_servers = nr_servers;
	q->nr = nr_masks;
	for (size_t i = 0; i < nr_masks; i++) {
		struct replay *r = &q->replays[i];

		r->mask = masks[i];
		r->free_ns = &q->free_ns[i * nr_servers];
		r->parent = find_parent(q, i);
		r->extra = r->parent < 0 ? 0 : r->mask & ~q->replays[r->parent].mask;
		r->apart = r->parent < 0;
	}
	*ret = q;
	return 0;
}

void queue_free(struct queue *q)
{
	if (!q)
		return;
	windows_free(&q->windows);
	free(q->free_ns);
	free(q);
}

int queue_add_away(struct queue *q, const struct queue_interval *away)
{
	int err = windows_add(&q->windows, away);

	if (!err)
		q->nr_late += away->from_ns < q->horizon_ns;
	return err;
}

uint64_t queue_nr_late(const struct queue *q)
{
	return q->nr_late;
}

/* The replay whose servers @i uses. */
static size_t servers_of(const struct queue *q, size_t i)
{
	while (!q->replays[i].apart)
		i = (size_t)q->replays[i].parent;
	return i;
}

/* The server that was free first is busy until @finish_ns. */
static void occupy(uint64_t *heap, size_t nr, uint64_t finish_ns)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < nr) {
		child += child + 1 < nr && heap[child + 1] < heap[child];
		if (heap[child] >= finish_ns)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = finish_ns;
}

static uint64_t busy_without(const struct queue *q, uint32_t mask)
{
	uint64_t sum = 0;

	for (unsigned int cause = 0; cause < NR_QUEUE_CAUSES; cause++)
		sum += mask & QUEUE_MASK(cause) ? 0 : q->busy_ns[cause];
	return sum;
}

static struct queue_span serve(struct queue *q, struct replay *r, uint64_t free_ns,
			       const struct queue_request *request)
{
	uint64_t from_ns = request->arrival_ns > free_ns ? request->arrival_ns : free_ns;
	uint64_t busy_ns = busy_without(q, r->mask);
	struct queue_span span;

	windows_seek(&q->windows, &r->at, from_ns);
	span.start_ns = windows_present(&q->windows, &r->at, r->mask, from_ns);
	span.finish_ns = span.start_ns + busy_ns;
	if (windows_any(&q->windows, &r->at, ~r->mask, span.finish_ns))
		span.finish_ns = windows_finish(&q->windows, &r->at, r->mask, span.start_ns,
						request->segments, request->nr);
	return span;
}

/* Whether @r, one with its parent so far, certainly does with this request what its parent does. */
static bool is_same(struct queue *q, struct replay *r, uint64_t free_ns, uint64_t arrival_ns,
		    uint64_t finish_ns)
{
	if (busy_without(q, ~r->extra))
		return false;
	windows_seek(&q->windows, &r->at, arrival_ns > free_ns ? arrival_ns : free_ns);
	return !windows_any(&q->windows, &r->at, r->extra, finish_ns);
}

static void replay_all(struct queue *q, const struct queue_request *request, struct queue_span *ret)
{
	for (size_t i = 0; i < q->nr; i++) {
		struct replay *r = &q->replays[i];
		uint64_t free_ns;

		if (r->apart && r->parent >= 0 && request->arrival_ns >= r->differs_until_ns)
			r->apart = false;
		free_ns = q->replays[servers_of(q, i)].free_ns[0];
		if (!r->apart &&
		    is_same(q, r, free_ns, request->arrival_ns, ret[r->parent].finish_ns))
			ret[i] = ret[r->parent];
		else
			ret[i] = serve(q, r, free_ns, request);
		if (ret[i].finish_ns > q->horizon_ns)
			q->horizon_ns = ret[i].finish_ns;
	}
}

/* Backwards: one that comes apart takes the servers as they were before this request. */
static void occupy_all(struct queue *q, const struct queue_span *spans)
{
	for (size_t i = q->nr; i-- > 0;) {
		struct replay *r = &q->replays[i];
		const struct queue_span *of_parent = r->parent < 0 ? NULL : &spans[r->parent];

		if (of_parent && (of_parent->start_ns != spans[i].start_ns ||
				  of_parent->finish_ns != spans[i].finish_ns)) {
			if (!r->apart)
				memcpy(r->free_ns, q->replays[servers_of(q, i)].free_ns,
				       q->nr_servers * sizeof(r->free_ns[0]));
			if (!r->apart || of_parent->finish_ns > r->differs_until_ns)
				r->differs_until_ns = of_parent->finish_ns;
			r->apart = true;
		}
		if (r->apart)
			occupy(r->free_ns, q->nr_servers, spans[i].finish_ns);
	}
}

int queue_add(struct queue *q, const struct queue_request *request, struct queue_span *ret)
{
	if (request->arrival_ns < q->arrival_ns)
		return -EINVAL;
	q->arrival_ns = request->arrival_ns;
	memset(q->busy_ns, 0, sizeof(q->busy_ns));
	for (size_t i = 0; i < request->nr; i++)
		q->busy_ns[request->segments[i].cause] += request->segments[i].ns;
	windows_forget(&q->windows, request->arrival_ns);
	replay_all(q, request, ret);
	occupy_all(q, ret);
	return 0;
}
