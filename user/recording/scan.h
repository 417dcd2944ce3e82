/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole blocks of a file or pipe, one after the other, whatever else is in it: damage is passed
 * over up to the next block, holes that --keep left are passed over quickly, a torn end is told
 * from damage. Knows nothing of what blocks mean.
 */
#ifndef STANDSTILL_RECORDING_SCAN_H
#define STANDSTILL_RECORDING_SCAN_H

#include "user/recording/block.h"
#include "user/recording/input.h"

struct scan {
	struct input in;
	size_t pending; /* bytes of the block given last, still to be passed */
	bool any;	/* a block has been given */
	uint64_t
		leading; /* zeros before the first block: dropped segments, if its number says so */
	uint64_t wasted; /* bytes of blocks whose checksum was wrong */
	uint64_t nr_bad; /* places where something else than a whole block stood */
	uint64_t nr_skipped_bytes; /* in them */
	uint64_t nr_torn_bytes;	   /* of a block cut off by the end, or of zeros there */
};

/* The next block: its header, and its payload, valid until the next call. 1, 0 at the end, or
 * -errno of a failed read. */
int scan_next(struct scan *s, struct block_header *ret, const uint8_t **ret_payload);

/* The block given last was no good after all. */
void scan_reject(struct scan *s);

/* @nr bytes behind the last block are no block, and no damage either. */
void scan_pass(struct scan *s, size_t nr);

#endif
