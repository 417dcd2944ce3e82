/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "user/attribution/sla.h"
#include "user/base/units.h"

#define WORD_MAX 63

static int refuse(const char **ret_wrong, const char *wrong)
{
	*ret_wrong = wrong;
	return -EINVAL;
}

/* "p99.95" or "max"; at most six decimals. */
static int parse_percent(const char *from, const char *to, struct sla *ret, const char **ret_wrong)
{
	static const char *const form =
		"before the '<' there must be p and a percentage, such as p99.9, or max";
	uint64_t percent = 0, unit = 100 * SLA_PERCENT;
	bool point = false;

	if (to - from == 3 && !memcmp(from, "max", 3)) {
		ret->percent = 100 * SLA_PERCENT;
		return 0;
	}
	if (to - from < 2 || *from != 'p' || !isdigit((unsigned char)from[1]) || to[-1] == '.')
		return refuse(ret_wrong, form);
	unit = SLA_PERCENT;
	for (const char *at = from + 1; at < to; at++) {
		if (*at == '.' && !point) {
			point = true;
			continue;
		}
		if (!isdigit((unsigned char)*at))
			return refuse(ret_wrong, form);
		if (point && unit == 1)
			return refuse(ret_wrong, "a percentage has at most six decimals");
		unit /= point ? 10 : 1;
		percent = point ? percent + unit * (uint64_t)(*at - '0')
				: percent * 10 + SLA_PERCENT * (uint64_t)(*at - '0');
		if (percent > 100 * SLA_PERCENT)
			return refuse(ret_wrong, "a percentage is more than 0 and at most 100");
	}
	if (!percent)
		return refuse(ret_wrong, "a percentage is more than 0 and at most 100");
	ret->percent = (uint32_t)percent;
	return 0;
}

static int parse_time(const char *from, const char *to, uint64_t *ret, const char **ret_wrong)
{
	char word[WORD_MAX + 1];
	size_t nr = (size_t)(to - from);

	if (!nr || nr > WORD_MAX)
		return refuse(ret_wrong, "a time is missing, such as 50ms");
	memcpy(word, from, nr);
	word[nr] = '\0';
	if (isdigit((unsigned char)word[nr - 1]))
		return refuse(ret_wrong, "a time needs its unit: ns, us, ms, s, m or h");
	if (units_parse_time(word, ret))
		return refuse(ret_wrong, "a time is a number and its unit, such as 50ms or 1.5s");
	if (!*ret)
		return refuse(ret_wrong, "a time is longer than 0");
	return 0;
}

int sla_parse(const char *word, struct sla *ret, const char **ret_wrong)
{
	const char *less = strrchr(word, '<'), *end = word + strlen(word), *at, *metric = word;
	struct sla sla = {0};
	int err;

	if (!less)
		return refuse(ret_wrong, "there is no '<' and limit, as in p99<50ms");
	at = strchr(less, '@');
	for (const char *c = word; c < less; c++)
		metric = *c == ':' ? c + 1 : metric;
	if (metric != word && metric - word - 1 > SLA_LABEL_MAX)
		return refuse(ret_wrong, "the label is longer than 255 bytes");
	if (metric == word + 1)
		return refuse(ret_wrong, "the label before the ':' is empty");
	if (metric != word)
		memcpy(sla.label, word, (size_t)(metric - word - 1));
	err = parse_percent(metric, less, &sla, ret_wrong);
	err = err ? err : parse_time(less + 1, at ? at : end, &sla.limit_ns, ret_wrong);
	if (!err && at)
		err = parse_time(at + 1, end, &sla.window_ns, ret_wrong);
	if (!err)
		*ret = sla;
	return err;
}
