/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is worth knowing about a process and its machine besides the JVM: threads, cgroup and its
 * limits, kernel, CPUs. Facts come out as key and value, ready for RECORD_INFO; a fact that cannot
 * be had is left out.
 */
#ifndef STANDSTILL_ATTACH_TARGET_H
#define STANDSTILL_ATTACH_TARGET_H

#include <stdint.h>

#include "bpf/event.h"

struct jvm;

typedef void fact_fn(void *arg, const char *key, const char *value);

/* Facts of the machine and kernel: "machine.*", "kernel.*". */
void machine_facts(fact_fn *fn, void *arg);

/* Facts of the process and its cgroups: "target.*". 0 or -ESRCH. */
int target_facts(uint32_t tgid, fact_fn *fn, void *arg);

/* Facts of the JVM: "jvm.*". */
void jvm_facts(const struct jvm *jvm, fact_fn *fn, void *arg);

struct target_thread {
	uint32_t tid;
	uint64_t start_ns; /* CLOCK_MONOTONIC, to 10 ms */
	char comm[EVENT_COMM_BYTES];
};

typedef void target_thread_fn(void *arg, const struct target_thread *thread);

/* Every thread of @tgid now; threads that end meanwhile are left out. 0, -ESRCH or -EACCES. */
int target_threads(uint32_t tgid, target_thread_fn *fn, void *arg);

#endif
