/* SPDX-License-Identifier: BSD-2-Clause */
/* When a thread was at work, a process in pauses, and records were lost. */
#include "user/attribution/conditions_store.h"

/* Disjoint: what overlaps is one. They come by their end. */
static int put_merged(struct condition_list *list, uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns >= to_ns)
		return 0;
	while (list->nr && list->at[list->nr - 1].to_ns >= from_ns) {
		const struct condition *last = &list->at[--list->nr];

		if (last->from_ns < from_ns)
			from_ns = last->from_ns;
		if (last->to_ns > to_ns)
			to_ns = last->to_ns;
	}
	return condition_list_put(list, &(struct condition){.from_ns = from_ns, .to_ns = to_ns});
}

/* When @thread first waited for work in [@from_ns, @to_ns), or nothing is known of it; @to_ns:
 * never. */
static uint64_t idle_since(const struct thread_past *thread, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t nr = past_after(&thread->spans, from_ns), known_ns = from_ns;

	for (; nr < thread->spans.end; nr++) {
		const struct past *span = past_at(&thread->spans, nr);
		bool idle = span->what == REASON_EPOLL || span->what == REASON_ACCEPT ||
			    span->what == REASON_SOCKET_READ || span->what == REASON_UNKNOWN ||
			    (span->what == REASON_PARKED && !(span->flags & PAST_BARRIER) &&
			     !past_holding(&thread->stops, span->from_ns));

		if (span->from_ns > known_ns)
			return known_ns; /* overwritten */
		if (idle)
			return span->from_ns > from_ns ? span->from_ns : from_ns;
		if (span->to_ns >= to_ns)
			return to_ns;
		known_ns = span->to_ns;
	}
	if (known_ns < thread->seen_ns) /* it has run since */
		known_ns = thread->seen_ns;
	return known_ns < to_ns ? known_ns : to_ns;
}

uint64_t condition_store_busy_until(const struct condition_store *s, uint32_t tid, uint64_t ns)
{
	const struct thread_past *thread = past_of(s, tid);
	uint64_t nr, until_ns;

	if (!thread)
		return ns;
	nr = past_after(&thread->work, ns);
	if (nr == thread->work.first && nr)
		return ns; /* what came next is overwritten */
	if (nr < thread->work.end)
		until_ns = past_at(&thread->work, nr)->from_ns;
	else
		until_ns = thread->spans.end > thread->spans.first
				   ? past_at(&thread->spans, thread->spans.end - 1)->to_ns
				   : ns;
	return until_ns > ns ? idle_since(thread, ns, until_ns) : ns;
}

int condition_store_at_work(const struct condition_store *s, uint32_t tid, uint64_t from_ns,
			    uint64_t to_ns, struct condition_list *ret)
{
	const struct thread_past *thread = past_of(s, tid);
	uint64_t nr;
	int err = 0;

	ret->nr = 0;
	if (!thread)
		return 0;
	nr = past_after(&thread->work, from_ns);
	if (nr > thread->work.first)
		nr--; /* over, but it may not have gone idle since */
	for (; nr < thread->work.end && !err; nr++) {
		const struct past *work = past_at(&thread->work, nr);
		bool last = nr + 1 == thread->work.end;
		uint64_t next_ns = last ? to_ns : past_at(&thread->work, nr + 1)->from_ns;
		uint64_t until_ns;

		if (work->from_ns >= to_ns)
			break;
		if (next_ns > to_ns)
			next_ns = to_ns;
		until_ns = next_ns > work->to_ns ? idle_since(thread, work->to_ns, next_ns)
						 : work->to_ns;
		err = put_merged(ret, work->from_ns > from_ns ? work->from_ns : from_ns,
				 until_ns < to_ns ? until_ns : to_ns);
	}
	return err;
}

int condition_store_pauses(const struct condition_store *s, uint32_t tgid, uint64_t from_ns,
			   uint64_t to_ns, struct condition_list *ret)
{
	const struct process_past *process = map_get(&s->processes, tgid);
	uint64_t nr;
	int err = 0;

	ret->nr = 0;
	if (!process)
		return 0;
	nr = past_after(&process->pieces, from_ns);
	while (nr > process->pieces.first) /* the one before, if it has one */
		if (past_at(&process->pieces, --nr)->flags & PAST_WIDE)
			break;
	for (; nr < process->pieces.end && !err; nr++) {
		const struct past *piece = past_at(&process->pieces, nr);

		if (piece->from_ns >= to_ns)
			break;
		if (piece->flags & PAST_WIDE)
			err = condition_list_put(ret, &(struct condition){.from_ns = piece->from_ns,
									  .to_ns = piece->to_ns,
									  .pause_nr = piece->nr,
									  .cause = piece->what});
	}
	return err;
}

static int put_ring(const struct past_ring *ring, uint8_t flags, uint64_t from_ns, uint64_t to_ns,
		    struct condition_list *ret)
{
	int err = 0;

	for (uint64_t nr = past_after(ring, from_ns); nr < ring->end && !err; nr++) {
		const struct past *past = past_at(ring, nr);
		struct condition piece = {
			.from_ns = past->from_ns > from_ns ? past->from_ns : from_ns,
			.to_ns = past->to_ns < to_ns ? past->to_ns : to_ns,
			.pause_nr = past->nr,
			.cause = past->what,
		};

		if (piece.from_ns < piece.to_ns && (past->flags & flags) == flags)
			err = condition_list_put(ret, &piece);
	}
	return err;
}

int condition_store_away(const struct condition_store *s, uint32_t tgid, uint64_t from_ns,
			 uint64_t to_ns, struct condition_list *ret)
{
	const struct process_past *process = map_get(&s->processes, tgid);
	int err;

	ret->nr = 0;
	if (!process)
		return 0;
	err = put_ring(&process->pieces, PAST_WIDE, from_ns, to_ns, ret);
	return err ? err : put_ring(&process->away, 0, from_ns, to_ns, ret);
}

int condition_store_losses(const struct condition_store *s, uint64_t from_ns, uint64_t to_ns,
			   struct condition_list *ret)
{
	int err = 0;

	ret->nr = 0;
	for (uint64_t nr = past_after(&s->losses, from_ns); nr < s->losses.end && !err; nr++) {
		const struct past *loss = past_at(&s->losses, nr);

		if (loss->from_ns < to_ns)
			err = put_merged(ret, loss->from_ns > from_ns ? loss->from_ns : from_ns,
					 loss->to_ns < to_ns ? loss->to_ns : to_ns);
	}
	return err;
}
