/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records to the contents of a block: columns, which zlib then packs, and bits, which it could not.
 * Records of this version in, in the order they are to be read. docs/recording.md says what the
 * bytes mean; decode.h is the way back.
 */
#ifndef STANDSTILL_RECORDING_ENCODE_H
#define STANDSTILL_RECORDING_ENCODE_H

#include "user/recording/block.h"
#include "user/recording/model.h"
#include "user/recording/number.h"

enum encode_column {
	COLUMN_STREAM,
	COLUMN_MASK,
	COLUMN_TIME,
	COLUMN_LITERAL,
	COLUMN_TEXT,
	NR_FIXED_COLUMNS
};

#define TIME_CLASS_BACK 255 /* the time went back: the 64 bits of the difference follow */

#define ENCODER_KINDS 128 /* kinds from here on are not written */

struct encoder {
	struct layout layout;
	uint8_t rows[ENCODER_KINDS]; /* of the layout, by kind; 255: none */
	struct model model;
	struct map map; /* streams, values and masks, all in one */
	struct buffer columns[NR_FIXED_COLUMNS];
	struct buffer **fields; /* by row of the layout, then field */
	struct bits_out bits;
	uint64_t last_ns;
	uint32_t nr_records;
	size_t nr_bytes;		 /* about what columns and bits hold */
	size_t cuts[BLOCK_CUTS_MAX + 1]; /* where large columns end, for block_pack() */
	size_t nr_cuts;
};

/* For records of this version. 0 or -ENOMEM. */
int encoder_init(struct encoder *e);

/* For records of @layout, whose contents move to the encoder, in any case. */
int encoder_init_layout(struct encoder *e, struct layout *layout);

void encoder_free(struct encoder *e);

/* Add one record. 0; -EINVAL: of no kind in the layout, or of another size; -ENOMEM: the block
 * is spoilt; -ENOBUFS: the block must be cut first (a table is full). */
int encoder_add(struct encoder *e, const struct event_hdr *record);

/* True when the next record might not fit a table. */
bool encoder_full(const struct encoder *e);

/* Append the columns to @ret_columns; the bits are in e->bits.bytes until the next reset. 0 or
 * -ENOMEM. */
int encoder_finish(struct encoder *e, struct buffer *ret_columns);

/* Forget all: the next block stands alone. */
void encoder_reset(struct encoder *e);

/* Forget what encoder_finish() gave, but not what it was made with: the next block goes on from
 * there, and can only be read after this one. */
void encoder_continue(struct encoder *e);

#endif
