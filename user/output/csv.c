/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "user/output/csv.h"

static void next_field(struct csv *csv)
{
	if (csv->begun)
		putc(',', csv->to);
	csv->begun = true;
}

void csv_text(struct csv *csv, const char *text)
{
	next_field(csv);
	if (!text)
		return;
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, csv->to);
		return;
	}
	putc('"', csv->to);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', csv->to);
		putc(*text, csv->to);
	}
	putc('"', csv->to);
}

void csv_number(struct csv *csv, uint64_t number)
{
	next_field(csv);
	fprintf(csv->to, "%" PRIu64, number);
}

void csv_known(struct csv *csv, bool known, uint64_t number)
{
	if (known)
		csv_number(csv, number);
	else
		next_field(csv);
}

void csv_end_row(struct csv *csv)
{
	if (csv->begun)
		putc('\n', csv->to);
	csv->begun = false;
}
