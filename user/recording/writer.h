/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a recording: records in, in roughly the order of time; a file out that reads to its last
 * whole block whatever happens to the writer. Sorts records of different CPUs into order within a
 * window, encodes them (schema.h), cuts blocks and segments, keeps the index, drops old segments
 * (--keep). Knows nothing of BPF.
 *
 * Life: create; put ... put; tick every drain; segment_begin when writer_segment_due() says so,
 * followed by the dictionaries and open states; close.
 */
#ifndef STANDSTILL_RECORDING_WRITER_H
#define STANDSTILL_RECORDING_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "user/recording/record.h"

struct recording_writer;

struct recording_options {
	uint64_t keep_ns;    /* drop segments that ended longer ago; 0: keep all */
	uint64_t keep_bytes; /* drop the oldest segments while the file is larger; 0: keep all */
	uint64_t window_ns; /* how long a record may come late and still be put in order; 0: 5 ms */
	uint64_t segment_ns;	  /* a new segment after this long and 512 KiB; 0: 5 s */
	uint64_t slow_segment_ns; /* or after this long; 0: segment_ns when given, else 30 s */
	uint64_t segment_bytes;	  /* or after this many encoded bytes; 0: 16 MiB */
};

/* Create @path (truncating what is there). Returns 0, or -errno; -EOPNOTSUPP when keeping less than
 * all was asked and the file system cannot free the front of a file. */
int recording_create(const char *path, const struct recording_options *options,
		     struct recording_writer **ret);

/* Take one record, @event->size bytes; copied. Returns 0, or the -errno of a write that failed
 * (sticky: -ENOSPC, ...): the file then ends in its last whole block and every later record is
 * counted as LOST_WRITE. */
int recording_put(struct recording_writer *w, const struct event_hdr *event);

/* It is @now_ns, and everything that happened before @now_ns has been put: what is older than the
 * window can go to the file. A block is cut when it is full or a second old. */
int recording_tick(struct recording_writer *w, uint64_t now_ns);

/* True when the caller should begin a new segment: the first time, and then by time, size or when a
 * table is full. */
bool recording_segment_due(const struct recording_writer *w, uint64_t now_ns);

/* Begin a segment. The caller then puts what makes it self-contained: INFO, CLOCK, NAME, THREAD,
 * COUNTERS records. */
int recording_segment_begin(struct recording_writer *w, uint64_t now_ns);

struct recording_totals {
	uint64_t nr_records;
	uint64_t file_bytes;	/* written, headers included; dropped segments included */
	uint64_t kept_bytes;	/* still in the file */
	uint64_t nr_disordered; /* came later than the window */
	uint64_t nr_lost_write;
	uint64_t nr_segments, nr_segments_dropped;
};
void recording_totals(const struct recording_writer *w, struct recording_totals *ret);

/* Flush all, write the index, sync, close. Frees @w in any case. Returns 0, or the first -errno of
 * the file. */
int recording_close(struct recording_writer *w);

#endif
