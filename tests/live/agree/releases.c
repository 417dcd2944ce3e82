/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "tests/live/agree/log.h"
#include "user/base/cleanup.h"

/* The line whose safepoint holds @ns, at or after *low, which is moved up; NULL: none, it is of one
 * that was not logged. */
static struct logged *line_at(const struct safepoint_log *log, size_t *low, uint64_t ns)
{
	while (*low < log->nr && log->lines[*low].end_ns < ns)
		++*low;
	if (*low == log->nr || log->lines[*low].begin_ns > ns)
		return NULL;
	return &log->lines[*low];
}

int log_add_releases(struct safepoint_log *log, const char *path, size_t *ret_line)
{
	FILE *file CLEANUP(fclosep) = fopen(path, "re");
	uint64_t ns, before_ns = 0;
	size_t low = 0;
	int got;

	if (!file)
		return -errno;
	for (*ret_line = 1; (got = fscanf(file, "%" SCNu64, &ns)) == 1; ++*ret_line) {
		struct logged *line = line_at(log, &low, ns);

		if (ns < before_ns)
			return -EBADMSG;
		before_ns = ns;
		if (line && !line->leave_ns)
			line->leave_ns = ns;
	}
	return got == EOF && !ferror(file) ? 0 : -EBADMSG;
}
