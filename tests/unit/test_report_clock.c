/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "user/cmd/report.h"

#define EPOCH 1700000000000000000ull
#define HOUR  (3600 * NS_PER_S)

static struct clock recorded(void)
{
	struct clock clock = {0};

	cr_assert(clock_add(&clock, 1000, EPOCH + 1020, 1040));
	return clock;
}

Test(report_clock, one_host_has_one_monotonic_clock)
{
	struct clock clock = recorded();
	struct schedule_anchor anchor = {EPOCH + 5000, 5000, 40};
	struct report_clock found = report_clock(&clock, "monotonic", &anchor);

	cr_expect(found.usable);
	cr_expect(zero(i64, found.offset_ns));
	cr_expect(report_clock(&clock, "monotonic", NULL).usable);
}

Test(report_clock, clocks_an_hour_apart_are_brought_together_by_realtime)
{
	struct clock clock = recorded();
	struct schedule_anchor anchor = {EPOCH + 5000, 5000 + HOUR, 40};
	struct report_clock found = report_clock(&clock, "monotonic", &anchor);

	cr_expect(found.usable);
	cr_expect(epsilon_eq(dbl, (double)found.offset_ns, -(double)HOUR, 100.0));
	cr_expect(gt(u64, found.error_ns, 0), "that is only as good as NTP");
}

Test(report_clock, realtime_is_moved_to_the_recordings_clock)
{
	struct clock clock = recorded();
	struct report_clock found = report_clock(&clock, "realtime", NULL);

	cr_expect(found.usable);
	cr_expect(epsilon_eq(dbl, (double)found.offset_ns, -(double)EPOCH, 200.0));
	cr_expect(ge(u64, found.error_ns, 20));
}

Test(report_clock, what_cannot_be_placed_is_refused_with_a_reason)
{
	struct clock clock = recorded(), none = {0};
	struct schedule_anchor anchor = {EPOCH, 0, 40};

	cr_expect_not_null(report_clock(&clock, "relative", NULL).why_not);
	cr_expect_not_null(report_clock(&none, "realtime", NULL).why_not);
	cr_expect_not_null(report_clock(&none, "monotonic", &anchor).why_not);
	cr_expect(not(report_clock(&clock, "relative", NULL).usable));
}
