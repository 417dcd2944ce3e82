/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection: requests out, answers in, in order, each with its stamps and byte positions. In:
 * flights to send, and readiness of the socket; out: flights with their fate, handed over. Knows
 * nothing of when to send or which connection to take.
 */
#ifndef STANDSTILL_LOAD_CONNECTION_H
#define STANDSTILL_LOAD_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "user/load/answer.h"
#include "user/load/handover.h"

struct connection_list;
struct load_options;

enum connection_state {
	CONNECTION_CLOSED,
	CONNECTION_CONNECTING,
	CONNECTION_OPEN,
};

struct connection {
	int fd;
	enum connection_state state;
	uint64_t id; /* never used again for another */
	uint16_t local;
	uint64_t out_at, in_at;	     /* bytes so far */
	uint64_t free_ns;	     /* when it last had nothing in flight, or was opened */
	struct flight *first, *last; /* in flight, in the order of their answers */
	uint32_t nr_flights, nr_given_up;
	struct flight *writing; /* not all of it is sent yet */
	size_t nr_written;
	bool answering; /* the answer of first has begun */
	struct answer answer;

	/* The dispatcher's: the list of those that can take a request. */
	struct connection *before, *behind;
	struct connection_list *listed;
	bool watched_for_write;
};

#define WIRE_BUFFER_BYTES 65536

/* What the connections of one thread share. */
struct wire {
	const struct load_options *options;
	struct handover_thread *out;
	uint64_t next_id, id_step; /* ids of the threads do not collide */
	char *buffer;		   /* WIRE_BUFFER_BYTES */
};

/* Open the socket of @c and begin to connect; @blocking: and wait for it. 0: it is open; 1:
 * connecting; or -errno. */
int connection_open(struct wire *w, struct connection *c, bool blocking);

/* A connecting socket has become writable. 0: it is open; or -errno. */
int connection_opened(struct wire *w, struct connection *c);

/* Send @f, for which a connection has been free since @free_ns. 0, 1 when a part has to wait for
 * the socket (connection_flush), or -errno. */
int connection_send(struct wire *w, struct connection *c, struct flight *f, uint64_t free_ns);
int connection_flush(struct wire *w, struct connection *c);

enum connection_event {
	EVENT_NOTHING,	/* for now */
	EVENT_ANSWERED, /* at least one answer is whole */
	EVENT_ENDED,	/* must be closed, with *ret_failure for what is in flight */
};

/* Read what has come. */
enum connection_event connection_read(struct wire *w, struct connection *c,
				      enum schedule_failure *ret_failure);

/* Nobody waits for @f any more: it is handed over as timed out. True when nobody waits for anything
 * on @c: it must be closed. */
bool connection_give_up(struct wire *w, struct connection *c, struct flight *f);

/* Close; what is in flight fails with @failure. */
void connection_close(struct wire *w, struct connection *c, enum schedule_failure failure);

/* Hand over @f, which failed; it is released too. */
void flight_fail(struct wire *w, struct flight *f, enum schedule_failure failure);

/* Of a failed connect. */
enum schedule_failure connection_failure(int error);

#endif
