/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text for people: names that fit a column and cannot harm a terminal. Names come from the recorded
 * processes, which may put anything in them.
 */
#ifndef STANDSTILL_OUTPUT_LABEL_H
#define STANDSTILL_OUTPUT_LABEL_H

#include <stddef.h>
#include <stdint.h>

#define LABEL_BYTES 512

/*
 * Copy @name into @buffer so that it takes @width columns at most: control characters and broken
 * UTF-8 become '?', a name too long keeps its head and its tail with ".." between them, as numbers
 * stand at the end. Every character counts as one column. Returns @buffer.
 */
char *label_fit(char buffer[LABEL_BYTES], const char *name, size_t width);

/* As label_fit, then filled up to @width with blanks. */
char *label_column(char buffer[LABEL_BYTES], const char *name, size_t width);

/* The length of the character at @text, 1 to 4; 0 when it is broken UTF-8, or not to be shown. */
size_t label_character(const char *text);

/* @part of @whole as "12.3 %"; "-" when there is no whole. Returns @buffer. */
char *label_share(char buffer[32], uint64_t part, uint64_t whole);

#endif
