/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which connection takes which request. In: requests that are due, and what happens on the sockets
 * of one thread; out: requests on connections, in the order they were due, or in a queue while none
 * can take them. Opens more connections where --when-busy says so. Knows nothing of plans and
 * pacing.
 */
#ifndef STANDSTILL_LOAD_DISPATCH_H
#define STANDSTILL_LOAD_DISPATCH_H

#include <stdint.h>

#include "user/load/connection.h"

struct connection_list {
	struct connection *first, *last;
};

struct dispatch {
	struct wire wire;
	int epoll;
	struct connection *connections; /* all that there can be */
	uint32_t nr_kept;		/* kept open */
	uint32_t nr_allowed;		/* open at most */
	uint32_t nr_connections;	/* open or connecting */
	uint32_t nr_connecting;
	struct connection_list idle, roomy,
		closed; /* roomy: busy, but can take another (pipelining) */
	struct flight *first_queued, *last_queued;
	uint32_t nr_queued;
	uint64_t stuck_since_ns; /* requests wait, and nothing can be opened for them; 0: not so */
	int first_error;	 /* of a connect */
	bool no_pwait2;		 /* the kernel is older than 5.11 */
};

/* Of thread @thread of the run. 0 or -errno. */
int dispatch_init(struct dispatch *d, const struct load_options *options,
		  struct handover_thread *out, uint32_t thread);
void dispatch_free(struct dispatch *d);

/* Begin to connect as many as are kept open. */
void dispatch_connect(struct dispatch *d);

/* Send @f, or queue it. */
void dispatch_request(struct dispatch *d, struct flight *f);

/* Wait for events at most @wait_ns, 0: not at all, and handle them. */
void dispatch_wait(struct dispatch *d, uint64_t wait_ns);

/* Requests whose time is over by @at_ns are handed over as timed out. */
void dispatch_expire(struct dispatch *d, uint64_t at_ns);

/* When the next one's is; UINT64_MAX: none is live. */
uint64_t dispatch_deadline_ns(const struct dispatch *d);

/* Hand everything over that is still open, as cut off, and close. */
void dispatch_cut(struct dispatch *d);

#endif
