/* SPDX-License-Identifier: BSD-2-Clause */
/* The text form of a schedule, written. In: a schedule that is being read, and its requests; out:
 * CSV as docs/schedule.md says. */
#ifndef STANDSTILL_IMPORT_SCHEDULE_CSV_H
#define STANDSTILL_IMPORT_SCHEDULE_CSV_H

#include <stdio.h>

#include "user/import/schedule.h"

/*
 * Copy what is left of @r to @to, what @r says about itself included. 0, or the -errno of reading;
 * errors of writing stay in ferror(@to). What a damaged file has lost is missing in the copy too:
 * see schedule_health().
 */
int schedule_copy_csv(struct schedule_reader *r, FILE *to);

/* The letters of @flags; @buffer holds 9 bytes. */
char *schedule_flag_letters(unsigned int flags, char *buffer);

#endif
