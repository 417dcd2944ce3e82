/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the first inputs of the fuzzers of the recording: seeds DIR makes DIR/fuzz_recording/...
 * and so on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/lib/random.h"
#include "user/recording/encode.h"
#include "user/recording/text.h"
#include "user/recording/writer.h"

#define NR_SEEDS 24

union record {
	struct event_hdr hdr;
	char bytes[EVENT_BYTES_MAX];
};

static void make(uint64_t *random, uint64_t *ts_ns, union record *ret)
{
	const struct schema_kind *kinds;
	size_t nr;

	kinds = schema_kinds(&nr);
	random_record(random, &kinds[random_next(random) % 2 ? 0 : random_next(random) % nr], ret);
	ret->hdr.ts_ns = *ts_ns += random_next(random) % 1000;
}

static FILE *create(const char *directory, const char *target, unsigned int nr)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, target);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/seed%u", directory, target, nr);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static void seed_recording(const char *directory, unsigned int nr)
{
	uint64_t random = nr, ts_ns = nr;
	struct recording_options options = {0};
	struct recording_writer *w;
	char path[4096];

	fclose(create(directory, "fuzz_recording", nr));
	snprintf(path, sizeof(path), "%s/fuzz_recording/seed%u", directory, nr);
	if (recording_create(path, &options, &w))
		exit(1);
	for (unsigned int i = 0; i < nr * 3; i++) {
		union record record;

		make(&random, &ts_ns, &record);
		if (i % 20 == 0)
			recording_segment_begin(w, ts_ns);
		recording_put(w, &record.hdr);
	}
	if (recording_close(w))
		exit(1);
}

static void put_piece(FILE *file, const void *bytes, size_t nr)
{
	fputc((int)(nr & 255), file);
	fputc((int)(nr >> 8), file);
	fwrite(bytes, 1, nr, file);
}

static void seed_decode(const char *directory, unsigned int nr)
{
	FILE *file = create(directory, "fuzz_decode", nr);
	struct buffer schema = {0}, columns = {0};
	uint64_t random = nr, ts_ns = nr;
	struct encoder e;

	if (encoder_init(&e))
		exit(1);
	for (unsigned int i = 0; i < nr * 4; i++) {
		union record record;

		make(&random, &ts_ns, &record);
		encoder_add(&e, &record.hdr);
	}
	layout_print(&schema);
	if (encoder_finish(&e, &columns))
		exit(1);
	put_piece(file, schema.data, nr % 2 ? schema.nr : 0);
	put_piece(file, columns.data, columns.nr);
	put_piece(file, e.bits.bytes.data, e.bits.bytes.nr);
	fclose(file);
	buffer_free(&schema);
	buffer_free(&columns);
	encoder_free(&e);
}

static void seed_text(const char *directory, unsigned int nr)
{
	FILE *file = create(directory, "fuzz_text", nr);
	uint64_t random = nr, ts_ns = nr;
	char line[TEXT_LINE_MAX];
	const struct schema_kind *kinds;
	union record record;
	size_t nr_kinds;

	kinds = schema_kinds(&nr_kinds);
	random_record(&random, &kinds[nr % nr_kinds], &record);
	record.hdr.ts_ns = ts_ns;
	if (text_print(&record.hdr, line, sizeof(line)) < 0)
		exit(1);
	fputs(line, file);
	fclose(file);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: seeds DIR\n");
		return 2;
	}
	mkdir(argv[1], 0777);
	for (unsigned int nr = 0; nr < NR_SEEDS; nr++) {
		seed_recording(argv[1], nr);
		seed_decode(argv[1], nr);
		seed_text(argv[1], nr);
	}
	return 0;
}
