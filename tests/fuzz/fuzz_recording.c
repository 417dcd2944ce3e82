/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole file, as the reader meets it. The build ignores checksums (STANDSTILL_FUZZ), or nothing
 * behind them would ever be reached; what is inside of a block's compressed columns is for
 * fuzz_decode.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/recording/reader.h"
#include "user/recording/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(struct recording_reader *r, size_t size)
{
	const struct event_hdr *record;
	struct recording_health health;
	int err;

	while ((err = recording_next(r, &record)) == 1) {
		const struct schema_kind *kind = schema_kind(record->kind);

		assert(kind && record->size == kind->bytes);
		for (size_t i = 0; i < kind->nr_fields; i++)
			if (kind->fields[i].type == FIELD_TEXT)
				assert(!((const char *)record)[kind->fields[i].offset +
							       kind->fields[i].bytes - 1]);
	}
	assert(err == 0);
	assert(recording_next(r, &record) == 0);
	recording_health(r, &health);
	assert(health.file_bytes <= size);
	assert(health.nr_skipped_bytes + health.nr_torn_bytes <= 2 * size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct recording_reader *r;
	char path[64];

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (recording_open(path, &r))
		return 0;
	read_all(r, size);
	recording_reader_free(r);
	if (recording_open(path, &r))
		return 0;
	recording_start(r);
	recording_seek(r, size ? data[size / 2] : 0, 1ull << (size % 64));
	read_all(r, size);
	recording_reader_free(r);
	return 0;
}
