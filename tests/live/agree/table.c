/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/live/agree/table.h"
#include "user/base/units.h"

#define TABLE_COLUMNS_MAX 64

struct row {
	char *text;
	size_t size;
	char *fields[TABLE_COLUMNS_MAX];
	int nr;
};

struct table {
	FILE *file;
	struct row header, row;
	size_t line;
};

/* The field behind an opening quote, and *at moved past it; NULL when the quote is not closed where
 * the field ends. */
static char *split_quoted(char **at)
{
	char *field = *at, *to = *at, *from = *at;

	for (;; *to++ = *from++) {
		if (!*from)
			return NULL;
		if (*from != '"')
			continue;
		if (from[1] != '"')
			break;
		from++;
	}
	if (from[1] && from[1] != ',')
		return NULL;
	*at = from[1] ? from + 2 : NULL;
	*to = '\0';
	return field;
}

static char *split_field(char **at)
{
	char *field = *at;

	if (*field == '"') {
		++*at;
		return split_quoted(at);
	}
	*at = strchr(field, ',');
	if (*at)
		*(*at)++ = '\0';
	return field;
}

static int split(struct row *row)
{
	char *at = row->text;

	row->text[strcspn(row->text, "\r\n")] = '\0';
	for (row->nr = 0; at; row->nr++) {
		if (row->nr == TABLE_COLUMNS_MAX)
			return -EBADMSG;
		row->fields[row->nr] = split_field(&at);
		if (!row->fields[row->nr])
			return -EBADMSG;
	}
	return 0;
}

static int read_row(struct table *t, struct row *row)
{
	int error;

	if (getline(&row->text, &row->size, t->file) < 0)
		return ferror(t->file) ? -EIO : 0;
	t->line++;
	error = split(row);
	return error ? error : 1;
}

int table_open(const char *path, struct table **ret)
{
	struct table *t = calloc(1, sizeof(*t));
	int got;

	if (!t)
		return -ENOMEM;
	t->file = fopen(path, "re");
	got = t->file ? read_row(t, &t->header) : -errno;
	if (got <= 0) {
		table_free(t);
		return got ? got : -ENODATA;
	}
	*ret = t;
	return 0;
}

int table_column(const struct table *t, const char *name)
{
	for (int i = 0; i < t->header.nr; i++)
		if (!strcmp(t->header.fields[i], name))
			return i;
	return -1;
}

int table_next(struct table *t)
{
	int got = read_row(t, &t->row);

	return got > 0 && t->row.nr != t->header.nr ? -EBADMSG : got;
}

const char *table_text(const struct table *t, int column)
{
	return t->row.fields[column];
}

bool table_number(const struct table *t, int column, uint64_t *ret)
{
	const char *text = table_text(t, column);

	*ret = 0;
	return !*text || units_parse_number(text, 0, UINT64_MAX, ret) == 0;
}

size_t table_line(const struct table *t)
{
	return t->line;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	if (t->file)
		fclose(t->file);
	free(t->header.text);
	free(t->row.text);
	free(t);
}
