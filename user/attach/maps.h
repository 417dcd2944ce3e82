/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process has mapped: /proc/PID/maps in, one checked entry a line out. */
#ifndef STANDSTILL_ATTACH_MAPS_H
#define STANDSTILL_ATTACH_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct map_entry { /* [start, end), from @offset of the file @path */
	uint64_t start, end, offset, inode;
	bool readable, writable, executable;
	bool deleted;	  /* the file has no name any more */
	const char *path; /* "" : anonymous; valid during the call only */
};

typedef int map_fn(void *arg, const struct map_entry *entry); /* not 0: stop, and return this */

/* Take apart one line (newline or not), which is written into. 0 or -EBADMSG. */
int maps_parse_line(char *line, struct map_entry *ret);

/* Every mapping of @tgid. 0, what @fn stopped with, -ESRCH, -EACCES or -EBADMSG. */
int maps_each(uint32_t tgid, map_fn *fn, void *arg);

/* The last part of a path. */
const char *maps_basename(const char *path);

#endif
