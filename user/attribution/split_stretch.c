/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/attribution/split_stretch.h"

struct list {
	const struct split_request *request;
	struct stretch *at;
	size_t nr;
};

static uint64_t between(uint64_t ns, uint64_t low_ns, uint64_t high_ns)
{
	if (ns < low_ns)
		return low_ns;
	return ns > high_ns ? high_ns : ns;
}

static void put(struct list *list, struct stretch stretch)
{
	if (stretch.thread && !stretch.thread->tid)
		stretch.thread = NULL;
	if (stretch.from_ns < stretch.to_ns)
		list->at[list->nr++] = stretch;
}

static void put_send(struct list *list, uint64_t from_ns, uint64_t to_ns)
{
	const struct split_request *r = list->request;
	uint64_t wait_ns = r->connection_wait_ns;
	uint64_t free_ns = wait_ns < to_ns - from_ns ? from_ns + wait_ns : to_ns;

	put(list, (struct stretch){.from_ns = from_ns,
				   .to_ns = free_ns,
				   .kind = STRETCH_CONNECTION,
				   .backlog = &r->connection,
				   .otherwise = CAUSE_CONNECTION_WAIT});
	put(list, (struct stretch){.from_ns = free_ns,
				   .to_ns = to_ns,
				   .kind = STRETCH_SENDER,
				   .thread = &r->sender,
				   .otherwise = CAUSE_GENERATOR});
}

static void put_wire(struct list *list, uint64_t from_ns, uint64_t to_ns, enum cause cause)
{
	put(list,
	    (struct stretch){
		    .from_ns = from_ns, .to_ns = to_ns, .kind = STRETCH_WIRE, .otherwise = cause});
}

static void put_wait(struct list *list, uint64_t from_ns, uint64_t to_ns)
{
	const struct split_request *r = list->request;

	put(list, (struct stretch){.from_ns = from_ns,
				   .to_ns = to_ns,
				   .kind = STRETCH_WAIT,
				   .thread = &r->reader,
				   .at_work = &r->reader_at_work,
				   .backlog = &r->wait,
				   .otherwise = CAUSE_NO_THREAD,
				   .pauses = true});
}

static void put_work(struct list *list, uint64_t from_ns, uint64_t to_ns,
		     const struct split_thread *thread)
{
	put(list, (struct stretch){.from_ns = from_ns,
				   .to_ns = to_ns,
				   .kind = STRETCH_WORK,
				   .thread = thread,
				   .otherwise = CAUSE_NO_THREAD,
				   .pauses = true});
}

/* The reader, the way to the answerer, the answerer; where the two overlap it is the reader's. What
 * is not known of who served it when is nobody's. */
static void put_service(struct list *list, uint64_t from_ns, uint64_t to_ns)
{
	const struct split_request *r = list->request;
	bool both = r->reader_until_ns && r->answerer_since_ns;
	uint64_t until_ns =
		r->reader_until_ns ? between(r->reader_until_ns, from_ns, to_ns) : from_ns;
	uint64_t since_ns =
		r->answerer_since_ns ? between(r->answerer_since_ns, until_ns, to_ns) : to_ns;

	put_work(list, from_ns, until_ns, &r->reader);
	if (both)
		put(list, (struct stretch){.from_ns = until_ns,
					   .to_ns = since_ns,
					   .kind = STRETCH_WAIT,
					   .thread = &r->answerer,
					   .at_work = &r->answerer_at_work,
					   .backlog = &r->hand_off,
					   .otherwise = CAUSE_NO_THREAD,
					   .pauses = true});
	else
		put_work(list, until_ns, since_ns, NULL);
	put_work(list, since_ns, to_ns, &r->answerer);
}

static void put_return(struct list *list, uint64_t from_ns, uint64_t to_ns)
{
	put(list, (struct stretch){.from_ns = from_ns,
				   .to_ns = to_ns,
				   .kind = STRETCH_RECEIVER,
				   .thread = &list->request->receiver,
				   .otherwise = CAUSE_NETWORK});
}

