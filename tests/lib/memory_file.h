/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings in memory (memfd), under a path that any code can open; and their bytes, for tests
 * that damage them. */
#ifndef STANDSTILL_TESTS_MEMORY_FILE_H
#define STANDSTILL_TESTS_MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "user/recording/reader.h"
#include "user/recording/writer.h"

union any_record {
	struct event_hdr hdr;
	struct event_offcpu off;
	struct event_thread thread;
	struct event_jvm jvm;
	struct record_info info;
	struct record_lost lost;
	struct record_end end;
	char bytes[EVENT_BYTES_MAX];
};

/* @nr records of random kinds, most of them off-CPU intervals, up to 40 us apart; malloc'ed. */
union any_record *random_records(uint64_t seed, size_t nr);

struct memory_file {
	int fd; /* 0: none yet */
	char path[64];
};

/* Make the file if there is none, and begin a recording in it; @options NULL: defaults. The test
 * fails where this does. */
struct recording_writer *memory_file_create(struct memory_file *file,
					    const struct recording_options *options);
struct recording_reader *memory_file_open(struct memory_file *file);

/* Write @nr records and close; a new segment before each record whose number is a multiple of
 * @segment_nr (0: one for all). */
void memory_file_write(struct memory_file *file, const union any_record *records, size_t nr,
		       size_t segment_nr);

/* All bytes, malloc'ed; *ret_nr is their number. */
uint8_t *memory_file_bytes(const struct memory_file *file, size_t *ret_nr);

/* Replace the contents. */
void memory_file_set(struct memory_file *file, const uint8_t *bytes, size_t nr);

void memory_file_free(struct memory_file *file);

#endif
