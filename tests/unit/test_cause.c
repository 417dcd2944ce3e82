/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "user/attribution/cause.h"

Test(cause, each_has_a_name_words_and_a_group_of_its_own)
{
	for (enum cause cause = 0; cause < NR_CAUSES; cause++) {
		cr_assert_not_null(cause_name(cause), "cause %d", cause);
		cr_assert_not_null(cause_words(cause), "cause %d", cause);
		cr_assert_not_null(cause_group_words(cause_group(cause)), "cause %d", cause);
		for (enum cause other = 0; other < cause; other++) {
			cr_expect(ne(str, (char *)cause_name(cause), (char *)cause_name(other)));
			cr_expect(ne(str, (char *)cause_words(cause), (char *)cause_words(other)));
		}
	}
}

Test(cause, a_sum_of_splits_has_the_largest_pause_of_all)
{
	struct split sum = {0}, one = {.pause_nr = 3, .pause_ns = 7},
		     two = {.pause_nr = 4, .pause_ns = 5};

	one.ns[CAUSE_PAUSE] = 7;
	two.ns[CAUSE_BACKLOG_PAUSE] = 5;
	two.ns[CAUSE_ON_CPU] = 8;
	split_add(&sum, &one);
	split_add(&sum, &two);
	cr_expect(eq(u64, split_total_ns(&sum), 20));
	cr_expect(eq(u64, sum.pause_nr, 3));
	cr_expect(eq(int, split_largest(&sum), CAUSE_ON_CPU));
}
