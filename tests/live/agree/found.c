/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/live/agree/found.h"
#include "tests/live/agree/table.h"
#include "user/base/cleanup.h"

enum column {
	BEGIN,
	RELEASE,
	END,
	REACHING,
	CUT,
	INCOMPLETE,
	MISSED_BEFORE,
	NR_NUMBERS,
	OPERATION = NR_NUMBERS,
	LATE_NAME,
	RELEASE_SOURCE,
	NR_COLUMNS
};

static const char *const names[NR_COLUMNS] = {
	"begin_ns",   "release_ns",    "end_ns",    "reaching_ns", "cut",
	"incomplete", "missed_before", "operation", "late_name",   "release_source"};

static void tablep(struct table **t)
{
	table_free(*t);
}

/* Makes room for one more of @size bytes behind @nr; a list grows when its number is a power of
 * two. */
static int make_room(void **list, size_t nr, size_t size)
{
	void *more;

	if (nr & (nr - 1))
		return 0;
	more = realloc(*list, (nr ? nr * 2 : 1) * size);
	if (!more)
		return -ENOMEM;
	*list = more;
	return 0;
}

static void copy_text(char *to, size_t size, const char *from)
{
	size_t length = strnlen(from, size - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}

static int read_pause(const struct table *t, const int columns[NR_COLUMNS], struct found *ret)
{
	uint64_t numbers[NR_NUMBERS];

	for (int i = 0; i < NR_NUMBERS; i++)
		if (!table_number(t, columns[i], &numbers[i]))
			return -EBADMSG;
	*ret = (struct found){
		.begin_ns = numbers[BEGIN],
		.release_ns = numbers[RELEASE],
		.end_ns = numbers[END],
		.reaching_ns = numbers[REACHING],
		.reaching_known = *table_text(t, columns[REACHING]) != '\0',
		.cut = numbers[CUT] != 0,
		.incomplete = numbers[INCOMPLETE] != 0,
		.missed_before = numbers[MISSED_BEFORE],
	};
	copy_text(ret->operation, sizeof(ret->operation), table_text(t, columns[OPERATION]));
	copy_text(ret->late_name, sizeof(ret->late_name), table_text(t, columns[LATE_NAME]));
	copy_text(ret->release_source, sizeof(ret->release_source),
		  table_text(t, columns[RELEASE_SOURCE]));
	return 0;
}

static int find_columns(const struct table *t, int columns[NR_COLUMNS], const char **ret_why)
{
	for (int i = 0; i < NR_COLUMNS; i++) {
		columns[i] = table_column(t, names[i]);
		*ret_why = names[i];
		if (columns[i] < 0)
			return -EBADMSG;
	}
	return 0;
}

static int read_pauses(struct table *t, struct found_list *list, const char **ret_why)
{
	int columns[NR_COLUMNS];
	int got = find_columns(t, columns, ret_why);

	if (got)
		return got;
	*ret_why = "a field";
	while ((got = table_next(t)) > 0) {
		struct found *pause;

		if (make_room((void **)&list->pauses, list->nr, sizeof(*list->pauses)))
			return -ENOMEM;
		pause = &list->pauses[list->nr];
		if (read_pause(t, columns, pause))
			return -EBADMSG;
		*ret_why = "the order";
		if (list->nr && pause->begin_ns < pause[-1].begin_ns)
			return -EBADMSG;
		*ret_why = "a field";
		list->nr++;
	}
	return got;
}

int found_read(const char *path, struct found_list *ret, size_t *ret_line, const char **ret_why)
{
	struct table *t CLEANUP(tablep) = NULL;
	int error = table_open(path, &t);

	*ret = (struct found_list){0};
	*ret_line = 1;
	*ret_why = "the header";
	if (error)
		return error;
	error = read_pauses(t, ret, ret_why);
	*ret_line = table_line(t);
	if (error) {
		free(ret->pauses);
		*ret = (struct found_list){0};
	}
	return error;
}

static int read_spans(struct table *t, struct off_list *list)
{
	int from = table_column(t, "from_ns"), to = table_column(t, "to_ns");
	int reason = table_column(t, "reason"), got;

	if (from < 0 || to < 0 || reason < 0)
		return -EBADMSG;
	while ((got = table_next(t)) > 0) {
		struct off_span span;

		if (!table_number(t, from, &span.from_ns) || !table_number(t, to, &span.to_ns))
			return -EBADMSG;
		if (!strcmp(table_text(t, reason), "running"))
			continue;
		if (make_room((void **)&list->spans, list->nr, sizeof(span)))
			return -ENOMEM;
		if (list->nr && span.from_ns < list->spans[list->nr - 1].to_ns)
			return -EBADMSG;
		list->spans[list->nr++] = span;
	}
	return got;
}

int off_read(const char *path, struct off_list *ret, size_t *ret_line, const char **ret_why)
{
	struct table *t CLEANUP(tablep) = NULL;
	int error = table_open(path, &t);

	*ret = (struct off_list){0};
	*ret_line = 1;
	*ret_why = "the columns, a field or the order";
	if (error)
		return error;
	error = read_spans(t, ret);
	*ret_line = table_line(t);
	if (error) {
		free(ret->spans);
		*ret = (struct off_list){0};
	}
	return error;
}

uint64_t off_within(const struct off_list *list, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t sum_ns = 0;
	size_t low = 0, high = list->nr;

	while (low < high) { /* the first span that ends after from_ns */
		size_t middle = low + (high - low) / 2;

		if (list->spans[middle].to_ns <= from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < list->nr && list->spans[low].from_ns < to_ns; low++) {
		const struct off_span *span = &list->spans[low];
		uint64_t from = span->from_ns > from_ns ? span->from_ns : from_ns;

		sum_ns += (span->to_ns < to_ns ? span->to_ns : to_ns) - from;
	}
	return sum_ns;
}
