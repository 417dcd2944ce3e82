/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/memory_file.h"
#include "tests/lib/random.h"
#include "user/cmd/dump.h"
#include "user/recording/schema.h"

static void check_number(const struct schema_field *field, const void *record, json_object *value)
{
	uint64_t expected = schema_get(field, record);

	if (!json_object_is_type(value, json_type_int))
		cr_fatal("%s is no number", field->name);
	if (field->type == FIELD_SIGNED && json_object_get_int64(value) != (int64_t)expected)
		cr_fatal("%s is another number", field->name);
	if (field->type == FIELD_UNSIGNED && json_object_get_uint64(value) != expected)
		cr_fatal("%s is another number", field->name);
}

/* json-c checks the syntax; what is no UTF-8 has become U+FFFD, so only plain text compares. */
static void check_text(const struct schema_field *field, const void *record, json_object *value)
{
	const char *text = (const char *)record + field->offset;
	size_t plain = 0;

	if (!json_object_is_type(value, json_type_string))
		cr_fatal("%s is no text", field->name);
	while (text[plain] > 0)
		plain++;
	if (memcmp(json_object_get_string(value), text, plain))
		cr_fatal("%s is another text", field->name);
}

static void check_line(const char *line, const struct schema_kind *kind,
		       const struct event_hdr *record)
{
	struct json_tokener *tokener = json_tokener_new();
	json_object *object, *value;

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, line, (int)strlen(line) + 1);
	if (!object || json_object_object_length(object) != (int)kind->nr_fields + 3)
		cr_fatal("%s", line);
	json_object_object_get_ex(object, "kind", &value);
	if (strcmp(json_object_get_string(value), kind->name))
		cr_fatal("%s", line);
	json_object_object_get_ex(object, "ts_ns", &value);
	if (json_object_get_uint64(value) != record->ts_ns)
		cr_fatal("%s", line);
	for (size_t i = 0; i < kind->nr_fields; i++) {
		if (!json_object_object_get_ex(object, kind->fields[i].name, &value))
			cr_fatal("%s is missing", kind->fields[i].name);
		if (kind->fields[i].type == FIELD_TEXT)
			check_text(&kind->fields[i], record, value);
		else
			check_number(&kind->fields[i], record, value);
	}
	json_object_put(object);
	json_tokener_free(tokener);
}

Test(dump, every_record_is_json_with_all_its_fields)
{
	const struct schema_kind *kinds;
	uint64_t random = 11;
	size_t nr;

	kinds = schema_kinds(&nr);
	for (size_t k = 0; k < nr; k++) {
		for (int times = 0; times < 200; times++) {
			char line[DUMP_LINE_MAX];
			union any_record record;

			random_record(&random, &kinds[k], &record);
			record.hdr.ts_ns = random_next(&random);
			if (dump_json(&record.hdr, line, sizeof(line)) != (int)strlen(line))
				cr_fatal("%s", kinds[k].name);
			check_line(line, &kinds[k], &record.hdr);
		}
	}
}

struct row {
	const char *text, *json;
};

Test(dump, texts_become_valid_utf8)
{
	static const struct row rows[] = {
		{"plain", "plain"},
		{"a\"b\\c\n", "a\\u0022b\\u005cc\\u000a"},
		{"\xc3\xa4", "\xc3\xa4"}, /* a with two dots */
		{"\xe2\x82\xac\xf0\x9f\x98\x80", "\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"\xff", "\\ufffd"},
		{"\xc3", "\\ufffd"},			   /* cut off */
		{"x\x80y", "x\\ufffdy"},		   /* no first byte */
		{"\xc0\xaf", "\\ufffd\\ufffd"},		   /* too long a form */
		{"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"}, /* half of a pair */
		{"\xf4\x90\x80\x80",
		 "\\ufffd\\ufffd\\ufffd\\ufffd"}, /* beyond the last character */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct record_name name = {.hdr = {RECORD_NAME, sizeof(name), 1, 2}};
		char line[DUMP_LINE_MAX], expected[DUMP_LINE_MAX];

		strcpy(name.name, rows[i].text);
		snprintf(expected, sizeof(expected),
			 "{\"ts_ns\":2,\"kind\":\"name\",\"tid\":1,\"tgid\":0,\"source\":0,"
			 "\"name\":\"%s\"}",
			 rows[i].json);
		cr_assert(gt(int, dump_json(&name.hdr, line, sizeof(line)), 0));
		cr_expect(eq(str, line, expected));
	}
}

Test(dump, a_line_that_does_not_fit_is_refused)
{
	struct record_name name = {.hdr = {RECORD_NAME, sizeof(name), 1, 2}};
	char line[DUMP_LINE_MAX];
	int nr = dump_json(&name.hdr, line, sizeof(line));

	for (int size = 0; size <= nr; size++)
		cr_expect(eq(int, dump_json(&name.hdr, line, (size_t)size), -ENOSPC));
	name.hdr.kind = 63;
	cr_expect(eq(int, dump_json(&name.hdr, line, sizeof(line)), -EINVAL));
}
