/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks that go on from the one before: which do, that they read, and what damage to one costs. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/memory_file.h"
#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/recording/block.h"

#define NR_SEGMENTS 3
#define NR_BLOCKS   4 /* in each */
#define BLOCK_NR    7
#define SEGMENT_NR  (NR_BLOCKS * BLOCK_NR)
#define NR_RECORDS  (NR_SEGMENTS * SEGMENT_NR)

struct original {
	union any_record *records;
	struct memory_file file;
	uint8_t *bytes;
	size_t nr;
};

static struct original make_original(size_t nr_records, size_t segment_nr, size_t block_nr)
{
	struct original o = {.records = random_records(11, nr_records)};
	struct recording_writer *w = memory_file_create(&o.file, NULL);

	for (size_t i = 0; i < nr_records; i++) {
		uint64_t ts_ns = o.records[i].hdr.ts_ns;

		if (i % block_nr == 0) { /* takes up what is pending, then finds it a second old */
			cr_assert(zero(int, recording_tick(w, ts_ns + NS_PER_S)));
			cr_assert(zero(int, recording_tick(w, ts_ns + 2 * NS_PER_S)));
		}
		if (i % segment_nr == 0)
			cr_assert(zero(int, recording_segment_begin(w, ts_ns)));
		cr_assert(zero(int, recording_put(w, &o.records[i].hdr)));
	}
	cr_assert(zero(int, recording_close(w)));
	o.bytes = memory_file_bytes(&o.file, &o.nr);
	return o;
}

static void free_original(struct original *o)
{
	memory_file_free(&o->file);
	free(o->records);
	free(o->bytes);
}

/* The next block of records at or behind *at, which moves to it. False when there is none. */
static bool next_records(const struct original *o, size_t *at, struct block_header *ret)
{
	for (; *at + sizeof(*ret) < o->nr; *at += block_bytes(ret)) {
		memcpy(ret, o->bytes + *at, sizeof(*ret));
		if (!block_header_valid(ret))
			return false;
		if (ret->type == BLOCK_RECORDS || ret->type == BLOCK_MORE)
			return true;
	}
	return false;
}

struct outcome {
	size_t nr_whole[NR_SEGMENTS]; /* records that were read */
	uint64_t nr_lost;	      /* records that the reader says are missing */
	struct recording_health health;
};

static struct outcome read_file(struct original *o, size_t nr_bytes)
{
	const struct event_hdr *record;
	struct recording_reader *r;
	struct outcome outcome = {0};
	size_t at = 0;

	memory_file_set(&o->file, o->bytes, nr_bytes);
	r = memory_file_open(&o->file);
	while (recording_next(r, &record) == 1) {
		const struct record_lost *lost = (const struct record_lost *)record;

		if (record->kind == RECORD_LOST && lost->cause == LOST_DAMAGED) {
			outcome.nr_lost += lost->nr;
			continue;
		}
		while (at < NR_RECORDS && memcmp(record, &o->records[at], record->size))
			at++;
		cr_assert(lt(sz, at, NR_RECORDS), "an invented record");
		outcome.nr_whole[at++ / SEGMENT_NR]++;
	}
	recording_health(r, &outcome.health);
	recording_reader_free(r);
	return outcome;
}

Test(recording_chain, blocks_of_a_segment_go_on_from_its_first)
{
	struct original o CLEANUP(free_original) = make_original(NR_RECORDS, SEGMENT_NR, BLOCK_NR);
	size_t at = sizeof(struct file_header), nr = 0;
	struct block_header h;
	struct outcome outcome;

	for (; next_records(&o, &at, &h); at += block_bytes(&h))
		cr_expect(eq(int, h.type, nr++ % NR_BLOCKS ? BLOCK_MORE : BLOCK_RECORDS));
	cr_expect(eq(sz, nr, NR_SEGMENTS * NR_BLOCKS));
	outcome = read_file(&o, o.nr);
	for (int i = 0; i < NR_SEGMENTS; i++)
		cr_expect(eq(sz, outcome.nr_whole[i], SEGMENT_NR));
	cr_expect(zero(u64, outcome.nr_lost));
}

Test(recording_chain, damage_costs_what_goes_on_from_it_and_nothing_before_or_behind)
{
	struct original o CLEANUP(free_original) = make_original(NR_RECORDS, SEGMENT_NR, BLOCK_NR);
	size_t at = sizeof(struct file_header), nr = 0;
	struct block_header h;

	for (; next_records(&o, &at, &h); at += block_bytes(&h), nr++) {
		size_t segment = nr / NR_BLOCKS, nr_left = nr % NR_BLOCKS * BLOCK_NR;
		struct outcome outcome;

		o.bytes[at + sizeof(h)] ^= 1;
		outcome = read_file(&o, o.nr);
		o.bytes[at + sizeof(h)] ^= 1;
		for (size_t i = 0; i < NR_SEGMENTS; i++)
			cr_expect(eq(sz, outcome.nr_whole[i], i == segment ? nr_left : SEGMENT_NR));
		cr_expect(eq(u64, outcome.nr_lost, SEGMENT_NR - nr_left));
		cr_expect(eq(u64, outcome.health.nr_missing, outcome.nr_lost));
	}
}

Test(recording_chain, what_went_on_from_a_damaged_block_is_missed_at_the_end_of_a_torn_file)
{
	struct original o CLEANUP(free_original) = make_original(NR_RECORDS, SEGMENT_NR, BLOCK_NR);
	size_t at = sizeof(struct file_header), ends[NR_SEGMENTS * NR_BLOCKS], nr = 0;
	struct block_header h;
	struct outcome outcome;

	for (; next_records(&o, &at, &h); at += block_bytes(&h))
		ends[nr++] = at + block_bytes(&h);
	cr_assert(eq(sz, nr, ARRAY_SIZE(ends)));
	o.bytes[ends[nr - 3] + sizeof(h)] ^= 1;
	outcome = read_file(&o, ends[nr - 1]); /* without the index */
	cr_expect(not(outcome.health.complete));
	cr_expect(eq(sz, outcome.nr_whole[NR_SEGMENTS - 1], SEGMENT_NR - 2 * BLOCK_NR));
	cr_expect(eq(u64, outcome.nr_lost, 2 * BLOCK_NR));
}

Test(recording_chain, no_more_hangs_on_one_block_than_a_full_one_holds)
{
	struct original o CLEANUP(free_original) = make_original(100000, 100000, 2000);
	size_t at = sizeof(struct file_header), chain = 0, longest = 0, nr_alone = 0, nr_more = 0;
	struct block_header h;

	for (; next_records(&o, &at, &h); at += block_bytes(&h)) {
		chain = h.type == BLOCK_MORE ? chain : 0;
		chain += h.columns_bytes + h.bits_bytes;
		longest = chain > longest ? chain : longest;
		nr_alone += h.type == BLOCK_RECORDS;
		nr_more += h.type == BLOCK_MORE;
	}
	cr_expect(gt(sz, nr_alone, 3));
	cr_expect(gt(sz, nr_more, nr_alone));
	cr_expect(le(sz, longest, 600u << 10));
}
