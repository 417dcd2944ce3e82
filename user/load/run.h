/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole run: starts the process that writes and the threads that send, in that order, lets them
 * work, and ends them. Options in; out: a schedule file that is whole, whatever happens. Knows
 * nothing of command lines and reports.
 */
#ifndef STANDSTILL_LOAD_RUN_H
#define STANDSTILL_LOAD_RUN_H

#include <stdbool.h>

#include "user/load/options.h"
#include "user/load/scribe.h"

struct schedule_writer;

struct run_result {
	int connect_error; /* not one connection could be opened: the first one's negative errno;
			      nothing was sent */
	int write_error;   /* of the file: negative errno; the run was ended early */
	int system_error; /* a thread or process could not be made: negative errno; nothing was sent
			   */
	bool interrupted; /* by a signal */
	bool scribe_failed; /* the process that writes has died: the file ends where it was */
};

/*
 * Run @options, the schedule going to @file, which is closed in any case. SIGINT and SIGTERM end
 * the planning, a second one ends the run at once. With @even_if_down a target that nobody listens
 * on is no reason not to begin.
 */
void load_run(const struct load_options *options, struct schedule_writer *file,
	      struct scribe_options *scribe, bool even_if_down, struct run_result *ret);

#endif
