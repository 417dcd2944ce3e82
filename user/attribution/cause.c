/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "user/attribution/cause.h"

struct cause_row {
	const char *name, *words;
	enum cause_group group;
};

/* clang-format off */
static const struct cause_row rows[NR_CAUSES] = {
	[CAUSE_UNKNOWN]		   = {"unknown",	    "unknown",				     GROUP_UNKNOWN},
	[CAUSE_LOST]		   = {"lost",		    "unknown (records lost)",		     GROUP_UNKNOWN},
	[CAUSE_NO_THREAD]	   = {"no_thread",	    "unknown (no thread)",		     GROUP_UNKNOWN},
	[CAUSE_PAUSE]		   = {"pause",		    "stop-the-world pause",		     GROUP_PAUSE},
	[CAUSE_PAUSE_RUN_QUEUE]	   = {"pause_run_queue",    "run queue (inside a pause)",	     GROUP_PAUSE},
	[CAUSE_PAUSE_THROTTLED]	   = {"pause_throttled",    "throttled (inside a pause)",	     GROUP_THROTTLED},
	[CAUSE_PAUSE_STOPPED]	   = {"pause_stopped",	    "stopped (inside a pause)",		     GROUP_STOPPED},
	[CAUSE_PAUSE_FAULT]	   = {"pause_fault",	    "page fault or I/O (inside a pause)",    GROUP_PAUSE},
	[CAUSE_STOPPED]		   = {"stopped",	    "stopped (SIGSTOP, ptrace, freezer)",    GROUP_STOPPED},
	[CAUSE_THROTTLED]	   = {"throttled",	    "throttled (CPU quota)",		     GROUP_THROTTLED},
	[CAUSE_BACKLOG_PAUSE]	   = {"backlog_pause",	    "backlog of a pause",		     GROUP_PAUSE},
	[CAUSE_BACKLOG_STOPPED]	   = {"backlog_stopped",    "backlog of a stop",		     GROUP_STOPPED},
	[CAUSE_BACKLOG_THROTTLED]  = {"backlog_throttled",  "backlog of throttling",		     GROUP_THROTTLED},
	[CAUSE_BACKLOG_LOCK]	   = {"backlog_lock",	    "backlog of a lock",		     GROUP_LOCK},
	[CAUSE_BACKLOG_DOWNSTREAM] = {"backlog_downstream", "backlog of a slow downstream",	     GROUP_DOWNSTREAM},
	[CAUSE_BACKLOG_RUN_QUEUE]  = {"backlog_run_queue",  "backlog of run-queue waits",	     GROUP_RUN_QUEUE},
	[CAUSE_BACKLOG_GENERATOR]  = {"backlog_generator",  "backlog of a late generator",	     GROUP_GENERATOR},
	[CAUSE_BACKLOG_LOAD]	   = {"backlog_load",	    "backlog of the load",		     GROUP_LOAD},
	[CAUSE_RUN_QUEUE_GC]	   = {"run_queue_gc",	    "run queue, behind its own GC or JIT",   GROUP_RUN_QUEUE},
	[CAUSE_RUN_QUEUE_OWN]	   = {"run_queue_own",	    "run queue, behind its own threads",     GROUP_RUN_QUEUE},
	[CAUSE_RUN_QUEUE_OTHERS]   = {"run_queue_others",   "run queue, behind other processes",     GROUP_RUN_QUEUE},
	[CAUSE_LOCK]		   = {"lock",		    "lock",				     GROUP_LOCK},
	[CAUSE_PARKED]		   = {"parked",		    "parked",				     GROUP_WAITING},
	[CAUSE_ALLOCATION_STALL]   = {"allocation_stall",   "allocation stall",			     GROUP_WAITING},
	[CAUSE_IO]		   = {"io",		    "page fault or I/O",		     GROUP_WAITING},
	[CAUSE_DOWNSTREAM]	   = {"downstream",	    "downstream",			     GROUP_DOWNSTREAM},
	[CAUSE_HELD]		   = {"held",		    "held (Nagle or a window)",		     GROUP_NETWORK},
	[CAUSE_PEER_NOT_READING]   = {"peer_not_reading",   "peer not reading",			     GROUP_NETWORK},
	[CAUSE_BODY_NOT_SENT]	   = {"body_not_sent",	    "request body not sent",		     GROUP_NETWORK},
	[CAUSE_SLEEPING]	   = {"sleeping",	    "sleeping (timer)",			     GROUP_WAITING},
	[CAUSE_ON_CPU]		   = {"on_cpu",		    "on CPU",				     GROUP_WORK},
	[CAUSE_CONNECTION_WAIT]	   = {"connection_wait",    "connection wait",			     GROUP_LOAD},
	[CAUSE_CONNECT_RETRY]	   = {"connect_retry",	    "connect retry (full listen queue)",     GROUP_LOAD},
	[CAUSE_NETWORK]		   = {"network",	    "network",				     GROUP_NETWORK},
	[CAUSE_GENERATOR]	   = {"generator",	    "generator",			     GROUP_GENERATOR},
	[CAUSE_RUN_QUEUE]	   = {"run_queue",	    "run queue, behind nobody seen",	     GROUP_RUN_QUEUE},
};
/* clang-format on */

static const char *const groups[NR_CAUSE_GROUPS] = {
	[GROUP_UNKNOWN] = "unknown",
	[GROUP_PAUSE] = "stop-the-world pauses",
	[GROUP_STOPPED] = "stops",
	[GROUP_THROTTLED] = "CPU quota",
	[GROUP_LOAD] = "load",
	[GROUP_RUN_QUEUE] = "run queue",
	[GROUP_LOCK] = "locks",
	[GROUP_WAITING] = "other waiting",
	[GROUP_DOWNSTREAM] = "downstream",
	[GROUP_WORK] = "work on CPU",
	[GROUP_NETWORK] = "network",
	[GROUP_GENERATOR] = "generator",
};

const char *cause_name(enum cause cause)
{
	return rows[cause].name;
}

const char *cause_words(enum cause cause)
{
	return rows[cause].words;
}

enum cause_group cause_group(enum cause cause)
{
	return rows[cause].group;
}

const char *cause_group_words(enum cause_group group)
{
	return groups[group];
}

void split_add(struct split *sum, const struct split *part)
{
	for (size_t i = 0; i < NR_CAUSES; i++)
		sum->ns[i] += part->ns[i];
	sum->misfit_ns += part->misfit_ns;
	if (part->pause_ns > sum->pause_ns) {
		sum->pause_ns = part->pause_ns;
		sum->pause_nr = part->pause_nr;
	}
}

uint64_t split_total_ns(const struct split *split)
{
	uint64_t total_ns = 0;

	for (size_t i = 0; i < NR_CAUSES; i++)
		total_ns += split->ns[i];
	return total_ns;
}

enum cause split_largest(const struct split *split)
{
	enum cause largest = CAUSE_UNKNOWN;

	for (enum cause cause = 0; cause < NR_CAUSES; cause++)
		if (split->ns[cause] > split->ns[largest])
			largest = cause;
	return largest;
}
