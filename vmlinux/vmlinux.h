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

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct in6_addr {
	union {
		u32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	u32 skc_daddr;
	u32 skc_rcv_saddr;
	u16 skc_dport;
	u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
	unsigned long skc_flags;
};

typedef struct {
	int owned;
} socket_lock_t;

struct inode {
	unsigned long i_ino;
};

struct file {
	struct inode *f_inode;
};

struct sock;

struct socket {
	struct file *file;
	struct sock *sk;
};

struct sock {
	struct sock_common __sk_common;
	socket_lock_t sk_lock;
	int sk_err;
	u32 sk_ack_backlog;
	u32 sk_max_ack_backlog;
	u16 sk_type;
	struct socket *sk_socket;
};

struct inet_sock {
	u16 inet_sport;
};

struct tcp_sock {
	u32 rcv_nxt;
	u32 copied_seq;
	u32 snd_una;
	u32 snd_nxt;
	u32 write_seq;
	u32 snd_wnd;
	u64 bytes_received;
	u64 bytes_acked;
	u64 bytes_sent;
	u64 bytes_retrans;
};

struct unix_sock {
	struct sock *peer;
};

struct sk_buff {
	unsigned int len;
};

struct msghdr;

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

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	u32 fd;
	struct file *file;
};

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
};

struct bpf_iter__unix {
	struct bpf_iter_meta *meta;
	struct unix_sock *unix_sk;
};

#pragma clang attribute pop

/* Of a syscall's classic tracepoint; the layout is in its format file and has never changed. */
struct syscall_exit_args {
	u64 common;
	long nr;
	long ret;
};

#endif
