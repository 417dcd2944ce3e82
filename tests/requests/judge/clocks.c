/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "tests/requests/judge/clocks.h"

int clocks_add(struct clocks *clocks, const struct record_clock *record)
{
	uint64_t width_ns = record->monotonic_after_ns - record->monotonic_before_ns;
	uint64_t middle_ns = record->monotonic_before_ns + width_ns / 2;

	if (record->monotonic_after_ns < record->monotonic_before_ns ||
	    (clocks->nr && record->realtime_ns < clocks->readings[clocks->nr - 1].realtime_ns))
		return -EINVAL;
	if (clocks->nr == clocks->size) {
		size_t size = clocks->size ? 2 * clocks->size : 16;
		struct clock_reading *grown = realloc(clocks->readings, size * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		clocks->readings = grown;
		clocks->size = size;
	}
	clocks->readings[clocks->nr++] = (struct clock_reading){
		record->realtime_ns, (int64_t)(record->realtime_ns - middle_ns),
		(width_ns + 1) / 2};
	return 0;
}

static int64_t offset_at(const struct clocks *clocks, uint64_t realtime_ns)
{
	const struct clock_reading *reading = clocks->readings;
	double share;
	size_t i = 0;

	while (i < clocks->nr && reading[i].realtime_ns <= realtime_ns)
		i++;
	if (i == 0)
		return reading[0].offset_ns;
	if (i == clocks->nr)
		return reading[i - 1].offset_ns;
	share = (double)(realtime_ns - reading[i - 1].realtime_ns) /
		(double)(reading[i].realtime_ns - reading[i - 1].realtime_ns);
	return reading[i - 1].offset_ns +
	       (int64_t)(share * (double)(reading[i].offset_ns - reading[i - 1].offset_ns));
}

uint64_t clocks_monotonic(const struct clocks *clocks, uint64_t realtime_ns)
{
	return realtime_ns - (uint64_t)offset_at(clocks, realtime_ns);
}

uint64_t clocks_error(const struct clocks *clocks)
{
	uint64_t most_ns = 0;

	for (size_t i = 0; i < clocks->nr; i++)
		if (clocks->readings[i].error_ns > most_ns)
			most_ns = clocks->readings[i].error_ns;
	return most_ns;
}

uint64_t clocks_step(const struct clocks *clocks)
{
	uint64_t most_ns = 0;

	for (size_t i = 1; i < clocks->nr; i++) {
		int64_t step_ns = clocks->readings[i].offset_ns - clocks->readings[i - 1].offset_ns;

		if ((uint64_t)llabs(step_ns) > most_ns)
			most_ns = (uint64_t)llabs(step_ns);
	}
	return most_ns;
}
