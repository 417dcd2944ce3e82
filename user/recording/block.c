/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/block.h"

/*
 * Measured by tools/bench/recording.c: the classes in large columns seldom match, and Huffman codes
 * alone are as small as level 6 at a fifth of its time. Small blocks are mostly names and
 * addresses, which do match, and cost nothing.
 */
#define PACK_LEVEL  6
#define LARGE_BYTES 32768

static uint32_t header_crc(const struct block_header *h)
{
	return (uint32_t)crc32(0, (const Bytef *)h, offsetof(struct block_header, crc));
}

static uint32_t payload_crc(const uint8_t *packed, size_t nr)
{
	return (uint32_t)crc32(0, packed, (uInt)nr);
}

void file_header_seal(struct file_header *h)
{
	h->magic = FILE_MAGIC;
	h->version = FILE_VERSION;
	h->crc = (uint32_t)crc32(0, (const Bytef *)h, offsetof(struct file_header, crc));
}

bool file_header_whole(const struct file_header *h)
{
	return !BLOCK_CHECK_CRC ||
	       h->crc == crc32(0, (const Bytef *)h, offsetof(struct file_header, crc));
}

bool block_header_valid(const struct block_header *h)
{
	if (h->magic != BLOCK_MAGIC || h->header_bytes < sizeof(*h))
		return false;
	if (BLOCK_CHECK_CRC && h->crc != header_crc(h))
		return false;
	return h->header_bytes <= 4096 && h->columns_bytes <= BLOCK_COLUMNS_MAX &&
	       h->packed_bytes <= BLOCK_PACKED_MAX && h->bits_bytes <= BLOCK_BITS_MAX;
}

bool block_payload_valid(const struct block_header *h, const uint8_t *payload)
{
	return !BLOCK_CHECK_CRC ||
	       h->payload_crc == payload_crc(payload, (size_t)h->packed_bytes + h->bits_bytes);
}

int block_packer_init(struct block_packer *p)
{
	*p = (struct block_packer){0};
	/* Raw deflate: the block has a checksum of its own. */
	return deflateInit2(&p->stream, PACK_LEVEL, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) == Z_OK
		       ? 0
		       : -ENOMEM;
}

void block_packer_free(struct block_packer *p)
{
	deflateEnd(&p->stream);
}

static int pack_columns(struct block_packer *p, const struct block_content *content,
			struct buffer *out)
{
	uLong bound = deflateBound(&p->stream, content->columns->nr) + 512 * BLOCK_CUTS_MAX;
	size_t from = 0;

	if (!buffer_reserve(out, bound))
		return -ENOMEM;
	deflateReset(&p->stream);
	deflateParams(&p->stream, PACK_LEVEL,
		      content->columns->nr < LARGE_BYTES ? Z_DEFAULT_STRATEGY : Z_HUFFMAN_ONLY);
	p->stream.next_out = out->data + out->nr;
	p->stream.avail_out = (uInt)bound;
	for (size_t i = 0; i <= content->nr_cuts; i++) {
		bool last = i == content->nr_cuts;
		size_t to = last ? content->columns->nr : content->cuts[i];

		p->stream.next_in = content->columns->data + from;
		p->stream.avail_in = (uInt)(to - from);
		if (deflate(&p->stream, last ? Z_FINISH : Z_BLOCK) != (last ? Z_STREAM_END : Z_OK))
			return -ENOMEM;
		from = to;
	}
	out->nr += p->stream.total_out;
	return 0;
}

int block_pack(struct block_packer *p, struct block_header *h, const struct block_content *content,
	       struct buffer *out)
{
	const struct buffer *bits = content->bits;
	size_t at = out->nr;
	int err;

	if (content->columns->nr > BLOCK_COLUMNS_MAX || (bits && bits->nr > BLOCK_BITS_MAX))
		return -E2BIG;
	buffer_bytes(out, h, sizeof(*h)); /* room, filled in below */
	err = pack_columns(p, content, out);
	if (err)
		return err;
	h->magic = BLOCK_MAGIC;
	h->header_bytes = sizeof(*h);
	h->columns_bytes = (uint32_t)content->columns->nr;
	h->packed_bytes = (uint32_t)p->stream.total_out;
	h->bits_bytes = bits ? (uint32_t)bits->nr : 0;
	if (bits)
		buffer_bytes(out, bits->data, bits->nr);
	if (out->failed)
		return -ENOMEM;
	h->payload_crc = payload_crc(out->data + at + sizeof(*h), out->nr - at - sizeof(*h));
	h->crc = header_crc(h);
	memcpy(out->data + at, h, sizeof(*h));
	return 0;
}

int block_unpacker_init(struct block_unpacker *u)
{
	*u = (struct block_unpacker){0};
	return inflateInit2(&u->stream, -15) == Z_OK ? 0 : -ENOMEM;
}

void block_unpacker_free(struct block_unpacker *u)
{
	inflateEnd(&u->stream);
	buffer_free(&u->columns);
	buffer_free(&u->bits);
}

static int unpack_columns(struct block_unpacker *u, const struct block_header *h,
			  const uint8_t *payload)
{
	u->columns.nr = 0;
	if (!buffer_reserve(&u->columns, h->columns_bytes + 1u)) /* one more, to see too much */
		return -ENOMEM;
	inflateReset(&u->stream);
	u->stream.next_in = (Bytef *)(uintptr_t)payload;
	u->stream.avail_in = h->packed_bytes;
	u->stream.next_out = u->columns.data;
	u->stream.avail_out = h->columns_bytes + 1u;
	if (inflate(&u->stream, Z_FINISH) != Z_STREAM_END ||
	    u->stream.total_out != h->columns_bytes || u->stream.avail_in)
		return -EBADMSG;
	u->columns.nr = h->columns_bytes;
	return 0;
}

int block_unpack(struct block_unpacker *u, const struct block_header *h, const uint8_t *payload)
{
	static const uint8_t padding[8];

	u->bits.nr = 0;
	buffer_bytes(&u->bits, payload + h->packed_bytes, h->bits_bytes);
	buffer_bytes(&u->bits, padding, sizeof(padding));
	if (u->bits.failed)
		return -ENOMEM;
	u->bits.nr -= sizeof(padding);
	return unpack_columns(u, h, payload);
}
