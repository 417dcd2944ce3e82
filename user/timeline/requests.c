/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/timeline/names.h"
#include "user/timeline/request_pauses.h"
#include "user/timeline/request_queue.h"
#include "user/timeline/request_split.h"
#include "user/timeline/requests.h"
#include "user/timeline/serving.h"
#include "user/timeline/turn.h"

#define LOSSES_KEPT 64
#define SWEEP_NS    1000000000ull

struct requests {
	struct connections connections;
	struct serving serving;
	struct request_queue queue; /* finished, not given out yet */
	struct request_pauses recent;
	const struct pauses *pauses;
	struct map clients; /* tgids of recorded clients; the values mean nothing */
	struct record_lost losses[LOSSES_KEPT]; /* a ring */
	uint64_t nr_losses;
	uint64_t now_ns, swept_ns;
	struct turn_sink sink;
	request_fn *fn;
	void *arg;
	bool ended;
	struct requests_totals totals;
};

/* ---- finished turns ---- */

static int keep(struct requests *r, struct connection *c, struct request *request)
{
	struct queued_request item = {c, r->now_ns, *request};

	connection_ref(c);
	return request_queue_put(&r->queue, &item);
}

static void ask_serving(const struct requests *r, const struct connection *c,
			struct request *request)
{
	if (!request->reader_tid || !request->first_out_ns)
		return;
	if (!request->reader_until_ns)
		request->reader_until_ns =
			serving_reader_until(&r->serving, request->reader_tid, request->read_ns,
					     request->first_out_ns, c->conn.conn);
	if (!request->answerer_since_ns)
		request->answerer_since_ns = serving_answerer_since(
			&r->serving, request->answerer_tid, request->first_out_ns);
}

static int on_turn(void *arg, struct connection *c)
{
	struct requests *r = arg;
	struct request request;
	size_t nr = 1;
	int err = 0;

	if (!connection_is_accepted(c)) {
		request_of_connected(c, &request);
		if (map_get(&r->clients, c->conn.tgid))
			request.kind = REQUEST_SENT;
		return keep(r, c, &request);
	}
	nr = request_split_nr(c);
	for (size_t i = 0; i < nr && !err; i++) {
		request_split_at(c, i, nr, &request);
		if (nr > 1) /* what was found is of the turn's first answer */
			request.reader_until_ns = request.answerer_since_ns = 0;
		ask_serving(r, c, &request);
		err = keep(r, c, &request);
	}
	request_split_done(c);
	points_forget(&c->arrivals, c->current.in_to);
	points_forget(&c->reads, c->current.in_to);
	points_forget(&c->writes, c->current.out_to);
	points_forget(&c->acks, c->current.out_to);
	return err;
}

/* Now, for later the marks of these threads may be gone. */
static int on_first_out(void *arg, struct connection *c)
{
	struct requests *r = arg;
	const struct point *read = points_reaching(&c->reads, c->current.in_to);
	const struct point *out = points_after(&c->writes, c->current.out_from, 0);

	if (!read || !out || c->current.orphan)
		return 0;
	c->current.answerer_since_ns = serving_answerer_since(&r->serving, out->tid, out->start_ns);
	c->current.reader_until_ns = serving_reader_until(&r->serving, read->tid, read->ts_ns,
							  out->start_ns, c->conn.conn);
	if (read->tid == out->tid && !c->current.reader_until_ns)
		c->current.reader_until_ns = out->start_ns; /* it did not go anywhere */
	return 0;
}

struct requests *requests_new(request_fn *fn, void *arg, const struct pauses *pauses)
{
	struct requests *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->fn = fn;
	r->arg = arg;
	r->pauses = pauses;
	r->sink = (struct turn_sink){on_turn, on_first_out, r};
	return r;
}

/* ---- giving out ---- */

static bool is_of_sockets(const struct record_lost *lost)
{
	return lost->lost_kind == EVENT_NONE ||
	       (lost->lost_kind >= EVENT_SOCK_ARRIVE && lost->lost_kind <= EVENT_CONN_REFUSED);
}

/* Whether records that it was made of may have been lost; of what is not whole the missing step may
 * have come at any time until it was found to be over. */
static bool touches_loss(const struct requests *r, const struct queued_request *item)
{
	const struct request *request = &item->request;
	uint64_t to_ns = request->state == REQUEST_WHOLE ? request->end_ns : item->closed_ns;
	uint64_t nr = r->nr_losses < LOSSES_KEPT ? r->nr_losses : LOSSES_KEPT;

	for (uint64_t i = 0; i < nr; i++)
		if (is_of_sockets(&r->losses[i]) && r->losses[i].hdr.ts_ns > request->begin_ns &&
		    r->losses[i].from_ns < to_ns)
			return true;
	return false;
}

