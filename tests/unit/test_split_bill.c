/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "user/attribution/bill.h"
#include "user/base/cleanup.h"

Test(split_bill, each_pause_is_billed_what_names_it)
{
	struct segment first[] = {{0, 10, 4, CAUSE_BACKLOG_PAUSE, 1},
				  {10, 30, 5, CAUSE_PAUSE, 1},
				  {30, 35, 5, CAUSE_PAUSE_THROTTLED, 1},
				  {35, 40, 0, CAUSE_ON_CPU, 1},
				  {40, 47, 5, CAUSE_BACKLOG_PAUSE, 1}},
		       second[] = {{0, 3, 5, CAUSE_BACKLOG_PAUSE, 1}, {3, 60, 0, CAUSE_ON_CPU, 1}};
	struct split_result one = {.segments = first, .nr = ARRAY_SIZE(first), .end_ns = 47},
			    two = {.segments = second, .nr = ARRAY_SIZE(second), .end_ns = 60};
	struct bills bills = {0};
	const struct bill *bill;

	cr_assert(zero(int, bills_add(&bills, &one, 71)));
	cr_assert(zero(int, bills_add(&bills, &two, 72)));
	cr_assert(eq(sz, bills.nr, 2));
	bill = bills_of(&bills, 5);
	cr_assert(ne(ptr, (void *)bill, NULL));
	cr_expect(eq(u64, bill->nr_direct, 1));
	cr_expect(eq(u64, bill->nr_backlog, 1));
	cr_expect(eq(u64, bill->direct_ns, 25));
	cr_expect(eq(u64, bill->backlog_ns, 10));
	cr_expect(eq(u64, bill->worst_ns, 60));
	cr_expect(eq(u64, bill->worst_id, 72));
	bill = bills_of(&bills, 4);
	cr_expect(eq(u64, bill->nr_backlog, 1));
	cr_expect(eq(u64, bill->backlog_ns, 10));
	cr_expect(eq(u64, bill->worst_id, 71));
	cr_expect(eq(ptr, (void *)bills_of(&bills, 6), NULL));
	bills_free(&bills);
}

Test(split_bill, bills_stay_sorted_whatever_comes_first)
{
	struct bills bills = {0};

	for (uint64_t i = 0; i < 500; i++) {
		struct segment one = {0, 1 + i, 1 + i * 37 % 251, CAUSE_PAUSE, 1};
		struct split_result result = {.segments = &one, .nr = 1, .end_ns = 1 + i};

		cr_assert(zero(int, bills_add(&bills, &result, i)));
	}
	cr_assert(eq(sz, bills.nr, 251));
	for (size_t i = 1; i < bills.nr; i++)
		cr_expect(lt(u64, bills.at[i - 1].pause_nr, bills.at[i].pause_nr));
	bills_free(&bills);
}
