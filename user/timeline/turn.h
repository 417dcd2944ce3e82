/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who speaks on a connection: steps of its socket in, finished turns out. A turn of an accepted
 * connection is what the peer sent and what was written once its first byte had been read, up to
 * the first read of the next turn; of a connected one what was written, and what came back. No
 * protocol is looked at. Requests sent without waiting for answers make one turn.
 */
#ifndef STANDSTILL_TIMELINE_TURN_H
#define STANDSTILL_TIMELINE_TURN_H

#include "user/timeline/connections.h"

/* @c->current is finished; its out_to (in_to of a connected one) is set. 0 or -ENOMEM. */
typedef int turn_fn(void *arg, struct connection *c);

struct turn_sink {
	turn_fn *fn;
	turn_fn *first_out; /* of an accepted one: the first byte of an answer was just written */
	void *arg;
};

/* @c is new: bytes that nobody has read yet are a turn whose arrival was not seen. */
void turn_begin(struct connection *c);

/* One step of @c (ARRIVE, READ, WRITE, ACK, RETRANSMIT). 0 or -ENOMEM. */
int turn_step(struct connection *c, const struct event_sock *step, const struct turn_sink *sink);

/* Finish a turn whose answer ended before @before_ns and that nothing has followed, so that it need
 * not wait for the next one. What is written after that belongs to no turn. 0 or -ENOMEM. */
int turn_quiet(struct connection *c, uint64_t before_ns, const struct turn_sink *sink);

/* Nothing more comes of @c. 0 or -ENOMEM. */
int turn_end(struct connection *c, const struct turn_sink *sink);

#endif
