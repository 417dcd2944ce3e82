/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/split_connection.h"
#include "user/attribution/split_held.h"
#include "user/attribution/split_inputs.h"
#include "user/attribution/splitter.h"

struct splitter {
	struct condition_store *store;
	struct split_replay *replay;
	struct split_inputs inputs;
	struct split_connections connections;
	struct held_requests held;
	struct split_result result;
	uint64_t now_ns;
	splitter_fn *fn;
	void *arg;
	struct splitter_totals totals;
};

struct splitter *splitter_new(splitter_fn *fn, void *arg)
{
	struct splitter *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->fn = fn;
	s->arg = arg;
	s->store = condition_store_new();
	s->replay = s->store ? split_replay_new(s->store) : NULL;
	if (s->replay)
		return s;
	splitter_free(s);
	return NULL;
}

static void count(struct splitter_totals *totals, const struct split_result *result)
{
	totals->nr_split++;
	totals->nr_crossed += result->crossed_ns > SPLIT_CROSSED_MAX_NS;
	split_add(&totals->sum, &result->split);
}

/* Where it waited for its connection, what it then lasted is split first: those behind it on the
 * connection wait for that. */
static int add_connection(struct splitter *s, const struct held_request *held,
			  struct split_request *request)
{
	int err = split_connection_add(&s->connections, held->schedule.conn, request, &s->result,
				       &request->previous, &request->connection);

	if (err || !request->connection_wait_ns)
		return err;
	return split_request(request, &s->result);
}

static int give_out(struct splitter *s, const struct held_request *held, uint64_t known_ns)
{
	const struct schedule_request *schedule = held->has_schedule ? &held->schedule : NULL;
	struct splitter_row row = {&held->request, schedule, &s->result};
	struct split_request request;
	int err = split_inputs_make(&s->inputs, s->store, held, &request);

	if (!err)
		err = split_replay_wait(s->replay, &held->request, known_ns, &request.wait);
	if (!err)
		err = split_replay_hand_off(s->replay, &held->request, known_ns, &request.hand_off);
	if (err)
		return err;
	err = split_request(&request, &s->result);
	if (err == -EINVAL) {
		s->totals.nr_unsplit++;
		return 0;
	}
	if (!err && held->has_schedule && held->schedule.conn != SCHEDULE_UNKNOWN)
		err = add_connection(s, held, &request);
	if (err)
		return err;
	count(&s->totals, &s->result);
	s->fn(s->arg, &row);
	return 0;
}

static int give_out_due(struct splitter *s)
{
	int err = 0;

	while (!err && s->held.nr) {
		const struct held_request *first = held_first(&s->held);
		bool due = s->now_ns > first->order_ns + SPLITTER_HOLD_NS;

		if (!due && s->held.nr <= SPLITTER_HELD_MAX)
			break;
		s->totals.nr_rushed += !due;
		err = give_out(s, first,
			       s->now_ns > SPLITTER_KNOWN_NS ? s->now_ns - SPLITTER_KNOWN_NS : 0);
		held_drop_first(&s->held);
	}
	return err;
}

int splitter_event(struct splitter *s, const struct event_hdr *event)
{
	int err;

	if (event->ts_ns > s->now_ns)
		s->now_ns = event->ts_ns;
	err = condition_store_event(s->store, event);
	return err ? err : give_out_due(s);
}

int splitter_span(struct splitter *s, const struct thread *thread, const struct span *span)
{
	return condition_store_span(s->store, thread, span);
}

int splitter_pause(struct splitter *s, const struct pause *pause)
{
	return condition_store_pause(s->store, pause);
}

void splitter_gone(struct splitter *s, uint32_t tid)
{
	condition_store_gone(s->store, tid);
}

/* It is given out so long after its end, but may have arrived long before. */
int splitter_push(struct splitter *s, const struct request *request,
		  const struct schedule_request *schedule)
{
	int err = condition_store_request(s->store, request);

	if (!err)
		err = split_replay_announce(s->replay, request);
	if (err || request->kind != REQUEST_SERVED)
		return err;
	return held_put(&s->held, request, schedule);
}

int splitter_end(struct splitter *s)
{
	int err = 0;

	while (!err && s->held.nr) {
		err = give_out(s, held_first(&s->held), s->now_ns);
		held_drop_first(&s->held);
	}
	return err;
}

void splitter_totals(const struct splitter *s, struct splitter_totals *ret)
{
	*ret = s->totals;
	ret->nr_late = split_replay_nr_late(s->replay);
}

void splitter_free(struct splitter *s)
{
	if (!s)
		return;
	condition_store_free(s->store);
	split_replay_free(s->replay);
	split_inputs_free(&s->inputs);
	split_connections_free(&s->connections);
	held_free(&s->held);
	split_free(&s->result);
	free(s);
}
