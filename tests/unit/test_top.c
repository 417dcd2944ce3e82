/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "tests/lib/random.h"
#include "user/cmd/pauses.h"

#define ROWS  1000
#define LIMIT 37

static uint64_t keys[ROWS];

static struct pause_row *row_of(uint64_t nr, uint64_t duration_ns)
{
	struct pause_row *row = calloc(1, sizeof(*row));

	row->pause.nr = nr;
	row->duration_ns = duration_ns;
	return row;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a < *b) - (*a > *b);
}

struct seen {
	size_t nr;
	uint64_t last_nr;
};

static void check_row(void *arg, const struct pause_row *row)
{
	struct seen *seen = arg;

	cr_expect(eq(u64, row->duration_ns, keys[seen->nr]), "row %zu", seen->nr);
	if (seen->nr && keys[seen->nr] == keys[seen->nr - 1])
		cr_expect(gt(u64, row->pause.nr, seen->last_nr),
			  "of equals the earlier one comes first");
	seen->last_nr = row->pause.nr;
	seen->nr++;
}

Test(top, keeps_the_largest_in_order)
{
	struct seen seen = {0};
	uint64_t random = 9;
	struct top top;

	cr_assert(zero(int, top_init(&top, LIMIT, SORT_DURATION)));
	for (size_t i = 0; i < ROWS; i++) {
		keys[i] = random_next(&random) % 300; /* many are equal */
		top_put(&top, row_of(i + 1, keys[i]));
	}
	qsort(keys, ROWS, sizeof(keys[0]), compare);
	top_each(&top, check_row, &seen);
	cr_expect(eq(sz, seen.nr, LIMIT));
	top_free(&top);
}

Test(top, of_few_it_keeps_all)
{
	struct seen seen = {0};
	struct top top;

	cr_assert(zero(int, top_init(&top, LIMIT, SORT_DURATION)));
	for (size_t i = 0; i < 3; i++) {
		keys[i] = 10 - i;
		top_put(&top, row_of(i + 1, keys[i]));
	}
	top_each(&top, check_row, &seen);
	cr_expect(eq(sz, seen.nr, 3));
	top_free(&top);
}

Test(top, what_was_never_taken_out_is_freed)
{
	struct top top;

	cr_assert(zero(int, top_init(&top, LIMIT, SORT_DURATION)));
	top_put(&top, row_of(1, 1));
	top_free(&top);
}
