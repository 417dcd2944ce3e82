/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One recording of every format ever released stays here, and must still read as it did:
 * formats/N.recording, and record by record as text in formats/N.txt. They are never made anew;
 * fields of later versions are 0 in them, which the text leaves out.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "user/recording/reader.h"
#include "user/recording/text.h"

/* The next line that is a record's. False at the end. */
static bool next_line(FILE *file, char *line)
{
	while (fgets(line, TEXT_LINE_MAX, file)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0] != '#' && !strstr(line, " segment"))
			return true;
	}
	return false;
}

static void check_format(int format)
{
	char path[64], expected[TEXT_LINE_MAX], line[TEXT_LINE_MAX];
	const struct event_hdr *record;
	struct recording_health health;
	struct recording_reader *r;
	FILE *text;

	snprintf(path, sizeof(path), "tests/unit/formats/%d.txt", format);
	text = fopen(path, "re");
	if (!text)
		cr_skip_test("%s is not here; run in the project's directory", path);
	snprintf(path, sizeof(path), "tests/unit/formats/%d.recording", format);
	cr_assert(zero(int, recording_open(path, &r)));
	while (next_line(text, expected)) {
		cr_assert(eq(int, recording_next(r, &record), 1), "%s", expected);
		cr_assert(gt(int, text_print(record, line, sizeof(line)), 0));
		cr_assert(eq(str, line, expected));
	}
	cr_expect(zero(int, recording_next(r, &record)));
	recording_health(r, &health);
	cr_expect(health.complete);
	cr_expect(zero(u64, health.nr_bad_blocks));
	cr_expect(gt(u64, health.nr_records, 0));
	recording_reader_free(r);
	fclose(text);
}

Test(recording_formats, format_1_still_reads)
{
	check_format(1);
}
