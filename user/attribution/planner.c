/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/attribution/planner.h"

static const struct planner_sent *sent(const struct planner_watch *w, uint64_t i)
{
	return &w->ring[i % PLANNER_RING];
}

/* The gap before request @i, which is not the first. */
static uint64_t gap_before(const struct planner_watch *w, uint64_t i)
{
	return sent(w, i)->due_ns - sent(w, i - 1)->due_ns;
}

struct beside {
	uint64_t nr, sum, longest, second, third;
};

static void look_beside(const struct planner_watch *w, uint64_t at, struct beside *ret)
{
	uint64_t from = at > PLANNER_BESIDE ? at - PLANNER_BESIDE : 1;

	*ret = (struct beside){0};
	for (uint64_t i = from; i < w->nr && i <= at + PLANNER_BESIDE; i++) {
		uint64_t gap = gap_before(w, i);

		if (i == at)
			continue;
		ret->nr++;
		ret->sum += gap;
		if (gap > ret->longest) {
			ret->third = ret->second;
			ret->second = ret->longest;
			ret->longest = gap;
		} else if (gap > ret->second) {
			ret->third = ret->second;
			ret->second = gap;
		} else if (gap > ret->third) {
			ret->third = gap;
		}
	}
}

/* Two of the neighbours may be stalls themselves, and do not count. */
static bool is_gap(const struct planner_watch *w, uint64_t at)
{
	uint64_t gap = gap_before(w, at), sum;
	struct beside b;

	/* Cheap, and enough nearly always: it would have to be longer than this even if it were
	 * one of very few. */
	if (gap < PLANNER_LATE_NS)
		return false;
	look_beside(w, at, &b);
	if (b.nr < 8)
		return false;
	sum = b.sum - b.longest - b.second;
	if (b.third * (b.nr - 2) <= 2 * sum)
		return gap > 3 * b.third;
	return gap * (b.nr - 2) > PLANNER_GAPS * sum;
}

static void count(struct planner_stalls *stalls, uint64_t ns)
{
	stalls->nr++;
	stalls->longest_ns = ns > stalls->longest_ns ? ns : stalls->longest_ns;
}

/* The stall under way is over; @gap_to_ns: with a gap up to there. */
static void end_stall(struct planner_watch *w, uint64_t gap_to_ns)
{
	struct planner_verdict *found = &w->found;
	uint64_t ahead_ns = w->last_ns - w->from_ns;

	w->stalled = false;
	if (gap_to_ns && w->nr_late >= PLANNER_MIN_LATE) {
		count(&found->ahead, gap_to_ns - w->from_ns);
		found->ahead_ns = ahead_ns > found->ahead_ns ? ahead_ns : found->ahead_ns;
	} else if (gap_to_ns) {
		count(&found->forgotten, gap_to_ns - w->from_ns);
	} else if (w->nr_late >= PLANNER_MIN_LATE) {
		count(&found->caught_up, w->stall_ns);
	} else {
		found->nr_short++;
	}
}

static void look(struct planner_watch *w, uint64_t at)
{
	const struct planner_sent *now = sent(w, at), *before = at ? sent(w, at - 1) : NULL;
	int64_t before_ns = before ? before->late_ns : 0;
	bool gap = before && is_gap(w, at);
	bool jump = now->late_ns - before_ns >= (int64_t)PLANNER_LATE_NS;

	if (gap && !w->stalled) {
		w->from_ns = w->last_ns = before->due_ns;
		w->nr_late = 0;
	}
	if (gap)
		end_stall(w, now->due_ns);
	else if (w->stalled && (jump || now->late_ns - w->usual_ns < (int64_t)PLANNER_LATE_NS))
		end_stall(w, 0);
	if (jump) {
		w->stalled = true;
		w->usual_ns = before_ns;
		w->from_ns = now->due_ns;
		w->stall_ns = (uint64_t)(now->late_ns - before_ns);
		w->nr_late = 0;
	}
	if (w->stalled) {
		w->last_ns = now->due_ns;
		w->nr_late++;
	}
}

int planner_watch_add(struct planner_watch *w, uint64_t due_ns, int64_t late_ns)
{
	if (w->nr && due_ns < sent(w, w->nr - 1)->due_ns)
		return -EINVAL;
	w->ring[w->nr++ % PLANNER_RING] = (struct planner_sent){due_ns, late_ns};
	if (w->nr > w->at + PLANNER_BESIDE)
		look(w, w->at++);
	return 0;
}

/*
 * Who forgets forgets the longest stalls; who catches up catches up with these too. A tolerance
 * makes the short ones of the former look like the latter's, and a hole that chance left in a long
 * schedule makes one short one of the latter look like the former's.
 */
static enum planner_policy judge(const struct planner_verdict *v)
{
	uint64_t hole_ns = v->forgotten.longest_ns > v->ahead.longest_ns ? v->forgotten.longest_ns
									 : v->ahead.longest_ns;
	uint64_t nr_holes = v->forgotten.nr + v->ahead.nr, caught_ns = v->caught_up.longest_ns;

	if (!nr_holes)
		return v->caught_up.nr ? PLANNER_CATCHES_UP : PLANNER_UNKNOWN;
	if (caught_ns > 2 * hole_ns && v->caught_up.nr > nr_holes)
		return PLANNER_CATCHES_UP;
	if (4 * v->ahead.nr >= nr_holes)
		return caught_ns <= 2 * hole_ns ? PLANNER_AHEAD : PLANNER_UNKNOWN;
	return caught_ns <= hole_ns ? PLANNER_FROM_NOW : PLANNER_UNKNOWN;
}

void planner_watch_end(struct planner_watch *w, struct planner_verdict *ret)
{
	while (w->at < w->nr)
		look(w, w->at++);
	if (w->stalled)
		w->found.nr_short++; /* the schedule ends in it */
	w->stalled = false;
	w->found.policy = judge(&w->found);
	*ret = w->found;
}
