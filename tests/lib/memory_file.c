/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/memory_file.h"

static void make(struct memory_file *file)
{
	if (file->fd)
		return;
	file->fd = memfd_create("recording", MFD_CLOEXEC);
	cr_assert(gt(int, file->fd, 0));
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

struct recording_writer *memory_file_create(struct memory_file *file,
					    const struct recording_options *options)
{
	const struct recording_options defaults = {0};
	struct recording_writer *w;

	make(file);
	cr_assert(zero(int, recording_create(file->path, options ? options : &defaults, &w)));
	return w;
}

struct recording_reader *memory_file_open(struct memory_file *file)
{
	struct recording_reader *r;

	cr_assert(zero(int, recording_open(file->path, &r)));
	return r;
}

uint8_t *memory_file_bytes(const struct memory_file *file, size_t *ret_nr)
{
	struct stat st;
	uint8_t *bytes;

	cr_assert(zero(int, fstat(file->fd, &st)));
	bytes = malloc((size_t)st.st_size + 1);
	*ret_nr = (size_t)st.st_size;
	cr_assert(eq(i64, pread(file->fd, bytes, *ret_nr, 0), st.st_size));
	return bytes;
}

void memory_file_set(struct memory_file *file, const uint8_t *bytes, size_t nr)
{
	make(file);
	cr_assert(zero(int, ftruncate(file->fd, 0)));
	cr_assert(eq(i64, pwrite(file->fd, bytes, nr, 0), (ssize_t)nr));
}

void memory_file_free(struct memory_file *file)
{
	if (file->fd)
		close(file->fd);
	file->fd = 0;
}
