/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of several CPUs into the order of time: put as they come, taken by time. Records of the
 * same time keep the order in which they came. Memory: a copy of each record until it is taken.
 */
#ifndef STANDSTILL_RECORDING_ORDER_H
#define STANDSTILL_RECORDING_ORDER_H

#include "user/recording/buffer.h"
#include "user/recording/record.h"

struct order_entry {
	uint64_t ts_ns;
	uint64_t nr;   /* counts the records put: the second key */
	size_t offset; /* into bytes */
};

struct order {
	struct order_entry *entries;
	size_t nr, size;
	size_t taken; /* entries before this one are gone */
	uint64_t nr_put;
	bool sorted;
	struct buffer bytes;
};

/* 0 or -ENOMEM. */
int order_put(struct order *o, const struct event_hdr *record);

/* Those not yet taken. */
size_t order_nr(const struct order *o);

/* The earliest record if its time is at most @until_ns, else NULL; valid until the next put. */
const struct event_hdr *order_take(struct order *o, uint64_t until_ns);

void order_free(struct order *o);

#endif
