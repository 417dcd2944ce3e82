/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/live/agree/log.h"
#include "tests/live/agree/numbers.h"
#include "user/base/cleanup.h"

struct lengths {
	uint64_t since_ns, reaching_ns, cleanup_ns, at_ns, leaving_ns, total_ns;
	bool has_leaving;
};

/* The number after @label, whose comma tells it from the name of an operation; false when the line
 * has no such field. */
static bool field(const char *line, const char *label, uint64_t *ret)
{
	const char *at = strstr(line, label);

	return at && sscanf(at + strlen(label), ": %" SCNu64 " ns", ret) == 1;
}

static bool parse_lengths(const char *line, struct lengths *ret)
{
	*ret = (struct lengths){0};
	field(line, ", Cleanup", &ret->cleanup_ns); /* until 21 */
	ret->has_leaving = field(line, ", Leaving safepoint", &ret->leaving_ns);
	return field(line, ", Time since last", &ret->since_ns) &&
	       field(line, ", Reaching safepoint", &ret->reaching_ns) &&
	       field(line, ", At safepoint", &ret->at_ns) &&
	       field(line, ", Total", &ret->total_ns) &&
	       ret->total_ns == ret->reaching_ns + ret->cleanup_ns + ret->at_ns + ret->leaving_ns;
}

/* Times on the ruler: 0 is @ruler_ns, the end of the line before. */
static bool parse_line(const char *line, uint64_t *ruler_ns, struct logged *ret)
{
	struct lengths is;

	*ret = (struct logged){0};
	if (sscanf(line, "[%" SCNu64 "ns] Safepoint \"%63[^\"]\"", &ret->stamp_ns, ret->name) !=
		    2 ||
	    !parse_lengths(line, &is))
		return false;
	ret->begin_ns = *ruler_ns + is.since_ns;
	ret->reaching_ns = is.reaching_ns;
	ret->end_ns = ret->begin_ns + is.total_ns;
	if (is.has_leaving)
		ret->leave_ns = ret->end_ns - is.leaving_ns;
	*ruler_ns = ret->end_ns;
	return true;
}

static int append(struct safepoint_log *log, const struct logged *line)
{
	if ((log->nr & (log->nr - 1)) == 0) {
		size_t room = log->nr ? log->nr * 2 : 1;
		struct logged *more = realloc(log->lines, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		log->lines = more;
	}
	log->lines[log->nr++] = *line;
	return 0;
}

static int read_lines(FILE *file, struct safepoint_log *log, size_t *ret_line)
{
	char text[1024];
	uint64_t ruler_ns = 0;

	for (*ret_line = 1; fgets(text, sizeof(text), file); ++*ret_line) {
		struct logged line;
		int error;

		if (!strchr(text, '\n'))
			break; /* being written at this moment, or cut by the end of the JVM */
		if (!parse_line(text, &ruler_ns, &line))
			return -EBADMSG;
		error = append(log, &line);
		if (error)
			return error;
	}
	return ferror(file) ? -EIO : 0;
}

/* Move the ruler to where its zero is: the latest place at which no line's end is later than its
 * stamp. */
static int place(struct safepoint_log *log)
{
	int64_t *delays CLEANUP(freep) = calloc(log->nr + 1, sizeof(*delays));
	int64_t zero;

	if (!delays)
		return -ENOMEM;
	for (size_t i = 0; i < log->nr; i++)
		delays[i] = (int64_t)(log->lines[i].stamp_ns - log->lines[i].end_ns);
	numbers_sort(delays, log->nr);
	zero = log->nr ? delays[0] : 0;
	log->delay_ns = log->nr ? (uint64_t)(delays[log->nr / 2] - zero) : 0;
	for (size_t i = 0; i < log->nr; i++) {
		struct logged *line = &log->lines[i];

		line->begin_ns += (uint64_t)zero;
		line->end_ns += (uint64_t)zero;
		if (line->leave_ns)
			line->leave_ns += (uint64_t)zero;
	}
	return 0;
}

int log_read(const char *path, struct safepoint_log *ret, size_t *ret_line)
{
	FILE *file CLEANUP(fclosep) = fopen(path, "re");
	struct safepoint_log log = {0};
	int error;

	if (!file)
		return -errno;
	error = read_lines(file, &log, ret_line);
	if (!error)
		error = place(&log);
	if (error)
		log_free(&log);
	else
		*ret = log;
	return error;
}

void log_free(struct safepoint_log *log)
{
	free(log->lines);
	*log = (struct safepoint_log){0};
}
