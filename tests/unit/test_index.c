/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#include "tests/lib/memory_file.h"
#include "user/base/cleanup.h"
#include "user/recording/index.h"

static struct index make_index(size_t nr)
{
	struct index index = {.totals = {.nr_records = nr * 10, .nr_segments = nr}};

	for (size_t i = 0; i < nr; i++) {
		struct index_segment segment = {i, 64 + i * 100, 100, i * 1000, i * 1000 + 999, 10};

		cr_assert(not(zero(ptr, index_add(&index, &segment))));
	}
	return index;
}

Test(index, it_survives_being_written_and_no_part_of_it_passes_for_it)
{
	struct index index = make_index(50), read;
	struct buffer bytes = {0};

	index_print(&index, &bytes);
	for (size_t nr = 0; nr < bytes.nr; nr++)
		cr_assert(eq(int, index_parse(bytes.data, nr, &read), -EBADMSG), "%zu bytes", nr);
	cr_assert(zero(int, index_parse(bytes.data, bytes.nr, &read)));
	cr_expect(zero(int, memcmp(&read.totals, &index.totals, sizeof(read.totals))));
	cr_assert(eq(sz, read.nr, 50));
	cr_expect(zero(int, memcmp(read.segments, index.segments, 50 * sizeof(*read.segments))));
	index_free(&read);
	index_free(&index);
	buffer_free(&bytes);
}

Test(index, segments_that_overlap_or_overflow_are_refused)
{
	static const struct index_segment bad[] = {
		{1, 163, 100, 0, 0, 0}, {1, UINT64_MAX, 2, 0, 0, 0}, {1, 2, UINT64_MAX, 0, 0, 0}};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct index index = make_index(1), read;
		struct buffer bytes = {0};

		index_add(&index, &bad[i]);
		index_print(&index, &bytes);
		cr_expect(eq(int, index_parse(bytes.data, bytes.nr, &read), -EBADMSG), "%zu", i);
		index_free(&index);
		buffer_free(&bytes);
	}
}

Test(index, a_long_one_is_halved_and_loses_nothing)
{
	for (size_t nr = 1; nr < 6; nr++) {
		struct index index = make_index(nr);
		uint64_t nr_bytes = 0, nr_records = 0;

		index_coarsen(&index);
		cr_expect(eq(sz, index.nr, (nr + 1) / 2));
		for (size_t i = 0; i < index.nr; i++) {
			cr_expect(eq(u64, index.segments[i].offset, 64 + i * 200));
			cr_expect(eq(u64, index.segments[i].from_ns, i * 2000));
			nr_bytes += index.segments[i].bytes;
			nr_records += index.segments[i].nr_records;
		}
		cr_expect(eq(u64, index.segments[index.nr - 1].to_ns, nr * 1000 - 1));
		cr_expect(eq(u64, nr_bytes, nr * 100));
		cr_expect(eq(u64, nr_records, nr * 10));
		index_free(&index);
	}
}

Test(index, dropping_counts_segments_however_they_were_joined)
{
	struct index index = make_index(9);

	index_coarsen(&index);
	index_drop(&index, 3);
	cr_expect(eq(sz, index.nr, 2));
	cr_expect(eq(u64, index.segments[0].nr, 6));
	cr_expect(eq(u64, index.totals.nr_segments_dropped, 6));
	cr_expect(eq(u64, index.totals.nr_records_dropped, 60));
	index_free(&index);
}

/* Put another index in the place of a file's own. @at: where its block begins. */
static void put_index(struct memory_file *file, const uint8_t *front, size_t at,
		      const struct index *index)
{
	struct block_header h = {.type = BLOCK_INDEX};
	struct file_trailer trailer = {.index_offset = at};
	struct buffer columns = {0}, bytes = {0};
	struct block_content content = {&columns, NULL, NULL, 0};
	struct block_packer packer;

	buffer_bytes(&bytes, front, at);
	index_print(index, &columns);
	cr_assert(zero(int, block_packer_init(&packer)));
	cr_assert(zero(int, block_pack(&packer, &h, &content, &bytes)));
	block_packer_free(&packer);
	trailer.file_bytes = bytes.nr + sizeof(trailer);
	file_trailer_seal(&trailer);
	buffer_bytes(&bytes, &trailer, sizeof(trailer));
	memory_file_set(file, bytes.data, bytes.nr);
	buffer_free(&bytes);
	buffer_free(&columns);
}

static size_t read_window(struct memory_file *file, bool start_first)
{
	struct recording_reader *r = memory_file_open(file);
	const struct event_hdr *record;
	size_t nr = 0;

	if (start_first)
		recording_start(r);
	cr_expect(zero(int, recording_seek(r, 0, UINT64_MAX)));
	while (recording_next(r, &record) == 1)
		nr++;
	cr_expect(zero(int, recording_next(r, &record)), "the end stays the end");
	recording_reader_free(r);
	return nr;
}

/* Found by fuzz_recording: each of these once read outside of the index, or twice over. */
Test(index, one_that_lies_leads_nobody_astray)
{
	enum { NR = 60 };
	union any_record *records CLEANUP(freep) = random_records(9, NR);
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct file_trailer trailer;
	struct index index = {0};
	uint8_t *bytes CLEANUP(freep) = NULL;
	size_t nr, at;

	memory_file_write(&file, records, NR, 10);
	bytes = memory_file_bytes(&file, &nr);
	memcpy(&trailer, bytes + nr - sizeof(trailer), sizeof(trailer));
	at = trailer.index_offset;
	for (int start_first = 0; start_first < 2; start_first++) {
		memory_file_set(&file, bytes, nr);
		cr_expect(eq(sz, read_window(&file, start_first), NR));

		put_index(&file, bytes, at,
			  &index); /* of no segments: there is nothing to skip to */
		cr_expect(eq(sz, read_window(&file, start_first), NR));

		index_add(&index, &(struct index_segment){0, at + 1000, 500, 0, UINT64_MAX, 5});
		put_index(&file, bytes, at, &index); /* behind the end */
		cr_expect(eq(sz, read_window(&file, start_first), NR));
		index_free(&index);

		for (uint64_t i = 0; i < 200;
		     i++) /* of crumbs: each would read on to the next block */
			index_add(&index, &(struct index_segment){i, 64 + i, 1, 0, UINT64_MAX, 5});
		put_index(&file, bytes, at, &index);
		cr_expect(le(sz, read_window(&file, start_first), NR));
		index_free(&index);
	}
}
