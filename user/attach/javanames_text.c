/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "user/attach/javanames_text.h"

#define COMM_CHARS  15
#define HEAD_CHARS  7 /* os_linux.cpp of JDK 27: head, "..", tail */
#define TAIL_CHARS  6
#define REPLACEMENT 0xfffdu

static uint32_t unit_at(const struct java_text *text, uint32_t i)
{
	uint16_t unit;

	if (!text->utf16)
		return text->bytes[i];
	memcpy(&unit, text->bytes + 2 * (size_t)i, sizeof(unit));
	return unit;
}

static uint32_t nr_units(const struct java_text *text)
{
	return text->utf16 ? text->nr_bytes / 2 : text->nr_bytes;
}

/* Returns the number of bytes put into @to, at most 4. */
static size_t encode(uint32_t character, char to[4])
{
	if (character < 0x80) {
		to[0] = (char)character;
		return 1;
	}
	if (character < 0x800) {
		to[0] = (char)(0xc0 | character >> 6);
		to[1] = (char)(0x80 | (character & 0x3f));
		return 2;
	}
	if (character < 0x10000) {
		to[0] = (char)(0xe0 | character >> 12);
		to[1] = (char)(0x80 | (character >> 6 & 0x3f));
		to[2] = (char)(0x80 | (character & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | character >> 18);
	to[1] = (char)(0x80 | (character >> 12 & 0x3f));
	to[2] = (char)(0x80 | (character >> 6 & 0x3f));
	to[3] = (char)(0x80 | (character & 0x3f));
	return 4;
}

static bool is_high(uint32_t unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(uint32_t unit)
{
	return unit >= 0xdc00 && unit < 0xe000;
}

/* The character at unit *i, which is moved behind it. */
static uint32_t next_character(const struct java_text *text, uint32_t *i)
{
	uint32_t unit = unit_at(text, (*i)++), low;

	if (unit < 0x20 || (unit >= 0x7f && unit < 0xa0))
		return '?';
	if (is_low(unit))
		return REPLACEMENT;
	if (!is_high(unit))
		return unit;
	low = *i < nr_units(text) ? unit_at(text, *i) : 0;
	if (!is_low(low))
		return REPLACEMENT;
	(*i)++;
	return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

void java_text_print(const struct java_text *text, char *buffer, size_t bytes)
{
	size_t done = 0;

	for (uint32_t i = 0; i < nr_units(text);) {
		char encoded[4];
		size_t length = encode(next_character(text, &i), encoded);

		if (done + length >= bytes)
			break;
		memcpy(buffer + done, encoded, length);
		done += length;
	}
	buffer[done] = '\0';
}

/* One unit as the JVM writes it: surrogates one by one, NUL in two bytes (utf8.cpp, utf8_write). */
static size_t encode_unit(uint32_t unit, char to[4])
{
	if (unit)
		return encode(unit, to);
	to[0] = (char)0xc0;
	to[1] = (char)0x80;
	return 2;
}

struct ends { /* of the JVM's own form of the name */
	size_t length;
	char head[COMM_CHARS + 1];
	char tail[TAIL_CHARS + 1];
};

static void add_byte(struct ends *ends, char byte)
{
	if (ends->length < COMM_CHARS)
		ends->head[ends->length] = byte;
	memmove(ends->tail, ends->tail + 1, TAIL_CHARS - 1);
	ends->tail[TAIL_CHARS - 1] = byte;
	ends->length++;
}

bool java_text_is_comm(const struct java_text *text, const char *comm)
{
	char shortened[COMM_CHARS + 1] = "";
	struct ends ends = {0};

	for (uint32_t i = 0; i < nr_units(text); i++) {
		char encoded[4];
		size_t length = encode_unit(unit_at(text, i), encoded);

		for (size_t j = 0; j < length; j++)
			add_byte(&ends, encoded[j]);
	}
	if (!strcmp(comm, ends.head))
		return true;
	if (ends.length <= COMM_CHARS)
		return false;
	memcpy(shortened, ends.head, HEAD_CHARS);
	memcpy(shortened + HEAD_CHARS, "..", 2);
	memcpy(shortened + HEAD_CHARS + 2, ends.tail, TAIL_CHARS);
	return !strcmp(comm, shortened);
}
