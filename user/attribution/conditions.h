/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the threads of a recording were in: records, spans, pauses and finished requests in, in
 * order of time; for any thread and stretch of the last seconds its conditions out, as
 * user/attribution/split.h wants them. Bounded: conditions_ring.h a thread; what is older is not
 * known any more, which the conditions show as a gap. Rules: docs/attribution.md.
 */
#ifndef STANDSTILL_ATTRIBUTION_CONDITIONS_H
#define STANDSTILL_ATTRIBUTION_CONDITIONS_H

#include "user/attribution/split.h"
#include "user/timeline/pauses.h"
#include "user/timeline/request.h"

struct condition_store;

struct condition_list { /* {0} is an empty one, to be used again and again */
	struct condition *at;
	size_t nr, room;
};

static inline struct conditions conditions_of_list(const struct condition_list *list)
{
	return (struct conditions){list->at, list->nr};
}

struct condition_store *condition_store_new(void);

/* Each 0 or -ENOMEM. Requests as they are given out: served ones say when a thread was at work,
 * those to somebody else when it waited for an answer. */
int condition_store_event(struct condition_store *s, const struct event_hdr *event);
int condition_store_span(struct condition_store *s, const struct thread *thread,
			 const struct span *span);
int condition_store_pause(struct condition_store *s, const struct pause *pause);
int condition_store_request(struct condition_store *s, const struct request *request);
void condition_store_gone(struct condition_store *s, uint32_t tid);

/*
 * Put into @ret, from its begin, sorted and disjoint. Each 0 or -ENOMEM. Of a thread @tid in
 * [@from_ns, @to_ns): what it was in, and when it was at work on requests that it had begun before
 * @to_ns, until it went idle.
 */
int condition_store_of(const struct condition_store *s, uint32_t tid, uint64_t from_ns,
		       uint64_t to_ns, struct condition_list *ret);
int condition_store_at_work(const struct condition_store *s, uint32_t tid, uint64_t from_ns,
			    uint64_t to_ns, struct condition_list *ret);

/* The pauses of a process, synchronized to released, that touch the stretch, and the one before. */
int condition_store_pauses(const struct condition_store *s, uint32_t tgid, uint64_t from_ns,
			   uint64_t to_ns, struct condition_list *ret);

/* Until when @tid went on with what it had been at when @ns came: until it took up the next request
 * that is known of it, went idle, or nothing is known of it any more. */
uint64_t condition_store_busy_until(const struct condition_store *s, uint32_t tid, uint64_t ns);

/* When a process as a whole could not run: its pauses, its stops, and where the quota kept any of
 * its threads from running. These may overlap, and come in no order. */
int condition_store_away(const struct condition_store *s, uint32_t tgid, uint64_t from_ns,
			 uint64_t to_ns, struct condition_list *ret);

/* When records were lost. */
int condition_store_losses(const struct condition_store *s, uint64_t from_ns, uint64_t to_ns,
			   struct condition_list *ret);

int condition_list_put(struct condition_list *list, const struct condition *condition);
void condition_list_free(struct condition_list *list);
void condition_store_free(struct condition_store *s);

#endif
