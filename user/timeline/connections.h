/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The connections of the recorded processes: records in, one struct a connection that is open or
 * still spoken of, linked to its other end where that is recorded too. Knows no requests: what is
 * asked and answered on a connection is turn.h's.
 */
#ifndef STANDSTILL_TIMELINE_CONNECTIONS_H
#define STANDSTILL_TIMELINE_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "user/base/map.h"
#include "user/recording/record.h"
#include "user/timeline/connection_points.h"

struct listener { /* who accepts at one port */
	uint32_t tgid, netns;
	uint16_t port;
	bool listening; /* a record of it was seen, not only of what it accepted */
	uint64_t address_high, address_low;
	uint64_t nr_unread; /* requests that have arrived and no thread has begun to read */
};

/* One inbound turn and the outbound one that answers it. An accepted connection: in is asked, out
 * answers; a connected one the other way round. Positions are those of struct event_sock. */
struct turn {
	bool open;
	uint64_t in_from, in_to;
	uint64_t out_from, out_to;
	bool orphan; /* an answer to what had been read before the recording began */
	uint64_t queue_conn, queue_listener; /* requests in front of it when it began to arrive */
	uint64_t reader_until_ns, answerer_since_ns; /* serving.h; 0: not known */
	bool served;				     /* those two were asked for */
};

struct http_mark {
	uint64_t in_from, in_to;
	char method[RECORD_METHOD_BYTES];
	char path[RECORD_PATH_BYTES];
	char key[RECORD_HTTP_KEY_BYTES];
};

struct connection {
	struct event_conn conn;	   /* as it was opened, or first seen */
	struct connection *peer;   /* its other end, when that is recorded */
	struct listener *listener; /* of an accepted one */
	bool before_attach;
	bool link; /* the other end is of a recorded process: never downstream */
	bool closed, reset;
	uint64_t closed_ns;
	unsigned int nr_refs;

	struct points arrivals, reads, writes, acks;
	uint64_t in_seen;      /* received so far */
	uint64_t arrived_seen; /* of that, by its arrival */
	uint64_t out_seen;     /* written so far */
	uint64_t read_seen;
	uint64_t last_retransmit_ns;
	struct http_mark *marks;
	size_t nr_marks, marks_room;

	struct turn current; /* being read or answered */
	struct turn next;    /* arrived, and not read at all */
	bool has_answered;
	bool had_turn;
};

struct connections {
	struct map by_nr;     /* struct connection, those open */
	struct map by_ends;   /* those without a peer yet, by their two first sequence numbers */
	struct map listeners; /* struct listener, by process, namespace and port */
	uint64_t nr_connections, nr_linked;
	uint64_t nr_unplaced; /* records of connections whose opening is not in the recording */
	uint64_t nr_refused;
};

static inline bool connection_is_accepted(const struct connection *c)
{
	return c->conn.role == CONN_ACCEPTED;
}

/* Its end that answers, of @c and its peer. */
static inline struct connection *connection_asked(struct connection *c)
{
	return connection_is_accepted(c) || !c->peer ? c : c->peer;
}

/* Points left out since their position was lower than the one before. */
static inline uint64_t connection_nr_fallen(const struct connection *c)
{
	return c->arrivals.nr_fallen + c->reads.nr_fallen + c->writes.nr_fallen;
}

struct connection *connections_get(const struct connections *cs, uint32_t conn);

/* A record of kind CONN_OPEN. *ret: the connection, when it is new. 0 or -ENOMEM. */
int connections_open(struct connections *cs, const struct event_conn *conn,
		     struct connection **ret);
int connections_listen(struct connections *cs, const struct event_conn *conn);

/* It is closed: taken out of the table, freed once nobody refers to it or its peer any more. */
void connections_close(struct connections *cs, struct connection *c);

void connection_ref(struct connection *c);
void connection_unref(struct connection *c);

/* The next one that is open; *cursor starts at 0. NULL at the end. */
struct connection *connections_next(const struct connections *cs, size_t *cursor);

/* All that are open, by number, so that what is said does not depend on a hash; to be freed. NULL
 * when out of memory. */
struct connection **connections_sorted(const struct connections *cs, size_t *ret_nr);

/* "10.0.0.7:41234", "[2001:db8::1]:80", "unix 4711". Returns @buffer. */
#define CONNECTION_PEER_BYTES 64
char *connection_print_peer(char buffer[CONNECTION_PEER_BYTES], const struct event_conn *conn);

void connections_free(struct connections *cs);

#endif
