/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/cmd/pauses.h"

int top_init(struct top *top, size_t limit, enum pauses_sort sort)
{
	top->rows = calloc(limit + 1, sizeof(top->rows[0]));
	if (!top->rows)
		return -ENOMEM;
	top->nr = 0;
	top->limit = limit;
	top->sort = sort;
	return 0;
}

/* Of two rows with the same key the earlier one counts for more, so that the order never is chance.
 */
static bool is_less(const struct top *top, size_t a, size_t b)
{
	uint64_t left = pause_row_key(top->rows[a], top->sort),
		 right = pause_row_key(top->rows[b], top->sort);

	return left != right ? left < right : top->rows[a]->pause.nr > top->rows[b]->pause.nr;
}

static void swap(struct top *top, size_t a, size_t b)
{
	struct pause_row *row = top->rows[a];

	top->rows[a] = top->rows[b];
	top->rows[b] = row;
}

static void sift_up(struct top *top, size_t at)
{
	for (; at && is_less(top, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(top, at, (at - 1) / 2);
}

static void sift_down(struct top *top)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < top->nr) {
		if (child + 1 < top->nr && is_less(top, child + 1, child))
			child++;
		if (!is_less(top, child, at))
			return;
		swap(top, at, child);
		at = child;
	}
}

static struct pause_row *take_least(struct top *top)
{
	struct pause_row *least = top->rows[0];

	top->rows[0] = top->rows[--top->nr];
	sift_down(top);
	return least;
}

void top_put(struct top *top, struct pause_row *row)
{
	top->rows[top->nr++] = row;
	sift_up(top, top->nr - 1);
	if (top->nr > top->limit)
		pause_row_free(take_least(top));
}

void top_each(struct top *top, void (*fn)(void *arg, const struct pause_row *row), void *arg)
{
	size_t nr = top->nr;

	while (top->nr) {
		size_t at = top->nr - 1;
		struct pause_row *least = take_least(top);

		top->rows[at] =
			least; /* the room it left: so the array ends up sorted, largest first */
	}
	for (size_t i = 0; i < nr; i++) {
		fn(arg, top->rows[i]);
		pause_row_free(top->rows[i]);
	}
}

void top_free(struct top *top)
{
	for (size_t i = 0; i < top->nr; i++)
		pause_row_free(top->rows[i]);
	free(top->rows);
}
