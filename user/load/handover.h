/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the threads that send to the process that writes: memory that both share. The senders keep
 * every request they have planned in here from the start (a flight), and hand it over once its fate
 * is known; nobody waits for anybody, and no lock is taken. Since the reader is a process of its
 * own, nothing is lost when the sending one is killed, not even what was in flight.
 *
 * Each thread fills chunks of requests; the reader follows each request by request, and gives
 * chunks back. When the reader falls behind, a thread takes more chunks, up to a bound; beyond it
 * requests are lost, and counted.
 */
#ifndef STANDSTILL_LOAD_HANDOVER_H
#define STANDSTILL_LOAD_HANDOVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "user/import/schedule.h"

#define HANDOVER_CHUNK_REQUESTS 1024
#define HANDOVER_BYTES		(256ull << 20) /* of chunks, all threads together */

struct connection;

enum flight_state {
	FLIGHT_FREE = 0,
	FLIGHT_LIVE, /* planned, and its fate is open */
	FLIGHT_TOLD, /* handed over, but its connection may still give an answer that nobody waits
			for */
};

/* A request that has been planned. */
struct flight {
	struct schedule_request request;
	struct flight *older,
		*newer;	     /* of all live ones of the thread, in the order they were planned */
	struct flight *next; /* in the queue, or of its connection */
	struct connection *connection;
	uint32_t message;
	_Atomic uint32_t state;
};

struct handover_chunk {
	_Atomic uint32_t nr;
	struct schedule_request requests[HANDOVER_CHUNK_REQUESTS];
};

/* What a thread counts; read by others while it runs. */
enum load_count {
	COUNT_PLANNED,	   /* requests */
	COUNT_OMITTED,	   /* requests that the planner forgot */
	COUNT_REPLANS,	   /* how often it did */
	COUNT_LOST,	   /* requests that found no chunk: not in the schedule */
	COUNT_OPENED,	   /* connections that came to be */
	COUNT_UNSOLICITED, /* connections closed since bytes came that nobody had asked for */
	COUNT_NOT_OPEN_NS, /* time during which a request waited since no connection was free and
			      none could be opened */
	COUNT_IN_FLIGHT_MAX,
	COUNT_CPU_NS,	    /* of the thread */
	COUNT_RUN_QUEUE_NS, /* during which it waited for a CPU */
	NR_LOAD_COUNTS,
};

struct handover_thread {
	/* The sender's. */
	_Atomic uint64_t counts[NR_LOAD_COUNTS];
	_Atomic uint64_t nr_opened; /* chunks put into use, ever */
	uint64_t nr_reused;	    /* of those, taken from the returned ones */
	uint32_t nr_chunks;	    /* made so far */
	uint32_t *opened;	    /* ring: which chunks they were */
	struct handover_chunk *chunk;
	struct flight *flights, *free, *oldest, *newest;
	_Atomic uint32_t nr_flights; /* touched so far */
	uint32_t max_flights;
	uint32_t nr_live;

	/* The reader's. */
	_Alignas(64) _Atomic uint64_t nr_returned;
	uint64_t nr_done; /* chunks read to their end, ever */
	uint32_t nr_read; /* requests read of the chunk after those */
	uint64_t last_seq;
	uint32_t *returned; /* ring */

	/* Nobody's any more. */
	struct handover_chunk *chunks;
	uint32_t max_chunks;
};

/* What a run has cost besides its threads; set before done. */
struct handover_cost {
	uint64_t cpu_ns; /* of the whole sending process */
	uint64_t throttled_ns,
		nr_throttled; /* of its cgroup, during the run; SCHEDULE_UNKNOWN: not known */
	uint64_t interrupted; /* the run was ended early */
};

struct handover {
	uint32_t nr_threads;
	struct handover_thread *threads;
	size_t bytes; /* of all, most of it never touched */
	_Atomic uint64_t
		start_ns;	 /* CLOCK_MONOTONIC of the first intended time; 0: not yet known */
	_Atomic uint32_t done;	 /* the senders have ended */
	_Atomic int write_error; /* of the reader\'s file: negative errno */
	struct handover_cost cost;
};

/* Room for @flights requests in flight a thread. 0 or -ENOMEM. The memory is shared with processes
 * forked later. */
int handover_create(uint32_t nr_threads, uint32_t flights, struct handover **ret);
void handover_free(struct handover *h);

/* The sender's side. NULL when @flights are live. */
struct flight *handover_plan(struct handover_thread *t, uint64_t seq, uint64_t intended_ns);

/* Its fate is known: hand @f over. It stays taken until handover_release(). */
void handover_tell(struct handover_thread *t, struct flight *f);
void handover_release(struct handover_thread *t, struct flight *f);

static inline void handover_count(struct handover_thread *t, enum load_count what, uint64_t more)
{
	/* One writer: no locked instruction is needed. */
	uint64_t was = atomic_load_explicit(&t->counts[what], memory_order_relaxed);

	atomic_store_explicit(&t->counts[what], was + more, memory_order_relaxed);
}

static inline void handover_set(struct handover_thread *t, enum load_count what, uint64_t value)
{
	atomic_store_explicit(&t->counts[what], value, memory_order_relaxed);
}

/* Sum over all threads (of IN_FLIGHT_MAX too: their maximum would say little). CPU and run queue
 * are SCHEDULE_UNKNOWN until a thread has ended, and where the kernel does not tell. */
uint64_t handover_total(const struct handover *h, enum load_count what);

/* The reader's side: the next request handed over by @t, valid until the next call; NULL when there
 * is none for now. */
const struct schedule_request *handover_next(struct handover_thread *t);

/* After the sender has ended or died: the requests still in flight. *at is 0 at first. NULL when
 * there is no more. */
const struct schedule_request *handover_unfinished(struct handover_thread *t, uint32_t *at);

#endif
