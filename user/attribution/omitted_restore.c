/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/omitted.h"
#include "user/attribution/omitted_batch.h"
#include "user/attribution/queue.h"

/* A server of one speed, once without and once with the restored requests. */
struct line {
	uint64_t service_ns;
	struct queue *measured, *all;
	struct batch batch;
};

/* A result that waits for its batches. */
struct pending {
	struct omitted_result result;
	int nr_open;
};

struct omitted_restorer {
	const struct omitted_found *found;
	const struct omitted_capacity *capacity;
	void (*take)(void *context, const struct omitted_result *result);
	void *context;
	struct line lines[NR_OMITTED_SPEEDS];
	size_t stretch;	 /* the next restored request: of this one, */
	uint64_t number; /* its number there, from 1 on */
	uint64_t last_ns;
	struct pending *ring; /* a power of two */
	size_t room;
	uint64_t first, next; /* numbers of results: the oldest that waits, and the next */
	struct omitted_summary summary;
};

static int open_queue(const struct omitted_run *run, struct queue **ret)
{
	const uint32_t everything = 0;
	int err = queue_new(1, &everything, 1, ret);

	for (size_t i = 0; !err && i < run->nr_server; i++) {
		struct queue_interval pause = {run->server[i].from_ns, run->server[i].to_ns,
					       QUEUE_PAUSE, false};

		err = queue_add_away(*ret, &pause);
	}
	return err;
}

static int open_lines(struct omitted_restorer *r, const struct omitted_run *run, size_t connections)
{
	int err = 0;

	for (int speed = 0; !err && speed < NR_OMITTED_SPEEDS; speed++) {
		struct line *line = &r->lines[speed];

		line->service_ns = r->capacity->service_ns[speed];
		r->summary.unstable[speed] =
			(unsigned __int128)line->service_ns * r->found->nr_outside >=
			r->found->outside_ns;
		err = batch_init(&line->batch, connections ? connections : 1);
		err = err ? err : open_queue(run, &line->measured);
		err = err ? err : open_queue(run, &line->all);
	}
	return err;
}

int omitted_restorer_new(const struct omitted_found *found, const struct omitted_run *run,
			 const struct omitted_capacity *capacity, size_t connections,
			 void (*take)(void *context, const struct omitted_result *result),
			 void *context, struct omitted_restorer **ret)
{
	struct omitted_restorer *r;
	int err;

	if (found->base_ns == OMITTED_UNKNOWN || !found->outside_ns)
		return -ENODATA;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->found = found;
	r->capacity = capacity;
	r->take = take;
	r->context = context;
	r->number = 1;
	err = open_lines(r, run, connections);
	if (err) {
		omitted_restorer_free(r);
		return err;
	}
	*ret = r;
	return 0;
}

void omitted_restorer_free(struct omitted_restorer *r)
{
	if (!r)
		return;
	for (int speed = 0; speed < NR_OMITTED_SPEEDS; speed++) {
		queue_free(r->lines[speed].measured);
		queue_free(r->lines[speed].all);
		batch_free(&r->lines[speed].batch);
	}
	free(r->ring);
	free(r);
}

static struct pending *pending(struct omitted_restorer *r, uint64_t number)
{
	return &r->ring[number & (r->room - 1)];
}

