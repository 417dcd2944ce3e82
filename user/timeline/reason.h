/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a thread was where it was: what the probes saw at switch-out and wake-up in, one reason out.
 * The rules are those of the scheduler's own state bits and of the syscall the thread blocked in.
 * Knows one record, no history.
 */
#ifndef STANDSTILL_TIMELINE_REASON_H
#define STANDSTILL_TIMELINE_REASON_H

#include "bpf/event.h"

enum reason {			   /* append only: outputs carry the names */
	      REASON_RUNNING,	   /* on a CPU */
	      REASON_RUN_QUEUE,	   /* could run, somebody else did */
	      REASON_THROTTLED,	   /* kept from running by the CPU quota of its group */
	      REASON_PARKED,	   /* futex: lock, condition, LockSupport.park, safepoint barrier */
	      REASON_EPOLL,	   /* epoll_wait, poll, select: waiting for any of several files */
	      REASON_SOCKET_READ,  /* read, recv: waiting for data */
	      REASON_SOCKET_WRITE, /* write, send: the peer or the disk does not take more */
	      REASON_ACCEPT,
	      REASON_CONNECT,
	      REASON_SLEEP,	  /* nanosleep */
	      REASON_PAGE_FAULT,  /* waiting for a page to be read */
	      REASON_FILE_IO,	  /* uninterruptible, waiting for a disk */
	      REASON_MEMORY,	  /* reclaim, compaction, memcg limit */
	      REASON_KERNEL_LOCK, /* uninterruptible without I/O: mmap_lock and the like */
	      REASON_STOPPED,	  /* SIGSTOP and its kin */
	      REASON_TRACED,	  /* stopped by a debugger */
	      REASON_FROZEN,	  /* cgroup or system freezer */
	      REASON_OTHER,	  /* blocked in a syscall with no reason of its own here; see nr */
	      REASON_UNKNOWN,	  /* before attach, or lost records */
	      NR_REASONS
};

/* The name in outputs: "run queue", "parked", ... */
const char *reason_name(enum reason reason);

/* The name of syscall @nr of this machine's kind, or NULL: it is not one that threads commonly
 * block in. */
const char *reason_syscall_name(int nr);

/*
 * Why the thread of @off was blocked before it could run again (not for the run-queue part of it).
 * A sleeper that the freezer of cgroup v1 took in its sleep (OFFCPU_FROZEN_ASLEEP) keeps the reason
 * it slept for: nothing says when it was taken, and calling hours of idling "frozen" for the 200 ms
 * at its end would be worse than the reverse.
 */
enum reason reason_of_block(const struct event_offcpu *off);

#endif
