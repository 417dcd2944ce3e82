/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits that must hold, and the row of the table that says whether they do. */
#ifndef STANDSTILL_LIVE_VERDICT_H
#define STANDSTILL_LIVE_VERDICT_H

#include <stdbool.h>

#include "tests/live/agree/agreement.h"

/* Prints the two lines above the rows. */
void verdict_header(void);

struct demand {
	bool names;    /* an unknown operation breaks a limit */
	bool offender; /* there must be pauses that a thread was late for */
	bool times;    /* there must be pauses, and their times must be right */
};

/* Prints a row that begins with @label. Returns whether every limit holds; the row names those that
 * do not. */
bool verdict_row(const char *label, const struct match *match, const struct agreement *agreement,
		 const struct demand *demand);

#endif
