/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/memory_file.h"
#include "tests/lib/random.h"
#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/recording/reader.h"
#include "user/recording/writer.h"

#define START_NS (1000 * NS_PER_S)

static void read_back(struct recording_reader *r, const union any_record *records, size_t nr)
{
	const struct event_hdr *record;

	for (size_t i = 0; i < nr; i++) {
		if (recording_next(r, &record) != 1) /* an assertion each would take seconds */
			cr_fatal("there is no record %zu", i);
		if (record->size != records[i].hdr.size ||
		    memcmp(record, &records[i], record->size))
			cr_fatal("record %zu is not as it was", i);
	}
	cr_assert(zero(int, recording_next(r, &record)));
	cr_assert(zero(int, recording_next(r, &record)), "the end stays the end");
}

static void check_whole(const struct recording_reader *r, uint64_t nr_records, uint64_t nr_segments)
{
	struct recording_health health;

	recording_health(r, &health);
	cr_expect(eq(u64, health.nr_records, nr_records));
	cr_expect(eq(u64, health.nr_segments, nr_segments));
	cr_expect(health.complete);
	cr_expect(zero(u64, health.nr_bad_blocks));
	cr_expect(zero(u64, health.nr_skipped_bytes));
	cr_expect(zero(u64, health.nr_torn_bytes));
	cr_expect(zero(u64, health.nr_missing));
	cr_expect(zero(u64, health.nr_unknown_kind));
	cr_expect(zero(u64, health.nr_disordered));
}

Test(recording, records_of_all_kinds_come_back_as_they_were)
{
	enum { NR = 40000 };
	union any_record *records CLEANUP(freep) = random_records(1, NR);
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct recording_reader *r;
	struct recording_writer *w = memory_file_create(&file, NULL);
	struct recording_totals totals;
	size_t nr_segments = 0;

	for (size_t i = 0; i < NR; i++) {
		uint64_t ts_ns = records[i].hdr.ts_ns;

		if (recording_segment_due(w, ts_ns)) {
			cr_assert(zero(int, recording_segment_begin(w, ts_ns)));
			nr_segments++;
		}
		cr_assert(zero(int, recording_put(w, &records[i].hdr)));
		if (i % 100 == 0)
			cr_assert(zero(int, recording_tick(w, ts_ns)));
	}
	recording_totals(w, &totals);
	cr_expect(eq(u64, totals.nr_records, NR));
	cr_expect(eq(u64, totals.nr_segments, nr_segments));
	cr_assert(zero(int, recording_close(w)));
	r = memory_file_open(&file);
	read_back(r, records, NR);
	check_whole(r, NR, nr_segments);
	recording_reader_free(r);
}

Test(recording, a_recording_of_nothing_is_one)
{
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct recording_reader *r;

	memory_file_write(&file, NULL, 0, 0);
	r = memory_file_open(&file);
	cr_expect(zero(u64, recording_start(r)));
	read_back(r, NULL, 0);
	check_whole(r, 0, 0);
	recording_reader_free(r);
}

Test(recording, records_that_come_late_are_put_in_order)
{
	enum { NR = 20000 };
	struct memory_file file CLEANUP(memory_file_free) = {0};
	const struct recording_options options = {.window_ns = NS_PER_MS};
	struct recording_writer *w = memory_file_create(&file, &options);
	const struct event_hdr *record;
	struct recording_reader *r;
	uint64_t random = 3, last_ns = 0;

	for (uint64_t i = 0; i < NR; i++) {
		struct event_offcpu off = {.hdr = {EVENT_OFFCPU, sizeof(off), 1, 0}};

		off.hdr.ts_ns = START_NS + i * 10000 - random_next(&random) % NS_PER_MS;
		cr_assert(zero(int, recording_put(w, &off.hdr)));
		if (i % 50 == 0)
			recording_tick(w, START_NS + i * 10000);
	}
	recording_close(w);
	r = memory_file_open(&file);
	for (int i = 0; i < NR; i++) {
		cr_assert(eq(int, recording_next(r, &record), 1));
		cr_assert(ge(u64, record->ts_ns, last_ns));
		last_ns = record->ts_ns;
	}
	cr_assert(zero(int, recording_next(r, &record)));
	check_whole(r, NR, 1);
	recording_reader_free(r);
}

