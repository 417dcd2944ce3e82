/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "user/base/cleanup.h"
#include "user/output/hdr.h"
#include "user/output/hlog.h"

#define COOKIE_PLAIN	  0x1c849313u
#define COOKIE_COMPRESSED 0x1c849314u
#define PLAIN_HEADER	  40u
#define COMPRESSED_HEADER 8u
#define COUNT_BYTES_MAX	  9u /* ZigZag LEB128-64b9B: seven bits a byte, and the ninth holds eight */

void hlog_begin(FILE *to, uint64_t start_ns)
{
	double start_s = (double)start_ns / 1e9;

	fprintf(to,
		"#[Histogram log format version 1.3]\n"
		"#[StartTime: %.3f (seconds since epoch)]\n"
		"#[BaseTime: %.3f (seconds since epoch)]\n"
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_"
		"Histogram\"\n",
		start_s, start_s);
}

static void put_u32(uint8_t *to, uint32_t value)
{
	value = htobe32(value);
	memcpy(to, &value, sizeof(value));
}

static void put_u64(uint8_t *to, uint64_t value)
{
	value = htobe64(value);
	memcpy(to, &value, sizeof(value));
}

static size_t put_count(uint8_t *to, int64_t count)
{
	uint64_t bits = (uint64_t)count << 1 ^ (uint64_t)(count >> 63);
	size_t nr = 0;

	while (bits >= 0x80 && nr < COUNT_BYTES_MAX - 1) {
		to[nr++] = (uint8_t)(bits | 0x80);
		bits >>= 7;
	}
	to[nr++] = (uint8_t)bits;
	return nr;
}

/* Counts up to the last that is not 0; a run of zeros is one negative number. */
static size_t put_counts(uint8_t *to, const struct hdr *h)
{
	uint32_t last = HDR_BUCKETS;
	int64_t zeros = 0;
	size_t nr = 0;

	while (last > 0 && h->counts[last - 1] == 0)
		last--;
	for (uint32_t i = 0; i < last; i++) {
		if (h->counts[i] == 0) {
			zeros++;
			continue;
		}
		if (zeros)
			nr += put_count(to + nr, zeros == 1 ? 0 : -zeros);
		zeros = 0;
		nr += put_count(to + nr, (int64_t)h->counts[i]);
	}
	return nr;
}

static size_t put_plain(uint8_t *to, const struct hdr *h)
{
	size_t nr = put_counts(to + PLAIN_HEADER, h);
	double ratio = 1;
	uint64_t bits;

	memcpy(&bits, &ratio, sizeof(bits));
	put_u32(to, COOKIE_PLAIN);
	put_u32(to + 4, (uint32_t)nr);
	put_u32(to + 8, 0);  /* normalizing index offset */
	put_u32(to + 12, 3); /* significant digits */
	put_u64(to + 16, 1); /* lowest discernible value */
	put_u64(to + 24, HDR_VALUE_MAX);
	put_u64(to + 32, bits);
	return PLAIN_HEADER + nr;
}

static void print_base64(FILE *to, const uint8_t *bytes, size_t nr)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < nr; i += 3) {
		uint32_t word = (uint32_t)bytes[i] << 16 |
				(uint32_t)(i + 1 < nr ? bytes[i + 1] : 0) << 8 |
				(i + 2 < nr ? bytes[i + 2] : 0);

		putc(digits[word >> 18], to);
		putc(digits[word >> 12 & 63], to);
		putc(i + 1 < nr ? digits[word >> 6 & 63] : '=', to);
		putc(i + 2 < nr ? digits[word & 63] : '=', to);
	}
}

int hlog_interval(FILE *to, const char *tag, uint64_t from_ns, uint64_t length_ns,
		  const struct hdr *h)
{
	size_t plain_bytes = PLAIN_HEADER + (size_t)HDR_BUCKETS * COUNT_BYTES_MAX;
	uint8_t *plain CLEANUP(freep) = malloc(plain_bytes);
	uLong packed_bytes = compressBound(plain_bytes);
	uint8_t *packed CLEANUP(freep) = malloc(COMPRESSED_HEADER + packed_bytes);

	if (!plain || !packed)
		return -ENOMEM;
	plain_bytes = put_plain(plain, h);
	if (compress(packed + COMPRESSED_HEADER, &packed_bytes, plain, plain_bytes) != Z_OK)
		return -ENOMEM;
	put_u32(packed, COOKIE_COMPRESSED);
	put_u32(packed + 4, (uint32_t)packed_bytes);
	if (tag)
		fprintf(to, "Tag=%s,", tag);
	fprintf(to, "%.3f,%.3f,%.3f,", (double)from_ns / 1e9, (double)length_ns / 1e9,
		(double)h->max / 1e6);
	print_base64(to, packed, COMPRESSED_HEADER + packed_bytes);
	putc('\n', to);
	return 0;
}
