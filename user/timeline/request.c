/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "user/base/cleanup.h"
#include "user/timeline/request.h"

const char *request_span_name(const struct request *request, enum request_span span)
{
	static const char *const names[NR_REQUEST_SPANS] = {
		[SPAN_ARRIVING] = "arriving", [SPAN_SOCKET_WAIT] = "socket wait",
		[SPAN_SERVICE] = "service",   [SPAN_WRITE] = "write",
		[SPAN_HELD] = "held",	      [SPAN_RETURN] = "return",
	};

	if (span == SPAN_ARRIVING && request && request->flags & REQUEST_BOTH)
		return "network";
	return names[span];
}

const char *request_state_name(enum request_state state)
{
	static const char *const names[NR_REQUEST_STATES] = {
		[REQUEST_WHOLE] = "whole",
		[REQUEST_CUT_BEGIN] = "cut at the begin",
		[REQUEST_CUT_END] = "cut at the end",
		[REQUEST_LOST] = "records lost",
		[REQUEST_RESET] = "reset",
		[REQUEST_CLOSED] = "closed unanswered",
		[REQUEST_SILENT] = "not answered",
		[REQUEST_UNSEEN] = "a step not seen",
	};

	return (size_t)state < ARRAY_SIZE(names) ? names[state] : "?";
}

const char *request_kind_name(enum request_kind kind)
{
	static const char *const names[NR_REQUEST_KINDS] = {
		[REQUEST_SERVED] = "served",
		[REQUEST_SENT] = "sent",
		[REQUEST_DOWNSTREAM] = "downstream",
	};

	return (size_t)kind < ARRAY_SIZE(names) ? names[kind] : "?";
}

/* What had come before the connection was first looked at came unseen: the next arrival is not its.
 */
static void add_arrival(struct request *r, const struct connection *c)
{
	uint64_t unseen = c->before_attach ? c->conn.in_bytes : 0;
	const struct point *first =
		r->in_from < unseen ? NULL : points_after(&c->arrivals, r->in_from, 0);
	const struct point *last =
		r->in_to <= unseen ? NULL : points_reaching(&c->arrivals, r->in_to);

	if (first)
		r->first_arrival_ns = first->ts_ns;
	if (!last)
		return;
	r->arrived_ns = last->ts_ns;
	if (last->flags & SOCK_LOCKED)
		r->flags |= REQUEST_LOCKED;
	if (last->flags & SOCK_UNSURE)
		r->flags |= REQUEST_UNSURE;
}

static void add_read(struct request *r, const struct connection *c)
{
	const struct point *first = points_after(&c->reads, r->in_from, 0);
	const struct point *last = points_reaching(&c->reads, r->in_to);

	if (first) {
		r->first_read_ns = first->ts_ns;
		r->first_reader_tid = first->tid;
		if (first->pos - first->bytes < r->in_from && first->bytes <= first->pos)
			r->flags |= REQUEST_SHARED_READ;
	}
	if (!last)
		return;
	r->read_ns = last->ts_ns;
	r->reader_tid = last->tid;
	if (last->pos > r->in_to)
		r->flags |= REQUEST_SHARED_READ;
	if (last->flags & SOCK_UNSURE)
		r->flags |= REQUEST_UNSURE;
}

/*
 * A segment of the peer is seen before it is handled, with what is still held back. So the last one
 * that saw bytes of this answer held back is the one that let them go.
 */
static void add_release(struct request *r, const struct connection *c, const struct point *last)
{
	const struct point *ack = points_before(&c->acks, r->out_to);

	r->released_ns = last->ts_ns;
	if (!last->unsent || last->pos - last->unsent >= r->out_to)
		return;
	if (!ack || ack->ts_ns < last->ts_ns) {
		r->flags |= REQUEST_HELD_UNSURE;
		return;
	}
	r->released_ns = ack->ts_ns;
	if (ack->window < ack->unsent)
		r->flags |= REQUEST_WINDOW;
}

