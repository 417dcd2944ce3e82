/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "user/load/connection.h"
#include "user/load/now.h"
#include "user/load/options.h"

enum schedule_failure connection_failure(int error)
{
	return error == -ECONNREFUSED ? FAILURE_REFUSED : FAILURE_CONNECT;
}

static void mark_failed(struct flight *f, enum schedule_failure failure)
{
	f->request.failure = (uint8_t)failure;
	f->request.flags |= SCHEDULE_FAILED;
}

void flight_fail(struct wire *w, struct flight *f, enum schedule_failure failure)
{
	mark_failed(f, failure);
	handover_tell(w->out, f);
	handover_release(w->out, f);
}

static int begin_connect(struct wire *w, struct connection *c)
{
	const struct load_options *o = w->options;

	if (connect(c->fd, (const struct sockaddr *)&o->address, o->address_bytes) == 0)
		return connection_opened(w, c);
	if (errno != EINPROGRESS)
		return -errno;
	c->state = CONNECTION_CONNECTING;
	return 1;
}

int connection_open(struct wire *w, struct connection *c, bool blocking)
{
	struct timeval every = {
		.tv_usec = 50000}; /* so that a blocked thread sees the end of the run */
	struct timeval limit = {.tv_sec = (time_t)(w->options->timeout_ns / 1000000000 + 1)};
	int one = 1, error;

	*c = (struct connection){.fd = -1, .id = w->next_id};
	w->next_id += w->id_step;
	c->fd = socket(w->options->address.ss_family,
		       SOCK_STREAM | SOCK_CLOEXEC | (blocking ? 0 : SOCK_NONBLOCK), 0);
	if (c->fd < 0)
		return -errno;
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (blocking) {
		setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &every, sizeof(every));
		setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &limit,
			   sizeof(limit)); /* of connect too */
	}
	error = begin_connect(w, c);
	if (error < 0)
		connection_close(w, c, FAILURE_NONE);
	return error;
}

int connection_opened(struct wire *w, struct connection *c)
{
	struct sockaddr_storage own;
	socklen_t own_bytes = sizeof(own), error_bytes = sizeof(int);
	int error = 0;

	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &error_bytes) || error)
		return error ? -error : -errno;
	if (getsockname(c->fd, (struct sockaddr *)&own, &own_bytes))
		return -errno;
	/* The port lies at the same place in both kinds of address. */
	c->local = ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port
						   : ((struct sockaddr_in *)&own)->sin_port);
	c->state = CONNECTION_OPEN;
	c->free_ns = now_ns();
	handover_count(w->out, COUNT_OPENED, 1);
	return 0;
}

int connection_flush(struct wire *w, struct connection *c)
{
	const struct message *message = &w->options->messages.messages[c->writing->message];
	ssize_t nr = send(c->fd, message->bytes + c->nr_written, message->nr - c->nr_written,
			  MSG_NOSIGNAL);

	if (nr < 0)
		return errno == EAGAIN || errno == EINTR ? 1 : -errno;
	c->nr_written += (size_t)nr;
	if (c->nr_written < message->nr)
		return 1;
	c->writing = NULL;
	return 0;
}

int connection_send(struct wire *w, struct connection *c, struct flight *f, uint64_t free_ns)
{
	struct schedule_request *r = &f->request;

	f->connection = c;
	f->next = NULL;
	*(c->last ? &c->last->next : &c->first) = f;
	c->last = f;
	c->nr_flights++;
	c->writing = f;
	c->nr_written = 0;
	r->conn = c->id;
	r->local = c->local;
	r->peer = w->options->peer;
	r->conn_wait_ns = free_ns > r->intended_ns ? free_ns - r->intended_ns : 0;
	r->out_from = c->out_at;
	r->out_to = c->out_at += w->options->messages.messages[f->message].nr;
	r->sent_ns = now_ns();
	return connection_flush(w, c);
}

