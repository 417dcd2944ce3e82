/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes that fail: the file stays readable, what is lost is counted, and the file says so where it
 * can. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/lib/memory_file.h"
#include "user/base/cleanup.h"

#define NR_RECORDS 30000

struct attempt {
	int first_error, close_error;
	uint64_t nr_lost; /* by the writer's own count, before its end */
};

/* Put all records, and an end that says why, as the recorder does. */
static struct attempt write_records(const char *path, const union any_record *records)
{
	struct attempt attempt = {0};
	struct record_end end = {.hdr = {RECORD_END, sizeof(end), 0, 0}, .reason = END_WRITE_ERROR};
	const struct recording_options options = {0};
	struct recording_totals totals;
	struct recording_writer *w;

	attempt.first_error = attempt.close_error = recording_create(path, &options, &w);
	if (attempt.first_error)
		return attempt;
	for (size_t i = 0; i < NR_RECORDS; i++) {
		int err = recording_put(w, &records[i].hdr);

		if (i % 50 == 0 && !err)
			err = recording_tick(w, records[i].hdr.ts_ns);
		if (!attempt.first_error)
			attempt.first_error = err;
		if (err != attempt.first_error)
			cr_fatal("the error did not stay");
		end.hdr.ts_ns = records[i].hdr.ts_ns;
	}
	end.error = (uint32_t)-attempt.first_error;
	recording_put(w, &end.hdr);
	recording_totals(w, &totals);
	attempt.nr_lost = totals.nr_lost_write;
	attempt.close_error = recording_close(w);
	return attempt;
}

/* The front of the records, and behind it how many more there were. */
static void check_file(const char *path, const union any_record *records,
		       const struct attempt *attempt)
{
	const struct event_hdr *record;
	struct recording_health health;
	struct recording_reader *r;
	uint64_t nr = 0, nr_lost = 0;
	bool ended = false;

	cr_assert(zero(int, recording_open(path, &r)));
	while (recording_next(r, &record) == 1) {
		const struct record_lost *lost = (const struct record_lost *)record;
		const struct record_end *end = (const struct record_end *)record;

		if (nr < NR_RECORDS && !memcmp(record, &records[nr], records[nr].hdr.size)) {
			nr++;
		} else if (record->kind == RECORD_LOST && lost->cause == LOST_WRITE && !nr_lost) {
			nr_lost = lost->nr;
			cr_expect(eq(u64, lost->from_ns, nr ? records[nr - 1].hdr.ts_ns : 0));
			cr_expect(eq(u64, record->ts_ns, records[NR_RECORDS - 1].hdr.ts_ns));
		} else {
			cr_assert(eq(u16, record->kind, RECORD_END));
			cr_assert(eq(u32, end->error, (uint32_t)-attempt->first_error));
			cr_assert(not(ended));
			ended = true;
		}
	}
	recording_health(r, &health);
	recording_reader_free(r);
	cr_expect(zero(u64, health.nr_bad_blocks));
	cr_expect(zero(u64, health.nr_torn_bytes), "no torn block is left");
	if (!health.complete) /* not even that found room */
		return;
	cr_expect(eq(u64, nr + nr_lost + ended, NR_RECORDS + 1), "all, and the end");
	cr_expect(eq(u64, health.nr_lost_write, nr_lost));
	cr_expect(ended || !attempt->first_error);
}

/* A small file system at @directory, for this process only. False when there is no right to. */
static bool mount_small(const char *directory)
{
	if (!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	    !mount("none", directory, "tmpfs", 0, "size=700k"))
		return true;
	rmdir(directory);
	return false;
}

Test(recording_full, a_full_disk_leaves_a_file_that_says_what_is_missing)
{
	union any_record *records CLEANUP(freep) = random_records(6, NR_RECORDS);
	char directory[] = "/tmp/standstill-full.XXXXXX", path[64];
	struct attempt attempt;

	cr_assert(not(zero(ptr, mkdtemp(directory))));
	if (!mount_small(directory))
		cr_skip_test("no right to mount a small file system");
	snprintf(path, sizeof(path), "%s/full.still", directory);
	attempt = write_records(path, records);
	cr_expect(eq(int, attempt.first_error, -ENOSPC));
	cr_expect(eq(int, attempt.close_error, -ENOSPC));
	cr_expect(gt(u64, attempt.nr_lost, 0));
	check_file(path, records, &attempt);
	umount(directory);
	rmdir(directory);
}