static void add_answer(struct request *r, const struct connection *c)
{
	const struct point *first = points_after(&c->writes, r->out_from, 0);
	const struct point *last = points_reaching(&c->writes, r->out_to);

	if (!first || !last || r->out_to <= r->out_from)
		return;
	r->first_out_ns = first->start_ns;
	r->answerer_tid = first->tid;
	if (first->flags & SOCK_START_SEEN)
		r->flags |= REQUEST_START_SEEN;
	r->last_out_ns = last->ts_ns;
	r->last_out_start_ns = last->start_ns;
	r->last_answerer_tid = last->tid;
	if (last->pos > r->out_to)
		r->flags |= REQUEST_SHARED_WRITE;
	if (last->flags & SOCK_UNSURE)
		r->flags |= REQUEST_UNSURE;
	add_release(r, c, last);
}

void request_of_accepted(const struct connection *c, const struct request_bytes *bytes,
			 struct request *ret)
{
	*ret = (struct request){
		.kind = REQUEST_SERVED,
		.conn = c->conn,
		.in_from = bytes->in_from,
		.in_to = bytes->in_to,
		.out_from = bytes->out_from,
		.out_to = bytes->out_to,
		.queue_conn = c->current.queue_conn,
		.queue_listener = c->current.queue_listener,
		.reader_until_ns = c->current.reader_until_ns,
		.answerer_since_ns = c->current.answerer_since_ns,
	};
	if (c->current.orphan)
		ret->state = REQUEST_CUT_BEGIN;
	else
		add_arrival(ret, c);
	if (!c->current.orphan)
		add_read(ret, c);
	add_answer(ret, c);
}

void request_of_connected(const struct connection *c, struct request *ret)
{
	const struct point *first_out = points_after(&c->writes, c->current.out_from, 0);
	const struct point *last_out = points_reaching(&c->writes, c->current.out_to);
	const struct point *arrived = points_reaching(&c->arrivals, c->current.in_to);
	const struct point *read = points_reaching(&c->reads, c->current.in_to);

	*ret = (struct request){
		.kind = REQUEST_DOWNSTREAM,
		.conn = c->conn,
		.in_from = c->current.in_from,
		.in_to = c->current.in_to,
		.out_from = c->current.out_from,
		.out_to = c->current.out_to,
	};
	if (first_out) {
		ret->sent_ns = first_out->start_ns;
		ret->sender_tid = first_out->tid;
		ret->first_out_ns = first_out->start_ns;
	}
	if (last_out)
		ret->last_out_ns = last_out->ts_ns;
	if (ret->in_to <= ret->in_from)
		return;
	if (arrived)
		ret->arrived_ns = arrived->ts_ns;
	if (read) {
		ret->received_ns = read->ts_ns;
		ret->receiver_tid = read->tid;
	}
}

bool request_write_is_late(const struct request *request, uint64_t received_ns)
{
	return request->last_out_start_ns && received_ns >= request->last_out_start_ns &&
	       received_ns < request->last_out_ns;
}

static void settle_write(struct request *r)
{
	if (!request_write_is_late(r, r->received_ns))
		return;
	r->flags |= REQUEST_WRITE_LATE;
	if (r->released_ns == r->last_out_ns)
		r->released_ns = r->received_ns;
	r->last_out_ns = r->received_ns;
}

void request_add_client(struct request *r, const struct connection *client)
{
	const struct point *sent = points_after(&client->writes, r->in_from, 0);
	const struct point *received = points_reaching(&client->reads, r->out_to);

	r->client_tgid = client->conn.tgid;
	if (!sent || sent->pos - r->in_from > sent->bytes)
		return;
	r->sent_ns = sent->start_ns;
	r->sender_tid = sent->tid;
	if (!received || r->out_to <= r->out_from)
		return;
	r->received_ns = received->ts_ns;
	r->receiver_tid = received->tid;
	r->flags |= REQUEST_BOTH;
	settle_write(r);
}

