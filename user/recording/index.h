/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index: which segments a file holds, where, and what times they touch. The last block of a
 * file, behind which a trailer of fixed size points back to it. A file without is whole to its last
 * block, only its writer did not end in an orderly way.
 */
#ifndef STANDSTILL_RECORDING_INDEX_H
#define STANDSTILL_RECORDING_INDEX_H

#include "user/recording/block.h"

struct index_segment {
	uint64_t nr;		/* its number: from 0, dropped ones included */
	uint64_t offset, bytes; /* in the file */
	uint64_t from_ns;	/* earliest begin of an interval in it; UINT64_MAX: no records */
	uint64_t to_ns;		/* time of its latest record */
	uint64_t nr_records;
};

struct index_totals {
	uint64_t nr_records; /* written, dropped segments included */
	uint64_t nr_disordered;
	uint64_t nr_lost;	/* as RECORD_LOST records say */
	uint64_t nr_lost_write; /* could not be written */
	uint64_t nr_segments;	/* dropped ones included */
	uint64_t nr_segments_dropped;
	uint64_t nr_records_dropped; /* in them */
};

struct index {
	struct index_totals totals;
	struct index_segment *segments;
	size_t nr, size;
};

#define INDEX_SEGMENTS_MAX 65536u

/* Append @segment; NULL when out of memory. */
struct index_segment *index_add(struct index *index, const struct index_segment *segment);

/* Take the first @nr segments out, fewer than there are, and count them as dropped. */
void index_drop(struct index *index, size_t nr);

/* Halve a long index: neighbours become one segment, which a reader skips to and --keep drops as
 * one. */
void index_coarsen(struct index *index);

void index_print(const struct index *index, struct buffer *out);

/* Hostile input. 0, -ENOMEM, or -EBADMSG. */
int index_parse(const uint8_t *bytes, size_t nr, struct index *ret);

void index_free(struct index *index);

#define TRAILER_MAGIC 0x7d5354494c4c7b96ull

struct file_trailer {
	uint64_t magic;
	uint64_t index_offset; /* of the index block's header */
	uint64_t file_bytes;   /* of the whole file, this trailer included */
	uint32_t reserved;
	uint32_t crc; /* of all before */
};
_Static_assert(sizeof(struct file_trailer) == 32, "file format");

void file_trailer_seal(struct file_trailer *t);
bool file_trailer_valid(const struct file_trailer *t);

#endif
