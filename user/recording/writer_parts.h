/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a writer, for its files: writer.c, which fills blocks, writer_block.c, which
 * appends them and frees the front, and writer_close.c, which ends the file. */
#ifndef STANDSTILL_RECORDING_WRITER_PARTS_H
#define STANDSTILL_RECORDING_WRITER_PARTS_H

#include "user/recording/encode.h"
#include "user/recording/index.h"
#include "user/recording/order.h"
#include "user/recording/output.h"
#include "user/recording/writer.h"

#define WRITER_BLOCK_BYTES (512u << 10) /* columns and bits: about a second of 50,000 records */

struct recording_writer {
	char *path; /* absolute, or NULL when it has none */
	struct recording_options options;
	struct output file;
	struct order order;
	struct encoder encoder;
	struct block_packer packer;
	struct buffer columns, block; /* of the block being packed */
	struct index index;
	struct block_header open; /* the block being filled: its times */
	uint64_t chain_bytes;	  /* of blocks before it that it goes on from; 0: it stands alone */
	uint64_t open_since_ns;	  /* ticks' time when it got its first record */
	uint64_t segment_since_ns;
	uint64_t last_ns; /* time of the latest record encoded */
	uint64_t last_put_ns;
	uint64_t written_to_ns; /* time of the latest record in the file */
	uint64_t freed_bytes;
	struct record_end end; /* one that came after a failure */
};

/* Append one record to the open block, cutting it before and after as needed. After a failure it is
 * lost, and counted. */
void writer_encode(struct recording_writer *w, const struct event_hdr *record, uint64_t now_ns);

/* What is pending up to @until_ns goes to the block. Returns the file's error. */
int writer_flush(struct recording_writer *w, uint64_t until_ns, uint64_t now_ns);

/* Write what has been encoded since the last cut. Returns the file's error. */
int writer_cut(struct recording_writer *w);

/* Forget what has been encoded since the last cut, and before: the next block stands alone. */
void writer_reset_block(struct recording_writer *w);

/* Begin a segment, with its schema block. Returns the file's error. */
int writer_begin_segment(struct recording_writer *w, uint64_t now_ns);

/* Drop what is beyond the limits of --keep. */
void writer_drop_old(struct recording_writer *w, uint64_t now_ns);

/* Under --keep, drop the oldest segment though it is within the limits. False when that frees
 * nothing. */
bool writer_give_up_oldest(struct recording_writer *w);

/* The segment being written, NULL before the first. */
struct index_segment *writer_segment(struct recording_writer *w);

/* All but the file itself. */
void writer_free(struct recording_writer *w);

#endif
