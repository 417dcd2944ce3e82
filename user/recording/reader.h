/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a recording, of a pipe too: a file in, checked records out, in order of time. A file
 * without an index (its writer died) or with a torn or damaged block reads on to the next whole one
 * and says what was skipped. Bounded memory: one block and one segment's tables. Nothing in a file
 * can make it crash, hang or allocate beyond fixed limits.
 */
#ifndef STANDSTILL_RECORDING_READER_H
#define STANDSTILL_RECORDING_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "user/recording/record.h"

struct recording_reader;

/* Open @path ("-": standard input). Returns 0, or -errno: -EBADMSG when it is no recording,
 * -EPROTONOSUPPORT when it is one of a newer, incompatible format. */
int recording_open(const char *path, struct recording_reader **ret);

/* Read only what may touch [from_ns, to_ns): whole segments outside are skipped where the index
 * allows. Before next. */
int recording_seek(struct recording_reader *r, uint64_t from_ns, uint64_t to_ns);

/* The time of its earliest record, 0 when it has none. Before next. */
uint64_t recording_start(struct recording_reader *r);

/* The next record, valid until the next call. 1, 0 at the end, or -errno (-EIO, ...). Records of
 * kinds this version does not know are skipped and counted. Every record is exactly sizeof its
 * struct as this version knows it; fields an older file lacks are 0. Where records are missing
 * between two whole blocks, a RECORD_LOST with LOST_DAMAGED says how many and when. */
int recording_next(struct recording_reader *r, const struct event_hdr **ret);

struct recording_health {
	bool complete; /* it has its index: the writer ended in an orderly way */
	uint64_t nr_blocks, nr_records, nr_unknown_kind;
	uint64_t nr_bad_blocks;	   /* checksum, size or content wrong: skipped */
	uint64_t nr_skipped_bytes; /* bytes passed over in search of the next block */
	uint64_t nr_torn_bytes;	   /* of a last block that was cut off; not among the bad */
	uint64_t nr_missing;	   /* records that were in what is bad */
	uint64_t bad_from_ns,
		bad_to_ns; /* time range they fall into, as the good neighbours tell; 0: none */
	uint64_t nr_segments, nr_segments_dropped; /* dropped: by --keep, as the header says */
	uint64_t nr_disordered;
	uint64_t nr_lost_write; /* records the writer could not write (disk full) */
	uint64_t file_bytes;	/* read, or passed over */
};
void recording_health(const struct recording_reader *r, struct recording_health *ret);

void recording_reader_free(struct recording_reader *r);

#endif
