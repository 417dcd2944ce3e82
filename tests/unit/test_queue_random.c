/* SPDX-License-Identifier: BSD-2-Clause */
/* The replay against a simulation that goes from tick to tick and knows nothing of heaps. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "tests/lib/random.h"
#include "user/attribution/queue.h"
#include "user/attribution/queue_backlog.h"
#include "user/attribution/queue_pieces.h"

#define REQUESTS 60
#define SEGMENTS 4
#define WINDOWS	 5
#define SERVERS	 4
#define TICKS	 4000
#define NOBODY	 0xff /* in away[] and did[]: present; did nothing */

struct story {
	uint32_t nr_servers;
	struct queue_segment segments[REQUESTS][SEGMENTS];
	struct queue_request requests[REQUESTS];
	struct queue_interval windows[WINDOWS];
	uint8_t away[TICKS]; /* cause */
};

struct server {
	int request; /* -1: free */
	size_t segment;
	uint64_t done; /* of the segment */
};

struct telling {
	struct queue_span spans[REQUESTS];
	uint8_t did[REQUESTS][TICKS]; /* cause, | 0x80 elsewhere */
};

static void make_story(struct story *s, uint64_t *random)
{
	uint64_t load = 1 + random_next(random) % 8, at = 0;

	memset(s, 0, sizeof(*s));
	memset(s->away, NOBODY, sizeof(s->away));
	s->nr_servers = 1 + (uint32_t)(random_next(random) % SERVERS);
	for (size_t i = 0; i < WINDOWS; i++) {
		struct queue_interval *w = &s->windows[i];

		w->from_ns = at + random_next(random) % 60;
		w->to_ns = at = w->from_ns + random_next(random) % 30;
		w->cause = (uint8_t)(random_next(random) % 3);
		memset(&s->away[w->from_ns], w->cause, w->to_ns - w->from_ns);
	}
	at = 0;
	for (size_t i = 0; i < REQUESTS; i++) {
		at += random_next(random) % (load + 1);
		s->requests[i] = (struct queue_request){at, s->segments[i],
							random_next(random) % (SEGMENTS + 1)};
		for (size_t j = 0; j < s->requests[i].nr; j++) {
			struct queue_segment *segment = &s->segments[i][j];

			segment->cause = (uint8_t)(random_next(random) % NR_QUEUE_CAUSES);
			segment->ns = random_next(random) % 7;
			segment->elsewhere = random_next(random) % 4 == 0;
		}
	}
}

/* Pass over what is done or takes no time. */
static const struct queue_segment *current(const struct story *s, struct server *server,
					   uint32_t mask)
{
	const struct queue_request *r = &s->requests[server->request];

	while (server->segment < r->nr) {
		const struct queue_segment *segment = &r->segments[server->segment];

		if (!(mask & QUEUE_MASK(segment->cause)) && server->done < segment->ns)
			return segment;
		server->segment++;
		server->done = 0;
	}
	return NULL;
}

/* At @tick: let those that are done go, and free servers take who waits. */
static void turn(const struct story *s, struct server *servers, uint32_t mask, uint64_t tick,
		 bool present, int *next, struct telling *ret)
{
	for (uint32_t k = 0; k < s->nr_servers; k++) {
		for (;;) {
			struct server *server = &servers[k];

			if (server->request >= 0) {
				if (current(s, server, mask))
					break;
				ret->spans[server->request].finish_ns = tick;
				server->request = -1;
			}
			if (!present || *next >= REQUESTS || s->requests[*next].arrival_ns > tick)
				break;
			ret->spans[*next].start_ns = tick;
			*server = (struct server){.request = (*next)++};
		}
	}
}

static void tell(const struct story *s, uint32_t mask, struct telling *ret)
{
	struct server servers[SERVERS];
	int next = 0;

	memset(ret, NOBODY, sizeof(*ret));
	for (size_t k = 0; k < SERVERS; k++)
		servers[k] = (struct server){.request = -1};
	for (uint64_t tick = 0; tick < TICKS; tick++) {
		bool present = s->away[tick] == NOBODY || mask & QUEUE_MASK(s->away[tick]);

		turn(s, servers, mask, tick, present, &next, ret);
		for (uint32_t k = 0; k < s->nr_servers; k++) {
			const struct queue_segment *segment =
				servers[k].request < 0 ? NULL : current(s, &servers[k], mask);

			if (!segment || (!present && !segment->elsewhere))
				continue;
			servers[k].done++;
			ret->did[servers[k].request][tick] =
				(uint8_t)(segment->cause | (segment->elsewhere ? 0x80 : 0));
		}
	}
}

