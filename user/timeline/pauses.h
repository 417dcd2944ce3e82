/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stop-the-world pauses: records and spans in, in order of time; finished pauses out, in order of
 * their begin. Two sources, one result: the JVM's USDT probes, or the futex calls of its VM Thread
 * alone (JDK 13 and later). A pause is given out once every thread that it stopped is back, or
 * PAUSE_GRACE_NS after its end. Bounded memory: a ring of recent spans and the pauses not yet given
 * out.
 */
#ifndef STANDSTILL_TIMELINE_PAUSES_H
#define STANDSTILL_TIMELINE_PAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/event.h"
#include "user/timeline/threads.h"

#define PAUSE_GRACE_NS 1000000000ull

enum pause_source { PAUSE_SOURCE_NONE, PAUSE_SOURCE_USDT, PAUSE_SOURCE_FUTEX };

enum sync_source { /* how the end of *reaching* is known */
		   SYNC_UNKNOWN,
		   SYNC_JVM_COUNTER, /* sun.rt.safepointSyncTime: the JVM's own figure */
		   SYNC_LAST_SLEEP,  /* the VM Thread's last back-off sleep ended then */
		   SYNC_FIRST_LOOK,  /* it never slept: all threads were safe at once; sync =
					operation begin or begin */
};

enum release_source {
	RELEASE_UNKNOWN,
	RELEASE_WAKE,	   /* the first thread stopped at the barrier was woken then */
	RELEASE_FUTEX,	   /* the VM Thread's barrier wake returned then */
	RELEASE_END,	   /* safepoint__end: 11 us late at the median, more when the VM Thread was
			      preempted, or wrote a log */
	RELEASE_OPERATION, /* nobody waited: the operation's end, and as long as it took from there
			    * to the first wake in other pauses of this JVM */
};

struct pause_stopped { /* one thread that lost time in the pause */
	uint32_t tid;
	bool requester; /* it asked for the operation, and waited for it rather than at the barrier
			 */
	uint64_t arrived_ns; /* reached the barrier: off its CPU */
	uint64_t woken_ns;
	uint64_t back_ns; /* back on a CPU; lost: back_ns - max(arrived_ns, begin_ns) */
};

struct pause {
	uint64_t nr; /* from 1, per recording */
	uint32_t tgid;
	enum pause_source source;
	uint64_t begin_ns, sync_ns, op_begin_ns, op_end_ns, release_ns, end_ns; /* 0: not known */
	enum sync_source sync_source;
	enum release_source release_source;
	char operation[EVENT_NAME_BYTES]; /* "" : unknown */
	char cause[EVENT_CAUSE_BYTES];	  /* GC cause; "" : no GC, or unknown */
	bool gc, gc_full;
	bool cut;		/* still open at the end of the recording, or begun before it */
	bool incomplete;	/* records were lost inside, or the ring of spans was too short */
	uint32_t requester_tid; /* 0: unknown, or the JVM itself */
	/* The late thread of reaching: the last of those not already safe to arrive; 0: none had to
	 * be waited for. */
	uint32_t late_tid;
	uint64_t late_arrived_ns;
	uint64_t late_ns[NR_REASONS]; /* its time in [begin, late_arrived) */
	/* What VM Thread and GC workers did, summed over them, in [begin, sync) and in [sync,
	 * release). */
	uint64_t vm_reaching_ns[NR_REASONS], vm_operation_ns[NR_REASONS],
		gc_operation_ns[NR_REASONS];
	uint64_t nr_safepoints; /* the JVM's own count after this one; 0: unknown */
	uint64_t missed_before; /* pauses the JVM counted since the last one given out, but that
				   were not seen */
	const struct pause_stopped *stopped; /* sorted by back_ns */
	size_t nr_stopped;
	uint64_t lost_ns; /* sum of what the stopped lost */
};

/* What @stopped lost in @pause. */
uint64_t pause_lost(const struct pause *pause, const struct pause_stopped *stopped);

typedef void pause_fn(void *arg, const struct pause *pause);

struct pauses;

struct pauses *pauses_new(pause_fn *fn, void *arg);
int pauses_event(struct pauses *p,
		 const struct event_hdr *event); /* before the same event's spans are put */
int pauses_span(struct pauses *p, const struct thread *thread, const struct span *span);

/*
 * The pause that @off was spent in, at its barrier or as its requester; NULL: none. Of the pause
 * only nr, tgid and begin_ns are filled in yet. To be asked before it is given out. *ret_later: it
 * cannot be told yet (by futex calls, a pause is found just after its first threads are back): ask
 * again after the next events.
 */
const struct pause *pauses_of(const struct pauses *p, const struct event_offcpu *off,
			      bool *ret_later);

/* When the first of the pauses not given out yet began: all that began earlier are out. UINT64_MAX:
 * there is none. By futex calls a pause is found only just after its end. */
uint64_t pauses_open_since(const struct pauses *p);

/* Whether @off is a wait at the barrier of a safepoint, which none but the VM Thread ends. */
bool pauses_is_barrier_wait(const struct event_offcpu *off);

int pauses_end(struct pauses *p, uint64_t end_ns);
void pauses_free(struct pauses *p);

struct pauses_totals {
	uint64_t nr_pauses, nr_cut, nr_incomplete, nr_missed;
	uint64_t nr_late_returns; /* threads that came back only after their pause had been given
				     out */
};
void pauses_totals(const struct pauses *p, struct pauses_totals *ret);

#endif
