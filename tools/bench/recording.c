/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the recording costs: bytes a record on disk, time to write and to read one, memory. Prints
 *rows `name value unit`.
 *
 *	bench-recording [-n RECORDS] [-c CPUS] [-o FILE]    simulated off-CPU records (generate.h)
 *	bench-recording FILE                                the records of a real recording, written
 *again
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/bench/generate.h"
#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/recording/reader.h"
#include "user/recording/writer.h"

#define TICK_NS	 20000000ull /* as often as the recorder drains its ring */
#define BATCH_NR 4096	     /* made before they are timed, so that making them is not */

struct source {
	struct generator *generator; /* or */
	struct recording_reader *reader;
	uint64_t nr_left;
};

struct batch {
	char records[BATCH_NR][EVENT_BYTES_MAX];
	size_t nr;
};

struct cost {
	uint64_t nr, write_ns, bytes;
	uint64_t first_ns, last_ns;
};

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void fail(const char *what, int err)
{
	fprintf(stderr, "bench-recording: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void fill(struct source *source, struct batch *batch)
{
	const struct event_hdr *record;

	for (batch->nr = 0; batch->nr < BATCH_NR && source->nr_left; source->nr_left--) {
		if (source->generator) {
			generator_next(source->generator,
				       (struct event_offcpu *)batch->records[batch->nr++]);
			continue;
		}
		if (recording_next(source->reader, &record) <= 0) {
			source->nr_left = 0;
			return;
		}
		memcpy(batch->records[batch->nr++], record, record->size);
	}
}

static void put_batch(struct recording_writer *w, const struct batch *batch, struct cost *cost,
		      uint64_t *tick_ns)
{
	uint64_t begun_ns = cpu_ns();

	for (size_t i = 0; i < batch->nr; i++) {
		const struct event_hdr *record = (const struct event_hdr *)batch->records[i];
		int err = recording_put(w, record);

		if (err)
			fail("writing", err);
		cost->last_ns = record->ts_ns;
		if (record->ts_ns < *tick_ns + TICK_NS)
			continue;
		*tick_ns = record->ts_ns;
		if (recording_segment_due(w, *tick_ns))
			recording_segment_begin(w, *tick_ns);
		recording_tick(w, *tick_ns);
	}
	cost->write_ns += cpu_ns() - begun_ns;
	cost->nr += batch->nr;
}

static void write_all(struct source *source, const char *path, struct cost *cost)
{
	struct recording_options options = {0};
	struct batch *batch = malloc(sizeof(*batch));
	struct recording_writer *w;
	uint64_t tick_ns = 0, begun_ns;
	struct stat st;
	int err = batch ? recording_create(path, &options, &w) : -ENOMEM;

	if (err)
		fail(path, err);
	for (fill(source, batch); batch->nr; fill(source, batch)) {
		if (!cost->nr)
			cost->first_ns = ((const struct event_hdr *)batch->records[0])->ts_ns;
		put_batch(w, batch, cost, &tick_ns);
	}
	begun_ns = cpu_ns();
	err = recording_close(w);
	cost->write_ns += cpu_ns() - begun_ns;
	if (err || stat(path, &st))
		fail(path, err ? err : -errno);
	cost->bytes = (uint64_t)st.st_size;
	free(batch);
}

static uint64_t read_all(const char *path, uint64_t *ret_nr)
{
	uint64_t begun_ns = cpu_ns();
	const struct event_hdr *record;
	struct recording_reader *r;
	int err = recording_open(path, &r);

	if (err)
		fail(path, err);
	*ret_nr = 0;
	while ((err = recording_next(r, &record)) == 1)
		++*ret_nr;
	if (err)
		fail(path, err);
	recording_reader_free(r);
	return cpu_ns() - begun_ns;
}

static void report(const char *what, const struct cost *cost, const char *path)
{
	uint64_t nr, read_ns = read_all(path, &nr);
	double seconds = (double)(cost->last_ns - cost->first_ns) / 1e9;
	double write_ns = (double)cost->write_ns / (double)cost->nr;
	struct rusage usage;

	if (nr != cost->nr)
		fail("reading back: another number of records", -EBADMSG);
	getrusage(RUSAGE_SELF, &usage);
	printf("recording.%s.records %" PRIu64 " records\n", what, nr);
	printf("recording.%s.rate %.0f records/s\n", what, (double)nr / seconds);
	printf("recording.%s.size %.3f B/record\n", what, (double)cost->bytes / (double)nr);
	printf("recording.%s.write %.1f ns/record\n", what, write_ns);
	printf("recording.%s.write_at_50000 %.2f %%_of_a_core\n", what,
	       write_ns * 50000 / 1e9 * 100);
	printf("recording.%s.read %.1f ns/record\n", what, (double)read_ns / (double)nr);
	printf("recording.%s.read_speed %.2f M_records/s\n", what,
	       (double)nr / (double)read_ns * 1e3);
	printf("recording.%s.peak_rss %.1f MB\n", what, (double)usage.ru_maxrss / 1024);
}

static void usage(void)
{
	fprintf(stderr, "usage: bench-recording [-n RECORDS] [-c CPUS] [-o FILE] [RECORDING]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct generator_options simulated = {
		.seed = 1, .nr_threads = 60, .nr_cpus = 4, .sleep_us = 100};
	struct source source = {.nr_left = UINT64_MAX};
	char scratch[] = "/tmp/bench-recording.XXXXXX";
	uint64_t nr = 2000000, nr_cpus = simulated.nr_cpus;
	const char *path = NULL;
	struct cost cost = {0};
	int fd, option;

	while ((option = getopt(argc, argv, "n:c:o:")) != -1) {
		if (option == 'o')
			path = optarg;
		else if (option == '?' ||
			 units_parse_number(optarg, 1, 1ull << 40, option == 'n' ? &nr : &nr_cpus))
			usage();
	}
	if (!path) {
		fd = mkstemp(scratch);
		if (fd < 0)
			fail(scratch, -errno);
		close(fd);
	}
	if (optind < argc) {
		int err = recording_open(argv[optind], &source.reader);

		if (err)
			fail(argv[optind], err);
	} else {
		simulated.nr_cpus = (uint32_t)nr_cpus;
		source.generator = generator_new(&simulated);
		source.nr_left = nr;
	}
	write_all(&source, path ? path : scratch, &cost);
	report(source.reader ? "real" : "simulated", &cost, path ? path : scratch);
	if (!path)
		unlink(scratch);
	recording_reader_free(source.reader);
	generator_free(source.generator);
	return 0;
}
