/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* What user space sets before the probes are loaded, and what it reads while they run: the sections
 * .rodata and .bss. */
#ifndef STANDSTILL_SHARED_H
#define STANDSTILL_SHARED_H

#include "bpf/event.h"

#define TARGETS_MAX	  8
#define RUN_COUNT_CPUS	  256 /* a power of two */
#define LOST_KINDS	  32  /* a power of two, more than NR_EVENT_KINDS */
#define PORTS_MAX	  65536
#define GC_COLLECTORS_MAX 4

_Static_assert(NR_EVENT_KINDS <= LOST_KINDS, "a counter for each kind");

/* Where in a target's memory the JVM keeps its own counters; 0: not known. */
struct counter_addresses {
	__u64 safepoints;
	__u64 sync;
	__u64 safepoint_time;
	__u64 application;
	__u64 gc_invocations[GC_COLLECTORS_MAX];
	__u64 cause;
	__u64 last_cause;
};

struct target {
	__u32 tgid;   /* 0: the slot is empty */
	__u32 vm_tid; /* of its VM Thread; 0: no JVM */
	struct counter_addresses counters;
};

enum program {
	PROGRAM_SWITCH,
	PROGRAM_WAKING,
	PROGRAM_NEWTASK,
	PROGRAM_EXIT,
	PROGRAM_RENAME,
	PROGRAM_EXEC,
	PROGRAM_FUTEX,
	PROGRAM_SAFEPOINT_BEGIN,
	PROGRAM_SAFEPOINT_END,
	PROGRAM_VMOP_REQUEST,
	PROGRAM_VMOP_BEGIN,
	PROGRAM_VMOP_END,
	PROGRAM_GC_BEGIN,
	PROGRAM_GC_END,
	PROGRAM_THREAD_START,
	PROGRAM_THREAD_STOP,
	PROGRAM_SNAPSHOT,
	PROGRAM_SOCK_ARRIVE,
	PROGRAM_SOCK_READ,
	PROGRAM_SOCK_WRITE,
	PROGRAM_SOCK_WRITE_BEGIN,
	PROGRAM_SOCK_SEGMENT,
	PROGRAM_SOCK_RETRANSMIT,
	PROGRAM_SOCK_STATE,
	PROGRAM_SOCK_DESTROY,
	PROGRAM_SOCK_RESET,
	PROGRAM_SOCK_SNAPSHOT,
	PROGRAM_SOCK_SNAPSHOT_TCP,
	PROGRAM_SOCK_SNAPSHOT_UNIX,
	NR_PROGRAMS
};

struct run_count {
	__u64 runs[NR_PROGRAMS]; /* strangers' events included */
	__u64 hits[NR_PROGRAMS]; /* about a target */
} __attribute__((aligned(64)));

#endif
