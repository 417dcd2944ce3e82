/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/recording/schema.h"

struct hole { /* bytes of a struct that are reserved, and hold nothing */
	uint16_t kind;
	size_t offset, bytes;
};

#define HOLE(kind, type, member)                                                                   \
	{                                                                                          \
		kind, offsetof(struct type, member), sizeof(((struct type *)0)->member)            \
	}

static const struct hole holes[] = {
	HOLE(EVENT_OFFCPU, event_offcpu, reserved),
	HOLE(EVENT_THREAD, event_thread, reserved),
	HOLE(EVENT_CONN_OPEN, event_conn, reserved),
	HOLE(EVENT_CONN_CLOSE, event_conn, reserved),
	HOLE(EVENT_CONN_LISTEN, event_conn, reserved),
	HOLE(EVENT_CONN_REFUSED, event_conn, reserved),
	HOLE(RECORD_COUNTERS, record_counters, reserved),
};

static void cover(const char *kind, const char *what, int *covered, size_t offset, size_t bytes)
{
	cr_assert(le(sz, offset + bytes, EVENT_BYTES_MAX), "%s: %s ends outside", kind, what);
	for (size_t i = offset; i < offset + bytes; i++)
		cr_expect(eq(int, covered[i]++, 0), "%s: %s overlaps at byte %zu", kind, what, i);
}

static void check_kind(const struct schema_kind *kind)
{
	int covered[EVENT_BYTES_MAX] = {0};

	cover(kind->name, "the header", covered, 0, sizeof(struct event_hdr));
	for (size_t i = 0; i < kind->nr_fields; i++)
		cover(kind->name, kind->fields[i].name, covered, kind->fields[i].offset,
		      kind->fields[i].bytes);
	for (size_t i = 0; i < ARRAY_SIZE(holes); i++)
		if (holes[i].kind == kind->kind)
			cover(kind->name, "a hole", covered, holes[i].offset, holes[i].bytes);
	for (size_t i = 0; i < sizeof(covered) / sizeof(covered[0]); i++)
		cr_expect(eq(int, covered[i], i < kind->bytes), "%s: byte %zu", kind->name, i);
}

Test(schema, every_byte_of_every_kind_is_covered_once)
{
	const struct schema_kind *kinds;
	size_t nr;

	kinds = schema_kinds(&nr);
	cr_assert(eq(sz, nr, NR_EVENT_KINDS - 1 + NR_RECORD_KINDS - EVENT_FIRST_USER));
	for (size_t i = 0; i < nr; i++)
		check_kind(&kinds[i]);
}

Test(schema, rows_are_found_by_number_and_by_name)
{
	const struct schema_kind *kinds;
	size_t nr;

	kinds = schema_kinds(&nr);
	for (size_t i = 0; i < nr; i++) {
		cr_expect(eq(ptr, (void *)schema_kind(kinds[i].kind), (void *)&kinds[i]));
		cr_expect(eq(ptr, (void *)schema_named(kinds[i].name), (void *)&kinds[i]));
		cr_expect(i == 0 || kinds[i - 1].kind < kinds[i].kind);
	}
}

Test(schema, numbers_outside_the_table_have_no_row)
{
	static const uint16_t strangers[] = {EVENT_NONE, NR_EVENT_KINDS, EVENT_FIRST_USER - 1,
					     NR_RECORD_KINDS, 0xffff};

	for (size_t i = 0; i < ARRAY_SIZE(strangers); i++)
		cr_expect(zero(ptr, (void *)schema_kind(strangers[i])), "%u", strangers[i]);
	cr_expect(zero(ptr, (void *)schema_named("")));
	cr_expect(zero(ptr, (void *)schema_named("offcp")));
}

Test(schema, fields_make_sense_for_their_coding)
{
	const struct schema_kind *kinds;
	size_t nr;

	kinds = schema_kinds(&nr);
	for (size_t k = 0; k < nr; k++) {
		cr_expect(le(sz, kinds[k].nr_fields, 64), "a mask has 64 bits");
		for (size_t i = 0; i < kinds[k].nr_fields; i++) {
			const struct schema_field *field = &kinds[k].fields[i];
			bool text = field->type == FIELD_TEXT;
			bool sound =
				text ? field->coding == CODE_PLAIN || field->coding == CODE_TABLE
				     : field->bytes == 2 || field->bytes == 4 || field->bytes == 8;

			cr_expect(eq(int, sound, true), "%s.%s", kinds[k].name, field->name);
		}
	}
}

Test(schema, negative_numbers_keep_their_sign)
{
	struct event_offcpu off = {.nr = -1, .waker_nr = 202};
	const struct schema_kind *kind = schema_kind(EVENT_OFFCPU);

	for (size_t i = 0; i < kind->nr_fields; i++) {
		if (!strcmp(kind->fields[i].name, "nr"))
			cr_expect(eq(i64, (int64_t)schema_get(&kind->fields[i], &off), -1));
		if (!strcmp(kind->fields[i].name, "waker_nr"))
			cr_expect(eq(i64, (int64_t)schema_get(&kind->fields[i], &off), 202));
	}
}

/* docs/recording.md lists each kind by number and name, and each field somewhere. */
Test(schema, the_documentation_knows_every_kind_and_field)
{
	char *text = calloc(1, 1 << 20), row[128];
	FILE *file = fopen("docs/recording.md", "re");
	const struct schema_kind *kinds;
	size_t nr;

	if (!file)
		cr_skip_test("docs/recording.md is not here; run in the project's directory");
	cr_assert(gt(sz, fread(text, 1, (1 << 20) - 1, file), 1000));
	fclose(file);
	kinds = schema_kinds(&nr);
	for (size_t k = 0; k < nr; k++) {
		snprintf(row, sizeof(row), "\n| %u | %s |", kinds[k].kind, kinds[k].name);
		cr_expect(not(zero(ptr, strstr(text, row))), "%s", row);
		for (size_t i = 0; i < kinds[k].nr_fields; i++)
			cr_expect(not(zero(ptr, strstr(text, kinds[k].fields[i].name))), "%s.%s",
				  kinds[k].name, kinds[k].fields[i].name);
	}
	free(text);
}
