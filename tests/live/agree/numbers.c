/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <stdlib.h>

#include "tests/live/agree/numbers.h"

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void numbers_sort(int64_t *numbers, size_t nr)
{
	qsort(numbers, nr, sizeof(*numbers), compare);
}

int64_t numbers_percentile_of_absolute(int64_t *numbers, size_t nr, unsigned int percent)
{
	assert(nr > 0 && percent >= 1 && percent <= 100);
	for (size_t i = 0; i < nr; i++)
		numbers[i] = llabs(numbers[i]);
	numbers_sort(numbers, nr);
	return numbers[(nr * percent + 99) / 100 - 1];
}
