/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/attribution/queue_backlog.h"
#include "user/attribution/split_connection.h"

struct client_connection {
	struct queue *queue;
	uint64_t last_ns;	      /* intended time of the last */
	struct condition_list before; /* what those before it were in, since they were sent */
};

static void connection_free(struct client_connection *connection)
{
	queue_free(connection->queue);
	condition_list_free(&connection->before);
	free(connection);
}

static void forget_all(struct split_connections *c)
{
	struct client_connection *connection;
	size_t cursor = 0;

	while ((connection = map_next(&c->by_nr, &cursor)))
		connection_free(connection);
	map_free(&c->by_nr);
}

static struct client_connection *connection_of(struct split_connections *c, uint64_t nr)
{
	struct client_connection *connection = map_get(&c->by_nr, nr);

	if (connection)
		return connection;
	if (c->by_nr.nr >= SPLIT_CONNECTIONS_MAX)
		forget_all(c);
	connection = calloc(1, sizeof(*connection));
	if (connection && !queue_new(1, queue_backlog_masks, NR_QUEUE_CAUSES, &connection->queue) &&
	    !map_put(&c->by_nr, nr, connection))
		return connection;
	if (connection)
		connection_free(connection);
	return NULL;
}

/* What ended before @ns nobody waits for any more. */
static void forget_before(struct condition_list *list, uint64_t ns)
{
	size_t nr = 0;

	while (nr < list->nr && (list->at[nr].to_ns <= ns || list->nr - nr > SPLIT_SEGMENTS_MAX))
		nr++;
	list->nr -= nr;
	memmove(list->at, list->at + nr, list->nr * sizeof(list->at[0]));
}

/* Since it was sent; of requests that overlap (pipelined) the earlier one counts. */
static int remember(struct client_connection *connection, uint64_t sent_ns,
		    const struct split_result *result)
{
	struct condition_list *list = &connection->before;
	int err = 0;

	for (size_t i = 0; i < result->nr && !err; i++) {
		const struct segment *s = &result->segments[i];
		uint64_t from_ns = s->from_ns > sent_ns ? s->from_ns : sent_ns;

		if (list->nr && from_ns < list->at[list->nr - 1].to_ns)
			from_ns = list->at[list->nr - 1].to_ns;
		if (from_ns < s->to_ns)
			err = condition_list_put(list, &(struct condition){.from_ns = from_ns,
									   .to_ns = s->to_ns,
									   .pause_nr = s->pause_nr,
									   .cause = s->cause});
	}
	return err;
}

static int measure(struct split_connections *c, uint64_t sent_ns, const struct split_result *result)
{
	if (c->room < result->nr) {
		struct queue_interval *intervals =
			reallocarray(c->intervals, result->room, sizeof(intervals[0]));

		if (!intervals)
			return -ENOMEM;
		c->intervals = intervals;
		c->room = result->room;
	}
	for (size_t i = 0; i < result->nr; i++)
		c->intervals[i] = (struct queue_interval){
			result->segments[i].from_ns, result->segments[i].to_ns,
			(uint8_t)(split_backlog_of((enum cause)result->segments[i].cause) -
				  CAUSE_BACKLOG_PAUSE),
			false};
	return queue_pieces_service(&c->pieces, sent_ns, result->end_ns, c->intervals, result->nr,
				    NULL, 0);
}

static int replay(struct split_connections *c, struct client_connection *connection,
		  const struct split_request *request, struct split_backlog *ret)
{
	uint64_t intended_ns = request->at_ns[AT_INTENDED];
	struct queue_span spans[NR_QUEUE_CAUSES];
	struct queue_request one = {
		.arrival_ns = intended_ns > connection->last_ns ? intended_ns : connection->last_ns,
		.segments = c->pieces.segments,
		.nr = c->pieces.nr_segments};
	struct queue_backlog backlog;
	int err = queue_add(connection->queue, &one, spans);

	if (err)
		return err;
	connection->last_ns = one.arrival_ns;
	queue_backlog(spans, intended_ns, intended_ns + request->connection_wait_ns, &backlog);
	ret->replayed = true;
	for (int i = 0; i < NR_BACKLOGS; i++)
		ret->ns[i] = backlog.of_ns[i];
	return 0;
}

int split_connection_add(struct split_connections *c, uint64_t nr,
			 const struct split_request *request, const struct split_result *result,
			 struct conditions *ret_previous, struct split_backlog *ret)
{
	uint64_t sent_ns = request->at_ns[AT_SENT];
	struct client_connection *connection;
	size_t nr_before;
	int err;

	*ret = (struct split_backlog){0};
	*ret_previous = (struct conditions){0};
	if (!request->at_ns[AT_INTENDED] || sent_ns < request->at_ns[AT_INTENDED] ||
	    sent_ns > result->end_ns)
		return 0;
	connection = connection_of(c, nr);
	if (!connection)
		return -ENOMEM;
	forget_before(&connection->before, request->at_ns[AT_INTENDED]);
	nr_before = connection->before.nr;
	err = measure(c, sent_ns, result);
	if (!err)
		err = replay(c, connection, request, ret);
	if (!err)
		err = remember(connection, sent_ns, result);
	/* The last of those before may have grown by what this one begins with: that is later. */
	*ret_previous = (struct conditions){connection->before.at, nr_before};
	return err;
}

void split_connections_free(struct split_connections *c)
{
	forget_all(c);
	queue_pieces_free(&c->pieces);
	free(c->intervals);
	*c = (struct split_connections){0};
}
