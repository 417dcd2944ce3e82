/* SPDX-License-Identifier: BSD-2-Clause */
/* Files cut off, overwritten, with pieces missing: what is whole is read, what is not is counted.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/memory_file.h"
#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/recording/block.h"

#define NR_RECORDS 36
#define SEGMENT_NR 6 /* six segments */

/* An assertion of Criterion's tells its parent each time, which is far too slow for one a byte. */
static void must(bool holds, const char *what, size_t at)
{
	if (!holds)
		cr_fatal("%s, at %zu", what, at);
}

struct outcome {
	int open;
	uint64_t nr;	  /* records of the original that were read */
	uint64_t nr_lost; /* records that the reader says are missing */
	uint64_t lost_from_ns, lost_to_ns;
	struct recording_health health;
};

/* Every record that comes must be one of the originals, later than the one before it. */
static struct outcome read_file(struct memory_file *file, const union any_record *records)
{
	const struct event_hdr *record;
	struct outcome outcome = {0};
	struct recording_reader *r;
	size_t at = 0;
	int err;

	outcome.open = recording_open(file->path, &r);
	if (outcome.open)
		return outcome;
	while ((err = recording_next(r, &record)) == 1) {
		const struct record_lost *lost = (const struct record_lost *)record;

		if (record->kind == RECORD_LOST && lost->cause == LOST_DAMAGED) {
			must(lost->from_ns <= record->ts_ns, "a loss ends before it begins", at);
			outcome.nr_lost += lost->nr;
			outcome.lost_from_ns = lost->from_ns;
			outcome.lost_to_ns = record->ts_ns;
			continue;
		}
		while (at < NR_RECORDS && memcmp(record, &records[at], records[at].hdr.size))
			at++;
		must(at < NR_RECORDS, "an invented record", at);
		at++;
		outcome.nr++;
	}
	must(!err, "reading failed", at);
	recording_health(r, &outcome.health);
	must(outcome.health.nr_missing == outcome.nr_lost, "missing records are not told", at);
	recording_reader_free(r);
	return outcome;
}

struct original {
	union any_record *records;
	struct memory_file file;
	uint8_t *bytes;
	size_t nr;
};

static struct original make_original(void)
{
	struct original o = {.records = random_records(5, NR_RECORDS)};

	memory_file_write(&o.file, o.records, NR_RECORDS, SEGMENT_NR);
	o.bytes = memory_file_bytes(&o.file, &o.nr);
	return o;
}

static void free_original(struct original *o)
{
	memory_file_free(&o->file);
	free(o->records);
	free(o->bytes);
}

Test(recording_damage, a_file_cut_off_anywhere_reads_to_its_last_whole_block)
{
	struct original o CLEANUP(free_original) = make_original();
	uint64_t nr_before = 0;

	for (size_t nr = 0; nr <= o.nr; nr++) {
		struct outcome outcome;

		memory_file_set(&o.file, o.bytes, nr);
		outcome = read_file(&o.file, o.records);
		if (nr < sizeof(struct file_header)) {
			must(outcome.open == -EBADMSG, "half a header was taken", nr);
			continue;
		}
		must(!outcome.open, "it does not open", nr);
		must(outcome.nr >= nr_before, "less is read of more", nr);
		must(outcome.nr % SEGMENT_NR == 0, "part of a block was read", nr);
		must(!outcome.health.nr_bad_blocks, "a cut was taken for damage", nr);
		must(!outcome.nr_lost, "records are missing in between", nr);
		must(outcome.health.file_bytes == nr, "not all was passed over", nr);
		nr_before = outcome.nr;
	}
	cr_assert(eq(u64, nr_before, NR_RECORDS));
}

