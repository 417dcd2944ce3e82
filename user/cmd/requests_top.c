/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/cmd/requests.h"

static uint64_t length(const struct request_row *row)
{
	return row->request.end_ns > row->request.begin_ns
		       ? row->request.end_ns - row->request.begin_ns
		       : 0;
}

/* Longest first; of two that took as long the earlier one, so that the order is never chance. */
static int compare(const void *left, const void *right)
{
	const struct request_row *a = left, *b = right;

	if (length(a) != length(b))
		return length(a) < length(b) ? 1 : -1;
	if (a->request.begin_ns != b->request.begin_ns)
		return a->request.begin_ns > b->request.begin_ns ? 1 : -1;
	return (a->request.conn.conn > b->request.conn.conn) -
	       (a->request.conn.conn < b->request.conn.conn);
}

int request_top_init(struct request_top *top, size_t limit)
{
	*top = (struct request_top){.limit = limit};
	top->rows = calloc(limit + 1, sizeof(top->rows[0]));
	return top->rows ? 0 : -ENOMEM;
}

static void swap(struct request_top *top, size_t a, size_t b)
{
	struct request_row row = top->rows[a];

	top->rows[a] = top->rows[b];
	top->rows[b] = row;
}

static void sift_down(struct request_top *top)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < top->nr) {
		if (child + 1 < top->nr && compare(&top->rows[child + 1], &top->rows[child]) > 0)
			child++;
		if (compare(&top->rows[child], &top->rows[at]) <= 0)
			return;
		swap(top, at, child);
		at = child;
	}
}

void request_top_put(struct request_top *top, const struct request_row *row)
{
	size_t at = top->nr;

	if (top->nr == top->limit) {
		if (compare(row, &top->rows[0]) >= 0)
			return;
		top->rows[0] = *row;
		sift_down(top);
		return;
	}
	top->rows[top->nr++] = *row;
	for (; at && compare(&top->rows[at], &top->rows[(at - 1) / 2]) > 0; at = (at - 1) / 2)
		swap(top, at, (at - 1) / 2);
}

void request_top_sort(struct request_top *top)
{
	qsort(top->rows, top->nr, sizeof(top->rows[0]), compare);
}

void request_top_free(struct request_top *top)
{
	free(top->rows);
}
