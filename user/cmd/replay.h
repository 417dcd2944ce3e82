/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a recording once, from begin to end, and hands its spans, pauses and ended threads to a
 * command, in that order for each record. Shared by the commands that explain; memory is bounded by
 * what is open at a time.
 */
#ifndef STANDSTILL_CMD_REPLAY_H
#define STANDSTILL_CMD_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "user/timeline/account.h"
#include "user/timeline/pauses.h"
#include "user/timeline/threads.h"

struct replay_hooks { /* each may be NULL */
	pause_fn *pause;
	span_fn *span;
	thread_fn *gone;
	void (*record)(void *arg, const struct event_hdr *event); /* before everything else of it */
	void *arg;
};

struct replay_window { /* of a recording, counted from its start */
	bool set;
	uint64_t from_ns, to_ns;
};

struct replay {
	struct account account;
	struct threads *threads;
	struct pauses *pauses;
	struct replay_hooks hooks;
	struct replay_window window;
	int error; /* of a callback: -ENOMEM */
};

/* "2s..5s", "2s..", "..5s". 0 or -EINVAL. */
int replay_parse_window(const char *word, struct replay_window *ret);

/* The window on CLOCK_MONOTONIC; everything when none is set. To be asked once records come. */
void replay_bounds(const struct replay *r, uint64_t *ret_from_ns, uint64_t *ret_to_ns);

/* Read @path ("-": standard input). Returns an exit code; what is wrong has been said. Then the
 * account and, but for replay_free, nothing else is left to use. */
int replay_file(struct replay *r, const char *path);

int replay_new(const struct replay_hooks *hooks, const struct replay_window *window,
	       struct replay **ret);
void replay_free(struct replay *r);

#endif
