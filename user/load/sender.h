/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that sends. In: the options; out: flights with their fate, through the handover. Two
 * kinds: one multiplexes its share of the connections and paces by timer, spinning or both; the
 * blocking one is a client as many people write it.
 */
#ifndef STANDSTILL_LOAD_SENDER_H
#define STANDSTILL_LOAD_SENDER_H

#include <stdatomic.h>
#include <stdint.h>

#include "user/load/handover.h"

struct load_options;

enum sender_stop {
	STOP_NOT,
	STOP_PLANNING, /* wait for the answers, then end */
	STOP_NOW,
};

/* What the threads of a run share, besides the handover. */
struct senders {
	const struct load_options *options;
	struct handover *handover;
	_Atomic uint32_t stop;	       /* enum sender_stop */
	_Atomic uint32_t nr_ready;     /* have opened their connections, or failed to */
	_Atomic uint32_t nr_connected; /* connections */
	_Atomic int first_error;       /* of a connect, or of setting up: negative errno */
};

/* The body of thread @thread. Waits for handover->start_ns; returns when everything it planned has
 * its fate. */
void sender_run(struct senders *shared, uint32_t thread);

/* The same for PACING_BLOCKING. */
void sender_run_blocking(struct senders *shared, uint32_t thread);

/* Both: this thread's connections are there; wait for the start. False: the run does not happen. */
bool sender_wait_for_start(struct senders *shared, uint32_t nr_connected, int error,
			   uint64_t *ret_start_ns);

/* Both: what this thread has used, into its counts. */
void sender_count_cost(struct handover_thread *out);

#endif
