/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each pause cost: splits in, a bill a pause out. Of a request a pause's part is the sum of
 * its segments that name the pause, direct (any cause but backlog) and through backlog. Memory is a
 * bill a pause; knows no pauses but by their numbers. Requests that were never sent are
 * omitted.h's.
 */
#ifndef STANDSTILL_ATTRIBUTION_BILL_H
#define STANDSTILL_ATTRIBUTION_BILL_H

#include <stddef.h>
#include <stdint.h>

#include "user/attribution/split.h"

struct bill {
	uint64_t pause_nr;
	uint64_t nr_direct;  /* requests with a direct part, whatever they have besides */
	uint64_t nr_backlog; /* requests that it reached through backlog only */
	uint64_t direct_ns, backlog_ns;
	uint64_t worst_ns; /* response time of the slowest of them */
	uint64_t worst_id; /* its name, as bills_add was told */
};

struct bills {		 /* {0} is an empty one */
	struct bill *at; /* by pause_nr: sorted, none twice */
	size_t nr, room;
};

/* The request called @id, which nobody else is, has this split. 0 or -ENOMEM. */
int bills_add(struct bills *bills, const struct split_result *result, uint64_t id);

/* NULL: no request met that pause. */
const struct bill *bills_of(const struct bills *bills, uint64_t pause_nr);

void bills_free(struct bills *bills);

#endif
