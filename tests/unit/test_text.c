/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#include "tests/lib/random.h"
#include "user/base/cleanup.h"
#include "user/recording/schema.h"
#include "user/recording/text.h"

union any {
	struct event_hdr hdr;
	char bytes[EVENT_BYTES_MAX];
};

static void round_trip(uint64_t *random, const struct schema_kind *kind)
{
	union any before, after;
	char line[TEXT_LINE_MAX], again[TEXT_LINE_MAX];
	const char *error;
	int nr;

	random_record(random, kind, &before);
	before.hdr.ts_ns = random_next(random);
	nr = text_print(&before.hdr, line, sizeof(line));
	cr_assert(gt(int, nr, 0), "%s", kind->name);
	cr_assert(eq(sz, strlen(line), (size_t)nr));
	cr_assert(zero(int, text_parse(line, &after.hdr, &error)), "%s: %s", line, error);
	cr_assert(zero(int, memcmp(&before, &after, kind->bytes)), "%s", line);
	text_print(&after.hdr, again, sizeof(again));
	cr_assert(eq(str, line, again));
}

Test(text, a_record_of_any_kind_survives_the_round_trip)
{
	const struct schema_kind *kinds;
	uint64_t random = 1;
	size_t nr;

	kinds = schema_kinds(&nr);
	for (size_t i = 0; i < nr; i++)
		for (int times = 0; times < 300; times++)
			round_trip(&random, &kinds[i]);
}

Test(text, a_line_looks_like_this)
{
	struct event_jvm jvm = {.hdr = {EVENT_VMOP_BEGIN, sizeof(jvm), 42, 1234567890},
				.tgid = 40,
				.name = "G1 \"x\"\\\n\x01\xff"};
	struct event_offcpu off = {
		.hdr = {EVENT_OFFCPU, sizeof(off), 7, 99}, .off_ns = 5, .arg0 = 0x7f00aa, .nr = -1};
	char line[TEXT_LINE_MAX];

	text_print(&jvm.hdr, line, sizeof(line));
	cr_expect(eq(str, line,
		     "1234567890 vmop_begin 42 tgid=40 name=\"G1 \\\"x\\\"\\\\\\n\\001\\377\""));
	text_print(&off.hdr, line, sizeof(line));
	cr_expect(eq(str, line, "99 offcpu 7 off_ns=5 arg0=0x7f00aa nr=-1"));
}

Test(text, a_text_that_fills_its_field_is_cut_where_a_nul_belongs)
{
	struct record_name name = {.hdr = {RECORD_NAME, sizeof(name), 1, 1}};
	char line[TEXT_LINE_MAX];

	memset(name.name, 'x', sizeof(name.name));
	cr_assert(gt(int, text_print(&name.hdr, line, sizeof(line)), 0));
	cr_expect(eq(sz, strlen(strchr(line, '"')), sizeof(name.name) - 1 + 2));
}

Test(text, a_line_that_does_not_fit_is_refused)
{
	struct event_offcpu off = {.hdr = {EVENT_OFFCPU, sizeof(off), 7, 99}, .off_ns = 5};
	char line[TEXT_LINE_MAX];
	int nr = text_print(&off.hdr, line, sizeof(line));

	for (size_t size = 0; size <= (size_t)nr; size++)
		cr_expect(eq(int, text_print(&off.hdr, line, size), -ENOSPC), "%zu", size);
	cr_expect(eq(int, text_print(&off.hdr, line, (size_t)nr + 1), nr));
}

Test(text, a_kind_nobody_knows_is_refused)
{
	struct event_hdr stranger = {63, sizeof(stranger), 1, 1};
	char line[TEXT_LINE_MAX];

	cr_expect(eq(int, text_print(&stranger, line, sizeof(line)), -EINVAL));
}

struct row {
	const char *line;
	int result;
	const char *error;
};

static const struct row rows[] = {
	{"", -ENOENT, NULL},
	{" \t\n", -ENOENT, NULL},
	{"# 1 offcpu 2", -ENOENT, NULL},
	{"1 offcpu 2", 0, NULL},
	{"  0x10\toffcpu  2 \r\n", 0, NULL},
	{"1 offcpu 2 off_ns=18446744073709551615", 0, NULL},
	{"1 offcpu 2 nr=-32768", 0, NULL},
	{"x offcpu 2", -EINVAL, "a time in ns expected"},
	{"-1 offcpu 2", -EINVAL, "a time in ns expected"},
	{"1x offcpu 2", -EINVAL, "a time in ns expected"},
	{"18446744073709551616 offcpu 2", -EINVAL, "a time in ns expected"},
	{"1", -EINVAL, "a kind of record expected"},
	{"1 nonsense 2", -EINVAL, "no such kind of record"},
	{"1 offcpu", -EINVAL, "a thread's number expected"},
	{"1 offcpu 4294967296", -EINVAL, "a thread's number expected"},
	{"1 offcpu 2 off_ns", -EINVAL, "field=value expected"},
	{"1 offcpu 2 =5", -EINVAL, "field=value expected"},
	{"1 offcpu 2 reserved=1", -EINVAL, "no such field in this kind of record"},
	{"1 offcpu 2 cpu=1 cpu=1", -EINVAL, "the same field twice"},
	{"1 offcpu 2 off_ns=", -EINVAL, "a number expected"},
	{"1 offcpu 2 off_ns=0x", -EINVAL, "a number expected"},
	{"1 offcpu 2 off_ns=5z", -EINVAL, "a number expected"},
	{"1 offcpu 2 off_ns=-5", -EINVAL, "a value does not fit its field"},
	{"1 offcpu 2 nr=-32769", -EINVAL, "a value does not fit its field"},
	{"1 offcpu 2 nr=32768", -EINVAL, "a value does not fit its field"},
	{"1 offcpu 2 cpu=65536", -EINVAL, "a value does not fit its field"},
	{"1 offcpu 2 off_ns=18446744073709551616", -EINVAL, "a value does not fit its field"},
	{"1 thread 2 comm=x", -EINVAL, "a quoted text expected"},
	{"1 thread 2 comm=\"x", -EINVAL, "a quoted text expected"},
	{"1 thread 2 comm=\"x\"y", -EINVAL, "a quoted text expected"},
	{"1 thread 2 comm=\"\\q\"", -EINVAL, "a quoted text expected"},
	{"1 thread 2 comm=\"\\000\"", -EINVAL, "a quoted text expected"},
	{"1 thread 2 comm=\"\\400\"", -EINVAL, "a quoted text expected"},
	{"1 thread 2 comm=\"\\", -EINVAL, "a quoted text expected"},
	{"1 thread 2 comm=\"123456789012345\"", 0, NULL},
	{"1 thread 2 comm=\"1234567890123456\"", -EINVAL, "a value does not fit its field"},
};

Test(text, lines_are_taken_or_refused_with_the_reason)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		const char *error = NULL;
		union any record;

		cr_expect(eq(int, text_parse(row->line, &record.hdr, &error), row->result), "%s",
			  row->line);
		if (!row->error)
			continue;
		cr_assert(not(zero(ptr, (void *)error)), "%s", row->line);
		cr_expect(eq(str, (char *)error, (char *)row->error), "%s", row->line);
	}
}
