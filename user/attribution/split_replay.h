/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who waited for whom, and why: requests in order of arrival in, what each waited for while its
 * server was at work on earlier ones out, by the replay of queue.h. One queue a process and port
 * with as many servers as threads seen taking from it; or one a thread, where connections stay with
 * their threads (event loops). Bounded by what is open. Rules: docs/attribution.md.
 */
#ifndef STANDSTILL_ATTRIBUTION_SPLIT_REPLAY_H
#define STANDSTILL_ATTRIBUTION_SPLIT_REPLAY_H

#include "user/attribution/conditions.h"

struct split_replay;

struct split_replay *split_replay_new(const struct condition_store *store);

/* A request that will be replayed later: who takes, and whether connections stay. 0 or -ENOMEM. */
int split_replay_announce(struct split_replay *r, const struct request *request);

/* Until @known_ns all is known that kept servers away. 0 or -ENOMEM. */
int split_replay_wait(struct split_replay *r, const struct request *request, uint64_t known_ns,
		      struct split_backlog *ret);
int split_replay_hand_off(struct split_replay *r, const struct request *request, uint64_t known_ns,
			  struct split_backlog *ret);

uint64_t split_replay_nr_late(const struct split_replay *r); /* came out of order */

void split_replay_free(struct split_replay *r);

#endif
