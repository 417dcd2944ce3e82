/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "user/base/cleanup.h"
#include "user/load/dispatch.h"
#include "user/load/now.h"
#include "user/load/options.h"

#define EVENTS_AT_ONCE 128

static void list_append(struct connection_list *list, struct connection *c)
{
	c->before = list->last;
	c->behind = NULL;
	*(list->last ? &list->last->behind : &list->first) = c;
	list->last = c;
	c->listed = list;
}

static void list_remove(struct connection *c)
{
	struct connection_list *list = c->listed;

	if (!list)
		return;
	*(c->before ? &c->before->behind : &list->first) = c->behind;
	*(c->behind ? &c->behind->before : &list->last) = c->before;
	c->listed = NULL;
}

/* The n-th of @nr_threads shares of @total. */
static uint32_t share(uint32_t total, uint32_t thread, uint32_t nr_threads)
{
	return total / nr_threads + (thread < total % nr_threads);
}

int dispatch_init(struct dispatch *d, const struct load_options *options,
		  struct handover_thread *out, uint32_t thread)
{
	*d = (struct dispatch){
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.wire = {.options = options,
			 .out = out,
			 .next_id = thread + 1,
			 .id_step = options->nr_threads,
			 .buffer = malloc(WIRE_BUFFER_BYTES)},
		.nr_kept = share(options->nr_connections, thread, options->nr_threads),
	};
	if (d->epoll < 0)
		return -errno;
	d->nr_allowed = d->nr_kept;
	if (options->when_busy == BUSY_OPEN)
		d->nr_allowed = share(options->max_connections, thread, options->nr_threads);
	d->connections = calloc(d->nr_allowed, sizeof(*d->connections));
	if (!d->connections || !d->wire.buffer)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->nr_allowed; i++) {
		d->connections[i].fd = -1;
		list_append(&d->closed, &d->connections[i]);
	}
	return 0;
}

void dispatch_free(struct dispatch *d)
{
	free(d->connections);
	free(d->wire.buffer);
	if (d->epoll >= 0)
		close(d->epoll);
}

static void watch(struct dispatch *d, struct connection *c, int operation, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = c};

	epoll_ctl(d->epoll, operation, c->fd, &event);
	c->watched_for_write = events & EPOLLOUT;
}

/* Put @c where its room says. */
static void list_by_room(struct dispatch *d, struct connection *c)
{
	bool pipelines = d->wire.options->when_busy == BUSY_PIPELINE;
	struct connection_list *list = NULL;

	if (c->state == CONNECTION_OPEN && !c->writing) {
		if (c->nr_flights == 0)
			list = &d->idle;
		else if (pipelines && c->nr_flights < d->wire.options->pipeline_depth)
			list = &d->roomy;
	}
	if (c->listed == list && list != &d->roomy)
		return;
	list_remove(c);
	if (list)
		list_append(list, c);
}

static struct flight *pop_queue(struct dispatch *d)
{
	struct flight *f = d->first_queued;

	d->first_queued = f->next;
	if (!f->next)
		d->last_queued = NULL;
	d->nr_queued--;
	return f;
}

/* For how long the loop is not open: some request waits, and no connection is being opened for it.
 */
static void note_stuck(struct dispatch *d)
{
	bool stuck = d->nr_queued > d->nr_connecting;

	if (stuck == (d->stuck_since_ns != 0))
		return;
	if (stuck) {
		d->stuck_since_ns = now_ns();
		return;
	}
	handover_count(d->wire.out, COUNT_NOT_OPEN_NS, now_ns() - d->stuck_since_ns);
	d->stuck_since_ns = 0;
}

static void forget_connection(struct dispatch *d, struct connection *c)
{
	list_remove(c);
	list_append(&d->closed, c);
	d->nr_connections--;
}

/* @error of a connect: a request that waits for a connection shares its fate. */
static void connect_failed(struct dispatch *d, struct connection *c, int error)
{
	if (!d->first_error)
		d->first_error = error;
	forget_connection(d, c);
	if (d->nr_queued)
		flight_fail(&d->wire, pop_queue(d), connection_failure(error));
}

static void open_one(struct dispatch *d)
{
	struct connection *c = d->closed.first;
	int got;

	list_remove(c);
	got = connection_open(&d->wire, c, false);
	d->nr_connections++;
	if (got < 0) {
		connect_failed(d, c, got);
		return;
	}
	if (got == 1)
		d->nr_connecting++;
	watch(d, c, EPOLL_CTL_ADD, got == 1 ? EPOLLOUT : EPOLLIN);
	list_by_room(d, c);
}

static void open_more(struct dispatch *d)
{
	while (d->nr_connecting < d->nr_queued && d->nr_connections < d->nr_allowed)
		open_one(d);
}

void dispatch_connect(struct dispatch *d)
{
	for (uint32_t i = 0; i < d->nr_kept; i++)
		open_one(d);
}

static void close_connection(struct dispatch *d, struct connection *c,
			     enum schedule_failure failure)
{
	bool has_served = c->in_at >
			  0; /* others are not opened again at once: the peer may refuse to serve */

	connection_close(&d->wire, c, failure);
	forget_connection(d, c);
	if (has_served && d->nr_connections < d->nr_kept)
		open_one(d);
}

/* @queued: @f has waited; a busy connection that takes it now got room for it with its last answer.
 */
