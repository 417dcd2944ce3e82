/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/join_pending.h"

bool pending_has_position(const struct schedule_request *request)
{
	return request->local && request->peer && request->out_from != SCHEDULE_UNKNOWN &&
	       request->out_to != SCHEDULE_UNKNOWN;
}

static uint64_t connection_key(uint32_t schedule, uint16_t client_port, uint16_t server_port)
{
	return (uint64_t)schedule << 32 | (uint64_t)client_port << 16 | server_port;
}

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/; 0 stands for no value. */
static uint64_t hash_of(const char *key)
{
	uint64_t hash = 0xcbf29ce484222325;

	if (!key || !*key)
		return 0;
	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * 0x100000001b3;
	return hash ? hash : 1;
}

struct pending_connection *pending_find(const struct pending *p, uint32_t schedule,
					uint16_t client_port, uint16_t server_port)
{
	return map_get(&p->connections, connection_key(schedule, client_port, server_port));
}

static struct pending_connection *connection_of(struct pending *p,
						const struct pending_entry *entry)
{
	const struct schedule_request *r = &entry->request;
	struct pending_connection *connection;

	if (!pending_has_position(r))
		return &p->unplaced;
	connection = pending_find(p, entry->schedule, r->local, r->peer);
	if (connection)
		return connection;
	connection = calloc(1, sizeof(*connection));
	if (connection && map_put(&p->connections,
				  connection_key(entry->schedule, r->local, r->peer), connection)) {
		free(connection);
		return NULL;
	}
	return connection;
}

static void link_to(struct pending_connection *connection, struct pending_entry *entry)
{
	entry->connection = connection;
	entry->before = connection->last;
	if (connection->last)
		connection->last->after = entry;
	else
		connection->first = entry;
	connection->last = entry;
}

static void unlink_from(struct pending_entry *entry)
{
	struct pending_connection *connection = entry->connection;

	*(entry->before ? &entry->before->after : &connection->first) = entry->after;
	*(entry->after ? &entry->after->before : &connection->last) = entry->before;
	entry->before = NULL;
	entry->after = NULL;
}

int pending_put(struct pending *p, const struct schedule_request *request, uint32_t schedule,
		const char *key)
{
	struct pending_entry *entry = calloc(1, sizeof(*entry));
	struct pending_connection *connection;

	if (!entry)
		return -ENOMEM;
	entry->request = *request;
	entry->schedule = schedule;
	entry->value = hash_of(key);
	connection = connection_of(p, entry);
	if (!connection || (entry->value && map_put(&p->values, entry->value, entry))) {
		free(entry);
		return -ENOMEM;
	}
	link_to(connection, entry);
	*(p->newest ? &p->newest->later : &p->oldest) = entry;
	p->newest = entry;
	return 0;
}

struct pending_entry *pending_valued(const struct pending *p, const char *key)
{
	uint64_t value = hash_of(key);

	return value ? map_get(&p->values, value) : NULL;
}

void pending_done(struct pending *p, struct pending_entry *entry)
{
	entry->done = true;
	unlink_from(entry);
	if (entry->value && map_get(&p->values, entry->value) == entry)
		map_remove(&p->values, entry->value);
}

void pending_drop_oldest(struct pending *p)
{
	struct pending_entry *entry = p->oldest;

	if (!entry->done)
		pending_done(p, entry);
	p->oldest = entry->later;
	if (!p->oldest)
		p->newest = NULL;
	free(entry);
}

struct pending_entry *pending_oldest(struct pending *p)
{
	while (p->oldest && p->oldest->done)
		pending_drop_oldest(p);
	return p->oldest;
}

void pending_free(struct pending *p)
{
	struct pending_connection *connection;
	size_t cursor = 0;

	while (p->oldest)
		pending_drop_oldest(p);
	while ((connection = map_next(&p->connections, &cursor)))
		free(connection);
	map_free(&p->connections);
	map_free(&p->values);
}
