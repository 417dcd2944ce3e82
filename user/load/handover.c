/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "user/load/handover.h"

static size_t round_up(size_t bytes)
{
	return (bytes + 4095) & ~(size_t)4095;
}

/* Where each thread's parts lie; with @base NULL only how large they all are. */
static size_t lay_out(struct handover *h, char *base, uint32_t flights)
{
	uint32_t chunks =
		(uint32_t)(HANDOVER_BYTES / sizeof(struct handover_chunk) / h->nr_threads);
	size_t at = round_up(sizeof(*h));
	struct handover_thread *threads = (void *)(base + at);

	at += round_up(h->nr_threads * sizeof(*threads));
	for (uint32_t i = 0; i < h->nr_threads; i++) {
		size_t rings = at, chunk_bytes = round_up(chunks * sizeof(struct handover_chunk));
		size_t first_chunk = at + round_up(2 * chunks * sizeof(uint32_t));
		size_t first_flight = first_chunk + chunk_bytes;

		at = first_flight + round_up(flights * sizeof(struct flight));
		if (!base)
			continue;
		threads[i].opened = (void *)(base + rings);
		threads[i].returned = threads[i].opened + chunks;
		threads[i].chunks = (void *)(base + first_chunk);
		threads[i].max_chunks = chunks;
		threads[i].flights = (void *)(base + first_flight);
		threads[i].max_flights = flights;
		threads[i].last_seq = SCHEDULE_UNKNOWN;
		threads[i].counts[COUNT_CPU_NS] = SCHEDULE_UNKNOWN;
		threads[i].counts[COUNT_RUN_QUEUE_NS] = SCHEDULE_UNKNOWN;
	}
	if (base)
		h->threads = threads;
	return at;
}

