/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "user/base/clock.h"

#define REAL 1800000000000000000ull

Test(clock, nothing_is_known_without_a_reading)
{
	struct clock clock = {0};
	uint64_t ret;

	cr_expect(not(clock_wall(&clock, 5, &ret)));
}

Test(clock, the_middle_of_the_bracket_is_the_time_of_the_reading)
{
	struct clock clock = {0};
	uint64_t ret = 0;

	cr_assert(clock_add(&clock, 1000, REAL, 1040));
	cr_assert(clock_wall(&clock, 1020, &ret));
	cr_expect(eq(u64, ret, REAL));
	cr_assert(clock_wall(&clock, 20, &ret));
	cr_expect(eq(u64, ret, REAL - 1000));
	cr_expect(eq(u64, clock.error_ns, 20));
}

Test(clock, a_step_is_seen_and_the_nearer_reading_counts)
{
	struct clock clock = {0};
	uint64_t ret = 0;

	cr_assert(clock_add(&clock, 1000, REAL, 1000));
	cr_assert(clock_add(&clock, 2000, REAL + 1000 + 500, 2000));
	cr_expect(eq(u64, clock.step_ns, 500));
	cr_assert(clock_wall(&clock, 1100, &ret));
	cr_expect(eq(u64, ret, REAL + 100));
	cr_assert(clock_wall(&clock, 1900, &ret));
	cr_expect(eq(u64, ret, REAL + 1400));
}

Test(clock, readings_that_contradict_themselves_are_refused)
{
	struct clock clock = {0};

	cr_expect(not(clock_add(&clock, 1000, REAL, 999)));
	cr_expect(not(clock_add(&clock, 0, REAL, 2000000000)));
	cr_assert(clock_add(&clock, 1000, REAL, 1000));
	cr_expect(not(clock_add(&clock, 900, REAL, 900)));
	cr_expect(eq(u64, clock.nr, 1));
}

Test(clock, times_are_printed_in_utc)
{
	char buffer[CLOCK_BYTES];

	cr_expect(eq(str, clock_print(buffer, REAL + 1234567), "2027-01-15 08:00:00.001 UTC"));
	cr_expect(eq(str, clock_print(buffer, 0), "1970-01-01 00:00:00.000 UTC"));
}
