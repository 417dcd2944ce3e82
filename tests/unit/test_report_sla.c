/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "user/base/cleanup.h"
#include "user/cmd/report_sla.h"

#define SECOND 1000000000ull
#define MS     1000000ull

static struct report_sla promise(const char *word)
{
	struct report_sla s;
	const char *wrong;

	cr_assert(zero(int, report_sla_init(&s, word, &wrong)), "%s", word);
	return s;
}

static void arrived(struct report_sla *s, uint64_t begin_ns, uint64_t response_ns,
		    uint64_t pause_ns)
{
	struct request_row row = {0};
	struct split split = {0};

	snprintf(row.id, sizeof(row.id), "1:%u", (unsigned int)(begin_ns / MS));
	split.ns[CAUSE_PAUSE] = pause_ns;
	split.ns[CAUSE_ON_CPU] = response_ns - pause_ns;
	cr_assert(zero(int, report_sla_add(s, &row, begin_ns, response_ns, response_ns - pause_ns,
					   &split)));
}

Test(report_sla, a_promise_that_holds_has_no_causes)
{
	struct report_sla s = promise("max<50ms");

	for (uint64_t i = 0; i < 100; i++)
		arrived(&s, SECOND + i * MS, 49 * MS, 0);
	report_sla_end(&s);
	cr_expect(not(report_sla_broken(&s)));
	cr_expect(zero(sz, s.nr_breaches));
	cr_expect(zero(u64, s.nr_over));
	report_sla_free(&s);
}

Test(report_sla, a_breach_has_the_causes_of_its_own_windows_alone)
{
	struct report_sla s = promise("p50<50ms@1s");

	for (uint64_t i = 0; i < 10; i++) /* holds: two of ten are over */
		arrived(&s, SECOND + i * 100 * MS, i < 2 ? 90 * MS : 10 * MS, 0);
	for (uint64_t i = 0; i < 10; i++) /* breaks */
		arrived(&s, 2 * SECOND + i * 100 * MS, i < 7 ? 80 * MS : 10 * MS,
			60 * MS * (i < 7));
	for (uint64_t i = 0; i < 10; i++) /* holds */
		arrived(&s, 3 * SECOND + i * 100 * MS, i < 1 ? 70 * MS : 10 * MS, 0);
	report_sla_end(&s);
	cr_expect(report_sla_broken(&s));
	cr_expect(eq(u64, s.summary.nr_windows - s.summary.nr_empty, 3));
	cr_expect(eq(u64, s.summary.nr_broken, 1));
	cr_assert(eq(sz, s.nr_breaches, 1));
	cr_expect(eq(u64, s.breaches[0].nr, 7));
	cr_expect(eq(u64, s.breaches[0].split.ns[CAUSE_PAUSE], 7 * 60 * MS));
	cr_expect(eq(u64, s.breaches[0].split.ns[CAUSE_ON_CPU], 7 * 20 * MS));
	cr_expect(eq(str, s.breaches[0].worst_id, "1:2000"));
	cr_expect(eq(u64, s.nr_over, 10));
	cr_expect(eq(u64, s.nr_over_without_pauses, 3));
	report_sla_free(&s);
}

Test(report_sla, two_breaches_with_a_window_that_holds_between_them)
{
	struct report_sla s = promise("max<50ms@1s");

	for (uint64_t second = 1; second <= 3; second++)
		for (uint64_t i = 0; i < 10; i++)
			arrived(&s, second * SECOND + i * 100 * MS,
				second != 2 && i == 4 ? 60 * MS : 10 * MS, 0);
	report_sla_end(&s);
	cr_assert(eq(sz, s.nr_breaches, 2));
	cr_expect(eq(u64, s.breaches[0].nr, 1));
	cr_expect(eq(u64, s.breaches[1].nr, 1));
	cr_expect(eq(u64, s.breaches[1].breach.first_over_ns, 3 * SECOND + 400 * MS));
	report_sla_free(&s);
}

Test(report_sla, what_is_no_promise_says_why)
{
	static const char *const words[] = {"", "p99", "p99>3", "p99<", "p101<5ms", "p99<5ms@"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct report_sla s;
		const char *wrong = NULL;

		cr_expect(ne(int, report_sla_init(&s, words[i], &wrong), 0), "%s", words[i]);
		cr_expect_not_null(wrong, "%s", words[i]);
	}
}
