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
	if (!target || !target->has_first || pause->begin_ns <= target->first_ns)
		return;
	tally->begins[tally->nr_begun++ % BEGINS_KEPT] = pause->begin_ns;
	if (!pause->nr_safepoints)
		return;
	tally->counted_nr = tally->nr_begun;
	tally->counted = pause->nr_safepoints;
	tally->has_counted = true;
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
	histogram_add(&s->lost, pause->lost_ns);
	kind->nr++;
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

/* Of the pauses begun after the first reading, those that began before the last one: only a few can
 * be later. */
static bool begun_by(const struct jvm_tally *tally, uint64_t by_ns, uint64_t *ret)
{
	size_t kept = tally->nr_begun < BEGINS_KEPT ? tally->nr_begun : BEGINS_KEPT;
	uint64_t later = 0;

	for (size_t i = 0; i < kept; i++)
		later += tally->begins[i] > by_ns;
	*ret = tally->nr_begun - later;
	return later < BEGINS_KEPT;
}

enum agreement summary_check(const struct jvm_tally *tally, const struct account *account,
			     uint64_t *ret_counted, uint64_t *ret_found)
{
	const struct account_target *target = account_target(account, tally->tgid);

	if (!target || !target->has_first)
		return NOT_CHECKED;
	if (account->end.reason != END_NONE && target->has_last &&
	    begun_by(tally, target->last_ns, ret_found))
		*ret_counted = target->last_count - target->first_count;
	else if (tally->has_counted) { /* the JVM or the recorder ended first: up to its own last
					  word */
		*ret_counted = tally->counted - target->first_count;
		*ret_found = tally->counted_nr;
	} else {
		return NOT_CHECKED;
	}
	return *ret_counted == *ret_found ? AGREES : DIFFERS;
}
