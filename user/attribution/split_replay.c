/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/queue_backlog.h"
#include "user/attribution/queue_pieces.h"
#include "user/attribution/split_replay.h"

_Static_assert(NR_BACKLOGS == NR_QUEUE_CAUSES, "one backlog a cause of the queue");

#define SERVERS_MAX	1024 /* more threads than a listener is served by */
#define CONNECTIONS_MAX 65536
#define STAYING_MIN	32 /* so many requests must say whether connections stay */

struct line { /* one queue */
	struct queue *queue;
	uint32_t tgid;
	uint32_t nr_servers; /* of queue */
	uint64_t last_ns;    /* arrival of the last */
	uint64_t away_ns;    /* windows are known to it up to here */
};

struct takers { /* of one listener */
	struct map tids;
	uint64_t nr_stayed, nr_moved;
};

struct split_replay {
	const struct condition_store *store;
	struct map listeners, answerers; /* struct takers, by process and port */
	struct map lines;		 /* struct line */
	struct map readers;		 /* of connections: their last reader's tid */
	struct condition_list conditions;
	struct queue_pieces pieces, windows;
	struct queue_interval *intervals;
	size_t room;
	uint64_t nr_late;
};

enum line_kind { LINE_LISTENER, LINE_THREAD, LINE_HAND_OFF };

struct service { /* of one request, by one thread */
	uint32_t tid;
	uint64_t arrival_ns, taken_ns, until_ns;
};

struct split_replay *split_replay_new(const struct condition_store *store)
{
	struct split_replay *r = calloc(1, sizeof(*r));

	if (r)
		r->store = store;
	return r;
}

static uint64_t key_of(const struct request *request, enum line_kind kind)
{
	return (uint64_t)request->conn.tgid << 20 | (uint64_t)request->conn.local_port << 2 | kind;
}

/* ---- who takes ---- */

static struct takers *takers_of(struct map *map, uint64_t key)
{
	struct takers *takers = map_get(map, key);

	if (takers)
		return takers;
	takers = calloc(1, sizeof(*takers));
	if (takers && !map_put(map, key, takers))
		return takers;
	free(takers);
	return NULL;
}

static int add_taker(struct map *map, uint64_t key, uint32_t tid)
{
	struct takers *takers = takers_of(map, key);

	if (!takers)
		return -ENOMEM;
	if (!tid || takers->tids.nr == SERVERS_MAX || map_get(&takers->tids, tid))
		return 0;
	return map_put(&takers->tids, tid, takers);
}

static int note_reader(struct split_replay *r, const struct request *request)
{
	struct takers *takers = map_get(&r->listeners, key_of(request, LINE_LISTENER));
	uintptr_t last = (uintptr_t)map_get(&r->readers, request->conn.conn);

	if (last == request->reader_tid)
		takers->nr_stayed++;
	else if (last)
		takers->nr_moved++;
	if (r->readers.nr >= CONNECTIONS_MAX)
		map_free(&r->readers); /* begin again: a few requests say nothing */
	return map_put(&r->readers, request->conn.conn, (void *)(uintptr_t)request->reader_tid);
}

static bool has_hand_off(const struct request *request)
{
	return request->reader_tid != request->answerer_tid && request->reader_until_ns &&
	       request->answerer_since_ns && request->answerer_tid;
}

int split_replay_announce(struct split_replay *r, const struct request *request)
{
	int err;

	if (request->kind != REQUEST_SERVED || !request->reader_tid)
		return 0;
	err = add_taker(&r->listeners, key_of(request, LINE_LISTENER), request->reader_tid);
	if (!err)
		err = note_reader(r, request);
	if (!err && has_hand_off(request))
		err = add_taker(&r->answerers, key_of(request, LINE_LISTENER),
				request->answerer_tid);
	return err;
}

static bool connections_stay(const struct takers *takers)
{
	return takers->nr_stayed + takers->nr_moved >= STAYING_MIN &&
	       takers->nr_moved <= takers->nr_stayed / 16;
}

/* ---- one queue ---- */