Test(recording, records_that_come_later_than_the_window_are_counted_and_kept)
{
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct recording_writer *w = memory_file_create(&file, NULL);
	struct event_offcpu off = {.hdr = {EVENT_OFFCPU, sizeof(off), 1, START_NS + NS_PER_S}};
	const struct event_hdr *record;
	struct recording_totals totals;
	struct recording_health health;
	struct recording_reader *r;

	recording_put(w, &off.hdr);
	recording_tick(w, START_NS + 2 * NS_PER_S);
	for (int i = 0; i < 3; i++) {
		off.hdr.ts_ns = START_NS + (uint64_t)i;
		recording_put(w, &off.hdr);
	}
	recording_tick(w, START_NS + 3 * NS_PER_S);
	recording_totals(w, &totals);
	cr_expect(eq(u64, totals.nr_disordered, 3));
	recording_close(w);
	r = memory_file_open(&file);
	for (int i = 0; i < 4; i++)
		cr_assert(eq(int, recording_next(r, &record), 1));
	cr_expect(eq(u64, record->ts_ns, START_NS + 2));
	recording_health(r, &health);
	cr_expect(eq(u64, health.nr_disordered, 3));
	recording_reader_free(r);
}

Test(recording, never_more_than_a_second_is_unwritten)
{
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct recording_writer *w = memory_file_create(&file, NULL);
	const uint64_t tick_ns = 20 * NS_PER_MS;

	for (uint64_t now_ns = START_NS; now_ns < START_NS + 5 * NS_PER_S; now_ns += tick_ns) {
		struct event_offcpu off = {.hdr = {EVENT_OFFCPU, sizeof(off), 1, now_ns}};
		const struct event_hdr *record;
		struct recording_reader *r;
		uint64_t last_ns = START_NS;

		recording_put(w, &off.hdr);
		recording_tick(w, now_ns);
		r = memory_file_open(&file); /* as if the writer died here */
		while (recording_next(r, &record) == 1)
			last_ns = record->ts_ns;
		cr_assert(le(u64, now_ns - last_ns, NS_PER_S));
		recording_reader_free(r);
	}
	recording_close(w);
}

Test(recording, a_record_of_no_kind_is_refused_and_the_rest_goes_on)
{
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct recording_writer *w = memory_file_create(&file, NULL);
	union any_record record = {.hdr = {63, 40, 1, 1}};
	struct recording_reader *r;

	cr_expect(eq(int, recording_put(w, &record.hdr), -EINVAL));
	record.hdr = (struct event_hdr){EVENT_OFFCPU, sizeof(record.off), 1, 1};
	cr_expect(zero(int, recording_put(w, &record.hdr)));
	cr_expect(zero(int, recording_close(w)));
	r = memory_file_open(&file);
	read_back(r, &record, 1);
	recording_reader_free(r);
}

/* One record a millisecond for 10 s, a segment a second. The record at 7.5 s ends an interval that
 * began at 1.2 s. */
static void write_seconds(struct memory_file *file)
{
	struct recording_writer *w = memory_file_create(file, NULL);

	for (uint64_t i = 0; i < 10000; i++) {
		struct event_offcpu off = {
			.hdr = {EVENT_OFFCPU, sizeof(off), 1, START_NS + i * NS_PER_MS}};

		if (i == 7500)
			off.off_ns = 6300 * NS_PER_MS;
		if (i % 1000 == 0) {
			recording_tick(w, off.hdr.ts_ns + NS_PER_S);
			recording_segment_begin(w, off.hdr.ts_ns);
		}
		recording_put(w, &off.hdr);
	}
	cr_assert(zero(int, recording_close(w)));
}

struct window {
	uint64_t from_ms, to_ms;
	uint64_t nr; /* records in the segments that may touch it */
	uint64_t first_ms;
};

