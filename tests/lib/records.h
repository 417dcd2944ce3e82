/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings for tests: from records written down as text, or made at random. Random means
 * repeatable: the state is the caller's, and starts with a number of the test's choice.
 */
#ifndef STANDSTILL_TESTS_RECORDS_H
#define STANDSTILL_TESTS_RECORDS_H

#include <stdio.h>

/* Write the records in the text file @in (user/recording/text.h, a record a line) to the recording
 * @path. A line may say `segment` (with a time before it: `1000 segment`) to begin a new one.
 * Returns 0, or -errno; what is wrong with which line goes to @errors. */
int records_write(FILE *in, const char *path, FILE *errors);

#endif
