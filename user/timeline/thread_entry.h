/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread's account: intervals and snapshots in, spans out. The inside of threads.h; nobody else
 * includes it.
 */
#ifndef STANDSTILL_TIMELINE_THREAD_ENTRY_H
#define STANDSTILL_TIMELINE_THREAD_ENTRY_H

#include "user/timeline/names.h"
#include "user/timeline/threads.h"

struct entry {
	struct thread thread;
	char comm[EVENT_COMM_BYTES];
	uint64_t at_ns;	   /* its spans are given out up to here */
	uint32_t seq;	   /* of the last interval given out */
	bool seq_known;	   /* false: begun by an interval or an event that carries no number */
	bool begun;	   /* a span was given out: first_ns stands */
	bool has_snapshot; /* snapshot is the newest one, perhaps older than at_ns */
	bool off_at_first; /* the first sight of it was a snapshot that found it off a CPU */
	struct event_thread snapshot;
};

struct span_sink {
	span_fn *fn; /* may be NULL */
	void *arg;
};

/* First seen at @from_ns. */
void entry_begin(struct entry *e, uint32_t tgid, uint32_t tid, uint64_t from_ns);

/* Give out what lies between the last interval and the end of @off. */
void entry_interval(struct entry *e, const struct event_offcpu *off, const struct span_sink *sink);

/* Keep @seen as what is known of the present. Nothing is given out: the next interval tells more.
 */
void entry_snapshot(struct entry *e, const struct event_thread *seen);

/* Whether @off can only be of another, later thread with the same tid. */
bool entry_is_reused(const struct entry *e, const struct event_offcpu *off);

/* The thread ended at @end_ns while on a CPU. Something was last lost at @lost_ns (0: never). */
void entry_exit(struct entry *e, uint64_t end_ns, uint64_t lost_ns, const struct span_sink *sink);

struct cut {
	uint64_t end_ns;
	uint64_t lost_ns; /* something was last lost then; 0: never */
	bool open;	  /* by the end of the recording; else the thread had ended by then */
};

/* Nothing more will be heard of the thread. */
void entry_cut(struct entry *e, const struct cut *cut, const struct span_sink *sink);

/* A reading of the scheduler's own clock of its CPU time. */
void entry_exec(struct entry *e, uint64_t exec_ns, uint64_t at_ns, uint64_t running_ns);

/* The kernel's name of it, 15 characters at most. A full name that it is the short form of stays.
 */
void entry_set_comm(struct entry *e, const char comm[EVENT_COMM_BYTES]);
void entry_set_first_comm(struct entry *e, const char comm[EVENT_COMM_BYTES],
			  const struct entry *creator);

/* A name found elsewhere; ignored when it is of an earlier owner of the tid. */
void entry_apply_name(struct entry *e, const struct name *name);

#endif
