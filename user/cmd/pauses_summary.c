/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "user/cmd/pauses.h"

/* The row of this operation and cause; when there are too many of them, the last one takes the
 * rest. */
static struct pause_kind_row *kind_of(struct pauses_summary *s, const struct pause *pause)
{
	struct pause_kind_row *kind;

	for (size_t i = 0; i < s->nr_kinds; i++)
		if (!strcmp(s->kinds[i].operation, pause->operation) &&
		    !strcmp(s->kinds[i].cause, pause->cause))
			return &s->kinds[i];
	if (s->nr_kinds == KINDS_MAX)
		return &s->kinds[KINDS_MAX - 1];
	kind = &s->kinds[s->nr_kinds++];
	if (s->nr_kinds == KINDS_MAX) {
		snprintf(kind->operation, sizeof(kind->operation), "(all others)");
		return kind;
	}
	memcpy(kind->operation, pause->operation, sizeof(kind->operation));
	memcpy(kind->cause, pause->cause, sizeof(kind->cause));
	return kind;
}

static struct jvm_tally *tally_of(struct pauses_summary *s, uint32_t tgid)
{
	for (size_t i = 0; i < s->nr_jvms; i++)
		if (s->jvms[i].tgid == tgid)
			return &s->jvms[i];
	if (s->nr_jvms == ACCOUNT_TARGETS_MAX)
		return NULL;
	s->jvms[s->nr_jvms].tgid = tgid;
	return &s->jvms[s->nr_jvms++];
}

static void tally_add(struct jvm_tally *tally, const struct account_target *target,
		      const struct pause_row *row)
{
	const struct pause *pause = &row->pause;

	tally->nr++;
	tally->sum_ns += row->duration_ns;
	if (!pause->begin_ns)
		return;
	tally->begins[tally->nr_begun++ % BEGINS_KEPT] = pause->begin_ns;
	if (target && target->has_first && pause->begin_ns <= target->first_ns)
		tally->nr_before_first = tally->nr_begun;
	if (!pause->nr_safepoints)
		return;
	tally->last = (struct tally_mark){true, pause->nr_safepoints, tally->nr_begun};
	if (!tally->first.known) /* the count before it grew */
		tally->first =
			(struct tally_mark){true, pause->nr_safepoints - 1, tally->nr_begun - 1};
}

void summary_add(struct pauses_summary *s, const struct account *account,
		 const struct pause_row *row)
{
	const struct pause *pause = &row->pause;
	struct pause_kind_row *kind = kind_of(s, pause);
	struct jvm_tally *tally = tally_of(s, pause->tgid);

	if (row->has_duration && row->duration_ns > s->duration.max)
		s->max_at_ns = pause->begin_ns;
	if (row->has_duration)
		histogram_add(&s->duration, row->duration_ns);
	if (row->has_phases)
		histogram_add(&s->reaching, row->reaching_ns);
	if (row->has_lost)
		histogram_add(&s->lost, pause->lost_ns);
	kind->nr++;
	kind->nr_timed += row->has_duration;
	kind->sum_ns += row->duration_ns;
	kind->max_ns = row->duration_ns > kind->max_ns ? row->duration_ns : kind->max_ns;
	s->nr++;
	s->nr_cut += pause->cut;
	s->nr_incomplete += pause->incomplete;
	s->nr_missed += pause->missed_before;
	s->nr_stopped += pause->nr_stopped;
	s->nr_source[pause->source]++;
	s->nr_release[pause->release_source]++;
	s->nr_sync[pause->sync_source]++;
	s->throttled_ns += row->op_throttled_ns;
	s->operation_ns += row->operation_ns;
	if (tally)
		tally_add(tally, account_target(account, pause->tgid), row);
}

/* The pauses begun by then: only a few of the newest can be later. */
static struct tally_mark mark_at_end(const struct jvm_tally *tally,
				     const struct account_target *target)
{
	size_t kept = tally->nr_begun < BEGINS_KEPT ? tally->nr_begun : BEGINS_KEPT;
	uint64_t nr_later = 0;

	for (size_t i = 0; i < kept; i++)
		nr_later += tally->begins[i] > target->last_ns;
	return (struct tally_mark){nr_later < BEGINS_KEPT, target->last_count,
				   tally->nr_begun - nr_later};
}

/* The earliest the count is known: read by the recorder, or told by the first pause when that came
 * before. */
static struct tally_mark first_mark(const struct jvm_tally *tally,
				    const struct account_target *target)
{
	struct tally_mark read = {target->has_first, target->first_count, tally->nr_before_first};

	return read.known && (!tally->first.known || read.nr_begun <= tally->first.nr_begun)
		       ? read
		       : tally->first;
}

/* The latest: read at the end, or told by the last pause when the JVM or the recorder ended without
 * one. */
static struct tally_mark last_mark(const struct jvm_tally *tally, const struct account *account,
				   const struct account_target *target)
{
	struct tally_mark read = mark_at_end(tally, target);

	if (account->end.reason == END_NONE || !target->has_last || !read.known)
		return tally->last;
	return tally->last.known && tally->last.nr_begun > read.nr_begun ? tally->last : read;
}

enum agreement summary_check(const struct jvm_tally *tally, const struct account *account,
			     uint64_t *ret_counted, uint64_t *ret_found)
{
	static const struct account_target nothing_read;
	const struct account_target *target = account_target(account, tally->tgid);
	struct tally_mark first, last;

	if (!target)
		target = &nothing_read;
	first = first_mark(tally, target);
	last = last_mark(tally, account, target);
	if (!first.known || !last.known || last.nr_begun < first.nr_begun ||
	    last.counted < first.counted)
		return NOT_CHECKED;
	*ret_counted = last.counted - first.counted;
	*ret_found = last.nr_begun - first.nr_begun;
	return *ret_counted == *ret_found ? AGREES : DIFFERS;
}
