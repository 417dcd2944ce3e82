/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every nanosecond of every thread: records in, in order of time; spans out, one after the other
 * without gap or overlap a thread, each with its reason. The spans of a thread from its first to
 * its last moment add up to the wall clock between, always: what was lost is a span of
 * REASON_UNKNOWN, found by the gap in the thread's sequence. Memory is bounded by the threads alive
 * at once.
 *
 * An interval off the CPU is known when it ends. Until then, and after a loss, only a snapshot
 * (EVENT_THREAD) tells where a thread is. So at the end of the recording, or when a thread ends
 * after a loss, a thread is taken to be running or waiting only as far as its last snapshot with
 * the same sequence number says so; the rest is REASON_UNKNOWN. A thread that two rounds of
 * snapshots do not show any more has ended, and the record of that was lost. One gap stays: a
 * thread that ends between a loss and the record that tells of it (one drain of the ring) seems to
 * have run to its end.
 */
#ifndef STANDSTILL_TIMELINE_THREADS_H
#define STANDSTILL_TIMELINE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/event.h"
#include "user/timeline/reason.h"
#include "user/timeline/role.h"

struct span { /* [from_ns, to_ns), never empty */
	uint64_t from_ns, to_ns;
	uint32_t tgid, tid;
	enum reason reason;
	bool open; /* cut off by the end of the recording, not by an event */
	const struct event_offcpu
		*off; /* the record it comes from; NULL when running or unknown. Of an open span
			 only what a snapshot tells: syscall, arguments, state, flags */
};

struct thread {
	uint32_t tgid, tid;
	enum thread_role role;
	char name[EVENT_NAME_BYTES]; /* the best known */
	bool name_is_full;	     /* a Java name in full, not a comm of 15 characters */
	uint64_t first_ns, last_ns;  /* seen from, to */
	bool exited;
	uint64_t in_ns[NR_REASONS]; /* sums of its spans; they add up to last_ns - first_ns */
	uint64_t nr_intervals, nr_lost, nr_wakes;
	uint64_t exec_first_ns,
		exec_last_ns; /* the scheduler's own CPU time at first_ns and last_ns, to compare */
	uint64_t exec_first_at_ns, exec_last_at_ns; /* when they were read; 0: never */
	uint64_t running_first_ns,
		running_last_ns; /* sum of its running spans at those two times */
	uint64_t nr_disordered;	 /* intervals that came too late to be placed: left out */
	uint64_t nr_overlaps; /* intervals that began before the one before had ended: cut to what
				 was left */
	uint64_t nr_damaged;  /* intervals whose parts were longer than they: REASON_UNKNOWN */
};

typedef void span_fn(void *arg, const struct thread *thread, const struct span *span);
typedef void thread_fn(void *arg, const struct thread *thread);

struct threads;

/* @span is called for every span as soon as its end is known, @gone when a thread has ended, after
 * its last span. Either may be NULL. Returns NULL when out of memory. */
struct threads *threads_new(span_fn *span, thread_fn *gone, void *arg);

/* Take one record of any kind; those that say nothing about threads are ignored. Returns 0 or
 * -ENOMEM. */
int threads_event(struct threads *t, const struct event_hdr *event);

/* The recording ended at @end_ns: close every open span there. */
int threads_end(struct threads *t, uint64_t end_ns);

/* The best name of any thread ever named, of strangers too; NULL if there is none. */
const char *threads_name(const struct threads *t, uint32_t tid);

const struct thread *threads_find(const struct threads *t, uint32_t tid);
void threads_each(const struct threads *t, thread_fn *fn, void *arg);
void threads_free(struct threads *t);

#endif
