/* SPDX-License-Identifier: BSD-2-Clause */
/* The characters of a java.lang.String as UTF-8, and as HotSpot shortens them to a thread's comm.
 * Pure functions. */
#ifndef STANDSTILL_ATTACH_JAVANAMES_TEXT_H
#define STANDSTILL_ATTACH_JAVANAMES_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct java_text {
	const uint8_t *bytes;
	uint32_t nr_bytes;
	bool utf16; /* two bytes a unit in the machine's order; else Latin-1, one byte each */
};

/* As UTF-8, cut at a character if longer than @bytes - 1; lone surrogates become U+FFFD, control
 * characters '?'. */
void java_text_print(const struct java_text *text, char *buffer, size_t bytes);

/*
 * Whether @comm is what HotSpot makes of this name for the kernel: its first 15 bytes (JDK 8 to
 * 25), or the first 7, "..", the last 6 (27), in the JVM's own UTF-8 (surrogates and NUL as in
 * class files).
 */
bool java_text_is_comm(const struct java_text *text, const char *comm);

#endif