/* The records from some one on to the last, none missing in between. */
static void check_back(const char *path, const union any_record *records)
{
	const struct event_hdr *record;
	struct recording_health health;
	struct recording_reader *r;
	size_t at = 0, nr = 0;

	cr_assert(zero(int, recording_open(path, &r)));
	while (recording_next(r, &record) == 1) {
		while (!nr && at < NR_RECORDS && memcmp(record, &records[at], records[at].hdr.size))
			at++;
		if (at == NR_RECORDS || memcmp(record, &records[at], records[at].hdr.size))
			cr_fatal("another record than the %zu-th", at);
		at++;
		nr++;
	}
	recording_health(r, &health);
	recording_reader_free(r);
	cr_expect(eq(sz, at, NR_RECORDS), "up to the last");
	cr_expect(gt(sz, nr, NR_RECORDS / 20), "much more than one segment");
	cr_expect(health.complete);
	cr_expect(gt(u64, health.nr_segments_dropped, 5));
	cr_expect(zero(u64, health.nr_lost_write));
	cr_expect(zero(u64, health.nr_bad_blocks));
	cr_expect(zero(u64, health.nr_torn_bytes));
}

Test(recording_full, under_keep_the_oldest_makes_room_on_a_full_disk)
{
	union any_record *records CLEANUP(freep) = random_records(9, NR_RECORDS);
	const struct recording_options options = {.keep_bytes = 1ull << 40, .segment_bytes = 60000};
	char directory[] = "/tmp/standstill-keep.XXXXXX", path[64];
	struct recording_writer *w;

	cr_assert(not(zero(ptr, mkdtemp(directory))));
	if (!mount_small(directory))
		cr_skip_test("no right to mount a small file system");
	snprintf(path, sizeof(path), "%s/full.still", directory);
	cr_assert(zero(int, recording_create(path, &options, &w)));
	for (size_t i = 0; i < NR_RECORDS; i++) {
		uint64_t ts_ns = records[i].hdr.ts_ns;

		if (i % 50 == 0) {
			if (recording_tick(w, ts_ns))
				cr_fatal("the disk is full at record %zu", i);
			if (recording_segment_due(w, ts_ns) && recording_segment_begin(w, ts_ns))
				cr_fatal("the disk is full at record %zu", i);
		}
		if (recording_put(w, &records[i].hdr))
			cr_fatal("the disk is full at record %zu", i);
	}
	cr_expect(zero(int, recording_close(w)));
	check_back(path, records);
	umount(directory);
	rmdir(directory);
}

Test(recording_full, a_write_may_fail_anywhere)
{
	union any_record *records CLEANUP(freep) = random_records(7, NR_RECORDS);
	char path[] = "/tmp/standstill-limit.XXXXXX";
	struct attempt attempt = {.close_error = -EFBIG};
	int fd = mkstemp(path), nr_failed = 0;

	cr_assert(ge(int, fd, 0));
	close(fd);
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t limit = 0; attempt.close_error; limit += 61001) {
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, RLIM_INFINITY});
		attempt = write_records(path, records);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
		if (attempt.close_error)
			cr_expect(eq(int, attempt.close_error, -EFBIG), "%lu",
				  (unsigned long)limit);
		if (limit)
			check_file(path, records, &attempt);
		nr_failed += attempt.close_error != 0;
	}
	cr_expect(gt(int, nr_failed, 5));
	unlink(path);
}

Test(recording_full, a_reader_that_went_away_is_an_error_like_any_other)
{
	union any_record *records CLEANUP(freep) = random_records(8, NR_RECORDS);
	const struct recording_options options = {0};
	struct recording_writer *w;
	char path[64];
	int fds[2], err = 0;

	signal(SIGPIPE, SIG_IGN);
	cr_assert(zero(int, pipe(fds)));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[1]);
	cr_assert(zero(int, recording_create(path, &options, &w)));
	close(fds[0]);
	for (size_t i = 0; i < NR_RECORDS && !err; i++) {
		err = recording_put(w, &records[i].hdr);
		if (!err)
			err = recording_tick(w, records[i].hdr.ts_ns);
	}
	cr_expect(eq(int, err, -EPIPE));
	cr_expect(eq(int, recording_close(w), -EPIPE));
}
