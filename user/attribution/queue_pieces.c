/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/queue_pieces.h"

/* A kind is a cause, and whether it is elsewhere: the first kind that holds is the piece's. */
#define NR_KINDS (2 * NR_QUEUE_CAUSES)

static int make_room(struct queue_pieces *p, size_t nr)
{
	size_t room = 2 * nr + 16;
	void *pieces, *segments, *edges;

	if (nr <= p->room)
		return 0;
	pieces = realloc(p->pieces, room * sizeof(*p->pieces));
	p->pieces = pieces ? pieces : p->pieces;
	segments = realloc(p->segments, room * sizeof(*p->segments));
	p->segments = segments ? segments : p->segments;
	edges = realloc(p->edges, room * sizeof(*p->edges));
	p->edges = edges ? edges : p->edges;
	if (!pieces || !segments || !edges)
		return -ENOMEM;
	p->room = room;
	return 0;
}

void queue_pieces_free(struct queue_pieces *p)
{
	free(p->pieces);
	free(p->segments);
	free(p->edges);
	*p = (struct queue_pieces){0};
}

static int compare_edges(const void *left, const void *right)
{
	const struct queue_edge *a = left, *b = right;

	return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

static size_t find_edges(struct queue_pieces *p, uint64_t from_ns, uint64_t to_ns,
			 const struct queue_interval *intervals, size_t nr)
{
	size_t nr_edges = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct queue_interval *in = &intervals[i];
		uint64_t begin_ns = in->from_ns > from_ns ? in->from_ns : from_ns;
		uint64_t end_ns = in->to_ns < to_ns ? in->to_ns : to_ns;
		uint8_t kind = (uint8_t)(2 * in->cause + in->elsewhere);

		if (begin_ns >= end_ns)
			continue;
		p->edges[nr_edges++] = (struct queue_edge){begin_ns, kind, 1};
		p->edges[nr_edges++] = (struct queue_edge){end_ns, kind, -1};
	}
	if (nr_edges > 2)
		qsort(p->edges, nr_edges, sizeof(p->edges[0]), compare_edges);
	return nr_edges;
}

static void put_piece(struct queue_pieces *p, uint64_t from_ns, uint64_t to_ns, unsigned int kind)
{
	struct queue_interval piece = {from_ns, to_ns, (uint8_t)(kind / 2), kind % 2};
	struct queue_interval *last = p->nr_pieces ? &p->pieces[p->nr_pieces - 1] : NULL;

	if (last && last->to_ns == from_ns && last->cause == piece.cause &&
	    last->elsewhere == piece.elsewhere)
		last->to_ns = to_ns;
	else
		p->pieces[p->nr_pieces++] = piece;
}

static int check(const struct queue_interval *intervals, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (intervals[i].from_ns > intervals[i].to_ns ||
		    intervals[i].cause >= NR_QUEUE_CAUSES)
			return -EINVAL;
	return 0;
}

int queue_pieces_cut(struct queue_pieces *p, uint64_t from_ns, uint64_t to_ns,
		     const struct queue_interval *intervals, size_t nr)
{
	int64_t open[NR_KINDS] = {0};
	uint32_t holds = 0;
	size_t nr_edges;
	int err = check(intervals, nr);

	if (!err)
		err = make_room(p, 2 * nr + 1);
	if (err)
		return err;
	p->nr_pieces = 0;
	nr_edges = find_edges(p, from_ns, to_ns, intervals, nr);
	for (size_t i = 0; i < nr_edges; i++) {
		const struct queue_edge *edge = &p->edges[i];

		if (holds && edge->at_ns > edge[-1].at_ns)
			put_piece(p, edge[-1].at_ns, edge->at_ns,
				  (unsigned int)__builtin_ctz(holds));
		open[edge->kind] += edge->step;
		if (open[edge->kind])
			holds |= 1u << edge->kind;
		else
			holds &= ~(1u << edge->kind);
	}
	return 0;
}

static void put_segment(struct queue_pieces *p, uint64_t ns, uint8_t cause, bool elsewhere)
{
	struct queue_segment *last = p->nr_segments ? &p->segments[p->nr_segments - 1] : NULL;

	if (!ns)
		return;
	if (last && last->cause == cause && last->elsewhere == elsewhere)
		last->ns += ns;
	else
		p->segments[p->nr_segments++] = (struct queue_segment){ns, cause, elsewhere};
}

/* How much of [from_ns, to_ns) lies outside @away; *i is the first window that may matter. */
static uint64_t present_ns(uint64_t from_ns, uint64_t to_ns, const struct queue_interval *away,
			   size_t nr_away, size_t *i)
{
	uint64_t ns = to_ns - from_ns;

	while (*i < nr_away && away[*i].to_ns <= from_ns)
		(*i)++;
	for (size_t j = *i; j < nr_away && away[j].from_ns < to_ns; j++) {
		uint64_t begin_ns = away[j].from_ns > from_ns ? away[j].from_ns : from_ns;
		uint64_t end_ns = away[j].to_ns < to_ns ? away[j].to_ns : to_ns;

		ns -= end_ns - begin_ns;
	}
	return ns;
}

int queue_pieces_service(struct queue_pieces *p, uint64_t from_ns, uint64_t to_ns,
			 const struct queue_interval *intervals, size_t nr,
			 const struct queue_interval *away, size_t nr_away)
{
	uint64_t at_ns = from_ns;
	size_t window = 0;
	int err = from_ns > to_ns ? -EINVAL : queue_pieces_cut(p, from_ns, to_ns, intervals, nr);

	if (!err)
		err = make_room(p, 2 * p->nr_pieces + 1); /* pieces and the gaps between them */
	if (err)
		return err;
	p->nr_segments = 0;
	for (size_t i = 0; i < p->nr_pieces; i++) {
		const struct queue_interval *piece = &p->pieces[i];

		put_segment(p, present_ns(at_ns, piece->from_ns, away, nr_away, &window),
			    QUEUE_LOAD, false);
		put_segment(p,
			    piece->elsewhere ? piece->to_ns - piece->from_ns
					     : present_ns(piece->from_ns, piece->to_ns, away,
							  nr_away, &window),
			    piece->cause, piece->elsewhere);
		at_ns = piece->to_ns;
	}
	put_segment(p, present_ns(at_ns, to_ns, away, nr_away, &window), QUEUE_LOAD, false);
	return 0;
}
