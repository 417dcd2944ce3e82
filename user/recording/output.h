/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file being written: whole pieces or nothing. A piece that cannot be written in full is cut
 * off again, so that the file always ends behind a whole one; the error stays. Knows nothing of
 * what is in the pieces, but that old ones may be freed.
 */
#ifndef STANDSTILL_RECORDING_OUTPUT_H
#define STANDSTILL_RECORDING_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output {
	int fd;
	bool regular;	/* it can be cut and freed; a pipe cannot */
	uint64_t bytes; /* written and whole */
	int error;	/* 0, or the first -errno */
};

/* Create @path or empty what is there. 0 or -errno. */
int output_create(const char *path, struct output *ret);

/* Append. 0, or the -errno of this or an earlier failure. */
int output_write(struct output *o, const void *bytes, size_t nr);

/* Write over @nr bytes at @offset. 0 or -errno, which does not stay. */
int output_rewrite(const struct output *o, uint64_t offset, const void *bytes, size_t nr);

/* Can the front of the file be given back to the file system? */
bool output_can_free(const struct output *o);

/* Give [@offset, @offset + @bytes) back; it reads as zeros from then on. 0 or -errno, which does
 * not stay. */
int output_free_range(const struct output *o, uint64_t offset, uint64_t bytes);

/* Append @bytes from @offset of @from. 0 or -errno; stays, as with output_write. */
int output_copy(struct output *o, const struct output *from, uint64_t offset, uint64_t bytes);

/* Wait for the disk, close. 0, or the first -errno of all. */
int output_close(struct output *o);

#endif