Test(recording, a_window_reads_the_segments_that_touch_it)
{
	static const struct window windows[] = {
		{0, 10000, 10000, 0},	  {4200, 4300, 2000, 4000}, /* the interval in segment 7
								       covers it */
		{8100, 8200, 1000, 8000}, {8900, 9100, 2000, 8000}, {9999, 10000, 1000, 9000},
		{10000, 11000, 0, 0},	  {1300, 1400, 2000, 1000}, {500, 600, 1000, 0},
	};
	struct memory_file file CLEANUP(memory_file_free) = {0};

	write_seconds(&file);
	for (size_t i = 0; i < ARRAY_SIZE(windows); i++) {
		const struct window *window = &windows[i];
		struct recording_reader *r = memory_file_open(&file);
		const struct event_hdr *record;
		uint64_t nr = 0;

		if (i % 2) /* asked for before or not, all the same */
			cr_expect(eq(u64, recording_start(r), START_NS));
		cr_assert(zero(int, recording_seek(r, START_NS + window->from_ms * NS_PER_MS,
						   START_NS + window->to_ms * NS_PER_MS)));
		while (recording_next(r, &record) == 1)
			if (!nr++)
				cr_expect(eq(u64, record->ts_ns,
					     START_NS + window->first_ms * NS_PER_MS));
		cr_expect(eq(u64, nr, window->nr), "window %zu", i);
		check_whole(r, nr, 10);
		recording_reader_free(r);
	}
}

struct feed {
	int fd;
	const uint8_t *bytes;
	size_t nr;
};

/* In pieces of odd sizes, as a network gives them. */
static void *feed(void *arg)
{
	const struct feed *f = arg;
	uint64_t random = 1;
	size_t at = 0;

	while (at < f->nr) {
		size_t nr = 1 + random_next(&random) % 30000;

		nr = nr < f->nr - at ? nr : f->nr - at;
		if (write(f->fd, f->bytes + at, nr) != (ssize_t)nr)
			break;
		at += nr;
	}
	close(f->fd);
	return NULL;
}

Test(recording, a_pipe_reads_as_the_file_does)
{
	enum { NR = 30000 };
	union any_record *records CLEANUP(freep) = random_records(4, NR);
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct recording_reader *r;
	struct feed f;
	pthread_t thread;
	uint8_t *bytes;
	int fds[2];

	memory_file_write(&file, records, NR, 7000);
	f.bytes = bytes = memory_file_bytes(&file, &f.nr);
	cr_assert(zero(int, pipe(fds)));
	f.fd = fds[1];
	cr_assert(zero(int, pthread_create(&thread, NULL, feed, &f)));
	cr_assert(eq(int, dup2(fds[0], STDIN_FILENO), STDIN_FILENO));
	close(fds[0]);
	cr_assert(zero(int, recording_open("-", &r)));
	cr_expect(eq(u64, recording_start(r), records[0].hdr.ts_ns));
	cr_expect(zero(int, recording_seek(r, 0, 1)), "nothing can be skipped, and nothing is");
	read_back(r, records, NR);
	check_whole(r, NR, 5);
	recording_reader_free(r);
	pthread_join(thread, NULL);
	free(bytes);
}

Test(recording, files_that_are_no_recordings_are_refused)
{
	static const uint8_t text[200] = "#!/bin/sh\n";
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct recording_reader *r;

	for (size_t nr = 0; nr <= sizeof(text); nr += 20) {
		memory_file_set(&file, text, nr);
		cr_expect(eq(int, recording_open(file.path, &r), -EBADMSG), "%zu bytes", nr);
	}
	cr_expect(eq(int, recording_open("/", &r), -EISDIR));
	cr_expect(eq(int, recording_open("/there/is/none", &r), -ENOENT));
}

Test(recording, directories_and_places_that_are_not_cannot_be_written)
{
	const struct recording_options options = {0};
	struct recording_writer *w;

	cr_expect(eq(int, recording_create("/", &options, &w), -EISDIR));
	cr_expect(eq(int, recording_create("/there/is/none", &options, &w), -ENOENT));
}