/* The answer of the first in flight is whole. */
static void finish_first(struct wire *w, struct connection *c, uint64_t received_ns)
{
	struct flight *f = c->first;

	c->first = f->next;
	if (!c->first)
		c->last = NULL;
	c->nr_flights--;
	c->answering = false;
	c->free_ns = received_ns;
	if (f->state == FLIGHT_TOLD) {
		c->nr_given_up--; /* it comes too late */
	} else {
		f->request.received_ns = received_ns;
		f->request.in_to = c->in_at;
		f->request.status = c->answer.status;
		if (c->answer.status && c->answer.status / 100 != 2)
			mark_failed(f, FAILURE_STATUS);
		handover_tell(w->out, f);
	}
	handover_release(w->out, f);
}

static void begin_answer(struct wire *w, struct connection *c, uint64_t first_ns)
{
	const struct message *message = &w->options->messages.messages[c->first->message];

	answer_begin(&c->answer, &w->options->answers, message->head);
	c->answering = true;
	c->first->request.first_ns = first_ns;
	c->first->request.in_from = c->in_at;
}

static enum connection_event take_bytes(struct wire *w, struct connection *c, size_t nr,
					enum schedule_failure *ret_failure)
{
	enum connection_event event = EVENT_NOTHING;
	uint64_t at_ns = now_ns();
	size_t used;

	for (const char *at = w->buffer; nr > 0; at += used, nr -= used) {
		enum answer_state state;

		if (!c->first) {
			handover_count(w->out, COUNT_UNSOLICITED, 1);
			*ret_failure = FAILURE_MALFORMED;
			return EVENT_ENDED;
		}
		if (!c->answering)
			begin_answer(w, c, at_ns);
		state = answer_feed(&c->answer, at, nr, &used);
		c->in_at += used;
		if (state == ANSWER_MALFORMED) {
			*ret_failure = FAILURE_MALFORMED;
			return EVENT_ENDED;
		}
		if (state == ANSWER_MORE)
			continue;
		finish_first(w, c, at_ns);
		event = EVENT_ANSWERED;
		if (c->answer.last) {
			*ret_failure = FAILURE_RESET; /* what was sent behind it gets no answer */
			return EVENT_ENDED;
		}
	}
	return event;
}

/* The peer has closed. */
static enum connection_event take_end(struct wire *w, struct connection *c,
				      enum schedule_failure *ret_failure)
{
	*ret_failure = FAILURE_RESET;
	if (c->answering && answer_end(&c->answer) == ANSWER_WHOLE)
		finish_first(w, c, now_ns());
	else if (c->answering)
		*ret_failure = FAILURE_SHORT;
	return EVENT_ENDED;
}

enum connection_event connection_read(struct wire *w, struct connection *c,
				      enum schedule_failure *ret_failure)
{
	ssize_t nr = recv(c->fd, w->buffer, WIRE_BUFFER_BYTES, 0);

	if (nr > 0)
		return take_bytes(w, c, (size_t)nr, ret_failure);
	if (nr == 0)
		return take_end(w, c, ret_failure);
	if (errno == EAGAIN || errno == EINTR)
		return EVENT_NOTHING;
	*ret_failure = c->answering ? FAILURE_SHORT : FAILURE_RESET;
	return EVENT_ENDED;
}

bool connection_give_up(struct wire *w, struct connection *c, struct flight *f)
{
	mark_failed(f, FAILURE_TIMEOUT);
	handover_tell(w->out, f);
	return ++c->nr_given_up == c->nr_flights;
}

void connection_close(struct wire *w, struct connection *c, enum schedule_failure failure)
{
	struct flight *f = c->first;

	while (f) {
		struct flight *next = f->next;

		if (f->state == FLIGHT_TOLD)
			handover_release(w->out, f);
		else
			flight_fail(w, f, failure);
		/* Only the answer that had begun is short; the others never began. */
		if (failure == FAILURE_SHORT || failure == FAILURE_MALFORMED)
			failure = FAILURE_RESET;
		f = next;
	}
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	c->first = c->last = c->writing = NULL;
	c->nr_flights = c->nr_given_up = 0;
	c->state = CONNECTION_CLOSED;
}
