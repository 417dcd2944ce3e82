/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* What is remembered of each thread of a target, in its task storage: it goes when the thread goes.
 */
#ifndef STANDSTILL_THREAD_BPF_H
#define STANDSTILL_THREAD_BPF_H

#include "bpf/compat.bpf.h"

struct thread_state {
	u64 off_ns;  /* off CPU since; 0: on a CPU, or never seen */
	u64 wake_ns; /* last woken, since it was last put on a CPU; 0: not */
	u64 arg0, waker_arg0;
	u64 cfs; /* its run queue at switch-out or wake-up, when that was throttled; else 0 */
	u64 throttled_before_ns; /* of that run queue's throttle clock, when this wait began */
	u64 throttled_since_ns;	 /* woken into a stretch of throttling that began then; else 0 */
	u32 arg1, arg2;
	u32 state;
	u32 flags;
	u32 waker_tid, waker_tgid;
	u32 waker_in_irq; /* 1: woken from an interrupt */
	u32 seq;
	s16 nr, waker_nr;
};

struct thread_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread_state);
};

extern struct thread_map threads SEC(".maps");

/* The state of @task, made when it has none yet; NULL when that fails, which is counted. */
static __always_inline struct thread_state *thread_state_make(struct task_struct *task)
{
	struct thread_state *thread =
		bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!thread)
		__sync_fetch_and_add(&lost_no_storage, 1);
	return thread;
}

/*
 * The syscall a thread is in and its arguments. An exception or interrupt leaves a number below 0
 * in orig_ax; the registers are then the program's own and nobody's business.
 */
static __always_inline void thread_read_syscall(struct thread_state *thread,
						struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	s64 nr = regs->orig_ax;
	bool in_syscall = nr >= 0 && nr <= 0x7fff;

	thread->nr = in_syscall ? nr : -1;
	thread->arg0 = in_syscall ? regs->di : 0;
	thread->arg1 = in_syscall ? regs->si : 0;
	thread->arg2 = in_syscall ? regs->dx : 0;
}

#endif
