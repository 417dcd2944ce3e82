/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --keep: what of a recording is too old, and the space it took. While recording, dropped segments
 * become a hole at the file's front; at the end the rest moves to a new file, so that the result is
 * as short as what it holds.
 */
#ifndef STANDSTILL_RECORDING_KEEP_H
#define STANDSTILL_RECORDING_KEEP_H

#include "user/recording/index.h"
#include "user/recording/output.h"

struct keep_limits {
	uint64_t ns;	/* segments that ended longer ago go; 0: none for their age */
	uint64_t bytes; /* the oldest go while more is kept; 0: none for their size */
};

/* Drop what is beyond the limits at @now_ns, but for the last segment, which is still being
 * written. Returns the bytes given back. A range that the file system refuses to take back is tried
 * again the next time. */
uint64_t keep_drop(const struct output *file, struct index *index, const struct keep_limits *limits,
		   uint64_t now_ns, uint64_t kept_bytes);

/*
 * Write the first @header_bytes and all segments of @from to a new file beside @path, and move the
 * index to where they are now. 0: *ret_file is open, under the name *ret_name, which the caller
 * renames or removes, and frees. Else -errno, and nothing has changed.
 */
int keep_compact(const struct output *from, const char *path, size_t header_bytes,
		 struct index *index, struct output *ret_file, char **ret_name);

#endif
