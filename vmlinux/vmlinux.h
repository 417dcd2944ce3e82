/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The kernel types and members that the probes read, and no others. Offsets are relocated when the probes are loaded
 * (CO-RE), so only names and types matter here; order and padding do not. `tools/check-vmlinux` compares them with the
 * running kernel. What differs between kernels is in bpf/compat.bpf.h, not here.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

/* x86-64, what the syscall entry saved; arm64 has user_pt_regs and is not here yet. Never relocated: it is ABI. */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct rq {
	u64 clock;
};

struct cfs_rq {
	struct rq *rq;
	int throttle_count;
};

struct sched_entity {
	u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq;
};

struct sched_info {
	unsigned long long run_delay;
	unsigned long long last_arrival;
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
};

struct task_struct {
	unsigned int __state;
	void *stack;
	unsigned int flags;
	int on_cpu;
	struct sched_entity se;
	struct sched_info sched_info;
	int exit_code;
	unsigned in_iowait : 1;
	unsigned in_memstall : 1;
	unsigned frozen : 1;
	int pid;
	int tgid;
	u64 start_time;
	char comm[16];
	struct signal_struct *signal;
};

struct linux_binprm;

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 session_id;
	u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

/* Of a syscall's classic tracepoint; the layout is in its format file and has never changed. */
struct syscall_exit_args {
	u64 common;
	long nr;
	long ret;
};

#endif
