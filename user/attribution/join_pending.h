/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries of schedules that wait for their request: all in the order in which they were read, those
 * with positions once more by their connection, those with a value by that. For join.c alone.
 */
#ifndef STANDSTILL_ATTRIBUTION_JOIN_PENDING_H
#define STANDSTILL_ATTRIBUTION_JOIN_PENDING_H

#include "user/attribution/join.h"
#include "user/base/map.h"

struct pending_connection;

struct pending_entry {
	struct schedule_request request; /* on the recording's clock */
	uint32_t schedule;
	uint64_t value;			      /* hash of its key; 0: none */
	bool done;			      /* has its request: only its place in line is left */
	struct pending_entry *later;	      /* all, in the order of reading */
	struct pending_entry *before, *after; /* of its connection, or of those without one */
	struct pending_connection *connection;
};

struct pending_connection { /* by schedule and ports; of several in turn that had the same ports */
	struct pending_entry *first, *last;
	bool seen; /* the recording has a request of it */
};

struct pending { /* {0} is an empty one */
	struct pending_entry *oldest, *newest;
	struct map connections, values;
	struct pending_connection unplaced; /* entries without positions */
};

/* Whether @request says on which connection and which bytes. */
bool pending_has_position(const struct schedule_request *request);

/* 0 or -ENOMEM. */
int pending_put(struct pending *p, const struct schedule_request *request, uint32_t schedule,
		const char *key);

/* The connection, or NULL when no entry has had it. */
struct pending_connection *pending_find(const struct pending *p, uint32_t schedule,
					uint16_t client_port, uint16_t server_port);

/* The entry with this value in a header; NULL: none. */
struct pending_entry *pending_valued(const struct pending *p, const char *key);

/* It has its request. */
void pending_done(struct pending *p, struct pending_entry *entry);

/* Take the oldest one away; those that are done on the way are freed. NULL: none is left. The
 * caller looks at pending_oldest() first, and frees what it took. */
struct pending_entry *pending_oldest(struct pending *p);
void pending_drop_oldest(struct pending *p);

void pending_free(struct pending *p);

#endif
