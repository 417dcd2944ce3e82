/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to the columns and bits of one block, and back. A block stands alone: it opens with a
 * table of the connections in it. Each column is predicted from what came before in the block, and
 * what is left is kept as number.h does: a class for zlib, bits as they are. docs/schedule.md has
 * the format.
 */
#ifndef STANDSTILL_IMPORT_SCHEDULE_CODEC_H
#define STANDSTILL_IMPORT_SCHEDULE_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "user/import/schedule.h"
#include "user/recording/buffer.h"
#include "user/recording/number.h"

#define SCHEDULE_MAGIC                                                                             \
	0x0a0d444548435389ull /* "\x89SCHED\r\n": text-mode copies break it, and are told */
#define SCHEDULE_VERSION 1u

/* Types of blocks, beside those of a recording (block.h). */
#define BLOCK_SCHEDULE_TEXT	16 /* columns: lines "#key=value"; label ones are "#label=ID,NAME" */
#define BLOCK_SCHEDULE_REQUESTS 17 /* columns and bits as below */

#define SCHEDULE_BLOCK_REQUESTS 16384 /* at most, in one block */

struct codec_connection {
	uint64_t conn;
	uint64_t out_at, in_at; /* where its next request and answer should begin */
	uint16_t local, peer;
	uint32_t next; /* in its chain of the hash: index + 1 */
};

struct schedule_codec {
	struct codec_connection *connections; /* SCHEDULE_BLOCK_REQUESTS of each */
	uint32_t nr_connections;
	uint32_t *chains;     /* of the hash: index of a connection + 1 */
	uint32_t *of_request; /* the connection of each request */
	size_t cuts[32];      /* of what was encoded last: where in its columns each begins */
	size_t nr_cuts;
};

int schedule_codec_init(struct schedule_codec *c); /* 0 or -ENOMEM */
void schedule_codec_free(struct schedule_codec *c);

/*
 * @requests, at most SCHEDULE_BLOCK_REQUESTS, are sorted by seq in place. No number in them is over
 * SCHEDULE_NUMBER_MAX, except SCHEDULE_UNKNOWN. Appends to @columns and @bits, which say themselves
 * when they failed to grow.
 */
void schedule_encode(struct schedule_codec *c, struct schedule_request *requests, uint32_t nr,
		     struct buffer *columns, struct bits_out *bits);

/* @nr requests of a block into @ret; hostile input. @bits has 8 readable bytes behind its end. 0 or
 * -EBADMSG. */
int schedule_decode(struct schedule_codec *c, const struct buffer *columns,
		    const struct buffer *bits, uint32_t nr, struct schedule_request *ret);

#endif
