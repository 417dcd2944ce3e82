/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/cmd/threads.h"

static int append(struct row_set *set, const struct thread_row *row)
{
	struct thread_row *copy;

	if (set->nr == set->room) {
		size_t room = set->room ? set->room * 2 : 64;
		struct thread_row **rows = reallocarray(set->rows, room, sizeof(rows[0]));

		if (!rows)
			return -ENOMEM;
		set->rows = rows;
		set->room = room;
	}
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *row;
	set->rows[set->nr++] = copy;
	return 0;
}

static bool is_group_of(const struct thread_row *group, const struct thread_row *key)
{
	return !group->tid && group->tgid == key->tgid && group->role == key->role &&
	       !strcmp(group->name, key->name);
}

/* Add @row to the group it belongs to, made when there is none. Few groups are looked at last to
 * first. */
static int add_to_group(struct row_set *set, const struct thread_row *row, enum threads_by by)
{
	struct thread_row key = {.tgid = row->tgid, .role = row->role};

	if (by == BY_ROLE)
		strcpy(key.name, role_name(row->role));
	else if (set->nr < ROWS_MAX + 1000)
		thread_row_pattern(key.name, row->name);
	else
		strcpy(key.name, "(others)");
	for (size_t i = set->nr; i-- > 0;) {
		if (!is_group_of(set->rows[i], &key))
			continue;
		thread_row_merge(set->rows[i], row);
		return 0;
	}
	thread_row_merge(&key, row);
	if (by == BY_ROLE)
		key.only_tid = 0; /* a role of one thread is shown as the role */
	return append(set, &key);
}

int row_set_add(struct row_set *set, const struct thread_row *row)
{
	if (set->by != BY_THREAD)
		return add_to_group(set, row, set->by);
	if (set->nr < ROWS_MAX)
		return append(set, row);
	set->nr_grouped++;
	return add_to_group(set, row, BY_NAME);
}

static uint64_t key_of(const struct thread_row *row, enum threads_sort sort)
{
	switch (sort) {
	case SORT_WALL:
		return row->wall_ns;
	case SORT_RUN_QUEUE:
		return row->in_ns[REASON_RUN_QUEUE];
	case SORT_THROTTLED:
		return row->in_ns[REASON_THROTTLED];
	case SORT_PAUSES:
		return row->in_pauses_ns;
	default:
		return thread_row_busy(row);
	}
}

static int compare_tids(const struct thread_row *a, const struct thread_row *b)
{
	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->first_ns < b->first_ns ? -1 : a->first_ns > b->first_ns;
}

static int compare(const void *left, const void *right, void *arg)
{
	const struct thread_row *a = *(struct thread_row *const *)left,
				*b = *(struct thread_row *const *)right;
	enum threads_sort sort = *(const enum threads_sort *)arg;
	uint64_t key_a, key_b;
	int order;

	if (sort == THREADS_UNSORTED)
		return compare_tids(a, b);
	if (sort == SORT_NAME) {
		order = strcmp(a->name, b->name);
		return order ? order : compare_tids(a, b);
	}
	key_a = key_of(a, sort);
	key_b = key_of(b, sort);
	if (key_a != key_b)
		return key_a > key_b ? -1 : 1;
	return compare_tids(a, b);
}

void row_set_sort(struct row_set *set, enum threads_sort sort)
{
	if (set->nr)
		qsort_r(set->rows, set->nr, sizeof(set->rows[0]), compare, &sort);
}

void row_set_free(struct row_set *set)
{
	for (size_t i = 0; i < set->nr; i++)
		free(set->rows[i]);
	free(set->rows);
}
