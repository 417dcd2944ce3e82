/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A request's time as stretches, one after the other: which thread matters in each, and what holds
 * where nothing else does. The inside of split.h; nobody else includes it.
 */
#ifndef STANDSTILL_ATTRIBUTION_SPLIT_STRETCH_H
#define STANDSTILL_ATTRIBUTION_SPLIT_STRETCH_H

#include "user/attribution/split.h"

enum stretch_kind {
	STRETCH_CONNECTION, /* waiting for a connection */
	STRETCH_SENDER,
	STRETCH_WIRE, /* nobody's */
	STRETCH_WAIT, /* of one that may be at work on earlier requests */
	STRETCH_WORK,
	STRETCH_RECEIVER,
};

struct stretch {
	uint64_t from_ns, to_ns;
	enum stretch_kind kind;
	const struct split_thread *thread;   /* NULL: none can be named */
	const struct conditions *at_work;    /* WAIT */
	const struct split_backlog *backlog; /* CONNECTION, WAIT */
	enum cause otherwise;
	bool pauses; /* where the thread is not known, its process's pauses hold */
};

#define STRETCHES_MAX 16

/* In order, without gaps, none empty; @ret has room for STRETCHES_MAX. Sets begin, end and crossed
 * of
 * @result. 0; or -EINVAL: less than two boundaries are known. */
int stretches(const struct split_request *request, struct split_result *result, struct stretch *ret,
	      size_t *ret_nr);

#endif
