/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/cmd/report.h"

static bool shorter(const struct report_sums *s, size_t a, size_t b)
{
	return s->worst[a].response_ns < s->worst[b].response_ns;
}

static void swap(struct report_sums *s, size_t a, size_t b)
{
	struct report_worst row = s->worst[a];

	s->worst[a] = s->worst[b];
	s->worst[b] = row;
}

static void sift_down(struct report_sums *s, size_t nr)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < nr) {
		if (child + 1 < nr && shorter(s, child + 1, child))
			child++;
		if (!shorter(s, child, at))
			return;
		swap(s, at, child);
		at = child;
	}
}

static void sift_up(struct report_sums *s, size_t at)
{
	for (; at && shorter(s, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(s, at, (at - 1) / 2);
}

static void put_worst(struct report_sums *s, const struct request_row *row,
		      const struct split_result *result)
{
	struct report_worst worst = {
		.begin_ns = result->begin_ns,
		.response_ns = result->end_ns - result->begin_ns,
		.split = result->split,
	};

	if (s->nr_worst == s->worst_limit &&
	    (!s->nr_worst || worst.response_ns <= s->worst[0].response_ns))
		return;
	memcpy(worst.id, row->id, sizeof(worst.id));
	memcpy(worst.label, row->label, sizeof(worst.label));
	memcpy(worst.reader, row->reader, sizeof(worst.reader));
	if (s->nr_worst < s->worst_limit) {
		s->worst[s->nr_worst] = worst;
		sift_up(s, s->nr_worst++);
		return;
	}
	s->worst[0] = worst;
	sift_down(s, s->nr_worst);
}

/* Its own time in pauses, and its wait for those that had been in one: by the replay, what it would
 * not have taken had there been none. */
static uint64_t in_pauses_ns(const struct split *split)
{
	uint64_t ns = 0;

	for (enum cause cause = CAUSE_PAUSE; cause <= CAUSE_PAUSE_FAULT; cause++)
		ns += split->ns[cause];
	return ns + split->ns[CAUSE_BACKLOG_PAUSE];
}

/* Waiting for a connection is the queue's part, not lateness. */
static void add_lateness(struct report_sums *s, const struct schedule_request *entry)
{
	uint64_t due_ns = entry->intended_ns;

	if (entry->sent_ns == SCHEDULE_UNKNOWN || due_ns == SCHEDULE_UNKNOWN)
		return;
	if (entry->conn_wait_ns != SCHEDULE_UNKNOWN)
		due_ns += entry->conn_wait_ns;
	if (entry->sent_ns < due_ns)
		s->nr_early++;
	else
		histogram_add(&s->lateness, entry->sent_ns - due_ns);
}

uint64_t report_without_pauses_ns(const struct split_result *result)
{
	return result->end_ns - result->begin_ns - in_pauses_ns(&result->split);
}

int report_sums_add(struct report_sums *s, const struct request_row *row,
		    const struct schedule_request *entry, const struct split_result *result)
{
	uint64_t response_ns = result->end_ns - result->begin_ns;

	if (!s->worst && s->worst_limit) {
		s->worst = calloc(s->worst_limit, sizeof(*s->worst));
		if (!s->worst)
			return -ENOMEM;
	}
	histogram_add(&s->response, response_ns);
	histogram_add(&s->without_pauses, report_without_pauses_ns(result));
	if (entry && entry->sent_ns != SCHEDULE_UNKNOWN && result->end_ns >= entry->sent_ns)
		histogram_add(&s->service, result->end_ns - entry->sent_ns);
	if (entry)
		add_lateness(s, entry);
	if (!s->first_ns || result->begin_ns < s->first_ns)
		s->first_ns = result->begin_ns;
	if (result->begin_ns > s->last_ns)
		s->last_ns = result->begin_ns;
	s->nr_crossed_far += result->crossed_ns > SPLIT_CROSSED_MAX_NS;
	split_add(&s->all, &result->split);
	report_bill_request(&s->bill, row->id, result);
	put_worst(s, row, result);
	return ranking_add(&s->ranking, &result->split);
}

void report_sums_sort(struct report_sums *s)
{
	for (size_t nr = s->nr_worst; nr > 1; nr--) {
		swap(s, 0, nr - 1);
		sift_down(s, nr - 1);
	}
}

void report_sums_free(struct report_sums *s)
{
	ranking_free(&s->ranking);
	report_bill_free(&s->bill);
	free(s->worst);
}
