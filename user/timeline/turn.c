/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/timeline/turn.h"

static struct point point_of(const struct event_sock *step, uint64_t pos, uint64_t other)
{
	bool started = step->flags & SOCK_START_SEEN && step->took_ns <= step->hdr.ts_ns;

	return (struct point){
		.pos = pos,
		.other = other,
		.ts_ns = step->hdr.ts_ns,
		.start_ns = started ? step->hdr.ts_ns - step->took_ns : step->hdr.ts_ns,
		.tid = step->hdr.tid,
		.bytes = step->bytes,
		.unsent = step->unsent,
		.window = step->window,
		.flags = step->flags,
	};
}

static int finish(struct connection *c, const struct turn_sink *sink)
{
	int err = c->current.open ? sink->fn(sink->arg, c) : 0;

	c->had_turn |= c->current.open;
	c->current = c->next;
	c->next = (struct turn){0};
	return err;
}

static void begin(struct connection *c, uint64_t from, uint64_t to)
{
	c->next = (struct turn){
		.open = true,
		.in_from = from,
		.in_to = to,
		.queue_listener = c->listener->nr_unread,
	};
	c->listener->nr_unread++;
}

void turn_begin(struct connection *c)
{
	if (connection_is_accepted(c) && c->in_seen > c->read_seen)
		begin(c, c->read_seen, c->in_seen);
}

/*
 * Bytes belong to the turn that is being read while nothing has been written since its first read;
 * else they begin the next one. A turn that nobody has read cannot have been answered.
 */
static void extend(struct connection *c, uint64_t in, uint64_t out)
{
	if (c->next.open)
		c->next.in_to = in;
	else if (c->current.open && out <= c->current.out_from)
		c->current.in_to = in;
	else
		begin(c, c->in_seen, in);
	c->in_seen = in;
}

static int on_arrive(struct connection *c, const struct event_sock *step)
{
	struct point point = point_of(step, step->in_bytes, step->out_bytes);

	if (step->in_bytes <= c->arrived_seen)
		return 0; /* the end of the stream, or nothing new */
	c->arrived_seen = step->in_bytes;
	if (step->in_bytes > c->in_seen) /* else it was read before this was stamped */
		extend(c, step->in_bytes, step->out_bytes);
	return points_put(&c->arrivals, &point);
}

static int on_read(struct connection *c, const struct event_sock *step,
		   const struct turn_sink *sink)
{
	struct point point = point_of(step, step->in_bytes, step->out_bytes);
	int err = 0;

	if (step->in_bytes > c->in_seen) /* its arrival was not seen */
		extend(c, step->in_bytes, step->out_bytes);
	if (step->in_bytes > c->read_seen)
		c->read_seen = step->in_bytes;
	if (c->next.open && c->read_seen > c->next.in_from) {
		c->current.out_to = step->out_bytes;
		err = finish(c, sink);
		c->current.out_from = step->out_bytes;
		c->listener->nr_unread--;
	}
	return err ? err : points_put(&c->reads, &point);
}

/* What has arrived and was not read cannot be what is answered here: it is the next turn. */
static void split_at_read(struct connection *c)
{
	struct turn *turn = &c->current;

	if (c->next.open || c->read_seen <= turn->in_from || c->read_seen >= turn->in_to)
		return;
	begin(c, c->read_seen, turn->in_to);
	turn->in_to = c->read_seen;
}

static int on_write(struct connection *c, const struct event_sock *step,
		    const struct turn_sink *sink)
{
	struct point point = point_of(step, step->out_bytes, step->in_bytes);
	bool first;
	int err;

	if (!c->current.open && c->before_attach && !c->has_answered)
		c->current = (struct turn){.open = true,
					   .orphan = true,
					   .in_from = c->read_seen,
					   .in_to = c->read_seen,
					   .out_from = c->out_seen};
	c->has_answered = true;
	first = c->current.open && step->out_bytes > c->current.out_from &&
		c->out_seen <= c->current.out_from;
	if (first && !c->current.orphan)
		split_at_read(c);
	if (step->out_bytes > c->out_seen)
		c->out_seen = step->out_bytes;
	err = points_put(&c->writes, &point);
	return err || !first ? err : sink->first_out(sink->arg, c);
}