static void put_between(struct list *list, enum boundary from, uint64_t from_ns, uint64_t to_ns)
{
	const struct split_request *r = list->request;
	bool one_wrote = r->answerer.tid == r->last_answerer.tid;

	switch (from) {
	case AT_INTENDED:
		put_send(list, from_ns, to_ns);
		return;
	case AT_SENT:
		put_wire(list, from_ns, to_ns, CAUSE_NETWORK);
		return;
	case AT_FIRST_ARRIVAL:
		put_wire(list, from_ns, to_ns, CAUSE_BODY_NOT_SENT);
		return;
	case AT_ARRIVED:
		put_wait(list, from_ns, to_ns);
		return;
	case AT_READ:
		put_service(list, from_ns, to_ns);
		return;
	case AT_FIRST_OUT:
		put_work(list, from_ns, to_ns, one_wrote ? &r->answerer : NULL);
		return;
	case AT_LAST_OUT:
		put_wire(list, from_ns, to_ns, r->window ? CAUSE_PEER_NOT_READING : CAUSE_HELD);
		return;
	default:
		put_return(list, from_ns, to_ns);
	}
}

/* Something in between is not known: inside the server it is no thread's, elsewhere unknown. */
static void put_gap(struct list *list, enum boundary from, enum boundary to, uint64_t from_ns,
		    uint64_t to_ns)
{
	if (from >= AT_ARRIVED && to <= AT_LAST_OUT)
		put_work(list, from_ns, to_ns, NULL);
	else
		put_wire(list, from_ns, to_ns, CAUSE_UNKNOWN);
}

/* What is the same as a neighbour where it was not seen: a request in one piece, an answer that was
 * not held. */
static void complete(const struct split_request *request, uint64_t at_ns[NR_BOUNDARIES])
{
	for (int i = 0; i < NR_BOUNDARIES; i++)
		at_ns[i] = request->at_ns[i];
	if (!at_ns[AT_FIRST_ARRIVAL])
		at_ns[AT_FIRST_ARRIVAL] = at_ns[AT_ARRIVED];
	if (!at_ns[AT_RELEASED])
		at_ns[AT_RELEASED] = at_ns[AT_LAST_OUT];
}

static uint64_t last_of(const uint64_t at_ns[NR_BOUNDARIES])
{
	for (int i = NR_BOUNDARIES; i-- > 0;)
		if (at_ns[i])
			return at_ns[i];
	return 0;
}

/* A stamp before the one it follows, or behind the last, is taken for the same: by how much is
 * said. */
static uint64_t in_order(uint64_t ns, uint64_t low_ns, uint64_t high_ns, uint64_t *crossed_ns)
{
	uint64_t ret_ns = between(ns, low_ns, high_ns);
	uint64_t off_ns = ret_ns > ns ? ret_ns - ns : ns - ret_ns;

	if (off_ns > *crossed_ns)
		*crossed_ns = off_ns;
	return ret_ns;
}

struct walk {	/* over the known boundaries */
	int at; /* -1: before the first */
	uint64_t ns;
};

static void step(struct list *list, struct walk *walk, int to, uint64_t to_ns)
{
	if (walk->at >= 0 && to == walk->at + 1)
		put_between(list, (enum boundary)walk->at, walk->ns, to_ns);
	else if (walk->at >= 0)
		put_gap(list, (enum boundary)walk->at, (enum boundary)to, walk->ns, to_ns);
	*walk = (struct walk){to, to_ns};
}

int stretches(const struct split_request *request, struct split_result *result, struct stretch *ret,
	      size_t *ret_nr)
{
	struct list list = {request, ret, 0};
	struct walk walk = {-1, 0};
	uint64_t at_ns[NR_BOUNDARIES], end_ns;
	int nr = 0;

	complete(request, at_ns);
	end_ns = last_of(at_ns);
	result->begin_ns = result->end_ns = result->crossed_ns = 0;
	for (int i = 0; i < NR_BOUNDARIES; i++) {
		if (!at_ns[i])
			continue;
		nr += request->at_ns[i] != 0;
		if (walk.at >= 0) {
			step(&list, &walk, i,
			     in_order(at_ns[i], walk.ns, end_ns, &result->crossed_ns));
			continue;
		}
		result->begin_ns = at_ns[i];
		if (end_ns < at_ns[i]) { /* over before it began */
			result->crossed_ns = at_ns[i] - end_ns;
			end_ns = at_ns[i];
		}
		step(&list, &walk, i, at_ns[i]);
	}
	result->end_ns = end_ns;
	*ret_nr = list.nr;
	return nr < 2 ? -EINVAL : 0;
}
