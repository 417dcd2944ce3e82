/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/csv.h"
#include "user/output/json.h"
#include "user/output/label.h"

static char *text;
static size_t size;
static FILE *stream;

static void begin(void)
{
	stream = open_memstream(&text, &size);
}

static void end(void)
{
	free(text);
}

TestSuite(output, .init = begin, .fini = end);

static const char *written(void)
{
	fclose(stream);
	return text;
}

Test(output, csv_quotes_what_needs_it)
{
	struct csv csv = {.to = stream};

	csv_text(&csv, "plain name");
	csv_text(&csv, "a,b");
	csv_text(&csv, "say \"hi\"");
	csv_text(&csv, "two\nlines");
	csv_text(&csv, "");
	csv_text(&csv, NULL);
	csv_number(&csv, UINT64_MAX);
	csv_known(&csv, false, 5);
	csv_end_row(&csv);
	csv_number(&csv, 1);
	csv_end_row(&csv);
	cr_expect(eq(str, (char *)written(),
		     "plain name,\"a,b\",\"say "
		     "\"\"hi\"\"\",\"two\nlines\",,,18446744073709551615,\n1\n"));
}

Test(output, csv_of_one_empty_field_is_a_row)
{
	struct csv csv = {.to = stream};

	csv_text(&csv, "");
	csv_end_row(&csv);
	cr_expect(eq(str, (char *)written(), "\n"));
}

Test(output, json_nests_and_separates)
{
	struct json json = {.to = stream};

	json_open(&json, NULL, '{');
	json_number(&json, "n", 1);
	json_open(&json, "list", '[');
	json_number(&json, NULL, 2);
	json_open(&json, NULL, '{');
	json_close(&json, '}');
	json_close(&json, ']');
	json_known(&json, "known", false, 3);
	json_bool(&json, "yes", true);
	json_close(&json, '}');
	json_end_line(&json);
	cr_expect(eq(str, (char *)written(),
		     "{\"n\":1,\"list\":[2,{}],\"known\":null,\"yes\":true}\n"));
}

/* Names may be cut in the middle of a character, or never have been text. */
Test(output, json_is_json_whatever_a_name_holds)
{
	struct json json = {.to = stream};

	json_text(&json, NULL, "q\"\\\n\t\x01 \xc3\xa4 \xc3 \xff\xed\xa0\x80 \xe2\x82");
	cr_expect(eq(str, (char *)written(),
		     "\"q\\\"\\\\\\n\\t\\u0001 \xc3\xa4 \xef\xbf\xbd "
		     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
		     "\xef\xbf\xbd\xef\xbf\xbd\""));
}

static const char *fit(const char *name, size_t width)
{
	static char buffer[LABEL_BYTES];

	return label_fit(buffer, name, width);
}

Test(output, a_long_name_keeps_its_head_and_its_tail)
{
	cr_expect(eq(str, (char *)fit("short", 10), "short"));
	cr_expect(eq(str, (char *)fit("exactly-10", 10), "exactly-10"));
	cr_expect(eq(str, (char *)fit("http-nio-8080-exec-12", 12), "http-n..c-12"));
	cr_expect(eq(str, (char *)fit("abcdefgh", 3), "abc"));
}

Test(output, a_name_cannot_harm_a_terminal)
{
	cr_expect(eq(str, (char *)fit("\x1b[31mred\x07", 20), "?[31mred?"));
	cr_expect(eq(str, (char *)fit("\xc2\x9b C1", 20), "?? C1"));
	cr_expect(eq(str, (char *)fit("cut \xe2\x82", 20), "cut ??"));
}

Test(output, a_column_counts_characters_and_not_bytes)
{
	char buffer[LABEL_BYTES];

	cr_expect(eq(str, label_column(buffer, "\xc3\xa4\xc3\xb6", 4), "\xc3\xa4\xc3\xb6  "));
	cr_expect(eq(str, label_column(buffer, "", 3), "   "));
}

Test(output, a_name_as_long_as_can_be_is_cut_to_its_buffer)
{
	char name[4096], buffer[LABEL_BYTES];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	cr_expect(le(sz, strlen(label_fit(buffer, name, 4000)), sizeof(buffer) - 1));
}

Test(output, a_share_of_nothing_is_no_number)
{
	char buffer[32];

	cr_expect(eq(str, label_share(buffer, 1, 0), "-"));
	cr_expect(eq(str, label_share(buffer, 1, 8), "12.5 %"));
	cr_expect(eq(str, label_share(buffer, 1, 200), "0.50 %"));
}