Test(recording_damage, a_changed_byte_anywhere_is_seen_and_costs_one_block)
{
	struct original o CLEANUP(free_original) = make_original();

	for (size_t at = 0; at < o.nr; at++) {
		struct outcome outcome;

		o.bytes[at] ^= (uint8_t)(1 << at % 8);
		memory_file_set(&o.file, o.bytes, o.nr);
		o.bytes[at] ^= (uint8_t)(1 << at % 8);
		outcome = read_file(&o.file, o.records);
		if (at < sizeof(uint64_t)) { /* the magic */
			must(outcome.open == -EBADMSG, "another magic was taken", at);
			continue;
		}
		must(!outcome.open, "it does not open", at);
		must(outcome.health.nr_bad_blocks || outcome.nr_lost, "damage was not seen", at);
		must(outcome.nr + outcome.nr_lost == NR_RECORDS, "records are lost unseen", at);
		must(outcome.nr_lost <= SEGMENT_NR, "more than a block is lost", at);
	}
}

/* Offset of the @nr-th block of records, from 0. */
static size_t find_block(const struct original *o, int nr, struct block_header *ret)
{
	for (size_t at = sizeof(struct file_header);; at += block_bytes(ret)) {
		cr_assert(lt(sz, at + sizeof(*ret), o->nr));
		memcpy(ret, o->bytes + at, sizeof(*ret));
		if (ret->type == BLOCK_RECORDS && nr-- == 0)
			return at;
	}
}

Test(recording_damage, a_block_that_is_gone_without_a_trace_is_missed_by_its_number)
{
	struct original o CLEANUP(free_original) = make_original();
	struct block_header h;
	size_t at = find_block(&o, 2, &h);
	struct outcome outcome;

	memmove(o.bytes + at, o.bytes + at + block_bytes(&h), o.nr - at - block_bytes(&h));
	memory_file_set(&o.file, o.bytes, o.nr - block_bytes(&h));
	outcome = read_file(&o.file, o.records);
	cr_expect(eq(u64, outcome.nr, NR_RECORDS - SEGMENT_NR));
	cr_expect(eq(u64, outcome.nr_lost, SEGMENT_NR));
	cr_expect(eq(u64, outcome.lost_from_ns, o.records[2 * SEGMENT_NR - 1].hdr.ts_ns));
	cr_expect(eq(u64, outcome.lost_to_ns, o.records[3 * SEGMENT_NR].hdr.ts_ns));
	cr_expect(eq(u64, outcome.health.bad_from_ns, outcome.lost_from_ns));
	cr_expect(eq(u64, outcome.health.bad_to_ns, outcome.lost_to_ns));
}

Test(recording_damage, the_last_block_that_is_gone_is_missed_by_the_index)
{
	struct original o CLEANUP(free_original) = make_original();
	struct block_header h;
	size_t at = find_block(&o, 5, &h);
	struct outcome outcome;

	o.bytes[at + sizeof(h)] ^= 1;
	memory_file_set(&o.file, o.bytes, o.nr);
	outcome = read_file(&o.file, o.records);
	cr_expect(eq(u64, outcome.nr_lost, SEGMENT_NR));
	cr_expect(eq(u64, outcome.lost_to_ns, o.records[NR_RECORDS - 1].hdr.ts_ns));
	cr_expect(outcome.health.complete);
}

Test(recording_damage, bytes_put_in_between_cost_nothing_but_themselves)
{
	struct original o CLEANUP(free_original) = make_original();
	struct block_header h;
	size_t at = find_block(&o, 3, &h);
	uint8_t *longer = calloc(1, o.nr + 5000);
	struct outcome outcome;

	for (int filler = 0; filler < 256; filler += 0xf7) { /* zeros, and a block's first byte */
		memcpy(longer, o.bytes, at);
		memset(longer + at, filler, 5000);
		memcpy(longer + at + 5000, o.bytes + at, o.nr - at);
		memory_file_set(&o.file, longer, o.nr + 5000);
		outcome = read_file(&o.file, o.records);
		cr_expect(eq(u64, outcome.nr, NR_RECORDS));
		cr_expect(zero(u64, outcome.nr_lost));
		cr_expect(eq(u64, outcome.health.nr_bad_blocks, 1));
		cr_expect(eq(u64, outcome.health.nr_skipped_bytes, 5000));
		cr_expect(outcome.health.complete);
	}
	free(longer);
}

