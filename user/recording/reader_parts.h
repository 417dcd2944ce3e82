/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a reader, for its files: reader.c, which reads on, and reader_seek.c, which leaves
 * out what is not wanted. */
#ifndef STANDSTILL_RECORDING_READER_PARTS_H
#define STANDSTILL_RECORDING_READER_PARTS_H

#include "user/recording/decode.h"
#include "user/recording/index.h"
#include "user/recording/reader.h"
#include "user/recording/scan.h"

struct recording_reader {
	struct scan scan;
	struct block_unpacker unpacker;
	struct layout layout;	   /* nr 0: none yet */
	struct decoder decoder;	   /* of that layout */
	struct block_header block; /* being decoded */
	bool in_block;
	bool whole;	/* all records of that block have been decoded: another may go on from it */
	bool started;	/* a block of records has been read */
	bool expecting; /* next_record means something */
	uint64_t next_record;  /* how many records come before the next block, if none is missing */
	uint64_t told_records; /* how many there are up to the end of the last block's, as its
				  header says */
	uint64_t told_ns;      /* the latest time of theirs */
	uint64_t last_ns;
	struct index index; /* found at the end, or before a seek */
	bool seeking;
	size_t segment; /* when seeking: how many have been read or passed over */
	bool sought_any, sought_all;
	uint64_t from_ns, to_ns;
	struct recording_health health;
	union {
		struct event_hdr hdr;
		struct record_lost lost;
		char bytes[EVENT_BYTES_MAX];
	} record;	 /* one that is no image of the file's */
	bool lost_ready; /* record.lost is to be given first */
};

/* Go to the next segment that may touch the wanted time. 1, 0 when there is none, -errno. */
int reader_next_segment(struct recording_reader *r);

/* When seeking: is the segment being read at its end? */
bool reader_segment_ended(const struct recording_reader *r);

#endif
