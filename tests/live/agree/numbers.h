/* SPDX-License-Identifier: BSD-2-Clause */
/* Signed numbers in a heap array: sorted, and what lies at which share of them. */
#ifndef STANDSTILL_LIVE_NUMBERS_H
#define STANDSTILL_LIVE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

void numbers_sort(int64_t *numbers, size_t nr);

/* Sorts @numbers by size without sign, and returns the smallest such that @percent of them are no
 * larger; nr > 0. */
int64_t numbers_percentile_of_absolute(int64_t *numbers, size_t nr, unsigned int percent);

#endif
