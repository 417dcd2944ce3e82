/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One response time, split into causes. In: the boundaries of one request; what the threads that
 * matter were in, as sorted disjoint intervals; what a replay says of its waits. Out: a cause for
 * every nanosecond, as sums and as segments in order. Pure: knows no recording. The order of blame
 * and every rule: docs/attribution.md, "How a response time is split".
 */
#ifndef STANDSTILL_ATTRIBUTION_SPLIT_H
#define STANDSTILL_ATTRIBUTION_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/attribution/cause.h"

#define SPLIT_CROSSED_MAX_NS 20000ull /* more than the stamps of two probes can be apart */

enum boundary { /* in the order a request passes them; 0: not known */
		AT_INTENDED,
		AT_SENT,
		AT_FIRST_ARRIVAL, /* its first byte */
		AT_ARRIVED,
		AT_READ,
		AT_FIRST_OUT,
		AT_LAST_OUT,
		AT_RELEASED, /* its last byte left */
		AT_RECEIVED,
		NR_BOUNDARIES
};

struct condition { /* what a thread was in, in [from_ns, to_ns) */
	uint64_t from_ns, to_ns;
	uint64_t pause_nr; /* of CAUSE_PAUSE and its kin; 0: not known which */
	uint32_t cause;	   /* enum cause */
	bool idle;	   /* a wait for work: what it had been at is over */
};

/* Sorted, disjoint, none empty. They may touch, reach beyond the request, and have gaps. */
struct conditions {
	const struct condition *at;
	size_t nr;
};

struct split_thread {
	uint32_t tid;		      /* 0: not known */
	struct conditions conditions; /* gaps: nothing is known */
};

#define NR_BACKLOGS (CAUSE_BACKLOG_LOAD - CAUSE_BACKLOG_PAUSE + 1)

/* Why a server was at work on earlier requests, by a replay. */
struct split_backlog {
	bool replayed;		  /* else all of it is the load's, or the connection's */
	uint64_t ns[NR_BACKLOGS]; /* by cause - CAUSE_BACKLOG_PAUSE; the load's is what is left */
};

struct split_request {
	uint64_t at_ns[NR_BOUNDARIES];
	uint64_t reader_until_ns, answerer_since_ns; /* within the service; 0: not known */
	uint64_t connection_wait_ns;		     /* the first part of the send delay */
	bool window;				     /* held back since the peer took no more */
	struct split_thread sender, reader, answerer, last_answerer, receiver;
	/* Of the server's process as a whole, synchronized to released; those before the request
	 * tell which pause its backlog is of. */
	struct conditions pauses;
	struct conditions losses; /* records of that time were lost; cause means nothing */
	/* When these were at work on earlier requests; cause means nothing. */
	struct conditions reader_at_work, answerer_at_work;
	struct conditions previous; /* the segments of the request before on its connection */
	struct split_backlog wait, hand_off, connection;
};

struct segment { /* [from_ns, to_ns) */
	uint64_t from_ns, to_ns;
	uint64_t pause_nr;
	uint32_t cause; /* enum cause */
	uint32_t tid;	/* the thread that mattered; 0: none */
};

struct split_result { /* {0} is an empty one, to be used again and again */
	struct split split;
	struct segment *segments; /* in order, without gaps; neighbours differ */
	size_t nr, room;
	uint64_t begin_ns, end_ns;
	uint64_t crossed_ns; /* by how much a boundary came before the one it follows, at most; over
				SPLIT_CROSSED_MAX_NS the stamps are wrong */
};

/* 0; -EINVAL: less than two boundaries are known; or -ENOMEM. */
int split_request(const struct split_request *request, struct split_result *ret);

/* Whether @cause is of rule 2: holds before all that a thread does. */
bool split_is_stop(enum cause cause);

/* The backlog that time in @cause makes for those that wait behind it. */
enum cause split_backlog_of(enum cause cause);

void split_free(struct split_result *result);

#endif
