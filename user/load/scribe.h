/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that writes what the senders do: requests of the handover in, the schedule file out,
 * and a live line. It outlives the senders: when they are killed it writes what they have left, and
 * what was in flight.
 */
#ifndef STANDSTILL_LOAD_SCRIBE_H
#define STANDSTILL_LOAD_SCRIBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct handover;
struct schedule_writer;

struct scribe_options {
	pid_t sender;	 /* our parent */
	bool live;	 /* a live line on standard error */
	bool live_lines; /* each on a line of its own */
	uint64_t warmup_ns;
	uint64_t timeout_ns;
};

/* Until the senders have ended and all they left is written. Closes @file. 0 or the -errno of the
 * file. */
int scribe_run(struct handover *h, struct schedule_writer *file,
	       const struct scribe_options *options);

#endif
