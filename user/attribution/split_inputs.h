/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of one finished request, as split.h wants it, but for the replays. The inside of
 * splitter.h; nobody else includes it. */
#ifndef STANDSTILL_ATTRIBUTION_SPLIT_INPUTS_H
#define STANDSTILL_ATTRIBUTION_SPLIT_INPUTS_H

#include "user/attribution/conditions.h"
#include "user/attribution/split_held.h"
#include "user/attribution/split_replay.h"

struct split_inputs { /* {0} at first; used again and again */
	struct condition_list sender, reader, answerer, last_answerer, receiver;
	struct condition_list pauses, losses, reader_at_work, answerer_at_work;
};

/* @ret points into @in until the next call. 0 or -ENOMEM. */
int split_inputs_make(struct split_inputs *in, const struct condition_store *store,
		      const struct held_request *held, struct split_request *ret);

void split_inputs_free(struct split_inputs *in);

#endif