static int make_room(struct omitted_restorer *r)
{
	size_t room = r->room ? 2 * r->room : 64;
	struct pending *ring;

	if (r->next - r->first < r->room)
		return 0;
	ring = calloc(room, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	for (uint64_t i = r->first; i < r->next; i++)
		ring[i & (room - 1)] = *pending(r, i);
	free(r->ring);
	r->ring = ring;
	r->room = room;
	return 0;
}

static void hand_over(struct omitted_restorer *r)
{
	for (; r->first < r->next && !pending(r, r->first)->nr_open; r->first++) {
		struct omitted_result *result = &pending(r, r->first)->result;

		result->low_ns = result->high_ns = result->response_ns[0][0];
		for (int i = 0; i < NR_OMITTED_SPEEDS * NR_OMITTED_ORDERS; i++) {
			uint64_t ns =
				result->response_ns[i / NR_OMITTED_ORDERS][i % NR_OMITTED_ORDERS];

			result->low_ns = ns < result->low_ns ? ns : result->low_ns;
			result->high_ns = ns > result->high_ns ? ns : result->high_ns;
		}
		r->take(r->context, result);
	}
}

static uint64_t restored_response(const struct omitted_restorer *r, const struct line *line,
				  uint64_t due_ns, uint64_t finish_ns)
{
	/* Never less than base: finish_ns is at least a service after due_ns. */
	return finish_ns - due_ns - line->service_ns + r->found->base_ns;
}

/* The batch is complete: deal its finishes out at random, and give each its own. */
static void close_batch(struct omitted_restorer *r, struct line *line)
{
	batch_shuffle(&line->batch);
	for (size_t i = 0; i < line->batch.nr; i++) {
		struct pending *p = pending(r, line->batch.numbers[i]);

		p->result.response_ns[line - r->lines][OMITTED_RANDOM] =
			restored_response(r, line, p->result.due_ns, line->batch.finishes_ns[i]);
		p->nr_open--;
	}
	batch_clear(&line->batch);
}

static void serve(struct omitted_restorer *r, struct line *line, struct pending *p)
{
	struct queue_segment work = {line->service_ns, QUEUE_LOAD, false};
	struct omitted_result *result = &p->result;
	struct queue_request request = {result->due_ns, &work, 1};
	uint64_t *response_ns = result->response_ns[line - r->lines];
	struct queue_span with, without;

	queue_add(line->all, &request, &with);
	if (batch_is_over(&line->batch, result->due_ns))
		close_batch(r, line);
	if (result->restored) {
		response_ns[OMITTED_FIFO] =
			restored_response(r, line, result->due_ns, with.finish_ns);
		batch_join(&line->batch, with.start_ns, r->next, with.finish_ns);
		p->nr_open++;
		return;
	}
	queue_add(line->measured, &request, &without);
	batch_join_fixed(&line->batch, with.start_ns);
	if (result->measured_ns == OMITTED_UNKNOWN)
		response_ns[OMITTED_FIFO] = OMITTED_UNKNOWN;
	else
		response_ns[OMITTED_FIFO] =
			result->measured_ns + (with.finish_ns - without.finish_ns);
	response_ns[OMITTED_RANDOM] = response_ns[OMITTED_FIFO];
}

static int add(struct omitted_restorer *r, uint64_t due_ns, uint64_t measured_ns, bool restored)
{
	struct pending *p;
	int err = make_room(r);

	if (err)
		return err;
	p = pending(r, r->next);
	*p = (struct pending){.result = {
				      .due_ns = due_ns,
				      .measured_ns = measured_ns,
				      .restored = restored,
			      }};
	for (int speed = 0; speed < NR_OMITTED_SPEEDS; speed++)
		serve(r, &r->lines[speed], p);
	r->next++;
	r->summary.nr_restored += restored;
	r->summary.nr_measured += !restored;
	r->summary.nr_raised +=
		!restored && p->result.response_ns[OMITTED_LIKELY][OMITTED_FIFO] != measured_ns;
	hand_over(r);
	return 0;
}

/* Restore what is due before @to_ns. */
static int restore(struct omitted_restorer *r, uint64_t to_ns)
{
	int err = 0;

	while (!err && r->stretch < r->found->nr) {
		const struct omitted_stretch *s = &r->found->stretches[r->stretch];
		uint64_t due_ns;

		if (r->number > s->nr) {
			r->stretch++;
			r->number = 1;
			continue;
		}
		due_ns = s->base_ns +
			 (uint64_t)((unsigned __int128)r->number * s->span_ns / s->parts);
		if (due_ns >= to_ns)
			break;
		err = add(r, due_ns, OMITTED_UNKNOWN, true);
		r->number++;
	}
	return err;
}

int omitted_restorer_add(struct omitted_restorer *r, uint64_t due_ns, uint64_t response_ns)
{
	int err;

	if (due_ns < r->last_ns)
		return -EINVAL;
	r->last_ns = due_ns;
	err = restore(r, due_ns);
	return err ? err : add(r, due_ns, response_ns, false);
}

int omitted_restorer_end(struct omitted_restorer *r, struct omitted_summary *ret)
{
	int err = restore(r, UINT64_MAX);

	if (err)
		return err;
	for (int speed = 0; speed < NR_OMITTED_SPEEDS; speed++)
		close_batch(r, &r->lines[speed]);
	hand_over(r);
	*ret = r->summary;
	return 0;
}