static struct line *line_of(struct split_replay *r, uint64_t key, uint32_t tgid)
{
	struct line *line = map_get(&r->lines, key);

	if (line)
		return line;
	line = calloc(1, sizeof(*line));
	if (!line || map_put(&r->lines, key, line)) {
		free(line);
		return NULL;
	}
	line->tgid = tgid;
	return line;
}

/* A thread more: what the others were at is not known to the new queue. */
static int prepare(struct line *line, uint32_t nr_servers, uint64_t arrival_ns)
{
	struct queue *queue;
	int err;

	if (line->queue && nr_servers <= line->nr_servers)
		return 0;
	err = queue_new(nr_servers, queue_backlog_masks, NR_QUEUE_CAUSES, &queue);
	if (err)
		return err;
	queue_free(line->queue);
	line->queue = queue;
	line->nr_servers = nr_servers;
	line->away_ns = arrival_ns;
	return 0;
}

static bool goes_on_elsewhere(uint32_t cause)
{
	return cause == CAUSE_DOWNSTREAM || cause == CAUSE_SLEEPING || cause == CAUSE_IO;
}

/* r->conditions, as the queue wants them. */
static int translate(struct split_replay *r)
{
	if (r->room < r->conditions.nr) {
		size_t room = r->conditions.room;
		struct queue_interval *intervals =
			reallocarray(r->intervals, room, sizeof(intervals[0]));

		if (!intervals)
			return -ENOMEM;
		r->intervals = intervals;
		r->room = room;
	}
	for (size_t i = 0; i < r->conditions.nr; i++) {
		const struct condition *at = &r->conditions.at[i];

		r->intervals[i] = (struct queue_interval){
			at->from_ns, at->to_ns,
			(uint8_t)(split_backlog_of((enum cause)at->cause) - CAUSE_BACKLOG_PAUSE),
			goes_on_elsewhere(at->cause)};
	}
	return 0;
}

/* The windows up to @until_ns that @line has not been told. */
static int tell_away(struct split_replay *r, struct line *line, uint64_t until_ns)
{
	int err;

	if (until_ns <= line->away_ns)
		return 0;
	err = condition_store_away(r->store, line->tgid, line->away_ns, until_ns, &r->conditions);
	if (!err)
		err = translate(r);
	if (!err)
		err = queue_pieces_cut(&r->windows, line->away_ns, until_ns, r->intervals,
				       r->conditions.nr);
	for (size_t i = 0; i < r->windows.nr_pieces && !err; i++)
		err = queue_add_away(line->queue, &r->windows.pieces[i]);
	line->away_ns = until_ns;
	return err;
}

/* What the service took, as long as its process could run. */
static int measure(struct split_replay *r, const struct line *line, const struct service *service)
{
	int err = condition_store_away(r->store, line->tgid, service->taken_ns, service->until_ns,
				       &r->conditions);

	if (!err)
		err = translate(r);
	if (!err)
		err = queue_pieces_cut(&r->windows, service->taken_ns, service->until_ns,
				       r->intervals, r->conditions.nr);
	if (!err)
		err = condition_store_of(r->store, service->tid, service->taken_ns,
					 service->until_ns, &r->conditions);
	if (!err)
		err = translate(r);
	return err ? err
		   : queue_pieces_service(&r->pieces, service->taken_ns, service->until_ns,
					  r->intervals, r->conditions.nr, r->windows.pieces,
					  r->windows.nr_pieces);
}

static void tell(const struct queue_backlog *backlog, struct split_backlog *ret)
{
	ret->replayed = true;
	for (int i = 0; i < NR_BACKLOGS; i++)
		ret->ns[i] = backlog->of_ns[i];
}

