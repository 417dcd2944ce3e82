/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/cmd/report.h"

#define BILL_PAUSES_MAX 1000000 /* a third of a gigabyte; an hour has some thousand */

int report_bill_pause(struct report_bill *bill, const struct pause *pause)
{
	struct report_pause *row;

	bill->nr++;
	if (bill->pauses.nr >= BILL_PAUSES_MAX)
		return 0;
	row = calloc(1, sizeof(*row));
	if (!row || map_put(&bill->pauses, pause->nr, row)) {
		free(row);
		return -ENOMEM;
	}
	row->pause = *pause;
	row->pause.stopped = NULL;
	return 0;
}

const struct report_pause *report_bill_find(const struct report_bill *bill, uint64_t nr)
{
	return nr ? map_get(&bill->pauses, nr) : NULL;
}

static bool is_backlog(uint32_t cause)
{
	return cause >= CAUSE_BACKLOG_PAUSE && cause <= CAUSE_BACKLOG_LOAD;
}

/* Whether an earlier segment of the request was of this pause too; *ret_direct: and not by backlog.
 */
static bool seen_before(const struct split_result *result, size_t nr, uint64_t pause_nr,
			bool *ret_direct)
{
	bool seen = false;

	*ret_direct = false;
	for (size_t i = 0; i < nr; i++) {
		if (result->segments[i].pause_nr != pause_nr)
			continue;
		seen = true;
		*ret_direct |= !is_backlog(result->segments[i].cause);
	}
	return seen;
}

static void count(struct report_pause *row, bool direct, bool seen, bool seen_direct)
{
	if (direct && !seen_direct) {
		row->nr_direct++;
		row->nr_backlog -= seen; /* it was counted as that */
	} else if (!seen) {
		row->nr_backlog++;
	}
}

void report_bill_request(struct report_bill *bill, const char *id,
			 const struct split_result *result)
{
	uint64_t response_ns = result->end_ns - result->begin_ns;

	for (size_t i = 0; i < result->nr; i++) {
		const struct segment *segment = &result->segments[i];
		struct report_pause *row =
			segment->pause_nr ? map_get(&bill->pauses, segment->pause_nr) : NULL;
		bool seen_direct, seen;

		if (!row)
			continue;
		seen = seen_before(result, i, segment->pause_nr, &seen_direct);
		count(row, !is_backlog(segment->cause), seen, seen_direct);
		row->ns += segment->to_ns - segment->from_ns;
		if (response_ns > row->worst_ns) {
			row->worst_ns = response_ns;
			snprintf(row->worst_id, sizeof(row->worst_id), "%s", id);
		}
	}
}

static int dearer(const void *a, const void *b)
{
	const struct report_pause *const *one = a, *const *two = b;

	if ((*one)->ns != (*two)->ns)
		return (*one)->ns < (*two)->ns ? 1 : -1;
	return (*one)->pause.nr < (*two)->pause.nr ? -1 : 1;
}

size_t report_bill_dearest(const struct report_bill *bill, const struct report_pause **ret,
			   size_t nr)
{
	const struct report_pause **all = calloc(bill->pauses.nr + 1, sizeof(const void *));
	size_t cursor = 0, nr_all = 0;
	const struct report_pause *row;

	if (!all)
		return 0;
	while ((row = map_next(&bill->pauses, &cursor)))
		if (row->ns)
			all[nr_all++] = row;
	qsort(all, nr_all, sizeof(const void *), dearer);
	if (nr_all < nr)
		nr = nr_all;
	memcpy(ret, all, nr * sizeof(const void *));
	free(all);
	return nr;
}

void report_bill_free(struct report_bill *bill)
{
	size_t cursor = 0;
	void *row;

	while ((row = map_next(&bill->pauses, &cursor)))
		free(row);
	map_free(&bill->pauses);
}
