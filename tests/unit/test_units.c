/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"

struct parsed {
	const char *word;
	int result;
	uint64_t value;
};

typedef int parse_fn(const char *word, uint64_t *ret);

static void check_rows(parse_fn *parse, const struct parsed *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t value = 77;

		cr_expect(eq(int, parse(rows[i].word, &value), rows[i].result), "'%s'",
			  rows[i].word);
		cr_expect(eq(u64, value, rows[i].result ? 77 : rows[i].value), "'%s'",
			  rows[i].word);
	}
}

Test(units, times_are_taken_whole_or_refused)
{
	static const struct parsed rows[] = {
		{"1", 0, NS_PER_S},
		{"0", 0, 0},
		{"1.5s", 0, 1500 * NS_PER_MS},
		{"250ms", 0, 250000000},
		{"10us", 0, 10000},
		{"7ns", 0, 7},
		{"5m", 0, 300 * NS_PER_S},
		{"5min", 0, 300 * NS_PER_S},
		{"2h", 0, 7200 * NS_PER_S},
		{"2H", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{"1x", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{".5", -EINVAL, 0},
		{"1.2.3", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"inf", -EINVAL, 0},
		{"nan", -EINVAL, 0},
		{"99999999999999999999h", -ERANGE, 0},
	};

	check_rows(units_parse_time, rows, ARRAY_SIZE(rows));
}

Test(units, sizes_are_taken_whole_or_refused)
{
	static const struct parsed rows[] = {
		{"512", 0, 512},       {"512B", 0, 512},	{"64K", 0, 65536},
		{"64kb", -EINVAL, 0},  {"10M", 0, 10485760},	{"10MiB", 0, 10485760},
		{"1G", 0, 1073741824}, {"1.5G", 0, 1610612736}, {"2T", 0, 2199023255552},
		{"", -EINVAL, 0},      {"1 M", -EINVAL, 0},	{"M", -EINVAL, 0},
		{"1MB1", -EINVAL, 0},  {"-1M", -EINVAL, 0},	{"9999999999T", -ERANGE, 0},
	};

	check_rows(units_parse_size, rows, ARRAY_SIZE(rows));
}

Test(units, numbers_stay_in_their_range)
{
	uint64_t value;

	cr_expect(zero(int, units_parse_number("18446744073709551615", 0, UINT64_MAX, &value)));
	cr_expect(eq(u64, value, UINT64_MAX));
	cr_expect(eq(int, units_parse_number("18446744073709551616", 0, UINT64_MAX, &value),
		     -ERANGE));
	cr_expect(eq(int, units_parse_number("4", 5, 9, &value), -ERANGE));
	cr_expect(eq(int, units_parse_number("10", 5, 9, &value), -ERANGE));
	cr_expect(zero(int, units_parse_number("5", 5, 9, &value)));
	cr_expect(zero(int, units_parse_number("9", 5, 9, &value)));
	cr_expect(eq(int, units_parse_number("", 0, 9, &value), -EINVAL));
	cr_expect(eq(int, units_parse_number("+5", 0, 9, &value), -EINVAL));
	cr_expect(eq(int, units_parse_number("-5", 0, 9, &value), -EINVAL));
	cr_expect(eq(int, units_parse_number("5 ", 0, 9, &value), -EINVAL));
	cr_expect(eq(int, units_parse_number("0x5", 0, 9, &value), -EINVAL));
}

struct printed {
	uint64_t value;
	const char *text;
};

Test(units, times_have_three_figures)
{
	static const struct printed rows[] = {
		{0, "0 ns"},	       {999, "999 ns"},		  {1000, "1.00 us"},
		{1234, "1.23 us"},     {9994, "9.99 us"},	  {9996, "10.0 us"},
		{45600000, "45.6 ms"}, {99960000, "100 ms"},	  {999499999, "999 ms"},
		{999500000, "1.00 s"}, {789 * NS_PER_S, "789 s"}, {5000 * NS_PER_S, "5000 s"},
	};
	char buffer[UNITS_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect(eq(str, units_print_time(buffer, rows[i].value), (char *)rows[i].text));
}

Test(units, sizes_are_powers_of_1000)
{
	static const struct printed rows[] = {
		{0, "0 B"},
		{999, "999 B"},
		{1000, "1.00 kB"},
		{34500000, "34.5 MB"},
		{UINT64_MAX, "18446744 TB"},
	};
	char buffer[UNITS_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect(eq(str, units_print_size(buffer, rows[i].value), (char *)rows[i].text));
}
