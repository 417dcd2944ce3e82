/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits that must hold, and the row of the table that says whether they do. */
#ifndef STANDSTILL_LIVE_VERDICT_H
#define STANDSTILL_LIVE_VERDICT_H

#include <stdbool.h>

#include "tests/live/agree/agreement.h"

/* Prints the two lines above the rows. */
void verdict_header(void);

/* Prints a row that begins with @label. Returns whether every limit holds; the row names those that
 * do not. */
bool verdict_row(const char *label, const struct match *match, const struct agreement *agreement,
		 bool names_required, bool offender_required);

#endif
