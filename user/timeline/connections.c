/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/timeline/connections.h"

#define FAMILY_UNIX 1

struct connection *connections_get(const struct connections *cs, uint32_t conn)
{
	return map_get(&cs->by_nr, conn);
}

/* The same for both ends of a connection: what one end sends first the other receives first. A Unix
 * socket has no sequence numbers, but both inodes. 0: nothing to tell it by. */
static uint64_t ends_key(const struct event_conn *conn)
{
	bool accepted = conn->role == CONN_ACCEPTED;
	uint64_t asked = accepted ? conn->first_in : conn->first_out;
	uint64_t answered = accepted ? conn->first_out : conn->first_in;

	if (conn->family == FAMILY_UNIX) {
		uint64_t a = conn->local_low, b = conn->remote_low;

		return a && b ? (a < b ? a << 32 ^ b : b << 32 ^ a) : 0;
	}
	return asked << 32 | answered;
}

static bool is_mirrored(const struct event_conn *a, const struct event_conn *b)
{
	if (a->family == FAMILY_UNIX || b->family == FAMILY_UNIX)
		return a->family == b->family && a->local_low == b->remote_low &&
		       a->remote_low == b->local_low;
	return a->local_high == b->remote_high && a->local_low == b->remote_low &&
	       a->remote_high == b->local_high && a->remote_low == b->local_low &&
	       a->local_port == b->remote_port && a->remote_port == b->local_port &&
	       a->first_in == b->first_out && a->first_out == b->first_in;
}

static int find_peer(struct connections *cs, struct connection *c)
{
	uint64_t key = ends_key(&c->conn);
	struct connection *other = key ? map_get(&cs->by_ends, key) : NULL;

	if (!key)
		return 0;
	if (!other || other->conn.role == c->conn.role || !is_mirrored(&c->conn, &other->conn))
		return map_put(&cs->by_ends, key, c);
	map_remove(&cs->by_ends, key);
	c->peer = other;
	other->peer = c;
	c->link = other->link = true;
	cs->nr_linked++;
	return 0;
}

static uint64_t listener_key(uint32_t tgid, uint32_t netns, uint16_t port)
{
	return ((uint64_t)tgid << 32 ^ (uint64_t)netns << 16) | port;
}

static struct listener *get_listener(struct connections *cs, const struct event_conn *conn)
{
	uint64_t key = listener_key(conn->tgid, conn->netns, conn->local_port);
	struct listener *listener = map_get(&cs->listeners, key);

	if (listener)
		return listener;
	listener = calloc(1, sizeof(*listener));
	if (!listener || map_put(&cs->listeners, key, listener)) {
		free(listener);
		return NULL;
	}
	listener->tgid = conn->tgid;
	listener->netns = conn->netns;
	listener->port = conn->local_port;
	return listener;
}

/* IPv4 is mapped: ::ffff:0.0.0.0 and :: are any address. */
static bool is_any_address(uint64_t high, uint64_t low)
{
	unsigned char bytes[8];

	memcpy(bytes, &low, sizeof(bytes));
	return !high && !(bytes[4] | bytes[5] | bytes[6] | bytes[7]) &&
	       (!low || (bytes[2] == 0xff && bytes[3] == 0xff));
}

/* Whether somebody recorded listens where @conn has gone. */
static bool leads_to_recorded(const struct connections *cs, const struct event_conn *conn)
{
	size_t cursor = 0;
	const struct listener *listener;

	while ((listener = map_next(&cs->listeners, &cursor)))
		if (listener->listening && listener->netns == conn->netns &&
		    listener->port == conn->remote_port &&
		    (is_any_address(listener->address_high, listener->address_low) ||
		     (listener->address_high == conn->remote_high &&
		      listener->address_low == conn->remote_low)))
			return conn->family != FAMILY_UNIX;
	return false;
}

int connections_listen(struct connections *cs, const struct event_conn *conn)
{
	struct listener *listener = get_listener(cs, conn);
	struct connection *c;
	size_t cursor = 0;

	if (!listener)
		return -ENOMEM;
	if (listener->listening)
		return 0; /* every segment says it again */
	listener->listening = true;
	listener->address_high = conn->local_high;
	listener->address_low = conn->local_low;
	while ((c = connections_next(cs, &cursor)))
		if (c->conn.role == CONN_CONNECTED)
			c->link |= leads_to_recorded(cs, &c->conn);
	return 0;
}

