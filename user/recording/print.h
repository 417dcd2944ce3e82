/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text appended to a fixed buffer without printf: millions of records a second become lines. What
 * does not fit sets full; room for the final NUL is always kept.
 */
#ifndef STANDSTILL_RECORDING_PRINT_H
#define STANDSTILL_RECORDING_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct print {
	char *at, *end; /* end: the last byte, kept for the NUL */
	bool full;
};

static inline struct print print_into(char *buffer, size_t size)
{
	return (struct print){buffer, buffer + (size ? size - 1 : 0), size == 0};
}

static inline void print_bytes(struct print *p, const char *bytes, size_t nr)
{
	if ((size_t)(p->end - p->at) < nr) {
		p->full = true;
		return;
	}
	memcpy(p->at, bytes, nr);
	p->at += nr;
}

static inline void print_char(struct print *p, char c)
{
	print_bytes(p, &c, 1);
}

static inline void print_string(struct print *p, const char *string)
{
	print_bytes(p, string, strlen(string));
}

static inline void print_unsigned(struct print *p, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	print_bytes(p, digits + at, sizeof(digits) - at);
}

static inline void print_signed(struct print *p, int64_t value)
{
	if (value < 0)
		print_char(p, '-');
	print_unsigned(p, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static inline void print_hex(struct print *p, uint64_t value)
{
	char digits[16];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	print_bytes(p, "0x", 2);
	print_bytes(p, digits + at, sizeof(digits) - at);
}

#endif
