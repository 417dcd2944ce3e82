/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of a block back to records: the mirror of encode.h, by the layout of the file.
 * Hostile input: every size, index and class is checked before it is used, and memory is bounded by
 * the limits in model.h.
 */
#ifndef STANDSTILL_RECORDING_DECODE_H
#define STANDSTILL_RECORDING_DECODE_H

#include "user/recording/encode.h"

struct decoder {
	const struct layout *layout;
	struct model model;
	struct cursor columns[NR_FIXED_COLUMNS];
	struct cursor **fields;
	struct bits_in bits;
	uint64_t last_ns;
	uint32_t nr_left;
};

/* @layout stays the caller's, and must outlive the decoder. */
int decoder_init(struct decoder *d, const struct layout *layout);
void decoder_free(struct decoder *d);

/* Begin a block of @nr_records. @columns and @bits stay the caller's until its last record; behind
 * @bits 8 bytes more must be readable. 0 or -EBADMSG. */
int decoder_begin(struct decoder *d, const uint8_t *columns, size_t columns_bytes,
		  const uint8_t *bits, size_t bits_bytes, uint32_t nr_records);

/* The same for a block that goes on from the one before, all of whose records have been given. */
int decoder_continue(struct decoder *d, const uint8_t *columns, size_t columns_bytes,
		     const uint8_t *bits, size_t bits_bytes, uint32_t nr_records);

/* The next record, an image of the file's struct, and its plan; valid until the next call. 1, 0
 * when all have been given, -EBADMSG (the rest of the block is lost), or -ENOMEM. */
int decoder_next(struct decoder *d, const struct event_hdr **ret,
		 const struct layout_plan **ret_plan);

#endif
