/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers in two parts: a class, a byte that says how large the number is (its power of two and the
 * next two bits), and the bits below, which are as good as random. Classes repeat and go to zlib;
 * the bits do not, and are packed beside it untouched. That costs less space and time than varints
 * through zlib, which spends most of a code on bits it cannot predict.
 *
 *   class 0..7      the number itself
 *   class 8 + 4k+m  (4 + m) << (k + 1), plus k + 1 bits; k up to 60, m up to 3
 *
 * Indices into tables have classes of their own, which keep each of the first 240 apart, since zlib
 * can tell often from rare:
 *
 *   class 0..239    the index itself
 *   class 240 + k   112 + (1 << (k + 7)), plus k + 7 bits; k up to 15
 */
#ifndef STANDSTILL_RECORDING_NUMBER_H
#define STANDSTILL_RECORDING_NUMBER_H

#include <endian.h>

#include "user/recording/buffer.h"

#define NUMBER_CLASS_MAX 251
#define INDEX_MAX	 ((1u << 23) - 1 + 112)
#define INDEX_DIRECT	 240u
#define INDEX_BIAS	 112u /* INDEX_DIRECT - INDEX_BIAS is the first power of two used */

struct bits_out {
	struct buffer bytes;
	uint64_t pending;
	unsigned int nr_pending; /* bits, below 64 */
};

struct bits_in {
	const uint8_t *data; /* readable 8 bytes beyond the last bit */
	size_t at, nr;	     /* bits */
	bool bad;
};

static inline void bits_put(struct bits_out *out, uint64_t bits, unsigned int nr)
{
	uint64_t word;

	if (!nr)
		return;
	out->pending |= bits << out->nr_pending;
	if (out->nr_pending + nr < 64) {
		out->nr_pending += nr;
		return;
	}
	word = htole64(out->pending);
	buffer_bytes(&out->bytes, &word, sizeof(word));
	out->pending = out->nr_pending ? bits >> (64 - out->nr_pending) : 0;
	out->nr_pending = out->nr_pending + nr - 64;
}

static inline void bits_flush(struct bits_out *out)
{
	uint64_t word = htole64(out->pending);

	buffer_bytes(&out->bytes, &word, (out->nr_pending + 7) / 8);
	out->pending = 0;
	out->nr_pending = 0;
}

/* At most 57 bits: one load always holds them, whatever bit of a byte they begin at. */
static inline uint64_t bits_get_some(struct bits_in *in, unsigned int nr)
{
	uint64_t word;

	if (nr > in->nr - in->at) {
		in->bad = true;
		return 0;
	}
	memcpy(&word, in->data + in->at / 8, sizeof(word));
	word = le64toh(word) >> (in->at % 8);
	in->at += nr;
	return word & ((1ull << nr) - 1);
}

static inline uint64_t bits_get(struct bits_in *in, unsigned int nr)
{
	uint64_t low;

	if (nr <= 57)
		return bits_get_some(in, nr);
	low = bits_get_some(in, 32);
	return low | bits_get_some(in, nr - 32) << 32;
}

static inline uint8_t number_put(struct bits_out *out, uint64_t value)
{
	unsigned int exponent;

	if (value < 8)
		return (uint8_t)value;
	exponent = 63u - (unsigned int)__builtin_clzll(value);
	bits_put(out, value & ((1ull << (exponent - 2)) - 1), exponent - 2);
	return (uint8_t)(8 + (exponent - 3) * 4 + (value >> (exponent - 2) & 3));
}

static inline uint64_t number_get(struct bits_in *in, uint8_t class)
{
	unsigned int nr;

	if (class < 8)
		return class;
	if (class > NUMBER_CLASS_MAX) {
		in->bad = true;
		return 0;
	}
	nr = (class - 8u) / 4 + 1;
	return (uint64_t)(4 + (class - 8u) % 4) << nr | bits_get(in, nr);
}

static inline uint8_t index_put(struct bits_out *out, uint32_t index)
{
	unsigned int exponent;

	if (index < INDEX_DIRECT)
		return (uint8_t)index;
	index -= INDEX_BIAS;
	exponent = 31u - (unsigned int)__builtin_clz(index);
	bits_put(out, index & ((1u << exponent) - 1), exponent);
	return (uint8_t)(INDEX_DIRECT + exponent - 7);
}

static inline uint32_t index_get(struct bits_in *in, uint8_t class)
{
	unsigned int exponent;

	if (class < INDEX_DIRECT)
		return class;
	exponent = class - INDEX_DIRECT + 7;
	return INDEX_BIAS + (uint32_t)(1u << exponent | bits_get(in, exponent));
}

static inline uint64_t zigzag(uint64_t value)
{
	return value << 1 ^ (0 - (value >> 63));
}

static inline uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

#endif
