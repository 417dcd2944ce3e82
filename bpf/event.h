/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The records that cross the ring, from the probes in bpf/ to user space. They are the contract
 * between the two sides, and what a recording holds: user/recording stores them losslessly,
 * user/timeline gives them meaning. Probes subtract times at most; they interpret nothing.
 *
 * Times are CLOCK_MONOTONIC in ns. Kinds are append only and never renumbered; fields are only ever
 * appended to a struct. Kinds from EVENT_FIRST_USER on are written by the recorder itself
 * (user/recording/record.h), never by a probe.
 */
#ifndef STANDSTILL_EVENT_H
#define STANDSTILL_EVENT_H

#ifdef __bpf__
#include "vmlinux.h"
#else
#include <linux/types.h>
#endif

enum event_kind {
	EVENT_NONE = 0,
	EVENT_OFFCPU = 1,	   /* struct event_offcpu: a thread is back on a CPU */
	EVENT_THREAD = 2,	   /* struct event_thread: a thread's state at one instant */
	EVENT_TASK_NEW = 3,	   /* struct event_task: a thread or process was created */
	EVENT_TASK_EXIT = 4,	   /* struct event_task: a thread ended */
	EVENT_TASK_RENAME = 5,	   /* struct event_task: comm is the new name */
	EVENT_TASK_EXEC = 6,	   /* struct event_task: the process became another program */
	EVENT_SAFEPOINT_BEGIN = 7, /* struct event_jvm: USDT hs_private:safepoint__begin */
	EVENT_SAFEPOINT_END = 8,   /* struct event_jvm: USDT hs_private:safepoint__end */
	EVENT_VMOP_REQUEST =
		9,	       /* struct event_jvm: USDT hotspot:vmops__request, by the requester */
	EVENT_VMOP_BEGIN = 10, /* struct event_jvm: USDT hotspot:vmops__begin */
	EVENT_VMOP_END = 11,   /* struct event_jvm: USDT hotspot:vmops__end */
	EVENT_GC_BEGIN = 12,   /* struct event_jvm: USDT hotspot:gc__begin, mode 1 = full */
	EVENT_GC_END = 13,     /* struct event_jvm: USDT hotspot:gc__end */
	EVENT_JAVA_THREAD_START =
		14,		     /* struct event_jvm: USDT hotspot:thread__start, id = OS tid */
	EVENT_JAVA_THREAD_STOP = 15, /* struct event_jvm: USDT hotspot:thread__stop, id = OS tid */
	EVENT_VM_FUTEX = 16,	     /* struct event_vm_futex: the VM Thread left a futex call */
	EVENT_JVM_COUNTERS = 17, /* struct event_jvm_counters: just before 7, 8 or a barrier 16 */
	EVENT_SOCK_ARRIVE = 18,	 /* struct event_sock: bytes are in a socket's receive queue */
	EVENT_SOCK_READ = 19,	 /* struct event_sock: a thread of a target took bytes out of it */
	EVENT_SOCK_WRITE = 20,	 /* struct event_sock: a thread of a target gave bytes to it */
	EVENT_SOCK_ACK = 21,	 /* struct event_sock: a segment came while bytes were held back */
	EVENT_SOCK_RETRANSMIT = 22, /* struct event_sock: a segment was sent once more */
	EVENT_CONN_OPEN = 23,	    /* struct event_conn: a connection of a target: new, or seen */
	EVENT_CONN_CLOSE = 24,	    /* struct event_conn: its socket is gone */
	EVENT_CONN_LISTEN = 25,	    /* struct event_conn: a listening socket of a target */
	EVENT_CONN_REFUSED = 26,    /* struct event_conn: a reset was sent, or a connect failed */
	NR_EVENT_KINDS,
	EVENT_FIRST_USER = 64,
};

#define EVENT_COMM_BYTES 16 /* TASK_COMM_LEN, NUL included */
#define EVENT_NAME_BYTES                                                                           \
	64 /* names of operations and Java threads; NUL-terminated, cut if longer */
#define EVENT_CAUSE_BYTES 40 /* GC causes in hsperfdata; NUL-terminated, cut if longer */

