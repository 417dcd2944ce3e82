/* SPDX-License-Identifier: BSD-2-Clause */
/* --keep: what is dropped, what space it takes while recording, after a crash, and at the end. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/memory_file.h"
#include "user/base/cleanup.h"
#include "user/base/units.h"

#define START_NS (1000 * NS_PER_S)
#define STEP_NS	 (100 * NS_PER_US) /* between two records */
#define TICK_NR	 200		   /* records between two ticks */
#define SECONDS	 30

struct kept_file {
	char directory[64], path[80];
};

static struct kept_file make_file(void)
{
	struct kept_file file = {.directory = "/tmp/standstill-keep.XXXXXX"};

	cr_assert(not(zero(ptr, mkdtemp(file.directory))));
	snprintf(file.path, sizeof(file.path), "%s/kept.still", file.directory);
	return file;
}

static void remove_file(struct kept_file *file)
{
	unlink(file->path);
	cr_expect(zero(int, rmdir(file->directory)), "something else was left behind");
}

static struct recording_writer *begin(const struct kept_file *file,
				      const struct recording_options *options)
{
	struct recording_writer *w;
	int err = recording_create(file->path, options, &w);

	if (err == -EOPNOTSUPP)
		cr_skip_test("the file system of /tmp cannot free the front of a file");
	cr_assert(zero(int, err));
	return w;
}

static uint64_t allocated(const struct kept_file *file)
{
	struct stat st;

	cr_assert(zero(int, stat(file->path, &st)));
	return (uint64_t)st.st_blocks * 512;
}

/* Hard to pack, so that sizes are those of life. Returns the most the file ever took on disk. */
static uint64_t record(struct recording_writer *w, const struct kept_file *file)
{
	uint64_t most = 0, random = 1;

	for (uint64_t i = 0; i < SECONDS * NS_PER_S / STEP_NS; i++) {
		struct event_offcpu off = {.hdr = {EVENT_OFFCPU, sizeof(off), (uint32_t)(i % 7),
						   START_NS + i * STEP_NS}};

		random = random * 6364136223846793005ull + 1442695040888963407ull; /* Knuth */
		off.off_ns = random >> 40;
		off.runq_ns = random & 0xffff;
		recording_put(w, &off.hdr);
		if (i % TICK_NR)
			continue;
		if (recording_segment_due(w, off.hdr.ts_ns))
			cr_assert(zero(int, recording_segment_begin(w, off.hdr.ts_ns)));
		cr_assert(zero(int, recording_tick(w, off.hdr.ts_ns)));
		most = allocated(file) > most ? allocated(file) : most;
	}
	return most;
}

struct kept {
	uint64_t first_ns, last_ns, nr;
	struct recording_health health;
};

/* All records of the file, which must follow one another without a gap. */
static struct kept read_kept(const char *path)
{
	struct recording_reader *r;
	const struct event_hdr *event;
	struct kept kept = {0};

	cr_assert(zero(int, recording_open(path, &r)));
	while (recording_next(r, &event) == 1) {
		if (kept.nr++ && event->ts_ns != kept.last_ns + STEP_NS)
			cr_fatal("there is a gap");
		kept.first_ns = kept.first_ns ? kept.first_ns : event->ts_ns;
		kept.last_ns = event->ts_ns;
	}
	recording_health(r, &kept.health);
	recording_reader_free(r);
	cr_expect(zero(u64, kept.health.nr_bad_blocks));
	cr_expect(zero(u64, kept.health.nr_missing));
	cr_expect(zero(u64, kept.health.nr_torn_bytes));
	cr_expect(zero(u64, kept.health.nr_skipped_bytes));
	return kept;
}

static uint64_t size_of(const struct kept_file *file)
{
	struct stat st;

	cr_assert(zero(int, stat(file->path, &st)));
	return (uint64_t)st.st_size;
}

#define LAST_NS (START_NS + SECONDS * NS_PER_S - STEP_NS)

Test(recording_keep, the_last_seconds_are_kept_and_little_more)
{
	struct kept_file file CLEANUP(remove_file) = make_file();
	const struct recording_options options = {.keep_ns = 4 * NS_PER_S};
	struct recording_writer *w = begin(&file, &options);
	struct recording_totals totals;
	struct kept kept;

	record(w, &file);
	recording_totals(w, &totals);
	cr_expect(gt(u64, totals.nr_segments_dropped, 40));
	cr_expect(lt(u64, totals.kept_bytes, totals.file_bytes / 4));
	cr_assert(zero(int, recording_close(w)));
	kept = read_kept(file.path);
	cr_expect(kept.health.complete);
	cr_expect(eq(u64, kept.health.nr_segments_dropped, totals.nr_segments_dropped));
	cr_expect(eq(u64, kept.last_ns, LAST_NS));
	cr_expect(le(u64, kept.first_ns, LAST_NS - 4 * NS_PER_S));
	cr_expect(ge(u64, kept.first_ns, LAST_NS - 6 * NS_PER_S));
	cr_expect(le(u64, size_of(&file), totals.kept_bytes + 65536), "the hole is gone");
}

