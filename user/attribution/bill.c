/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "user/attribution/bill.h"

/* Where that of @pause_nr is, or belongs. */
static size_t place_of(const struct bills *bills, uint64_t pause_nr)
{
	size_t low = 0, high = bills->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (bills->at[middle].pause_nr < pause_nr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct bill *bills_of(const struct bills *bills, uint64_t pause_nr)
{
	size_t at = place_of(bills, pause_nr);

	return at < bills->nr && bills->at[at].pause_nr == pause_nr ? &bills->at[at] : NULL;
}

static struct bill *make_bill(struct bills *bills, uint64_t pause_nr)
{
	size_t at = place_of(bills, pause_nr);

	if (at < bills->nr && bills->at[at].pause_nr == pause_nr)
		return &bills->at[at];
	if (bills->nr == bills->room) {
		size_t room = bills->room ? bills->room * 2 : 64;
		struct bill *more = reallocarray(bills->at, room, sizeof(more[0]));

		if (!more)
			return NULL;
		bills->at = more;
		bills->room = room;
	}
	memmove(bills->at + at + 1, bills->at + at, (bills->nr - at) * sizeof(bills->at[0]));
	bills->nr++;
	bills->at[at] = (struct bill){.pause_nr = pause_nr};
	return &bills->at[at];
}

static bool is_backlog(uint32_t cause)
{
	return cause >= CAUSE_BACKLOG_PAUSE && cause <= CAUSE_BACKLOG_LOAD;
}

/* Whether an earlier segment than @at names the same pause. */
static bool was_named(const struct split_result *result, size_t at)
{
	for (size_t i = at; i-- > 0;)
		if (result->segments[i].pause_nr == result->segments[at].pause_nr)
			return true;
	return false;
}

static void add_parts(struct bill *bill, const struct split_result *result, size_t from)
{
	uint64_t direct_ns = 0, backlog_ns = 0;

	for (size_t i = from; i < result->nr; i++) {
		const struct segment *s = &result->segments[i];

		if (s->pause_nr != bill->pause_nr)
			continue;
		*(is_backlog(s->cause) ? &backlog_ns : &direct_ns) += s->to_ns - s->from_ns;
	}
	bill->direct_ns += direct_ns;
	bill->backlog_ns += backlog_ns;
	bill->nr_direct += direct_ns > 0;
	bill->nr_backlog += direct_ns == 0;
}

int bills_add(struct bills *bills, const struct split_result *result, uint64_t id)
{
	uint64_t response_ns = result->end_ns - result->begin_ns;

	for (size_t i = 0; i < result->nr; i++) {
		struct bill *bill;

		if (!result->segments[i].pause_nr || was_named(result, i))
			continue;
		bill = make_bill(bills, result->segments[i].pause_nr);
		if (!bill)
			return -ENOMEM;
		add_parts(bill, result, i);
		if (response_ns <= bill->worst_ns)
			continue;
		bill->worst_ns = response_ns;
		bill->worst_id = id;
	}
	return 0;
}

void bills_free(struct bills *bills)
{
	free(bills->at);
	*bills = (struct bills){0};
}
