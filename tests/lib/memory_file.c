/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/memory_file.h"
#include "tests/lib/random.h"
#include "user/base/units.h"
#include "user/recording/schema.h"

static void make(struct memory_file *file)
{
	if (file->fd)
		return;
	file->fd = memfd_create("recording", MFD_CLOEXEC);
	cr_assert(gt(int, file->fd, 0));
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

struct recording_writer *memory_file_create(struct memory_file *file,
					    const struct recording_options *options)
{
	const struct recording_options defaults = {0};
	struct recording_writer *w;

	make(file);
	cr_assert(zero(int, recording_create(file->path, options ? options : &defaults, &w)));
	return w;
}

void memory_file_write(struct memory_file *file, const union any_record *records, size_t nr,
		       size_t segment_nr)
{
	struct recording_writer *w = memory_file_create(file, NULL);

	for (size_t i = 0; i < nr; i++) {
		uint64_t ts_ns = records[i].hdr.ts_ns;

		if (segment_nr && i % segment_nr == 0) {
			cr_assert(zero(int, recording_tick(w, ts_ns + NS_PER_S)));
			cr_assert(zero(int, recording_segment_begin(w, ts_ns)));
		}
		if (recording_put(w, &records[i].hdr))
			cr_fatal("cannot put record %zu", i);
	}
	cr_assert(zero(int, recording_close(w)));
}

union any_record *random_records(uint64_t seed, size_t nr)
{
	union any_record *records = calloc(nr, sizeof(*records));
	const struct schema_kind *kinds;
	uint64_t random = seed, ts_ns = 1000 * NS_PER_S;
	size_t nr_kinds;

	kinds = schema_kinds(&nr_kinds);
	for (size_t i = 0; i < nr; i++) {
		bool usual = random_next(&random) % 4;

		random_record(&random, usual ? &kinds[0] : &kinds[random_next(&random) % nr_kinds],
			      &records[i]);
		records[i].hdr.ts_ns = ts_ns += random_next(&random) % 40000;
	}
	return records;
}

struct recording_reader *memory_file_open(struct memory_file *file)
{
	struct recording_reader *r;

	cr_assert(zero(int, recording_open(file->path, &r)));
	return r;
}

uint8_t *memory_file_bytes(const struct memory_file *file, size_t *ret_nr)
{
	struct stat st;
	uint8_t *bytes;

	cr_assert(zero(int, fstat(file->fd, &st)));
	bytes = malloc((size_t)st.st_size + 1);
	*ret_nr = (size_t)st.st_size;
	cr_assert(eq(i64, pread(file->fd, bytes, *ret_nr, 0), st.st_size));
	return bytes;
}

void memory_file_set(struct memory_file *file, const uint8_t *bytes, size_t nr)
{
	make(file);
	if (ftruncate(file->fd, 0) || pwrite(file->fd, bytes, nr, 0) != (ssize_t)nr)
		cr_fatal("cannot write to memory");
}

void memory_file_free(struct memory_file *file)
{
	if (file->fd)
		close(file->fd);
	file->fd = 0;
}
