/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "tests/lib/records.h"
#include "user/base/cleanup.h"
#include "user/recording/schema.h"
#include "user/recording/text.h"
#include "user/recording/writer.h"

static int write_line(struct recording_writer *w, const char *line, const char **ret_error)
{
	union {
		struct event_hdr hdr;
		char bytes[EVENT_BYTES_MAX];
	} record;
	unsigned long long at_ns;
	char word[8];
	int err;

	if (sscanf(line, "%llu %7s", &at_ns, word) == 2 && !strcmp(word, "segment")) {
		err = recording_tick(w, at_ns); /* what is earlier belongs to the segment before */
		return err ? err : recording_segment_begin(w, at_ns);
	}
	err = text_parse(line, &record.hdr, ret_error);
	if (err == -ENOENT)
		return 0;
	return err ? err : recording_put(w, &record.hdr);
}

int records_write(FILE *in, const char *path, FILE *errors)
{
	const struct recording_options options = {.window_ns = 1};
	struct recording_writer *w;
	char line[TEXT_LINE_MAX];
	const char *error = NULL;
	int err, nr = 0;

	err = recording_create(path, &options, &w);
	if (err) {
		fprintf(errors, "%s: %s\n", path, strerror(-err));
		return err;
	}
	while (!err && fgets(line, sizeof(line), in)) {
		nr++;
		err = write_line(w, line, &error);
	}
	if (err) {
		fprintf(errors, "line %d: %s\n", nr, error ? error : strerror(-err));
		recording_close(w);
		return err;
	}
	return recording_close(w);
}