int handover_create(uint32_t nr_threads, uint32_t flights, struct handover **ret)
{
	struct handover like = {.nr_threads = nr_threads}, *h;

	like.bytes = lay_out(&like, NULL, flights);
	h = mmap(NULL, like.bytes, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (h == MAP_FAILED)
		return -ENOMEM;
	h->nr_threads = nr_threads;
	h->bytes = like.bytes;
	lay_out(h, (char *)h, flights);
	*ret = h;
	return 0;
}

void handover_free(struct handover *h)
{
	if (h)
		munmap(h, h->bytes);
}

/* Those freed last are taken first: they are in the cache, and few are ever touched. */
static struct flight *take_flight(struct handover_thread *t)
{
	struct flight *f = t->free;
	uint32_t nr = atomic_load_explicit(&t->nr_flights, memory_order_relaxed);

	if (f) {
		t->free = f->next;
		return f;
	}
	if (nr == t->max_flights)
		return NULL;
	atomic_store_explicit(&t->nr_flights, nr + 1, memory_order_release);
	return &t->flights[nr];
}

struct flight *handover_plan(struct handover_thread *t, uint64_t seq, uint64_t intended_ns)
{
	struct flight *f = take_flight(t);

	if (!f)
		return NULL;
	f->request = (struct schedule_request){
		.seq = seq,
		.conn = SCHEDULE_UNKNOWN,
		.intended_ns = intended_ns,
		.sent_ns = SCHEDULE_UNKNOWN,
		.first_ns = SCHEDULE_UNKNOWN,
		.received_ns = SCHEDULE_UNKNOWN,
		.conn_wait_ns = SCHEDULE_UNKNOWN,
		.out_from = SCHEDULE_UNKNOWN,
		.out_to = SCHEDULE_UNKNOWN,
		.in_from = SCHEDULE_UNKNOWN,
		.in_to = SCHEDULE_UNKNOWN,
	};
	f->connection = NULL;
	f->next = f->newer = NULL;
	f->older = t->newest;
	*(t->newest ? &t->newest->newer : &t->oldest) = f;
	t->newest = f;
	if (++t->nr_live > t->counts[COUNT_IN_FLIGHT_MAX])
		handover_set(t, COUNT_IN_FLIGHT_MAX, t->nr_live);
	handover_count(t, COUNT_PLANNED, 1);
	atomic_store_explicit(&f->state, FLIGHT_LIVE, memory_order_release);
	return f;
}

/* Another chunk to fill: one that came back, or a new one. False at the bound. */
static bool open_chunk(struct handover_thread *t)
{
	uint64_t nr = atomic_load_explicit(&t->nr_opened, memory_order_relaxed);
	uint32_t index;

	if (t->nr_reused < atomic_load_explicit(&t->nr_returned, memory_order_acquire))
		index = t->returned[t->nr_reused++ % t->max_chunks];
	else if (t->nr_chunks < t->max_chunks)
		index = t->nr_chunks++;
	else
		return false;
	t->chunk = &t->chunks[index];
	atomic_store_explicit(&t->chunk->nr, 0, memory_order_relaxed);
	t->opened[nr % t->max_chunks] = index;
	atomic_store_explicit(&t->nr_opened, nr + 1, memory_order_release);
	return true;
}

static void hand_over(struct handover_thread *t, const struct schedule_request *request)
{
	uint32_t nr = t->chunk ? atomic_load_explicit(&t->chunk->nr, memory_order_relaxed)
			       : HANDOVER_CHUNK_REQUESTS;

	if (nr == HANDOVER_CHUNK_REQUESTS) {
		if (!open_chunk(t)) {
			handover_count(t, COUNT_LOST, 1);
			return;
		}
		nr = 0;
	}
	t->chunk->requests[nr] = *request;
	atomic_store_explicit(&t->chunk->nr, nr + 1, memory_order_release);
}

void handover_tell(struct handover_thread *t, struct flight *f)
{
	*(f->older ? &f->older->newer : &t->oldest) = f->newer;
	*(f->newer ? &f->newer->older : &t->newest) = f->older;
	t->nr_live--;
	hand_over(t, &f->request);
	/* Killed just here, the request is told twice: the reader knows the last one it read. */
	atomic_store_explicit(&f->state, FLIGHT_TOLD, memory_order_release);
}

void handover_release(struct handover_thread *t, struct flight *f)
{
	atomic_store_explicit(&f->state, FLIGHT_FREE, memory_order_release);
	f->next = t->free;
	t->free = f;
}

uint64_t handover_total(const struct handover *h, enum load_count what)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < h->nr_threads; i++) {
		uint64_t count =
			atomic_load_explicit(&h->threads[i].counts[what], memory_order_relaxed);

		if (count == SCHEDULE_UNKNOWN)
			return SCHEDULE_UNKNOWN;
		sum += count;
	}
	return sum;
}

const struct schedule_request *handover_next(struct handover_thread *t)
{
	for (;;) {
		uint64_t nr_opened = atomic_load_explicit(&t->nr_opened, memory_order_acquire);
		const struct schedule_request *request;
		struct handover_chunk *chunk;
		uint32_t index;

		if (t->nr_done == nr_opened)
			return NULL;
		index = t->opened[t->nr_done % t->max_chunks];
		chunk = &t->chunks[index];
		if (t->nr_read < atomic_load_explicit(&chunk->nr, memory_order_acquire)) {
			request = &chunk->requests[t->nr_read++];
			t->last_seq = request->seq;
			return request;
		}
		if (t->nr_read < HANDOVER_CHUNK_REQUESTS)
			return NULL;
		/* What was returned last time may still be read by our caller until now. */
		t->returned[atomic_load_explicit(&t->nr_returned, memory_order_relaxed) %
			    t->max_chunks] = index;
		t->nr_done++;
		t->nr_read = 0;
		atomic_fetch_add_explicit(&t->nr_returned, 1, memory_order_release);
	}
}

const struct schedule_request *handover_unfinished(struct handover_thread *t, uint32_t *at)
{
	uint32_t nr = atomic_load_explicit(&t->nr_flights, memory_order_acquire);

	while (*at < nr && *at < t->max_flights) {
		struct flight *f = &t->flights[(*at)++];

		if (atomic_load_explicit(&f->state, memory_order_acquire) == FLIGHT_LIVE &&
		    f->request.seq != t->last_seq)
			return &f->request;
	}
	return NULL;
}
