/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers as people write and read them. Parsers take the whole word or refuse it; printers write
 * into a caller's buffer, and return it, so that they can stand in a printf's arguments.
 */
#ifndef STANDSTILL_BASE_UNITS_H
#define STANDSTILL_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull

#define UNITS_BYTES 32 /* enough for every printer here */

/* A decimal number in [min, max]. 0, -EINVAL or -ERANGE. */
int units_parse_number(const char *word, uint64_t min, uint64_t max, uint64_t *ret);

/* "250ms", "1.5s", "5m", "2h", "10us", "7ns", in lower case; a bare number is in seconds. 0,
 * -EINVAL or -ERANGE. */
int units_parse_time(const char *word, uint64_t *ret_ns);

/* "512", "64K", "10M", "1G", in upper case (powers of 1024; an optional B or iB follows). 0,
 * -EINVAL or -ERANGE. */
int units_parse_size(const char *word, uint64_t *ret_bytes);

/* Three significant figures and a unit: "1.23 us", "45.6 ms", "789 s". */
char *units_print_time(char buffer[UNITS_BYTES], uint64_t ns);

/* "1.2 kB", "34.5 MB": powers of 1000, as disks are sold. */
char *units_print_size(char buffer[UNITS_BYTES], uint64_t bytes);

#endif
