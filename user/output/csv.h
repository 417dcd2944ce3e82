/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of comma-separated values as RFC 4180 quotes them; lines end in a bare newline, as Unix
 * tools expect. */
#ifndef STANDSTILL_OUTPUT_CSV_H
#define STANDSTILL_OUTPUT_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct csv {
	FILE *to;
	bool begun; /* the row has a field */
};

void csv_text(struct csv *csv, const char *text); /* NULL: empty */
void csv_number(struct csv *csv, uint64_t number);
void csv_known(struct csv *csv, bool known, uint64_t number); /* empty when it is not known */
void csv_end_row(struct csv *csv);

#endif