static void send_on(struct dispatch *d, struct connection *c, struct flight *f, bool queued)
{
	/* Idle connections stand in the order in which they became free. */
	uint64_t free_ns = d->idle.first ? d->idle.first->free_ns : queued ? c->free_ns : 0;
	int got = connection_send(&d->wire, c, f, free_ns);

	if (got < 0) {
		close_connection(d, c, FAILURE_RESET);
		return;
	}
	if (got == 1)
		watch(d, c, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
	list_by_room(d, c);
}

/*
 * The connections take turns as long as each is idle at its own, so that the requests of one are as
 * regular as the whole; else the one that has been idle longest.
 */
static struct connection *pick(struct dispatch *d, const struct flight *f)
{
	uint64_t turn = f->request.seq / d->wire.options->nr_threads % d->nr_kept;
	struct connection *c = &d->connections[turn];

	if (c->listed == &d->idle)
		return c;
	return d->idle.first ? d->idle.first : d->roomy.first;
}

/* What waits goes first, and all that can. */
static void serve_queue(struct dispatch *d)
{
	struct connection *c;

	while (d->nr_queued && (c = pick(d, d->first_queued)))
		send_on(d, c, pop_queue(d), true);
	open_more(d);
	note_stuck(d);
}

void dispatch_request(struct dispatch *d, struct flight *f)
{
	struct connection *c = d->nr_queued ? NULL : pick(d, f);

	if (c) {
		send_on(d, c, f, false);
		return;
	}
	f->next = NULL;
	*(d->last_queued ? &d->last_queued->next : &d->first_queued) = f;
	d->last_queued = f;
	d->nr_queued++;
	serve_queue(d);
}

static void on_connected(struct dispatch *d, struct connection *c)
{
	int error = connection_opened(&d->wire, c);

	d->nr_connecting--;
	if (error) {
		connection_close(&d->wire, c, FAILURE_NONE);
		connect_failed(d, c, error);
		return;
	}
	watch(d, c, EPOLL_CTL_MOD, EPOLLIN);
	list_by_room(d, c);
}

static void on_writable(struct dispatch *d, struct connection *c)
{
	int got = c->writing ? connection_flush(&d->wire, c) : 0;

	if (got < 0) {
		close_connection(d, c, FAILURE_RESET);
		return;
	}
	if (got == 0) {
		watch(d, c, EPOLL_CTL_MOD, EPOLLIN);
		list_by_room(d, c);
	}
}

static void on_readable(struct dispatch *d, struct connection *c)
{
	enum schedule_failure failure = FAILURE_NONE;

	switch (connection_read(&d->wire, c, &failure)) {
	case EVENT_NOTHING:
		return;
	case EVENT_ANSWERED:
		list_by_room(d, c);
		return;
	case EVENT_ENDED:
		close_connection(d, c, failure);
		return;
	}
}

static int wait_for_events(struct dispatch *d, struct epoll_event *events, uint64_t wait_ns)
{
	struct timespec wait = {.tv_sec = (time_t)(wait_ns / 1000000000),
				.tv_nsec = (long)(wait_ns % 1000000000)};
	struct pollfd poll = {.fd = d->epoll, .events = POLLIN};
	int nr;

	if (!d->no_pwait2) {
		nr = epoll_pwait2(d->epoll, events, EVENTS_AT_ONCE, &wait, NULL);
		if (nr >= 0 || errno != ENOSYS)
			return nr;
		d->no_pwait2 = true;
	}
	ppoll(&poll, 1, &wait, NULL); /* epoll_wait() itself knows only milliseconds */
	return epoll_wait(d->epoll, events, EVENTS_AT_ONCE, 0);
}

void dispatch_wait(struct dispatch *d, uint64_t wait_ns)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	int nr = wait_for_events(d, events, wait_ns);

	for (int i = 0; i < nr; i++) {
		struct connection *c = events[i].data.ptr;

		if (c->state == CONNECTION_CONNECTING) {
			on_connected(d, c);
			continue;
		}
		if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))
			on_readable(d, c);
		if (events[i].events & EPOLLOUT && c->state == CONNECTION_OPEN &&
		    c->watched_for_write)
			on_writable(d, c);
	}
	if (nr > 0)
		serve_queue(d);
}

uint64_t dispatch_deadline_ns(const struct dispatch *d)
{
	const struct flight *f = d->wire.out->oldest;

	return f ? f->request.intended_ns + d->wire.options->timeout_ns : UINT64_MAX;
}

void dispatch_expire(struct dispatch *d, uint64_t at_ns)
{
	while (dispatch_deadline_ns(d) <= at_ns) {
		struct flight *f = d->wire.out->oldest;

		if (!f->connection) /* the oldest of all is the oldest in the queue too */
			flight_fail(&d->wire, pop_queue(d), FAILURE_TIMEOUT);
		else if (connection_give_up(&d->wire, f->connection, f))
			close_connection(d, f->connection, FAILURE_TIMEOUT);
		serve_queue(d);
	}
}

void dispatch_cut(struct dispatch *d)
{
	while (d->nr_queued)
		flight_fail(&d->wire, pop_queue(d), FAILURE_CUT);
	note_stuck(d);
	for (uint32_t i = 0; i < d->nr_allowed; i++)
		if (d->connections[i].fd >= 0)
			connection_close(&d->wire, &d->connections[i], FAILURE_CUT);
}
