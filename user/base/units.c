/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"

struct unit {
	const char *name;
	double factor;
};

int units_parse_number(const char *word, uint64_t min, uint64_t max, uint64_t *ret)
{
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)*word))
		return -EINVAL;
	errno = 0;
	value = strtoull(word, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno == ERANGE || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

/* A decimal number followed by one of @units, whose first row is the unit of a bare number. */
static int parse_with_unit(const char *word, const struct unit *units, size_t nr, uint64_t *ret)
{
	size_t nr_digits = strspn(word, "0123456789.");
	double value;
	char *end;

	if (!isdigit((unsigned char)*word) || nr_digits > 24)
		return -EINVAL;
	value = strtod(word, &end);
	if (end != word + nr_digits)
		return -EINVAL;
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(end, units[i].name))
			continue;
		value = round(value * units[i].factor);
		if (value >= 0x1p63)
			return -ERANGE;
		*ret = (uint64_t)value;
		return 0;
	}
	return -EINVAL;
}

int units_parse_time(const char *word, uint64_t *ret_ns)
{
	static const struct unit units[] = {
		{"", 1e9},   {"s", 1e9},  {"ms", 1e6},	 {"us", 1e3},
		{"ns", 1.0}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9},
	};

	return parse_with_unit(word, units, ARRAY_SIZE(units), ret_ns);
}

int units_parse_size(const char *word, uint64_t *ret_bytes)
{
	static const struct unit units[] = {
		{"", 1},	 {"B", 1},	 {"K", 0x1p10},	  {"KB", 0x1p10},
		{"KiB", 0x1p10}, {"M", 0x1p20},	 {"MB", 0x1p20},  {"MiB", 0x1p20},
		{"G", 0x1p30},	 {"GB", 0x1p30}, {"GiB", 0x1p30}, {"T", 0x1p40},
	};

	return parse_with_unit(word, units, ARRAY_SIZE(units), ret_bytes);
}

static char *print_scaled(char buffer[UNITS_BYTES], double value, const char *const *units,
			  size_t nr)
{
	size_t unit = 0;

	while (unit + 1 < nr && value >= 999.5) {
		value /= 1000;
		unit++;
	}
	if (unit == 0)
		snprintf(buffer, UNITS_BYTES, "%.0f %s", value, units[unit]);
	else
		snprintf(buffer, UNITS_BYTES, "%.*f %s",
			 value < 9.995	 ? 2
			 : value < 99.95 ? 1
					 : 0,
			 value, units[unit]);
	return buffer;
}

char *units_print_time(char buffer[UNITS_BYTES], uint64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};

	return print_scaled(buffer, (double)ns, units, ARRAY_SIZE(units));
}

char *units_print_size(char buffer[UNITS_BYTES], uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};

	return print_scaled(buffer, (double)bytes, units, ARRAY_SIZE(units));
}