static struct queue *new_queue(const struct story *s, const uint32_t *masks, size_t nr_masks)
{
	struct queue *q;

	cr_assert(zero(int, queue_new(s->nr_servers, masks, nr_masks, &q)));
	for (size_t i = 0; i < WINDOWS; i++)
		cr_assert(zero(int, queue_add_away(q, &s->windows[i])));
	return q;
}

#define MASKS 20

Test(queue_random, each_replay_is_what_happens_without_its_causes)
{
	static struct telling truth[MASKS];
	static struct story s;
	uint64_t random = 11;

	for (int round = 0; round < 400; round++) {
		uint32_t masks[MASKS];
		struct queue *q;

		make_story(&s, &random);
		for (size_t m = 0; m < MASKS; m++) {
			masks[m] = m < NR_QUEUE_CAUSES ? queue_backlog_masks[m]
						       : (uint32_t)random_next(&random) & 0xff;
			tell(&s, masks[m], &truth[m]);
		}
		q = new_queue(&s, masks, MASKS);
		for (size_t i = 0; i < REQUESTS; i++) {
			struct queue_span spans[MASKS];

			cr_assert(zero(int, queue_add(q, &s.requests[i], spans)));
			for (size_t m = 0; m < MASKS; m++) {
				cr_assert(eq(u64, spans[m].start_ns, truth[m].spans[i].start_ns),
					  "round %d, request %zu, mask %x", round, i, masks[m]);
				cr_assert(eq(u64, spans[m].finish_ns, truth[m].spans[i].finish_ns),
					  "round %d, request %zu, mask %x", round, i, masks[m]);
			}
		}
		queue_free(q);
	}
}

/* What a recording would show of a request: who did what from tick to tick, and, to be nested, a
 * later cause over all of it. */
static size_t intervals_of(const struct telling *t, size_t request, struct queue_interval *ret)
{
	const struct queue_span *span = &t->spans[request];
	size_t nr = 0;

	for (uint64_t tick = span->start_ns; tick < span->finish_ns; tick++) {
		uint8_t did = t->did[request][tick];

		if (did != NOBODY && (did & 0x7f) != QUEUE_LOAD)
			ret[nr++] = (struct queue_interval){tick, tick + 1, did & 0x7f,
							    (did & 0x80) != 0};
		else if (did != NOBODY && did & 0x80)
			ret[nr++] = (struct queue_interval){tick, tick + 1, QUEUE_LOAD, true};
	}
	return nr;
}

Test(queue_random, a_replay_of_what_was_seen_is_what_was_seen_and_its_parts_add_up)
{
	static struct queue_interval seen[TICKS];
	static struct telling truth;
	static struct story s;
	uint64_t random = 12, nr_waits = 0;
	struct queue_pieces p = {0};

	for (int round = 0; round < 1000; round++) {
		struct queue *q;

		make_story(&s, &random);
		tell(&s, 0, &truth);
		q = new_queue(&s, queue_backlog_masks, NR_QUEUE_CAUSES);
		for (size_t i = 0; i < REQUESTS; i++) {
			struct queue_span spans[NR_QUEUE_CAUSES], real = truth.spans[i];
			uint64_t shift = random_next(&random) % 3; /* taken later than it says */
			struct queue_request request = {.arrival_ns = s.requests[i].arrival_ns};
			struct queue_backlog b;
			int64_t sum = 0;

			cr_assert(
				zero(int, queue_pieces_service(&p, real.start_ns, real.finish_ns,
							       seen, intervals_of(&truth, i, seen),
							       s.windows, WINDOWS)));
			request.segments = p.segments;
			request.nr = p.nr_segments;
			cr_assert(zero(int, queue_add(q, &request, spans)));
			cr_assert(eq(u64, spans[0].start_ns, real.start_ns));
			cr_assert(eq(u64, spans[0].finish_ns, real.finish_ns));
			queue_backlog(spans, request.arrival_ns, real.start_ns + shift, &b);
			cr_assert(eq(u64, b.nr_negative, 0));
			cr_assert(eq(i64, b.misfit_ns, (int64_t)shift));
			for (unsigned int c = 0; c < NR_QUEUE_CAUSES; c++)
				sum += (int64_t)b.of_ns[c];
			cr_assert(eq(i64, sum + b.misfit_ns, b.wait_ns));
			nr_waits += b.wait_ns > (int64_t)shift;
		}
		queue_free(q);
	}
	cr_expect(gt(u64, nr_waits, 10000), "only %lu waited", (unsigned long)nr_waits);
	queue_pieces_free(&p);
}
