/* SPDX-License-Identifier: BSD-2-Clause */
/* Seeking in a file that has no index: its writer was killed. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/memory_file.h"
#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/recording/block.h"

#define START_NS    (1000 * NS_PER_S)
#define NR_SEGMENTS 10 /* of a second each */
#define SEGMENT_NR  200
#define STEP_NS	    (NS_PER_S / SEGMENT_NR)

struct torn {
	struct memory_file file;
	uint8_t *bytes;
	size_t nr;
	size_t ends[NR_SEGMENTS]; /* offsets of the segments' ends */
};

static void free_torn(struct torn *t)
{
	memory_file_free(&t->file);
	free(t->bytes);
}

static void find_ends(struct torn *t)
{
	struct block_header h;

	for (size_t at = sizeof(struct file_header); at < t->nr; at += block_bytes(&h)) {
		memcpy(&h, t->bytes + at, sizeof(h));
		cr_assert(block_header_valid(&h));
		if (h.type == BLOCK_INDEX)
			return;
		t->ends[h.segment] = at + block_bytes(&h);
	}
}

/* A file of one second a segment, cut off before its index. */
static struct torn make_torn(void)
{
	struct torn t = {0};
	struct recording_writer *w = memory_file_create(&t.file, NULL);

	for (uint64_t i = 0; i < NR_SEGMENTS * SEGMENT_NR; i++) {
		struct event_offcpu off = {.hdr = {EVENT_OFFCPU, sizeof(off), (uint32_t)(i % 7),
						   START_NS + i * STEP_NS},
					   .off_ns = i * 977 % STEP_NS};

		if (i % SEGMENT_NR == 0) {
			recording_tick(w, off.hdr.ts_ns + NS_PER_S);
			recording_segment_begin(w, off.hdr.ts_ns);
		}
		cr_assert(zero(int, recording_put(w, &off.hdr)));
	}
	cr_assert(zero(int, recording_close(w)));
	t.bytes = memory_file_bytes(&t.file, &t.nr);
	find_ends(&t);
	t.nr = t.ends[NR_SEGMENTS - 1];
	memory_file_set(&t.file, t.bytes, t.nr);
	return t;
}

struct outcome {
	uint64_t nr, nr_lost, first_ns;
	struct recording_health health;
};

static struct outcome read_window(struct torn *t, uint64_t from_ms, uint64_t to_ms)
{
	struct recording_reader *r = memory_file_open(&t->file);
	struct outcome outcome = {0};
	const struct event_hdr *record;

	cr_assert(zero(int, recording_seek(r, START_NS + from_ms * NS_PER_MS,
					   START_NS + to_ms * NS_PER_MS)));
	while (recording_next(r, &record) == 1) {
		outcome.nr_lost += record->kind == RECORD_LOST;
		if (record->kind != EVENT_OFFCPU)
			continue;
		if (!outcome.nr++)
			outcome.first_ns = record->ts_ns - START_NS;
	}
	recording_health(r, &outcome.health);
	recording_reader_free(r);
	return outcome;
}

static void check_window(struct torn *t, uint64_t from_ms, uint64_t to_ms, uint64_t first,
			 uint64_t nr)
{
	struct outcome outcome = read_window(t, from_ms, to_ms);

	cr_expect(eq(u64, outcome.nr, nr * SEGMENT_NR), "%lu ms", (unsigned long)from_ms);
	cr_expect(eq(u64, outcome.first_ns, first * NS_PER_S));
	cr_expect(eq(u64, outcome.health.nr_blocks, 2 * nr), "a schema and records each");
	cr_expect(not(outcome.health.complete));
	cr_expect(zero(u64, outcome.health.nr_bad_blocks));
	cr_expect(zero(u64, outcome.health.nr_torn_bytes));
}

Test(index_scan, a_window_reads_its_segments_only)
{
	struct torn t CLEANUP(free_torn) = make_torn();

	check_window(&t, 8100, 8200, 8, 1);
	check_window(&t, 2900, 3100, 2, 2);
	check_window(&t, 0, 20000, 0, NR_SEGMENTS);
	check_window(&t, 20000, 30000, 0, 0);
}

Test(index_scan, behind_what_keep_has_dropped_too)
{
	struct torn t CLEANUP(free_torn) = make_torn();
	size_t nr = t.ends[3] - sizeof(struct file_header);

	memset(t.bytes + sizeof(struct file_header), 0, nr); /* as zeros */
	memory_file_set(&t.file, t.bytes, t.nr);
	check_window(&t, 8100, 8200, 8, 1);
	check_window(&t, 0, 20000, 4, NR_SEGMENTS - 4);
	cr_assert(zero(int, fallocate(t.file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				      sizeof(struct file_header), (off_t)nr)));
	check_window(&t, 8100, 8200, 8, 1);
	check_window(&t, 0, 20000, 4, NR_SEGMENTS - 4);
}

Test(index_scan, a_torn_end_may_have_any_time)
{
	struct torn t CLEANUP(free_torn) = make_torn();
	struct outcome outcome;

	memory_file_set(&t.file, t.bytes, t.nr - 3);
	outcome = read_window(&t, 4100, 4200);
	cr_expect(eq(u64, outcome.nr, SEGMENT_NR));
	cr_expect(eq(u64, outcome.first_ns, 4 * NS_PER_S));
	cr_expect(eq(u64, outcome.health.nr_blocks, 3), "and the last segment's schema");
	cr_expect(gt(u64, outcome.health.nr_torn_bytes, 0));
}

Test(index_scan, behind_damage_all_is_read)
{
	struct torn t CLEANUP(free_torn) = make_torn();
	struct outcome outcome;

	t.bytes[t.ends[4] + 40] ^= 1; /* the schema's header of segment 5 */
	memory_file_set(&t.file, t.bytes, t.nr);
	outcome = read_window(&t, 1100, 1200);
	cr_expect(eq(u64, outcome.nr, 7 * SEGMENT_NR));
	cr_expect(eq(u64, outcome.first_ns, 1 * NS_PER_S));
	cr_expect(eq(u64, outcome.health.nr_bad_blocks, 1));
	cr_expect(zero(u64, outcome.nr_lost), "our own schema is the same");
}