static void count(struct requests_totals *totals, const struct request *request)
{
	totals->nr[request->kind]++;
	if (request->kind != REQUEST_DOWNSTREAM)
		totals->nr_state[request->state]++;
	totals->nr_both += (request->flags & REQUEST_BOTH) != 0;
	totals->nr_http += (request->flags & REQUEST_HTTP) != 0;
	totals->nr_crossed += (request->flags & REQUEST_CROSSED) != 0;
	totals->nr_crossed_far += request->crossed_ns > CROSSING_MAX_NS;
	if (request->crossed_ns > totals->crossed_max_ns)
		totals->crossed_max_ns = request->crossed_ns;
}

/* When requests were given out so far, their other end's points are not needed any more. */
static void forget_client(struct connection *c, const struct request *request)
{
	points_forget(&c->writes, request->in_to);
	points_forget(&c->reads, request->out_to);
	points_forget(&c->arrivals, request->out_to);
	points_forget(&c->acks, request->in_to);
}

static void give_out(struct requests *r, struct queued_request *item)
{
	struct connection *c = item->c;
	struct request *request = &item->request;

	if (request->kind != REQUEST_SERVED && (c->peer || c->link)) {
		connection_unref(c);
		return; /* the server's end has it, or will not: it is nobody's downstream */
	}
	if (request->kind == REQUEST_SERVED && c->peer) {
		request_add_client(request, c->peer);
		forget_client(c->peer, request);
	}
	request_finish(request, c, r->ended);
	if (touches_loss(r, item)) {
		request->flags |= REQUEST_LOSS;
		request_finish(request, c, r->ended);
	}
	request_pauses_add(&r->recent, request);
	count(&r->totals, request);
	if (!connection_is_accepted(c)) {
		points_forget(&c->writes, request->out_to);
		points_forget(&c->reads, request->in_to);
		points_forget(&c->arrivals, request->in_to);
		points_forget(&c->acks, request->out_to);
	}
	r->fn(r->arg, request);
	connection_unref(c);
}

static void give_out_due(struct requests *r, bool all)
{
	struct queued_request item;
	uint64_t open_ns = r->pauses ? pauses_open_since(r->pauses) : UINT64_MAX;

	while (r->queue.nr) {
		const struct queued_request *first = request_queue_first(&r->queue);
		bool due = r->now_ns > first->closed_ns + REQUESTS_HOLD_NS &&
			   open_ns >= first->closed_ns;
		bool rushed = r->queue.nr > REQUESTS_HELD_MAX;

		if (!due && !rushed && !all)
			return;
		item = request_queue_take(&r->queue);
		if (!due && !all) {
			r->totals.nr_rushed++;
			item.request.flags |= REQUEST_PAUSES_UNSURE;
		}
		give_out(r, &item);
	}
}

/* ---- records ---- */

static int on_open(struct requests *r, const struct event_conn *conn)
{
	struct connection *c;
	int err = connections_open(&r->connections, conn, &c);

	if (c && !err) {
		turn_begin(c);
		r->totals.nr_accepted_before += connection_is_accepted(c) && c->before_attach;
	}
	return err;
}

static int on_close(struct requests *r, const struct event_conn *conn)
{
	struct connection *c = connections_get(&r->connections, conn->conn);
	int err;

	if (!c)
		return 0;
	c->closed = true;
	c->closed_ns = conn->hdr.ts_ns;
	c->reset = conn->flags & SOCK_RESET || conn->error;
	err = turn_end(c, &r->sink);
	r->totals.nr_fallen += connection_nr_fallen(c);
	connections_close(&r->connections, c);
	return err;
}

/* Turns that nothing follows are finished all the same, about once a second. */
static int sweep_quiet(struct requests *r)
{
	struct connection *c;
	size_t cursor = 0;
	int err = 0;

	if (r->now_ns < r->swept_ns + SWEEP_NS || r->now_ns < REQUESTS_QUIET_NS)
		return 0;
	r->swept_ns = r->now_ns;
	while (!err && (c = connections_next(&r->connections, &cursor)))
		err = turn_quiet(c, r->now_ns - REQUESTS_QUIET_NS, &r->sink);
	return err;
}

