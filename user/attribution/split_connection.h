/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a request waited for while its connection was busy with those before: requests with their
 * splits in, in order a connection; the segments of those before, and the backlog that a replay
 * with the connection as the only server gives, out. Bounded: the connections of
 * SPLIT_CONNECTIONS_MAX, and of each SPLIT_SEGMENTS_MAX segments.
 */
#ifndef STANDSTILL_ATTRIBUTION_SPLIT_CONNECTION_H
#define STANDSTILL_ATTRIBUTION_SPLIT_CONNECTION_H

#include "user/attribution/conditions.h"
#include "user/attribution/queue_pieces.h"
#include "user/base/map.h"

#define SPLIT_CONNECTIONS_MAX 16384
#define SPLIT_SEGMENTS_MAX    4096

struct split_connections { /* {0} is an empty one */
	struct map by_nr;
	struct queue_pieces pieces;
	struct queue_interval *intervals;
	size_t room;
};

/*
 * The next request of connection @nr, split as if it had not waited for it: *ret_previous is what
 * those before were in, until the next call. 0 or -ENOMEM.
 */
int split_connection_add(struct split_connections *c, uint64_t nr,
			 const struct split_request *request, const struct split_result *result,
			 struct conditions *ret_previous, struct split_backlog *ret);

void split_connections_free(struct split_connections *c);

#endif