/* ---- connected: what we write is asked, what comes back answers ---- */

static int on_ask(struct connection *c, const struct event_sock *step, const struct turn_sink *sink)
{
	struct point point = point_of(step, step->out_bytes, step->in_bytes);
	int err = 0;

	if (c->current.open && c->read_seen > c->current.in_from) {
		c->current.in_to = c->read_seen;
		err = finish(c, sink);
	}
	if (!c->current.open)
		c->current = (struct turn){
			.open = true, .out_from = c->out_seen, .in_from = c->read_seen};
	if (step->out_bytes > c->out_seen)
		c->out_seen = step->out_bytes;
	c->current.out_to = c->out_seen;
	return err ? err : points_put(&c->writes, &point);
}

static int on_answer(struct connection *c, const struct event_sock *step)
{
	struct point point = point_of(step, step->in_bytes, step->out_bytes);

	if (step->hdr.kind == EVENT_SOCK_READ) {
		if (step->in_bytes > c->read_seen)
			c->read_seen = step->in_bytes;
		return points_put(&c->reads, &point);
	}
	if (step->in_bytes <= c->in_seen)
		return 0;
	c->in_seen = step->in_bytes;
	return points_put(&c->arrivals, &point);
}

int turn_step(struct connection *c, const struct event_sock *step, const struct turn_sink *sink)
{
	struct point sent = point_of(step, step->out_bytes - step->unsent, step->in_bytes);
	bool accepted = connection_is_accepted(c);

	if (step->unsent > step->out_bytes)
		sent.pos = 0;
	switch (step->hdr.kind) {
	case EVENT_SOCK_ARRIVE:
		return accepted ? on_arrive(c, step) : on_answer(c, step);
	case EVENT_SOCK_READ:
		return accepted ? on_read(c, step, sink) : on_answer(c, step);
	case EVENT_SOCK_WRITE:
		return accepted ? on_write(c, step, sink) : on_ask(c, step, sink);
	case EVENT_SOCK_ACK:
		return points_put(&c->acks, &sent);
	case EVENT_SOCK_RETRANSMIT:
		c->last_retransmit_ns = step->hdr.ts_ns;
		return 0;
	default:
		return 0;
	}
}

static bool was_before(const struct points *points, uint64_t pos, uint64_t before_ns)
{
	const struct point *last = points_reaching(points, pos);

	return last && last->ts_ns < before_ns;
}

int turn_quiet(struct connection *c, uint64_t before_ns, const struct turn_sink *sink)
{
	struct turn *turn = &c->current;

	if (!turn->open || c->next.open)
		return 0;
	if (!connection_is_accepted(c)) {
		if (c->read_seen <= turn->in_from ||
		    !was_before(&c->reads, c->read_seen, before_ns))
			return 0;
		turn->in_to = c->read_seen;
		return finish(c, sink);
	}
	if (c->out_seen <= turn->out_from || c->read_seen < c->in_seen ||
	    !was_before(&c->writes, c->out_seen, before_ns))
		return 0;
	turn->out_to = c->out_seen;
	return finish(c, sink);
}

int turn_end(struct connection *c, const struct turn_sink *sink)
{
	int err = 0;

	if (!connection_is_accepted(c)) {
		c->current.in_to = c->read_seen;
		return finish(c, sink);
	}
	c->current.out_to = c->out_seen;
	if (c->current.open)
		err = finish(c, sink);
	if (!c->next.open && !c->current.open)
		return err;
	if (c->next.open) /* nothing came before it */
		c->current = c->next;
	c->next = (struct turn){0};
	c->listener->nr_unread--; /* it was never read */
	c->current.out_from = c->current.out_to = c->out_seen;
	return err ? err : finish(c, sink);
}
