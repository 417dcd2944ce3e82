/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a file: its header, and blocks, each with a header of its own, columns packed by
 * zlib, and bits as they are. All numbers are little-endian. docs/recording.md has the whole.
 */
#ifndef STANDSTILL_RECORDING_BLOCK_H
#define STANDSTILL_RECORDING_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

#include "user/recording/buffer.h"

/* Fuzzers cannot guess a checksum: in their build (tests/fuzz) only the rest of a block has to be
 * right. */
#ifdef STANDSTILL_FUZZ
#define BLOCK_CHECK_CRC 0
#else
#define BLOCK_CHECK_CRC 1
#endif

#define FILE_MAGIC                                                                                 \
	0x0a0d4c4c49545389ull /* "\x89STILL\r\n": text-mode copies break it, and are told */
#define FILE_VERSION 2u	      /* 1 had no BLOCK_MORE and no REST fields; it is read as well */

struct file_header {
	uint64_t magic;
	uint32_t version;	      /* a reader of an older version refuses the file */
	uint32_t flags;		      /* none yet; one that is not known refuses the file too */
	uint64_t nr_segments_dropped; /* by --keep, from the front; written anew each time */
	uint64_t nr_records_dropped;  /* in them */
	uint32_t reserved[7];
	uint32_t crc; /* of all before */
};
_Static_assert(sizeof(struct file_header) == 64, "file format");

/* Fill in magic, version and checksum. */
void file_header_seal(struct file_header *h);

/* Its checksum is right. */
bool file_header_whole(const struct file_header *h);

#define BLOCK_MAGIC 0xb10c4b0a5354c3f7ull

enum block_type {
	BLOCK_SCHEMA = 1,  /* layout_print(): opens each segment */
	BLOCK_RECORDS = 2, /* encode.h */
	BLOCK_INDEX = 3,   /* index.h: the last block */
	BLOCK_MORE = 4,	   /* records that go on from those of the block before */
};

struct block_header {
	uint64_t magic;
	uint16_t header_bytes;	/* 96; what a later version appends is passed over */
	uint16_t type;		/* enum block_type; others are passed over */
	uint32_t segment;	/* from 0 */
	uint32_t columns_bytes; /* unpacked */
	uint32_t packed_bytes;	/* of the columns in the file, behind this header */
	uint32_t bits_bytes;	/* behind those, as they are */
	uint32_t nr_records;
	uint64_t nr_before;	/* records in blocks before this one, dropped segments included */
	uint64_t from_ns;	/* earliest begin of an interval in it */
	uint64_t first_ns;	/* time of the earliest record */
	uint64_t to_ns;		/* time of the latest record */
	uint64_t nr_lost;	/* records lost until then, as RECORD_LOST records say */
	uint64_t nr_disordered; /* records until then that came too late to be put in order */
	uint32_t schema_crc;	/* of the schema that the records follow */
	uint32_t payload_crc;	/* of the packed columns and the bits */
	uint32_t reserved;
	uint32_t crc; /* of this header up to here */
};
_Static_assert(sizeof(struct block_header) == 96, "file format");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "structs are read and written as they are");

#define BLOCK_COLUMNS_MAX (4u << 20)
#define BLOCK_PACKED_MAX  (BLOCK_COLUMNS_MAX + 65536u)
#define BLOCK_BITS_MAX	  (4u << 20)

#define BLOCK_CUTS_MAX 64
#ifndef BLOCK_CUT_BYTES
#define BLOCK_CUT_BYTES 1024 /* from this size on, codes of its own save more than they take */
#endif

/* Bytes of the whole block in the file. */
static inline uint64_t block_bytes(const struct block_header *h)
{
	return (uint64_t)h->header_bytes + h->packed_bytes + h->bits_bytes;
}

/* Magic, checksum, sizes within limits. */
bool block_header_valid(const struct block_header *h);

/* The checksum of what is behind it, all of which is at @payload. */
bool block_payload_valid(const struct block_header *h, const uint8_t *payload);

struct block_packer {
	z_stream stream;
};

int block_packer_init(struct block_packer *p);
void block_packer_free(struct block_packer *p);

struct block_content {
	const struct buffer *columns;
	const struct buffer *bits; /* may be NULL */
	const size_t *cuts; /* ascending offsets into columns, at most BLOCK_CUTS_MAX: new Huffman
			       codes begin there */
	size_t nr_cuts;
};

/*
 * Append a whole block to @out: @h gets its sizes and checksums, the rest of it is the caller's. 0,
 * -ENOMEM, or -E2BIG when it is beyond a block's limits.
 */
int block_pack(struct block_packer *p, struct block_header *h, const struct block_content *content,
	       struct buffer *out);

struct block_unpacker {
	z_stream stream;
	struct buffer columns, bits; /* of the last block */
};

int block_unpacker_init(struct block_unpacker *u);
void block_unpacker_free(struct block_unpacker *u);

/* Unpack the valid @payload behind a valid header @h into u->columns and u->bits (8 zero bytes
 * behind them). 0, -ENOMEM, or -EBADMSG. */
int block_unpack(struct block_unpacker *u, const struct block_header *h, const uint8_t *payload);

#endif
