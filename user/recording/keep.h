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

/* How many segments at the front are beyond the limits at @now_ns; never the last one, which is
 * still being written. */
size_t keep_count(const struct index *index, const struct keep_limits *limits, uint64_t now_ns,
		  uint64_t kept_bytes);

/* Take the first @nr segments out of the index, and tell the file's header. Then their space can be
 * given back. */
int keep_drop(const struct output *file, struct index *index, size_t nr);

/*
 * Write the first @header_bytes and all segments of @from to a new file beside @path, and move the
 * index to where they are now. 0: *ret_file is open, under the name *ret_name, which the caller
 * renames or removes, and frees. Else -errno, and nothing has changed.
 */
int keep_compact(const struct output *from, const char *path, size_t header_bytes,
		 struct index *index, struct output *ret_file, char **ret_name);

#endif
