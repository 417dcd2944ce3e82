/* SPDX-License-Identifier: BSD-2-Clause */
/* Who a process is, by its files in /proc: identity, namespaces, clocks, one thread's line. Knows
 * nothing of JVMs. */
#ifndef STANDSTILL_ATTACH_TARGET_PROCESS_H
#define STANDSTILL_ATTACH_TARGET_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bpf/event.h"

struct process_status { /* of /proc/PID/status */
	uint32_t tgid;
	uint32_t ns_tid; /* its id in its own pid namespace */
	uint32_t uid;	 /* effective */
	char state;	 /* 'R', 'S', ... 'Z' */
};

struct process_stat { /* of /proc/PID/task/TID/stat */
	char comm[EVENT_COMM_BYTES];
	char state;
	uint64_t start_ticks; /* since boot */
};

/* All: 0, -ESRCH (no such process or thread, or it ended meanwhile), -EACCES, -EBADMSG. */
int process_status(uint32_t tgid, uint32_t tid, struct process_status *ret);
int process_stat(uint32_t tgid, uint32_t tid, struct process_stat *ret);

/* Its comm alone, which costs the kernel a tenth of its stat. */
int process_comm(uint32_t tgid, uint32_t tid, char ret[EVENT_COMM_BYTES]);

/* Call @fn with every thread id of @tgid; not 0 stops. 0, what @fn stopped with, -ESRCH or -EACCES.
 */
int process_each_thread(uint32_t tgid, int (*fn)(void *arg, uint32_t tid), void *arg);

/* start_ticks as CLOCK_MONOTONIC of now: as exact as the tick, 10 ms. */
uint64_t process_ticks_to_ns(uint64_t ticks);

/* The target's CLOCK_MONOTONIC minus ours. 0 and *ret, or -errno: it cannot be told. */
int process_monotonic_offset(uint32_t tgid, int64_t *ret_ns);

/* Inode of a file in /proc/PID/ns; 0: unknown. */
uint64_t process_namespace(uint32_t tgid, const char *name);

/* Open /proc/@tgid/@name; NULL and errno, ENOENT turned into ESRCH and EPERM into EACCES. */
FILE *process_open(uint32_t tgid, const char *name);

/* The target of the link /proc/@tgid/@name, malloc'ed; NULL: unknown. */
char *process_link(uint32_t tgid, const char *name);

/* The whole of the file /proc/@tgid/@name, at most @max bytes, with a NUL behind; NULL: unknown. */
char *process_read(uint32_t tgid, const char *name, size_t max, size_t *ret_bytes);

#endif