struct event_hdr {
	__u16 kind;  /* enum event_kind */
	__u16 size;  /* bytes of the whole record, this header included */
	__u32 tid;   /* the thread it is about */
	__u64 ts_ns; /* when it happened; for an interval, when it ended */
};
_Static_assert(sizeof(struct event_hdr) == 16, "ring ABI");

/* What held at switch-out, at wake-up or in between; struct event_offcpu, flags. */
enum offcpu_flag {
	OFFCPU_PREEMPTED =
		1 << 0, /* the kernel's own preempt argument: preempted inside the kernel */
	OFFCPU_THROTTLED = 1 << 1,	/* its CPU quota was used up at switch-out */
	OFFCPU_THROTTLED_WAKE = 1 << 2, /* it was woken into a group whose quota was used up */
	OFFCPU_FROZEN = 1 << 3, /* task->frozen at switch-out (freezer v2; also set when stopped) */
	OFFCPU_FROZEN_ASLEEP = 1 << 4, /* the freezer (v1, system) took it while it slept */
	OFFCPU_IOWAIT = 1 << 5,	       /* task->in_iowait */
	OFFCPU_MEMSTALL = 1 << 6, /* task->in_memstall: reclaim, refault, compaction, memcg-high */
	OFFCPU_WOKEN_BY_IRQ = 1 << 7, /* woken from an interrupt: waker_tid is 0 */
	OFFCPU_BEFORE_ATTACH =
		1 << 8,		    /* already off when the probes came: off_ns counts from then */
	OFFCPU_NEW_THREAD = 1 << 9, /* its first time on a CPU: off_ns counts from its creation */
	OFFCPU_THROTTLE_UNSURE =
		1 << 10,	/* throttled, but its clock could not be read: throttled_ns is 0 */
	OFFCPU_WOKEN = 1 << 11, /* a wake-up was seen: runq_ns counts from it */
	OFFCPU_END_UNSEEN = 1 << 12, /* no probe was shown its return: ts_ns is by the scheduler's
				      own stamp, and who ran before is not known */
};

/*
 * One interval a thread spent off the CPU: [ts_ns - off_ns, ts_ns). Of it the last runq_ns it could
 * have run (from wake-up, or all of it where it never slept: state 0). throttled_ns of those it was
 * kept from running by its CPU quota, by the clock of its run queue. Between two intervals of a
 * thread with consecutive seq it was on a CPU.
 */
struct event_offcpu {
	struct event_hdr hdr;
	__u64 off_ns;
	__u64 runq_ns;
	__u64 throttled_ns;
	__u64 arg0;	  /* the blocked thread's own first syscall argument: futex word, fd, ... */
	__u64 waker_arg0; /* the same of the thread that woke it, in its syscall then */
	__u32 tgid;
	__u32 seq;  /* counts this thread's intervals, lost ones included, from 1 */
	__u32 arg1; /* low half of the second and third syscall argument: futex op and value */
	__u32 arg2;
	__u32 state; /* prev_state at switch-out: 0 runnable, 1 sleeping, 2 uninterruptible, ... */
	__u32 waker_tid; /* 0: nobody seen, or an interrupt */
	__u32 waker_tgid;
	__u32 ahead_tid; /* who ran on that CPU just before it; 0: idle */
	__u32 ahead_tgid;
	__u32 flags; /* enum offcpu_flag */
	__s16 nr; /* syscall it blocked in, -1: none (fault, interrupt, preempted in user mode) */
	__s16 waker_nr; /* syscall its waker was in, -1: none */
	__u16 cpu;	/* that it is back on */
	__u16 reserved;
};
_Static_assert(sizeof(struct event_offcpu) == 104, "ring ABI");

