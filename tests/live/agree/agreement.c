/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/live/agree/agreement.h"
#include "tests/live/agree/numbers.h"
#include "user/base/cleanup.h"

/* The error of one pair; false when a time it needs is not known. */
typedef bool error_fn(const struct pair *pair, const struct off_list *off, int64_t *ret_ns);

static int64_t distance(uint64_t from_ns, uint64_t to_ns)
{
	return (int64_t)(to_ns - from_ns);
}

static bool begin_error(const struct pair *pair, const struct off_list *off, int64_t *ret_ns)
{
	(void)off;
	*ret_ns = distance(pair->logged->begin_ns, pair->found->begin_ns);
	return pair->found->begin_ns != 0;
}

static uint64_t release_mark(const struct logged *logged)
{
	return logged->leave_ns ? logged->leave_ns : logged->end_ns;
}

static bool release_error(const struct pair *pair, const struct off_list *off, int64_t *ret_ns)
{
	(void)off;
	*ret_ns = distance(release_mark(pair->logged), pair->found->release_ns);
	return pair->found->release_ns != 0;
}

static bool release_explained_error(const struct pair *pair, const struct off_list *off,
				    int64_t *ret_ns)
{
	uint64_t mark_ns = release_mark(pair->logged), release_ns = pair->found->release_ns;

	if (!release_error(pair, off, ret_ns))
		return false;
	if (*ret_ns < 0)
		*ret_ns += (int64_t)off_within(off, release_ns, mark_ns);
	else
		*ret_ns -= (int64_t)off_within(off, mark_ns, release_ns);
	return true;
}

static bool reaching_error(const struct pair *pair, const struct off_list *off, int64_t *ret_ns)
{
	(void)off;
	*ret_ns = distance(pair->logged->reaching_ns, pair->found->reaching_ns);
	return pair->found->reaching_known;
}

static int measure(const struct match *match, const struct off_list *off, error_fn *fn,
		   struct error *ret)
{
	int64_t *errors CLEANUP(freep) = calloc(match->nr_pairs + 1, sizeof(*errors));

	*ret = (struct error){0};
	if (!errors)
		return -ENOMEM;
	for (size_t i = 0; i < match->nr_pairs; i++)
		if (fn(&match->pairs[i], off, &errors[ret->nr]))
			ret->nr++;
		else
			ret->nr_unknown += !match->pairs[i].found->incomplete;
	if (ret->nr) {
		ret->p50_ns = numbers_percentile_of_absolute(errors, ret->nr, 50);
		ret->p90_ns = numbers_percentile_of_absolute(errors, ret->nr, 90);
	}
	return 0;
}

static void count_names(const struct match *match, struct agreement *ret)
{
	for (size_t i = 0; i < match->nr_pairs; i++) {
		const struct pair *pair = &match->pairs[i];

		if (!*pair->found->operation)
			ret->nr_names_unknown++;
		else if (!match_same_name(pair->logged->name, pair->found->operation))
			ret->nr_names_differ++;
	}
}

static void count_late(const struct match *match, const char *offender, struct agreement *ret)
{
	for (size_t i = 0; i < match->nr_pairs; i++) {
		const struct pair *pair = &match->pairs[i];

		if (pair->logged->reaching_ns < LATE_MIN_NS)
			continue;
		ret->nr_late++;
		ret->nr_late_named += !strcmp(pair->found->late_name, offender);
	}
}

static void count_rest(const struct match *match, struct agreement *ret)
{
	for (size_t i = 0; i < match->nr_pairs; i++) {
		ret->nr_leaves += match->pairs[i].logged->leave_ns != 0;
		ret->nr_incomplete += match->pairs[i].found->incomplete;
		ret->nr_missed_before += match->pairs[i].found->missed_before;
	}
}

int agreement_of(const struct match *match, const struct off_list *off, const char *offender,
		 struct agreement *ret)
{
	*ret = (struct agreement){0};
	count_names(match, ret);
	count_rest(match, ret);
	if (offender)
		count_late(match, offender, ret);
	if (measure(match, off, begin_error, &ret->begin) ||
	    measure(match, off, release_error, &ret->release) ||
	    measure(match, off, release_explained_error, &ret->release_explained) ||
	    measure(match, off, reaching_error, &ret->reaching))
		return -ENOMEM;
	return 0;
}