/* What comes of a connection without a turn is part of none; nobody will ask for it. */
static void note_continued(struct requests *r, struct connection *c, const struct event_sock *step)
{
	bool accepted = connection_is_accepted(c);

	if (c->current.open || !c->had_turn ||
	    step->hdr.kind != (accepted ? EVENT_SOCK_WRITE : EVENT_SOCK_READ))
		return;
	if (accepted)
		points_forget(&c->writes, c->out_seen);
	else
		points_forget(&c->reads, c->read_seen);
	r->totals.nr_continued++;
}

static int on_step(struct requests *r, const struct event_sock *step)
{
	struct connection *c = connections_get(&r->connections, step->conn);
	bool accepted = c && connection_is_accepted(c);
	int err;

	r->totals.nr_steps++;
	if (!c || (!accepted && c->conn.role != CONN_CONNECTED)) {
		r->totals.nr_unplaced++;
		return 0;
	}
	err = turn_step(c, step, &r->sink);
	note_continued(r, c, step);
	if (!err && step->hdr.kind == EVENT_SOCK_READ)
		err = serving_read(&r->serving, step->hdr.tid, step->hdr.ts_ns, step->conn,
				   accepted);
	if (!err && step->hdr.kind == EVENT_SOCK_WRITE)
		err = serving_write(&r->serving, step->hdr.tid, step->hdr.ts_ns, step->conn,
				    accepted);
	return err;
}

static int on_http(struct requests *r, const struct record_http *http)
{
	struct connection *c = connections_get(&r->connections, http->conn);

	return c && connection_is_accepted(c) ? request_mark(c, http) : 0;
}

static int on_info(struct requests *r, const struct record_info *info)
{
	if (strncmp(info->key, "target.role", sizeof(info->key)) ||
	    strncmp(info->value, "client", sizeof(info->value)))
		return 0;
	return map_put(&r->clients, info->hdr.tid, r);
}

int requests_event(struct requests *r, const struct event_hdr *event)
{
	if (event->ts_ns > r->now_ns)
		r->now_ns = event->ts_ns;
	give_out_due(r, false);
	if (sweep_quiet(r))
		return -ENOMEM;
	switch (event->kind) {
	case EVENT_SOCK_ARRIVE:
	case EVENT_SOCK_READ:
	case EVENT_SOCK_WRITE:
	case EVENT_SOCK_ACK:
	case EVENT_SOCK_RETRANSMIT:
		return on_step(r, (const void *)event);
	case EVENT_CONN_OPEN:
		return on_open(r, (const void *)event);
	case EVENT_CONN_CLOSE:
		return on_close(r, (const void *)event);
	case EVENT_CONN_LISTEN:
		return connections_listen(&r->connections, (const void *)event);
	case EVENT_CONN_REFUSED:
		r->totals.nr_refused++;
		return 0;
	case RECORD_HTTP:
		return on_http(r, (const void *)event);
	case RECORD_INFO:
		return on_info(r, (const void *)event);
	case RECORD_LOST:
		r->losses[r->nr_losses++ % LOSSES_KEPT] = *(const struct record_lost *)event;
		return 0;
	default:
		return 0;
	}
}

int requests_span(struct requests *r, const struct span *span)
{
	return serving_span(&r->serving, span);
}

int requests_pause(struct requests *r, const struct pause *pause)
{
	return request_pauses_put(&r->recent, pause);
}

void requests_gone(struct requests *r, uint32_t tid)
{
	serving_gone(&r->serving, tid);
}

int requests_end(struct requests *r)
{
	size_t nr;
	struct connection **all = connections_sorted(&r->connections, &nr);
	int err = all ? 0 : -ENOMEM;

	give_out_due(r, true); /* these had ended before */
	r->ended = true;
	for (size_t i = 0; i < nr && !err; i++) {
		err = turn_end(all[i], &r->sink);
		r->totals.nr_fallen += connection_nr_fallen(all[i]);
	}
	free(all);
	give_out_due(r, true);
	return err;
}

void requests_totals(const struct requests *r, struct requests_totals *ret)
{
	*ret = r->totals;
	ret->nr_connections = r->connections.nr_connections;
	ret->nr_linked = r->connections.nr_linked;
}

void requests_free(struct requests *r)
{
	if (!r)
		return;
	while (r->queue.nr)
		connection_unref(request_queue_take(&r->queue).c);
	connections_free(&r->connections);
	request_queue_free(&r->queue);
	request_pauses_free(&r->recent);
	serving_free(&r->serving);
	map_free(&r->clients);
	free(r);
}
