/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <time.h>

#include "user/base/clock.h"
#include "user/base/units.h"

#define BRACKET_MAX_NS NS_PER_S

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

bool clock_add(struct clock *clock, uint64_t before_ns, uint64_t realtime_ns, uint64_t after_ns)
{
	struct clock_pair pair = {before_ns + (after_ns - before_ns) / 2, realtime_ns};
	uint64_t error_ns, step_ns;

	if (after_ns < before_ns || after_ns - before_ns > BRACKET_MAX_NS)
		return false;
	if (clock->nr && pair.monotonic_ns < clock->last.monotonic_ns)
		return false;
	error_ns = (after_ns - before_ns + 1) / 2;
	clock->error_ns = error_ns > clock->error_ns ? error_ns : clock->error_ns;
	if (clock->nr++ == 0) {
		clock->first = pair;
	} else {
		step_ns = distance(pair.realtime_ns - clock->last.realtime_ns,
				   pair.monotonic_ns - clock->last.monotonic_ns);
		clock->step_ns = step_ns > clock->step_ns ? step_ns : clock->step_ns;
	}
	clock->last = pair;
	return true;
}

bool clock_wall(const struct clock *clock, uint64_t monotonic_ns, uint64_t *ret_realtime_ns)
{
	const struct clock_pair *near = &clock->first;

	if (!clock->nr)
		return false;
	if (distance(monotonic_ns, clock->last.monotonic_ns) <
	    distance(monotonic_ns, near->monotonic_ns))
		near = &clock->last;
	*ret_realtime_ns = near->realtime_ns + (monotonic_ns - near->monotonic_ns);
	return true;
}

char *clock_print(char buffer[CLOCK_BYTES], uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / NS_PER_S);
	struct tm when;

	gmtime_r(&seconds, &when);
	snprintf(buffer, CLOCK_BYTES, "%04d-%02d-%02d %02d:%02d:%02d.%03u UTC", when.tm_year + 1900,
		 when.tm_mon + 1, when.tm_mday, when.tm_hour, when.tm_min, when.tm_sec,
		 (unsigned int)(realtime_ns % NS_PER_S / NS_PER_MS));
	return buffer;
}