Test(recording_damage, bytes_taken_out_of_a_block_cost_that_block)
{
	struct original o CLEANUP(free_original) = make_original();

	for (int nr = 0; nr < 6; nr++) {
		struct block_header h;
		size_t at = find_block(&o, nr, &h) + sizeof(h) + 10;
		uint8_t *shorter = malloc(o.nr);
		struct outcome outcome;

		memcpy(shorter, o.bytes, at);
		memcpy(shorter + at, o.bytes + at + 7, o.nr - at - 7);
		memory_file_set(&o.file, shorter, o.nr - 7);
		outcome = read_file(&o.file, o.records);
		cr_expect(eq(u64, outcome.nr, NR_RECORDS - SEGMENT_NR));
		cr_expect(eq(u64, outcome.nr_lost, SEGMENT_NR));
		cr_expect(outcome.health.complete, "block %d", nr);
		free(shorter);
	}
}

Test(recording_damage, zeros_at_the_end_are_a_write_that_never_reached_the_disk)
{
	struct original o CLEANUP(free_original) = make_original();
	struct block_header h;
	size_t at = find_block(&o, 3, &h);
	uint8_t *bytes = calloc(1, at + 9000);
	struct outcome outcome;

	memcpy(bytes, o.bytes, at);
	memory_file_set(&o.file, bytes, at + 9000);
	outcome = read_file(&o.file, o.records);
	cr_expect(eq(u64, outcome.nr, 3 * SEGMENT_NR));
	cr_expect(zero(u64, outcome.health.nr_bad_blocks));
	cr_expect(eq(u64, outcome.health.nr_torn_bytes, 9000));
	cr_expect(not(outcome.health.complete));
	free(bytes);
}

Test(recording_damage, records_whose_schema_is_damaged_are_read_by_ours)
{
	struct original o CLEANUP(free_original) = make_original();
	struct outcome outcome;

	o.bytes[sizeof(struct file_header) + sizeof(struct block_header) + 3] ^= 1;
	memory_file_set(&o.file, o.bytes, o.nr);
	outcome = read_file(&o.file, o.records);
	cr_expect(eq(u64, outcome.nr, NR_RECORDS));
	cr_expect(eq(u64, outcome.health.nr_bad_blocks, 1));
}

Test(recording_damage, a_window_of_a_damaged_file_reads_what_is_whole)
{
	struct original o CLEANUP(free_original) = make_original();
	const struct event_hdr *record;
	struct recording_health health;
	struct recording_reader *r;
	struct block_header h;
	size_t at = find_block(&o, 3, &h), nr = 0;

	o.bytes[at + sizeof(h)] ^= 1;
	memory_file_set(&o.file, o.bytes, o.nr);
	r = memory_file_open(&o.file);
	recording_seek(r, 0, UINT64_MAX);
	while (recording_next(r, &record) == 1)
		nr += record->kind != RECORD_LOST ||
		      ((const struct record_lost *)record)->cause != LOST_DAMAGED;
	recording_health(r, &health);
	cr_expect(eq(sz, nr, NR_RECORDS - SEGMENT_NR));
	cr_expect(eq(u64, health.nr_missing, SEGMENT_NR));
	recording_reader_free(r);
}

static void header_with(struct original *o, uint32_t version, uint32_t flags)
{
	struct file_header header;

	memcpy(&header, o->bytes, sizeof(header));
	header.version = version;
	header.flags = flags;
	header.crc = (uint32_t)crc32(0, (const Bytef *)&header, offsetof(struct file_header, crc));
	memcpy(o->bytes, &header, sizeof(header));
	memory_file_set(&o->file, o->bytes, o->nr);
}

Test(recording_damage, a_newer_format_is_told_from_damage)
{
	struct original o CLEANUP(free_original) = make_original();

	header_with(&o, FILE_VERSION + 1, 0);
	cr_expect(eq(int, read_file(&o.file, o.records).open, -EPROTONOSUPPORT));
	header_with(&o, FILE_VERSION, 1);
	cr_expect(eq(int, read_file(&o.file, o.records).open, -EPROTONOSUPPORT));
	header_with(&o, FILE_VERSION, 0);
	cr_expect(zero(int, read_file(&o.file, o.records).open));
}
