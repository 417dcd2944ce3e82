/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run is to do: filled once by the command, then only read. */
#ifndef STANDSTILL_LOAD_OPTIONS_H
#define STANDSTILL_LOAD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "user/load/answer.h"
#include "user/load/message.h"
#include "user/load/plan.h"

#define LOAD_THREADS_MAX 64

enum pacing {
	PACING_HYBRID,	 /* a timer until spin_ns before the next send is due, then spinning */
	PACING_SLEEP,	 /* timers only */
	PACING_SPIN,	 /* never leaves the core */
	PACING_BLOCKING, /* closed loop: a thread a connection, which waits for each answer */
};

enum when_busy {
	BUSY_OPEN,     /* open another connection, up to max_connections */
	BUSY_PIPELINE, /* send on a busy one, up to pipeline_depth requests at a time */
	BUSY_QUEUE,    /* wait */
};

struct load_options {
	struct plan_options plan;
	struct message_set messages;
	struct answer_format answers;
	struct sockaddr_storage address;
	socklen_t address_bytes;
	uint16_t peer; /* its port */

	enum pacing pacing;
	enum when_busy when_busy;
	uint32_t nr_threads;
	uint32_t nr_connections;  /* kept open, all threads together */
	uint32_t max_connections; /* when_busy OPEN */
	uint32_t pipeline_depth;
	uint64_t spin_ns;
	uint64_t timeout_ns;  /* from the intended send to the end of the answer */
	uint64_t duration_ns; /* warm-up included */
	uint64_t warmup_ns;
};

#endif
