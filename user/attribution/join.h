/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two views of one request: what a load generator planned, sent and got (a schedule), and what
 * the server's sockets saw (a recording). In: a schedule, read as far ahead as needed, and the
 * server's requests in the order in which they ended. Out: each entry of the schedule once, with
 * its request or with the reason why it has none. Best key first: a value on the wire; the
 * connection and the bytes; the nearest in time. Knows no threads and no causes. Bounded: what is
 * in flight, and JOIN_PATIENCE_NS of what has no counterpart.
 */
#ifndef STANDSTILL_ATTRIBUTION_JOIN_H
#define STANDSTILL_ATTRIBUTION_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "user/import/schedule.h"

/* After the answer came, for the server's view of it: requests.h may take REQUESTS_QUIET_NS to be
 * sure that nothing follows. */
#define JOIN_PATIENCE_NS 15000000000ull

enum join_key {
	JOIN_NONE,  /* unmatched */
	JOIN_VALUE, /* the same value in a header and in the schedule */
	JOIN_BYTES, /* the same bytes of the same connection */
	JOIN_TURN,  /* its bytes are among those of one turn of several requests */
	JOIN_TIME,  /* sent before it arrived, answered after it was answered, and the nearest */
	NR_JOIN_KEYS
};

enum join_reason { /* why an entry of the schedule has no request */
		   UNMATCHED_NONE,
		   UNMATCHED_NOT_SENT,	  /* the generator never sent it, or had no connection */
		   UNMATCHED_BEFORE,	  /* sent before the recording began */
		   UNMATCHED_AFTER,	  /* answered, or given up, after the recording ended */
		   UNMATCHED_NO_POSITION, /* the schedule does not say on which connection, or which
					     bytes */
		   UNMATCHED_CONNECTION,  /* the recording has no request of that connection */
		   UNMATCHED_BYTES,	  /* it has the connection, but not these bytes */
		   NR_JOIN_REASONS
};

const char *join_key_words(enum join_key key);
const char *join_reason_words(enum join_reason reason);

/* A request as the server's sockets saw it, CLOCK_MONOTONIC of the recording. */
struct join_request {
	const void *request; /* handed through to the callback */
	uint16_t client_port, server_port;
	uint64_t from, to; /* its bytes, counted from the connection's first */
	uint64_t arrived_ns, answered_ns;
	const char *key; /* "" or NULL: none was seen */
};

struct joined {
	const struct schedule_request
		*entry;	     /* times on the recording's clock; NULL: not in the schedule */
	const void *request; /* NULL: not seen by the server */
	uint32_t schedule;   /* which one, in the order given */
	enum join_key key;
	enum join_reason reason; /* of an entry without a request */
};

typedef int joined_fn(void *arg,
		      const struct joined *joined); /* 0 or -errno, which ends the join */

struct join_tally {
	uint64_t nr_entries;
	uint64_t nr_matched; /* entries with a request */
	uint64_t by_key[NR_JOIN_KEYS];
	uint64_t unmatched[NR_JOIN_REASONS];
	uint64_t nr_requests, nr_requests_alone; /* of the server; in no schedule */
	uint64_t nr_ambiguous;			 /* by time: more than one could have been it */
	uint64_t nr_impossible; /* matched, but sent after it had arrived, or received before it was
				   answered, by more than the clocks may differ */
	uint64_t worst_impossible_ns;
};

struct join_options {
	int64_t offset_ns;	 /* added to the schedule's times makes them the recording's */
	uint64_t error_ns;	 /* by how much that may be wrong */
	uint64_t from_ns, to_ns; /* the recording; to_ns UINT64_MAX: not known yet */
};

struct join;

/* Takes over @schedules (freed with it). 0 or -ENOMEM. */
int join_new(struct schedule_reader **schedules, const struct join_options *options, size_t nr,
	     joined_fn *fn, void *arg, struct join **ret);

/* The server's next request. Its entry comes by the callback before this returns. 0 or -errno. */
int join_request(struct join *j, const struct join_request *request);

/* No more requests: the recording ended at @to_ns. All other entries come by the callback. */
int join_end(struct join *j, uint64_t to_ns);

const struct join_tally *join_tally(const struct join *j);
void join_free(struct join *j);

#endif
