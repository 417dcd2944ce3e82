/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of pauses.h, shared by the files that make it up: the list of pauses (pauses.c), what
 * each record means to it (pause_event.c), and the two state machines that find pauses
 * (pause_usdt.c, pause_futex.c).
 */
#ifndef STANDSTILL_TIMELINE_PAUSE_JVM_H
#define STANDSTILL_TIMELINE_PAUSE_JVM_H

#include "user/timeline/pause_list.h"
#include "user/timeline/pause_stop.h"

struct futex_state;

#define LAGS_KEPT 32

struct pause_jvm {
	uint32_t tgid;
	uint32_t vm_tid;
	enum pause_source source;
	struct event_jvm_counters counters; /* the last seen */
	bool has_counters;
	bool fresh_counters;		 /* came just before the event that is handled now */
	struct event_jvm_counters first; /* read by the recorder when it began */
	bool has_first;
	uint64_t last_counted; /* sun.rt.safepoints as the recorder last read it; 0: never */
	uint64_t given_ns;     /* the last pause given out was closed then */
	/* USDT */
	uint64_t lags_ns[LAGS_KEPT]; /* of the last pauses: from the operation's end to the first
					wake */
	size_t nr_lags;		     /* ever */
	struct stop *open;	     /* begun, not ended; also in the list of pauses */
	struct event_jvm_counters begin_counters;
	bool has_begin_counters;
	uint64_t counted;     /* sun.rt.safepoints at the last known point; 0: none */
	uint32_t depth;	      /* of operations in operations */
	uint32_t request_tid; /* asked for the next operation */
	char request_name[EVENT_NAME_BYTES];
	uint64_t
		unmatched_end_ns; /* an operation ended then, of a pause whose begin was not seen */
	char unmatched_name[EVENT_NAME_BYTES];
	/* futex */
	struct futex_state *futex; /* NULL until the first such event */
};

#define LOSSES_KEPT 16
#define LISTED_MAX  8192

struct loss {
	uint64_t from_ns, to_ns;
};

struct pauses {
	pause_fn *fn;
	void *arg;
	struct map jvms; /* struct pause_jvm by tgid */
	struct pause_jvm *last_jvm;
	struct pause_list list;
	struct span_ring ring;
	uint64_t credit; /* spans that may be looked at once more */
	uint64_t now_ns;
	uint64_t nr; /* pauses so far */
	struct loss losses[LOSSES_KEPT];
	size_t nr_losses;
	struct pauses_totals totals;
};

/* ---- pauses.c ---- */

struct pause_jvm *pauses_jvm(struct pauses *p, uint32_t tgid); /* NULL: none of that tgid */

/* A new pause in the list; @begin_ns 0: it began before the recording did. NULL: out of memory. */
struct stop *pauses_begin(struct pauses *p, struct pause_jvm *jvm, enum pause_source source,
			  uint64_t begin_ns);

/* Its end is known at @closed_ns: take in the spans since its begin. 0 or -ENOMEM. */
int pauses_close(struct pauses *p, struct stop *stop, uint64_t closed_ns);

/* The pause whose barrier @off was spent at: the last of its process to begin before it was woken.
 * NULL: none. */
struct stop *pauses_find(const struct pauses *p, const struct event_offcpu *off);

/* The pause whose operation the thread of @off had asked for, and waited for in @off. NULL: none.
 */
struct stop *pauses_find_requested(const struct pauses *p, const struct event_offcpu *off);

/* Nothing more comes of this JVM. 0 or -ENOMEM. */
int pauses_end_jvm(struct pauses *p, struct pause_jvm *jvm, uint64_t end_ns);

/* ---- pause_event.c: one record. 0 or -ENOMEM ---- */
int pauses_dispatch(struct pauses *p, const struct event_hdr *event);

/* ---- pause_usdt.c: one event each. 0 or -ENOMEM ---- */
int usdt_event(struct pauses *p, struct pause_jvm *jvm, const struct event_jvm *event);

/* Nothing more comes of this JVM: its open pause is cut at @end_ns. */
int usdt_end(struct pauses *p, struct pause_jvm *jvm, uint64_t end_ns);

/* ---- pause_futex.c ---- */
int futex_event(struct pauses *p, struct pause_jvm *jvm, const struct event_vm_futex *event);
int futex_counters(struct pauses *p, struct pause_jvm *jvm, const struct event_jvm_counters *event);

/* @off is a wait at a barrier whose pause is not known yet: kept for it, and evidence of which word
 * the barrier is. */
int futex_barrier_wait(struct pauses *p, struct pause_jvm *jvm, const struct event_offcpu *off);

/* @off is a back-off sleep of the VM Thread. */
int futex_sleep(struct pauses *p, struct pause_jvm *jvm, const struct event_offcpu *off);

/* Nothing more comes: decide on what there is. */
int futex_end(struct pauses *p, struct pause_jvm *jvm, uint64_t end_ns);
void futex_free(struct futex_state *futex);

#endif
