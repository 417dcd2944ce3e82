/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/import/schedule.h"
#include "user/load/intervals.h"

#define MS 1000000ull

static struct intervals *intervals;
static FILE *to;
static char *text;
static size_t nr_text;

static void begin(void)
{
	to = open_memstream(&text, &nr_text);
	intervals = intervals_new(to, 1000 * MS);
}

/* An answer at @at_ns, 7 ms after the intended send and 5 ms after the actual one. */
static void answer(uint64_t at_ns)
{
	struct schedule_request r = {
		.intended_ns = at_ns - 7 * MS, .sent_ns = at_ns - 5 * MS, .received_ns = at_ns};

	cr_assert_eq(intervals_add(intervals, &r), 0);
}

static void end(void)
{
	cr_assert_eq(intervals_end(intervals), 0);
	fclose(to);
}

/* How many lines begin with @head. */
static int count(const char *head)
{
	int nr = 0;

	for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		nr += !strncmp(at, head, strlen(head));
	return nr;
}

TestSuite(load_intervals, .init = begin);

Test(load_intervals, each_second_with_answers_has_a_line_a_tag)
{
	answer(1100 * MS);
	answer(1900 * MS);
	answer(2100 * MS);
	answer(6500 * MS);
	end();
	cr_expect_eq(count("Tag="), 6, "%s", text);
	cr_expect_eq(count("Tag=response,0.000,1.000,7.000,HIST"), 1, "%s", text);
	cr_expect_eq(count("Tag=service,1.000,1.000,5.000,HIST"), 1, "%s", text);
	cr_expect_eq(count("Tag=response,5.000,1.000,7.000,HIST"), 1, "%s", text);
	free(text);
}

Test(load_intervals, an_answer_out_of_order_by_less_than_a_second_is_where_it_belongs)
{
	answer(2100 * MS);
	answer(1900 * MS);
	answer(3050 * MS);
	end();
	cr_expect_eq(count("Tag=response,0.000"), 1, "%s", text);
	cr_expect_eq(count("Tag=response,1.000"), 1, "%s", text);
	cr_expect_eq(count("Tag=response,2.000"), 1, "%s", text);
	free(text);
}

Test(load_intervals, a_later_one_goes_into_the_oldest_that_is_open)
{
	answer(5100 * MS);
	answer(1200 * MS);
	end();
	cr_expect_eq(count("Tag=response"), 2, "%s", text);
	cr_expect_eq(count("Tag=response,3.000"), 1, "%s", text);
	free(text);
}

Test(load_intervals, what_has_no_answer_is_in_no_interval)
{
	struct schedule_request r = {
		.intended_ns = 1100 * MS, .sent_ns = 1100 * MS, .received_ns = SCHEDULE_UNKNOWN};

	cr_assert_eq(intervals_add(intervals, &r), 0);
	end();
	cr_expect_eq(count("Tag="), 0);
	free(text);
}