static int replay(struct split_replay *r, struct line *line, const struct service *service,
		  uint64_t known_ns, struct split_backlog *ret)
{
	struct queue_span spans[NR_QUEUE_CAUSES];
	struct queue_request request = {.arrival_ns = service->arrival_ns};
	struct queue_backlog backlog;
	int err;

	if (request.arrival_ns < line->last_ns) { /* behind those that were handled before */
		request.arrival_ns = line->last_ns;
		r->nr_late++;
	}
	line->last_ns = request.arrival_ns;
	err = tell_away(r, line, known_ns > service->until_ns ? known_ns : service->until_ns);
	if (!err)
		err = measure(r, line, service);
	if (err)
		return err;
	request.segments = r->pieces.segments;
	request.nr = r->pieces.nr_segments;
	err = queue_add(line->queue, &request, spans);
	if (err)
		return err;
	queue_backlog(spans, service->arrival_ns, service->taken_ns, &backlog);
	tell(&backlog, ret);
	return 0;
}

/* ---- waits ---- */

int split_replay_wait(struct split_replay *r, const struct request *request, uint64_t known_ns,
		      struct split_backlog *ret)
{
	bool alone = request->reader_tid == request->answerer_tid &&
		     request->reader_until_ns >= request->answerer_since_ns;
	struct service service = {.tid = request->reader_tid,
				  .arrival_ns = request->arrived_ns,
				  .taken_ns = request->read_ns,
				  .until_ns =
					  alone ? request->last_out_ns : request->reader_until_ns};
	const struct takers *takers = map_get(&r->listeners, key_of(request, LINE_LISTENER));
	struct line *line;
	int err;

	*ret = (struct split_backlog){0};
	if (!takers || !service.arrival_ns || service.taken_ns < service.arrival_ns ||
	    service.until_ns < service.taken_ns)
		return 0;
	if (connections_stay(takers))
		line = line_of(r, (uint64_t)service.tid << 2 | LINE_THREAD, request->conn.tgid);
	else
		line = line_of(r, key_of(request, LINE_LISTENER), request->conn.tgid);
	if (!line)
		return -ENOMEM;
	err = prepare(line, connections_stay(takers) ? 1 : (uint32_t)takers->tids.nr,
		      service.arrival_ns);
	if (err)
		return err;
	service.until_ns = condition_store_busy_until(r->store, service.tid, service.until_ns);
	return replay(r, line, &service, known_ns, ret);
}

int split_replay_hand_off(struct split_replay *r, const struct request *request, uint64_t known_ns,
			  struct split_backlog *ret)
{
	struct service service = {.tid = request->answerer_tid,
				  .arrival_ns = request->reader_until_ns,
				  .taken_ns = request->answerer_since_ns,
				  .until_ns = request->last_out_ns};
	const struct takers *takers = map_get(&r->answerers, key_of(request, LINE_LISTENER));
	struct line *line;
	int err;

	*ret = (struct split_backlog){0};
	if (!takers || !has_hand_off(request) || service.taken_ns < service.arrival_ns ||
	    service.until_ns < service.taken_ns)
		return 0;
	line = line_of(r, key_of(request, LINE_HAND_OFF), request->conn.tgid);
	if (!line)
		return -ENOMEM;
	err = prepare(line, (uint32_t)takers->tids.nr, service.arrival_ns);
	if (err)
		return err;
	service.until_ns = condition_store_busy_until(r->store, service.tid, service.until_ns);
	return replay(r, line, &service, known_ns, ret);
}

uint64_t split_replay_nr_late(const struct split_replay *r)
{
	return r->nr_late;
}

static void free_takers(struct map *map)
{
	struct takers *takers;
	size_t cursor = 0;

	while ((takers = map_next(map, &cursor))) {
		map_free(&takers->tids);
		free(takers);
	}
	map_free(map);
}

void split_replay_free(struct split_replay *r)
{
	struct line *line;
	size_t cursor = 0;

	if (!r)
		return;
	while ((line = map_next(&r->lines, &cursor))) {
		queue_free(line->queue);
		free(line);
	}
	map_free(&r->lines);
	free_takers(&r->listeners);
	free_takers(&r->answerers);
	map_free(&r->readers);
	condition_list_free(&r->conditions);
	queue_pieces_free(&r->pieces);
	queue_pieces_free(&r->windows);
	free(r->intervals);
	free(r);
}