/* A thread's state when somebody looked: at attach, at the start of each segment, at detach. */
struct event_thread {
	struct event_hdr hdr;
	__u64 off_since_ns; /* off CPU since then; 0: on a CPU, or unknown (see state) */
	__u64 start_ns;	    /* when it was created, CLOCK_MONOTONIC */
	__u64 exec_ns;	    /* CPU time so far, by the scheduler */
	__u64 run_delay_ns; /* time runnable but not running so far, by the scheduler; 0 where not
			       kept */
	__u64 arg0;	    /* as in event_offcpu, when off CPU */
	__u32 tgid;
	__u32 seq; /* intervals of it so far */
	__u32 arg1;
	__u32 arg2;
	__u32 state; /* as prev_state; THREAD_STATE_ON_CPU when running */
	__u32 flags; /* enum offcpu_flag of the open interval */
	__s16 nr;
	__u16 reserved[3];
	char comm[EVENT_COMM_BYTES];
};
_Static_assert(sizeof(struct event_thread) == 104, "ring ABI");
#define THREAD_STATE_ON_CPU 0xffffffffu

struct event_task {
	struct event_hdr hdr; /* tid: the new, ended or renamed thread */
	__u32 tgid;
	__u32 parent_tid; /* EVENT_TASK_NEW: who created it; EVENT_TASK_EXEC: its tid before */
	__u32 group_dead; /* EVENT_TASK_EXIT: 1 when it was the last thread of its process */
	__u32 exit_code;  /* EVENT_TASK_EXIT: as wait(2) gives it */
	__u64 exec_ns;	  /* CPU time of the thread so far */
	char comm[EVENT_COMM_BYTES];
};
_Static_assert(sizeof(struct event_task) == 56, "ring ABI");

struct event_jvm {
	struct event_hdr hdr; /* tid: the thread that hit the probe */
	__u32 tgid;
	__u32 mode; /* vmops: HotSpot's evaluation mode, 0 = safepoint; gc__begin: 1 = full */
	__u64 id;   /* thread__start/stop: OS tid */
	char name[EVENT_NAME_BYTES]; /* vmops: operation; thread__start/stop: the Java thread's name
				      */
};
_Static_assert(sizeof(struct event_jvm) == 96, "ring ABI");

/* The VM Thread returned from futex(uaddr, op, val) = ret, with *uaddr == word at that time. */
struct event_vm_futex {
	struct event_hdr hdr;
	__u64 uaddr;
	__u32 tgid;
	__u32 op;
	__u32 val;
	__u32 word;
	__s32 ret;
	__u32 word_read; /* 0: *uaddr could not be read, word is nothing */
};
_Static_assert(sizeof(struct event_vm_futex) == 48, "ring ABI");

/* The JVM's own counters (hsperfdata), read in its memory at that instant; valid says which could
 * be read. */
enum jvm_counter_flag {
	JVM_COUNTER_SAFEPOINTS = 1 << 0,
	JVM_COUNTER_SYNC = 1 << 1,
	JVM_COUNTER_SAFEPOINT_TIME = 1 << 2,
	JVM_COUNTER_GC = 1 << 3,
	JVM_COUNTER_CAUSE = 1 << 4,
	JVM_COUNTER_LAST_CAUSE = 1 << 5,
	JVM_COUNTER_APPLICATION = 1 << 6,
};
struct event_jvm_counters {
	struct event_hdr hdr;
	__u32 tgid;
	__u32 valid;	  /* enum jvm_counter_flag */
	__u64 safepoints; /* sun.rt.safepoints: grows right after safepoint__begin */
	__u64 sync_ns;	  /* sun.rt.safepointSyncTime: sum of "Reaching", grows at synchronized */
	__u64 safepoint_time_ns; /* sun.rt.safepointTime: sum of synchronized..end, grows after
				    safepoint__end */
	__u64 gc_invocations;	 /* sum of sun.gc.collector.*.invocations */
	char cause[EVENT_CAUSE_BYTES];	    /* sun.gc.cause, "No GC" outside one */
	char last_cause[EVENT_CAUSE_BYTES]; /* sun.gc.lastCause */
	__u64 application_ns; /* sun.rt.applicationTime: sum of end..begin, grows at begin */
};
_Static_assert(sizeof(struct event_jvm_counters) == 144, "ring ABI");

