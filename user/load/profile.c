/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/units.h"
#include "user/load/profile.h"

#define RATE_MAX                                                                                   \
	1e8 /* more than any machine sends; keeps all products well inside a long double           \
	     */

/* One element between commas, as typed. */
struct element {
	uint64_t at_ns, ramp_ns;
	double from, to;
	bool ramp, has_length;
};

static int parse_rate(const char *word, double *ret)
{
	size_t nr_digits = strspn(word, "0123456789.");
	char *end;

	if (!isdigit((unsigned char)*word) || nr_digits > 24)
		return -EINVAL;
	*ret = strtod(word, &end);
	if (end != word + nr_digits)
		return -EINVAL;
	if (!strcmp(end, "k") || !strcmp(end, "K"))
		*ret *= 1000;
	else if (!strcmp(end, "M"))
		*ret *= 1e6;
	else if (*end)
		return -EINVAL;
	return *ret <= RATE_MAX ? 0 : -EINVAL;
}

/* [AT:]RATE[..RATE[@LENGTH]] */
static int parse_element(char *word, struct element *ret)
{
	char *colon = strchr(word, ':'), *dots, *at;

	*ret = (struct element){0};
	if (colon) {
		*colon = '\0';
		if (units_parse_time(word, &ret->at_ns))
			return -EINVAL;
		word = colon + 1;
	}
	dots = strstr(word, "..");
	if (!dots)
		return parse_rate(word, &ret->from) ? -EINVAL : (ret->to = ret->from, 0);
	*dots = '\0';
	ret->ramp = true;
	at = strchr(dots + 2, '@');
	if (at) {
		*at = '\0';
		ret->has_length = true;
		if (units_parse_time(at + 1, &ret->ramp_ns) || ret->ramp_ns == 0)
			return -EINVAL;
	}
	return parse_rate(word, &ret->from) || parse_rate(dots + 2, &ret->to) ? -EINVAL : 0;
}

static int add_part(struct profile *p, uint64_t from_ns, uint64_t to_ns, double from, double to)
{
	long double seconds = ((long double)to_ns - (long double)from_ns) / NS_PER_S;
	struct profile_part *part = &p->parts[p->nr];

	if (to_ns <= from_ns)
		return 0;
	if (p->nr == PROFILE_PARTS_MAX)
		return -E2BIG;
	*part = (struct profile_part){
		.from_ns = (long double)from_ns,
		.to_ns = (long double)to_ns,
		.rate = (long double)from,
		.slope = ((long double)to - (long double)from) / seconds,
		.nr_before = p->total,
	};
	p->total += ((long double)from + (long double)to) / 2 * seconds;
	p->highest = (uint64_t)fmax((double)p->highest, ceil(fmax(from, to)));
	p->nr++;
	return 0;
}

/* What an element says holds until @until_ns, where the next one begins. */
static int add_element(struct profile *p, const struct element *e, uint64_t until_ns)
{
	uint64_t ramp_end_ns = until_ns;
	long double share;
	double to = e->to;

	if (!e->ramp)
		return add_part(p, e->at_ns, until_ns, e->from, e->from);
	if (e->has_length && e->ramp_ns < until_ns - e->at_ns) {
		ramp_end_ns = e->at_ns + e->ramp_ns;
	} else if (e->has_length) { /* cut off before its top */
		share = (long double)(until_ns - e->at_ns) / (long double)e->ramp_ns;
		to = (double)(e->from + (e->to - e->from) * share);
	}
	if (add_part(p, e->at_ns, ramp_end_ns, e->from, to))
		return -E2BIG;
	return add_part(p, ramp_end_ns, until_ns, to, to);
}

static const char *add_elements(struct profile *p, const struct element *elements, size_t nr)
{
	if (elements[0].at_ns != 0)
		return "the first rate must begin at 0s";
	for (size_t i = 0; i < nr; i++) {
		uint64_t until_ns = i + 1 < nr ? elements[i + 1].at_ns : p->duration_ns;

		if (i + 1 < nr && until_ns <= elements[i].at_ns)
			return "the times must grow";
		if (elements[i].at_ns >= p->duration_ns)
			return "a step begins after the run has ended; see --duration";
		if (until_ns > p->duration_ns)
			until_ns = p->duration_ns;
		if (add_element(p, &elements[i], until_ns))
			return "that is too many steps and ramps";
	}
	return p->total > 0 ? NULL : "a rate of 0 all the time would send nothing";
}

int profile_parse(const char *word, uint64_t duration_ns, struct profile *ret,
		  const char **ret_wrong)
{
	struct element elements[PROFILE_PARTS_MAX];
	char copy[2048], *rest = copy, *one;
	size_t nr = 0;

	*ret = (struct profile){.duration_ns = duration_ns};
	*ret_wrong = "it is too long";
	if ((size_t)snprintf(copy, sizeof(copy), "%s", word) >= sizeof(copy))
		return -EINVAL;
	while ((one = strsep(&rest, ","))) {
		*ret_wrong = "that is too many steps and ramps";
		if (nr == PROFILE_PARTS_MAX)
			return -EINVAL;
		*ret_wrong =
			"each part is [TIME:]RATE or [TIME:]RATE..RATE[@TIME], rates up to 100M";
		if (parse_element(one, &elements[nr++]))
			return -EINVAL;
	}
	*ret_wrong = add_elements(ret, elements, nr);
	return *ret_wrong ? -EINVAL : 0;
}

/*
 * The time in ns after which rate * t + slope * t^2 / 2 has reached count. In this form of the
 * quadratic's solution nothing cancels, also for slopes near 0; and whole numbers stay whole as
 * long as they can.
 */
static long double solve(const struct profile_part *p, long double count)
{
	long double root = p->rate * p->rate + 2 * p->slope * count;

	if (p->slope == 0)
		return count * NS_PER_S / p->rate;
	return 2 * count * NS_PER_S / (p->rate + sqrtl(root > 0 ? root : 0));
}

uint64_t profile_time_ns(const struct profile *p, long double count, size_t *part)
{
	long double at;

	if (count >= p->total)
		return PROFILE_NEVER;
	while (*part + 1 < p->nr && count >= p->parts[*part + 1].nr_before)
		(*part)++;
	count -= p->parts[*part].nr_before;
	at = p->parts[*part].from_ns;
	if (count > 0)
		at += solve(&p->parts[*part], count);
	return (uint64_t)(at + 0.5L);
}

double profile_rate(const struct profile *p, uint64_t ns)
{
	for (size_t i = p->nr; i-- > 0;) {
		const struct profile_part *part = &p->parts[i];
		long double into = (long double)ns - part->from_ns;

		if (into >= 0)
			return (double)(part->rate + part->slope * into / NS_PER_S);
	}
	return 0;
}
