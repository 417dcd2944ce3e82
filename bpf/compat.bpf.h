/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Every difference between kernels, each with the commit or release that made it. Found through BTF
 * when the probes are loaded, never by comparing versions.
 *
 * Of one kind is a cost: where a program follows a pointer from one struct of the kernel to the
 * next by itself, the verifier of 6.2 and later looks names up among all types to know whether the
 * second can be trusted, a millisecond each time it walks by. Where it matters little for the
 * running program, BPF_CORE_READ follows it instead, which has nothing to prove.
 */
#ifndef STANDSTILL_COMPAT_BPF_H
#define STANDSTILL_COMPAT_BPF_H

#include "bpf/ring.bpf.h"

/* 6.18 throttles threads one by one on their way to user mode; before, whole run queues
 * (e1fad12dcb66). */
struct task_struct___throttled {
	bool throttled;
} __attribute__((preserve_access_index));

static __always_inline bool task_throttled(struct task_struct *task)
{
	struct task_struct___throttled *each = (void *)task;

	if (bpf_core_field_exists(each->throttled))
		return each->throttled;
	return task->se.cfs_rq->throttle_count > 0;
}

/* 6.6: the time a run queue's own threads were throttled, and since when they are (677ea015f231).
 */
struct cfs_rq___self_clock {
	u64 throttled_clock_self;
	u64 throttled_clock_self_time;
} __attribute__((preserve_access_index));

/* Before that only the clock that load tracking keeps (6.0 renamed it, 64eaf50731ac). */
struct cfs_rq___pelt_clock {
	u64 throttled_clock_pelt_time;
} __attribute__((preserve_access_index));

struct throttle_clock {
	u64 total_ns; /* throttled time of the run queue so far, all ended stretches */
	u64 since_ns; /* when the stretch now under way began, by the run queue's clock; 0: none */
	u64 rq_ns;    /* the run queue's clock now */
	bool known;
};

/* The throttle clock of @cfs, which may be stale: all reads are probe reads. */
static __always_inline struct throttle_clock throttle_clock_read(struct cfs_rq *cfs)
{
	struct cfs_rq___self_clock *self = (void *)cfs;
	struct cfs_rq___pelt_clock *pelt = (void *)cfs;
	struct throttle_clock clock = {};

	if (bpf_core_field_exists(self->throttled_clock_self_time)) {
		clock.total_ns = BPF_CORE_READ(self, throttled_clock_self_time);
		clock.since_ns = BPF_CORE_READ(self, throttled_clock_self);
		clock.rq_ns = BPF_CORE_READ(cfs, rq, clock);
		clock.known = true;
	} else if (bpf_core_field_exists(pelt->throttled_clock_pelt_time)) {
		clock.total_ns = BPF_CORE_READ(pelt, throttled_clock_pelt_time);
		clock.known = true;
	}
	return clock;
}

/* 6.17: what waits to be read in a Unix stream socket (with SO_INQ). */
struct unix_sock___inq {
	int inq_len;
} __attribute__((preserve_access_index));

/* Bytes in the receive queue of Unix stream socket @unix_sk; -1: this kernel does not count them.
 */
static __always_inline s64 unix_queued(struct unix_sock *unix_sk)
{
	struct unix_sock___inq *inq = (void *)unix_sk;

	if (bpf_core_field_exists(inq->inq_len))
		return inq->inq_len;
	return -1;
}

#define TASK_FROZEN_STATE                                                                          \
	0x8000 /* 6.1: a state of its own (f5d39b020809); its bit means nothing before */

/* 5.15 and later only: frozen, in_iowait and in_memstall are all in the BTF of every kernel we load
 * on. */

#endif