/* What held at an event of a socket; struct event_sock and event_conn, flags. */
enum sock_flag {
	SOCK_LOCKED =
		1 << 0, /* ARRIVE: a thread held the socket's lock: it may have come earlier */
	SOCK_PEER_DONE =
		1 << 1,	       /* the peer will send no more (FIN seen; not counted in in_bytes) */
	SOCK_UNSURE = 1 << 2,  /* positions were read while another CPU changed them */
	SOCK_COUNTED = 1 << 3, /* no byte positions in this socket (Unix): sums since first seen */
	SOCK_BEFORE_ATTACH = 1 << 4, /* the connection was open before the probes came */
	SOCK_RESET = 1 << 5,	     /* it ended by a reset, or by an error */
	SOCK_START_SEEN = 1 << 6,    /* WRITE: took_ns counts from the start of its first write */
	SOCK_SNAPSHOT = 1 << 7,	     /* OPEN, LISTEN: only looked at, at the start of a segment */
};

/*
 * One step of a connection. Positions count bytes of one direction from the connection's start (TCP
 * sequence numbers less the first), and so are the same at both of its ends, whenever they were
 * first looked at. in_bytes: READ: read so far; all others: received so far. out_bytes: written so
 * far. Order in time is that of the kernel: on loopback the peer can have the bytes before WRITE.
 * ACK comes before the segment is handled, so unsent is what it may set free; of what was held
 * before anything else was in this recording there is none. A last ARRIVE that brings no bytes is
 * the peer's FIN.
 */
struct event_sock {
	struct event_hdr hdr; /* tid: who read or wrote; 0: nobody, the network */
	__u64 in_bytes;
	__u64 out_bytes;
	__u64 took_ns; /* WRITE: since the first write call after the last WRITE event began */
	__u32 conn;    /* of event_conn */
	__u32 tgid;    /* whose socket; of READ and WRITE the thread's process */
	__u32 bytes;   /* READ, WRITE: of this call; RETRANSMIT: of the segment */
	__u32 unsent;  /* written and not yet transmitted: held by Nagle or a window */
	__u32 flags;   /* enum sock_flag */
	__u32 window;  /* ACK: bytes the peer still takes (its window, less what is on the way) */
};
_Static_assert(sizeof(struct event_sock) == 64, "ring ABI");

enum conn_role {
	CONN_UNKNOWN = 0,
	CONN_ACCEPTED = 1,  /* of a listening socket of the target */
	CONN_CONNECTED = 2, /* the target connected it */
	CONN_LISTENER = 3,
};

/*
 * A socket of a target. Addresses are in network order, high and low half, IPv4 as v4-mapped IPv6;
 * a Unix socket has its inode and its peer's as the low halves, role CONN_UNKNOWN and no CLOSE.
 * SOCK_BEFORE_ATTACH also says that its begin was not seen for another reason: it came from another
 * process. SOCK_UNSURE with OPEN: first_in and first_out may be wrong. REFUSED of an open
 * connection is the reset that this end sent.
 */
struct event_conn {
	struct event_hdr hdr; /* tid: who did it; 0: the network, or an earlier time */
	__u64 in_bytes;	      /* received so far */
	__u64 out_bytes;      /* written so far */
	__u64 read_bytes;     /* read so far */
	__u64 local_high, local_low;
	__u64 remote_high, remote_low;
	__u32 conn; /* counts the sockets of a recording from 1; never used twice */
	__u32 tgid;
	__u32 netns;		   /* inode of its network namespace */
	__u32 first_in, first_out; /* TCP sequence number of each direction's first byte */
	__u32 flags;		   /* enum sock_flag */
	__u32 backlog;		   /* LISTEN: connections waiting to be accepted now */
	__u32 backlog_max;
	__u16 local_port, remote_port; /* host order */
	__u16 family;		       /* AF_UNIX 1, AF_INET 2, AF_INET6 10 */
	__u16 role;		       /* enum conn_role */
	__u16 state;		       /* TCP_ESTABLISHED 1, ... of the kernel */
	__u16 error;		       /* errno of the socket, REFUSED and CLOSE */
	__u16 reserved[2];
};
_Static_assert(sizeof(struct event_conn) == 120, "ring ABI");

#define EVENT_BYTES_MAX                                                                            \
	512 /* no record of any kind is larger; what the recorder writes included                  \
	     */

#endif