Test(recording_keep, the_size_on_disk_stays_within_the_limit)
{
	struct kept_file file CLEANUP(remove_file) = make_file();
	const struct recording_options options = {.keep_bytes = 400 << 10};
	struct recording_writer *w = begin(&file, &options);
	struct recording_totals totals;
	struct kept kept;
	uint64_t most = record(w, &file);

	recording_totals(w, &totals);
	cr_expect(gt(u64, totals.file_bytes, 4 * options.keep_bytes), "the test is large enough");
	cr_expect(le(u64, most, options.keep_bytes + options.keep_bytes / 4));
	cr_assert(zero(int, recording_close(w)));
	cr_expect(le(u64, size_of(&file), options.keep_bytes + options.keep_bytes / 4));
	kept = read_kept(file.path);
	cr_expect(eq(u64, kept.last_ns, LAST_NS));
	cr_expect(gt(u64, kept.last_ns - kept.first_ns, NS_PER_S));
}

/* What a killed writer leaves behind: a copy of the file, hole and all, while it is being written.
 */
Test(recording_keep, a_killed_writer_leaves_a_file_that_reads_behind_its_hole)
{
	struct kept_file file CLEANUP(remove_file) = make_file();
	const struct recording_options options = {.keep_ns = 4 * NS_PER_S};
	struct recording_writer *w = begin(&file, &options);
	struct recording_totals totals;
	struct kept kept;

	record(w, &file);
	recording_totals(w, &totals);
	kept = read_kept(file.path);
	cr_expect(not(kept.health.complete));
	cr_expect(eq(u64, kept.health.nr_segments_dropped, totals.nr_segments_dropped));
	cr_expect(ge(u64, kept.last_ns, LAST_NS - NS_PER_S));
	cr_expect(le(u64, kept.first_ns, LAST_NS - 4 * NS_PER_S));
	cr_expect(zero(int, recording_close(w)));
}

Test(recording_keep, a_file_without_a_name_keeps_its_hole_and_reads_all_the_same)
{
	struct memory_file file CLEANUP(memory_file_free) = {0};
	const struct recording_options options = {.keep_ns = 4 * NS_PER_S};
	struct recording_writer *w = memory_file_create(&file, &options);
	struct kept kept;

	record(w, &(struct kept_file){.path = "/dev/null"});
	cr_assert(zero(int, recording_close(w)));
	kept = read_kept(file.path);
	cr_expect(kept.health.complete);
	cr_expect(eq(u64, kept.last_ns, LAST_NS));
	cr_expect(ge(u64, kept.first_ns, LAST_NS - 6 * NS_PER_S));
}

/* A file that takes all room but a little. */
static void fill_up(const char *directory, off_t nr_left)
{
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "%s/filler", directory);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	cr_assert(ge(int, fd, 0));
	for (off_t nr = 64 << 20; nr >= 4096; nr /= 2)
		while (!fallocate(fd, 0, lseek(fd, 0, SEEK_END), nr))
			;
	cr_assert(zero(int, ftruncate(fd, lseek(fd, 0, SEEK_END) - nr_left)));
	close(fd);
}

Test(recording_keep, without_room_for_a_second_file_the_first_keeps_its_hole)
{
	struct kept_file file = make_file();
	const struct recording_options options = {.keep_ns = 4 * NS_PER_S};
	struct recording_writer *w;
	struct kept kept;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", file.directory, "tmpfs", 0, "size=2m"))
		cr_skip_test("no right to mount a small file system");
	w = begin(&file, &options);
	record(w, &file);
	fill_up(file.directory, 200 << 10);
	cr_assert(zero(int, recording_close(w)));
	cr_expect(gt(u64, size_of(&file), allocated(&file) * 2), "the hole is there");
	kept = read_kept(file.path);
	cr_expect(kept.health.complete);
	cr_expect(eq(u64, kept.last_ns, LAST_NS));
	umount(file.directory);
	rmdir(file.directory);
}

Test(recording_keep, a_finished_file_keeps_its_rights)
{
	struct kept_file file CLEANUP(remove_file) = make_file();
	const struct recording_options options = {.keep_ns = 4 * NS_PER_S};
	struct recording_writer *w = begin(&file, &options);
	struct stat st;

	cr_assert(zero(int, chmod(file.path, 0640)));
	record(w, &file);
	cr_assert(zero(int, recording_close(w)));
	cr_assert(zero(int, stat(file.path, &st)));
	cr_expect(eq(u32, st.st_mode & 0777, 0640));
}

Test(recording_keep, a_pipe_cannot_drop_its_front)
{
	const struct recording_options options = {.keep_ns = NS_PER_S};
	struct recording_writer *w;
	char path[64];
	int fds[2];

	cr_assert(zero(int, pipe(fds)));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[1]);
	cr_expect(eq(int, recording_create(path, &options, &w), -EOPNOTSUPP));
}
