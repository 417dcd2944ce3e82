/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes that the BPF tests record: a body in, a child out that waits, runs it when told and
 * waits again. What happened inside is told by the kernel's own counters (getrusage), read by the
 * thread itself, so that records can be compared with a second, independent source. Knows nothing
 * of probes.
 */
#ifndef TESTS_BPF_SUBJECT_H
#define TESTS_BPF_SUBJECT_H

#include <stdint.h>
#include <sys/types.h>

#define SUBJECT_THREADS 16
#define SUBJECT_FACTS	8

/* One thread's own account of a stretch of its life, in memory shared with the test. */
struct account {
	_Atomic uint32_t tid;
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC; it was on a CPU at both */
	uint64_t nr_switches;	 /* times it left a CPU in between, by the kernel's count */
	uint64_t cpu_ns;	 /* CPU time in between, by the kernel's count */
	uint64_t nr_major_faults;
	uint64_t fact[SUBJECT_FACTS]; /* whatever the body has to tell: addresses, descriptors */
};

void account_begin(struct account *account);
void account_end(struct account *account);

struct shared {
	struct account threads[SUBJECT_THREADS];
};

typedef void subject_fn(struct shared *shared);

struct subject {
	pid_t tgid;
	struct shared *shared;
	int go, done; /* a byte down tells it to run the next body, a byte up that it has */
};

/*
 * Fork a child that runs @first at once, then @then each time it is told to; either may be NULL.
 * Returns when @first is over. The child dies with the test.
 */
void subject_start(struct subject *subject, subject_fn *first, subject_fn *then);

/* Run the body; begin returns at once, wait when it is over. */
void subject_begin(struct subject *subject);
void subject_wait(struct subject *subject);
void subject_run(struct subject *subject);

/* Kill and reap it. Returns the status wait(2) gave. */
int subject_stop(struct subject *subject);

void sleep_us(uint64_t us);

/* Wait until thread @tid, which is about to, is asleep and off its CPU. */
void await_asleep(uint32_t tid);
uint64_t now_ns(void);
uint32_t this_tid(void);
void pin_to_cpu(int cpu);

#endif
