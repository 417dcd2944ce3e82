/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/memory_file.h"
#include "tests/lib/random.h"
#include "user/base/cleanup.h"
#include "user/recording/reader.h"
#include "user/recording/schema.h"
#include "user/recording/writer.h"

#define START_NS 1000000000000ull

/* @nr records of random kinds, a random step apart. */
static union any_record *make_records(uint64_t seed, size_t nr)
{
	union any_record *records = calloc(nr, sizeof(*records));
	const struct schema_kind *kinds;
	uint64_t random = seed, ts_ns = START_NS;
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

Test(recording, records_of_all_kinds_come_back_as_they_were)
{
	enum { NR = 40000 };
	union any_record *records CLEANUP(freep) = make_records(1, NR);
	struct memory_file file CLEANUP(memory_file_free) = {0};
	const struct event_hdr *record;
	struct recording_health health;
	struct recording_reader *r;
	struct recording_writer *w;

	w = memory_file_create(&file, NULL);
	for (size_t i = 0; i < NR; i++) {
		cr_assert(zero(int, recording_put(w, &records[i].hdr)));
		if (i % 100 == 0)
			cr_assert(zero(int, recording_tick(w, records[i].hdr.ts_ns)));
		if (recording_segment_due(w, records[i].hdr.ts_ns))
			cr_assert(zero(int, recording_segment_begin(w, records[i].hdr.ts_ns)));
	}
	cr_assert(zero(int, recording_close(w)));
	r = memory_file_open(&file);
	for (size_t i = 0; i < NR; i++) {
		cr_assert(eq(int, recording_next(r, &record), 1), "record %zu", i);
		cr_assert(eq(u16, record->size, records[i].hdr.size), "record %zu", i);
		cr_assert(zero(int, memcmp(record, &records[i], record->size)), "record %zu", i);
	}
	cr_assert(zero(int, recording_next(r, &record)));
	recording_health(r, &health);
	cr_expect(eq(u64, health.nr_records, NR));
	cr_expect(health.complete);
	cr_expect(zero(u64, health.nr_bad_blocks));
	cr_expect(zero(u64, health.nr_torn_bytes));
	cr_expect(zero(u64, health.nr_disordered));
	recording_reader_free(r);
}
