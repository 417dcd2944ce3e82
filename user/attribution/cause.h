/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The causes that a response time is split into: a row each, with its name for machines, its words
 * for people and the group that a ranking puts it into. A new cause is a new row. Numbers are
 * append only: reports of two versions are compared by name.
 */
#ifndef STANDSTILL_ATTRIBUTION_CAUSE_H
#define STANDSTILL_ATTRIBUTION_CAUSE_H

#include <stdint.h>

enum cause {
	CAUSE_UNKNOWN = 0, /* nothing recorded says why */
	CAUSE_LOST,	   /* records of that time were lost */
	CAUSE_NO_THREAD,   /* no thread can be named that could have been serving it */

	/* of the thread that matters; a pause's time by what the pause itself waited for */
	CAUSE_PAUSE,
	CAUSE_PAUSE_RUN_QUEUE,
	CAUSE_PAUSE_THROTTLED,
	CAUSE_PAUSE_STOPPED,
	CAUSE_PAUSE_FAULT,
	CAUSE_STOPPED,
	CAUSE_THROTTLED,

	/* the thread that took it was at work on an earlier one, made late by ... */
	CAUSE_BACKLOG_PAUSE,
	CAUSE_BACKLOG_STOPPED,
	CAUSE_BACKLOG_THROTTLED,
	CAUSE_BACKLOG_LOCK,
	CAUSE_BACKLOG_DOWNSTREAM,
	CAUSE_BACKLOG_RUN_QUEUE,
	CAUSE_BACKLOG_GENERATOR,
	CAUSE_BACKLOG_LOAD, /* ... nothing but the load */

	/* the state of the thread that matters */
	CAUSE_RUN_QUEUE_GC,	/* behind its own JVM's GC or compiler threads */
	CAUSE_RUN_QUEUE_OWN,	/* behind its own process's other threads */
	CAUSE_RUN_QUEUE_OTHERS, /* behind other processes */
	CAUSE_LOCK,
	CAUSE_PARKED,
	CAUSE_ALLOCATION_STALL,
	CAUSE_IO, /* page fault or file */
	CAUSE_DOWNSTREAM,
	CAUSE_HELD, /* answered, but not sent: Nagle or a window */
	CAUSE_PEER_NOT_READING,
	CAUSE_BODY_NOT_SENT,
	CAUSE_SLEEPING,
	CAUSE_ON_CPU,

	/* outside the server */
	CAUSE_CONNECTION_WAIT,
	CAUSE_CONNECT_RETRY,
	CAUSE_NETWORK,
	CAUSE_GENERATOR,

	CAUSE_RUN_QUEUE, /* of the thread that matters, behind nobody that was seen */
	NR_CAUSES
};

enum cause_group { /* what a ranking shows as one */
		   GROUP_UNKNOWN,
		   GROUP_PAUSE,
		   GROUP_STOPPED,
		   GROUP_THROTTLED,
		   GROUP_LOAD,
		   GROUP_RUN_QUEUE,
		   GROUP_LOCK,
		   GROUP_WAITING,
		   GROUP_DOWNSTREAM,
		   GROUP_WORK,
		   GROUP_NETWORK,
		   GROUP_GENERATOR,
		   NR_CAUSE_GROUPS
};

const char *cause_name(enum cause cause);  /* "backlog_pause" */
const char *cause_words(enum cause cause); /* "backlog of a pause" */
enum cause_group cause_group(enum cause cause);
const char *cause_group_words(enum cause_group group);

/* A response time, split: the sum over ns is the response time, always. */
struct split {
	uint64_t ns[NR_CAUSES];
	int64_t misfit_ns; /* by how much the replay of the queue contradicts the recording; inside
			      backlog_load, here for the record */
	uint64_t pause_nr; /* the pause with the largest part, direct or through backlog; 0: none */
	uint64_t pause_ns; /* that part */
};

/* Add @part to @sum, cause by cause. */
void split_add(struct split *sum, const struct split *part);
uint64_t split_total_ns(const struct split *split);
enum cause split_largest(const struct split *split);

#endif
