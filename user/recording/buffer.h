/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes: a buffer that grows while it is written, and a cursor that never reads past its end. A
 * buffer that could not grow drops what comes and says so in failed; a cursor that was asked for
 * too much says so in bad, and gives zeros. Numbers longer than a byte are varints: seven bits a
 * byte, low ones first, the high bit says that more follow.
 */
#ifndef STANDSTILL_RECORDING_BUFFER_H
#define STANDSTILL_RECORDING_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
	uint8_t *data;
	size_t nr, size;
	bool failed;
};

static inline bool buffer_reserve(struct buffer *b, size_t more)
{
	size_t size = b->size ? b->size : 64;
	uint8_t *data;

	if (more <= b->size - b->nr)
		return true;
	while (size - b->nr < more)
		size *= 2;
	data = realloc(b->data, size);
	if (!data) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->size = size;
	return true;
}

static inline void buffer_byte(struct buffer *b, uint8_t byte)
{
	if (b->nr < b->size || buffer_reserve(b, 1))
		b->data[b->nr++] = byte;
}

static inline void buffer_bytes(struct buffer *b, const void *bytes, size_t nr)
{
	if (!nr || !buffer_reserve(b, nr))
		return;
	memcpy(b->data + b->nr, bytes, nr);
	b->nr += nr;
}

static inline void buffer_varint(struct buffer *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buffer_byte(b, (uint8_t)(value | 0x80));
	buffer_byte(b, (uint8_t)value);
}

static inline void buffer_free(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer){0};
}

struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline uint8_t cursor_byte(struct cursor *c)
{
	if (c->at < c->end)
		return *c->at++;
	c->bad = true;
	return 0;
}

/* The next @nr bytes, or NULL. */
static inline const uint8_t *cursor_bytes(struct cursor *c, size_t nr)
{
	const uint8_t *at = c->at;

	if ((size_t)(c->end - c->at) < nr) {
		c->bad = true;
		return NULL;
	}
	c->at += nr;
	return at;
}

static inline uint64_t cursor_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = cursor_byte(c);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	c->bad = true;
	return 0;
}

#endif