/* A span that ends before it begins says that one of the two stamps is off by that much. */
static void add_spans(struct request *r)
{
	bool both = r->flags & REQUEST_BOTH;
	const uint64_t at_ns[NR_REQUEST_SPANS + 1] = {
		both ? r->sent_ns : r->first_arrival_ns,
		r->arrived_ns,
		r->read_ns,
		r->first_out_ns,
		r->last_out_ns,
		r->released_ns,
		both ? r->received_ns : r->released_ns,
	};

	for (int i = 0; i < NR_REQUEST_SPANS; i++) {
		int64_t span_ns = (int64_t)(at_ns[i + 1] - at_ns[i]);

		r->span_ns[i] = span_ns;
		if (span_ns < 0 && (uint64_t)-span_ns > r->crossed_ns)
			r->crossed_ns = (uint64_t)-span_ns;
	}
	if (r->crossed_ns)
		r->flags |= REQUEST_CROSSED;
	r->has_spans = true;
}

static enum request_state why_not_whole(const struct request *r, const struct connection *c,
					bool ended)
{
	bool answered = r->kind == REQUEST_SERVED ? r->first_out_ns : r->received_ns;

	if (r->state == REQUEST_CUT_BEGIN)
		return REQUEST_CUT_BEGIN;
	if (r->kind == REQUEST_SERVED && c->before_attach && r->in_from < c->conn.in_bytes)
		return REQUEST_CUT_BEGIN;
	if (r->flags & REQUEST_LOSS)
		return REQUEST_LOST;
	if (answered)
		return REQUEST_UNSEEN;
	if (ended)
		return REQUEST_CUT_END;
	if (c->closed)
		return c->reset ? REQUEST_RESET : REQUEST_CLOSED;
	return r->read_ns ? REQUEST_SILENT : REQUEST_UNSEEN;
}

static uint64_t first_known(const uint64_t *times_ns, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (times_ns[i])
			return times_ns[i];
	return 0;
}

static void add_handoff(struct request *r)
{
	uint64_t until_ns = r->reader_until_ns, since_ns = r->answerer_since_ns;

	if (!until_ns || !since_ns || since_ns < r->read_ns)
		return;
	r->has_handoff = true;
	r->handoff_ns = since_ns > until_ns ? since_ns - until_ns : 0;
}

void request_finish(struct request *r, const struct connection *c, bool ended)
{
	const uint64_t begins_ns[] = {r->sent_ns, r->first_arrival_ns, r->arrived_ns, r->read_ns,
				      r->first_out_ns};
	const uint64_t ends_ns[] = {r->received_ns, r->released_ns, r->last_out_ns, r->read_ns,
				    r->arrived_ns};
	bool whole = r->kind == REQUEST_SERVED
			     ? r->first_arrival_ns && r->arrived_ns && r->read_ns && r->first_out_ns
			     : r->sent_ns && r->received_ns;

	if (!(r->flags & REQUEST_BOTH) && r->kind == REQUEST_SERVED) {
		r->sent_ns = 0; /* one half of the client's view is none */
		r->received_ns = 0;
	}
	r->begin_ns = first_known(begins_ns + (r->sent_ns ? 0 : 1), r->sent_ns ? 5 : 4);
	r->end_ns = first_known(ends_ns + (r->received_ns ? 0 : 1), r->received_ns ? 5 : 4);
	if (r->begin_ns && c->last_retransmit_ns >= r->begin_ns &&
	    c->last_retransmit_ns < r->end_ns)
		r->flags |= REQUEST_RETRANSMIT;
	if (whole && r->state != REQUEST_CUT_BEGIN && r->end_ns >= r->begin_ns) {
		r->state = REQUEST_WHOLE;
		if (r->kind == REQUEST_SERVED)
			add_spans(r);
		add_handoff(r);
		return;
	}
	r->state = why_not_whole(r, c, ended);
}