static int take_in(struct connections *cs, struct connection *c)
{
	if (connection_is_accepted(c)) {
		c->listener = get_listener(cs, &c->conn);
		if (!c->listener)
			return -ENOMEM;
	} else if (c->conn.role == CONN_CONNECTED) {
		c->link = leads_to_recorded(cs, &c->conn);
	}
	return find_peer(cs, c);
}

int connections_open(struct connections *cs, const struct event_conn *conn, struct connection **ret)
{
	struct connection *c;

	*ret = NULL;
	if (connections_get(cs, conn->conn))
		return 0; /* every segment says it again */
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->nr_refs = 1;
	c->conn = *conn;
	c->before_attach = conn->flags & (SOCK_BEFORE_ATTACH | SOCK_SNAPSHOT);
	c->in_seen = conn->in_bytes;
	c->arrived_seen = conn->in_bytes;
	c->out_seen = conn->out_bytes;
	c->read_seen = conn->read_bytes;
	if (map_put(&cs->by_nr, conn->conn, c)) {
		connection_unref(c);
		return -ENOMEM;
	}
	cs->nr_connections++;
	*ret = c;
	return take_in(cs, c);
}

void connections_close(struct connections *cs, struct connection *c)
{
	uint64_t key = ends_key(&c->conn);

	if (map_get(&cs->by_ends, key) == c)
		map_remove(&cs->by_ends, key);
	map_remove(&cs->by_nr, c->conn.conn);
	connection_unref(c);
}

void connection_ref(struct connection *c)
{
	c->nr_refs++;
}

static void connection_free(struct connection *c)
{
	points_free(&c->arrivals);
	points_free(&c->reads);
	points_free(&c->writes);
	points_free(&c->acks);
	free(c->marks);
	free(c);
}

void connection_unref(struct connection *c)
{
	if (--c->nr_refs || (c->peer && c->peer->nr_refs))
		return; /* both ends go together */
	if (c->peer)
		connection_free(c->peer);
	connection_free(c);
}

struct connection *connections_next(const struct connections *cs, size_t *cursor)
{
	return map_next(&cs->by_nr, cursor);
}

static int compare_numbers(const void *left, const void *right)
{
	const struct connection *const *a = left, *const *b = right;

	return ((*a)->conn.conn > (*b)->conn.conn) - ((*a)->conn.conn < (*b)->conn.conn);
}

struct connection **connections_sorted(const struct connections *cs, size_t *ret_nr)
{
	struct connection **all = calloc(cs->by_nr.nr + 1, sizeof(all[0]));
	size_t cursor = 0;

	*ret_nr = cs->by_nr.nr;
	for (size_t i = 0; all && i < *ret_nr; i++)
		all[i] = connections_next(cs, &cursor);
	if (all)
		qsort(all, *ret_nr, sizeof(all[0]), compare_numbers);
	return all;
}

char *connection_print_peer(char buffer[CONNECTION_PEER_BYTES], const struct event_conn *conn)
{
	unsigned char address[16];
	char text[INET6_ADDRSTRLEN] = "";

	if (conn->family == FAMILY_UNIX) {
		snprintf(buffer, CONNECTION_PEER_BYTES, "unix %llu",
			 (unsigned long long)conn->remote_low);
		return buffer;
	}
	memcpy(address, &conn->remote_high, 8);
	memcpy(address + 8, &conn->remote_low, 8);
	if (!conn->remote_high && address[10] == 0xff && address[11] == 0xff) {
		inet_ntop(AF_INET, address + 12, text, sizeof(text));
		snprintf(buffer, CONNECTION_PEER_BYTES, "%s:%u", text, conn->remote_port);
	} else {
		inet_ntop(AF_INET6, address, text, sizeof(text));
		snprintf(buffer, CONNECTION_PEER_BYTES, "[%s]:%u", text, conn->remote_port);
	}
	return buffer;
}

void connections_free(struct connections *cs)
{
	struct connection *c;
	struct listener *listener;
	size_t cursor = 0;

	while ((c = connections_next(cs, &cursor)))
		connection_unref(c);
	cursor = 0;
	while ((listener = map_next(&cs->listeners, &cursor)))
		free(listener);
	map_free(&cs->by_nr);
	map_free(&cs->by_ends);
	map_free(&cs->listeners);
}
