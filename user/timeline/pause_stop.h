/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One pause in the making: who was stopped, who was late, what the VM Thread and the GC workers
 * did. The inside of pauses.h; nobody else includes it.
 */
#ifndef STANDSTILL_TIMELINE_PAUSE_STOP_H
#define STANDSTILL_TIMELINE_PAUSE_STOP_H

#include "user/base/map.h"
#include "user/timeline/pauses.h"
#include "user/timeline/span_ring.h"

/* What one thread did in the pause. */
struct part {
	uint32_t tid;
	uint8_t role;
	bool requester;
	bool at_barrier;
	bool unsafe; /* at begin it was on a CPU, or kept from one where it holds up a safepoint */
	bool by_vm_thread;   /* woken_ns is a wake-up by the VM Thread */
	uint64_t arrived_ns; /* at the barrier, or where the requester waits */
	uint64_t woken_ns, back_ns;
	uint64_t safe_ns;	       /* first blocked, at the barrier or elsewhere; 0: not seen */
	uint64_t left_cpu_ns;	       /* last off a CPU while not yet safe */
	uint64_t ns[NR_REASONS];       /* in [begin, left_cpu) */
	uint64_t since_ns[NR_REASONS]; /* in [left_cpu, safe) */
};

/* A piece of the end of the operation: whether it lies before the release is known only when the
 * first thread is back. */
struct tail {
	uint64_t from_ns, to_ns;
	uint8_t reason;
	bool gc;
};
#define TAIL_MAX    64
#define TAIL_MAX_NS 1000000ull

struct stop {
	struct pause pause;
	uint32_t vm_tid;
	uint64_t ring_from; /* spans put into the ring before this one had ended before it began */
	uint64_t closed_ns; /* all that makes its end is known since; 0: still open */
	uint64_t looked_ns; /* the VM Thread looked at the threads after its last sleep but one; 0:
			       that was before begin */
	uint64_t slept_ns;  /* the VM Thread's last back-off sleep while reaching ended then; 0: it
			       never slept */
	struct map parts;
	uint64_t tail_ns; /* what comes later of VM Thread and GC workers is kept in tail until the
			     release is known */
	struct tail tail[TAIL_MAX];
	size_t nr_tail;
	bool tail_is_full;
	bool again; /* only the sums are added up again */
};

/*
 * The late thread says it is safe before it leaves its CPU, and the VM Thread may see that first:
 * so much later than *synchronized* may its arrival be.
 */
#define LATE_SLACK_NS 30000ull

struct stop *stop_new(uint32_t tgid, uint32_t vm_tid);
void stop_free(struct stop *stop);

/* Whether @off is a wait in a condition variable, where a requester waits for its operation. */
bool stop_is_condition_wait(const struct event_offcpu *off);

/* Whether @off is a back-off sleep of a VM Thread. */
bool stop_is_sleep(const struct event_offcpu *off);

/* @off was spent at this pause's barrier. 0 or -ENOMEM. */
int stop_barrier(struct stop *stop, const struct event_offcpu *off);

/* @off was spent by the requester, waiting for its operation. 0 or -ENOMEM. */
int stop_requester(struct stop *stop, const struct event_offcpu *off);

/* What is unknown in @span may leave the pause in doubt. */
void stop_doubt(struct stop *stop, const struct past_span *span);

/* A span that touches the closed pause. In order, a thread. 0 or -ENOMEM. */
int stop_absorb(struct stop *stop, const struct past_span *span);

/*
 * Nothing more comes: when the threads were let go. From the end of an operation to the first wake
 * it takes @lag_ns in this JVM. Returns false when that was earlier than the sums of the operation
 * allow for: they are empty then, and all spans since the begin are to be absorbed again, up to
 * stop->closed_ns.
 */
bool stop_release(struct stop *stop, uint64_t lag_ns);

/* Then fill in the rest of stop->pause. Its list of stopped threads is to be freed by the caller. 0
 * or -ENOMEM. */
int stop_finish(struct stop *stop, struct pause_stopped **ret_stopped);

#endif
