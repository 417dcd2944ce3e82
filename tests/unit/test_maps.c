/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "user/attach/maps.h"
#include "user/base/cleanup.h"

struct line {
	const char *text;
	int err;
	uint64_t start, end, offset;
	bool readable, writable, executable, deleted;
	const char *path;
};

static const struct line lines[] = {
	{"7f3899400000-7f3899651000 r--p 00000000 fe:00 1234 /usr/lib/server/libjvm.so\n", 0,
	 0x7f3899400000, 0x7f3899651000, 0, true, false, false, false, "/usr/lib/server/libjvm.so"},
	{"7f00-8f00 r-xp 00251000 fe:00 99                         /a b  c.so", 0, 0x7f00, 0x8f00,
	 0x251000, true, false, true, false, "/a b  c.so"},
	{"1000-2000 rw-s 00000000 00:1a 7 /tmp/hsperfdata_x/1 (deleted)\n", 0, 0x1000, 0x2000, 0,
	 true, true, false, true, "/tmp/hsperfdata_x/1"},
	{"1000-2000 ---p 00000000 00:00 0 \n", 0, 0x1000, 0x2000, 0, false, false, false, false,
	 ""},
	{"1000-2000 rw-p 00000000 00:00 0", 0, 0x1000, 0x2000, 0, true, true, false, false, ""},
	{"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]", 0,
	 0xffffffffff600000, 0xffffffffff601000, 0, false, false, true, false, "[vsyscall]"},
	{"1000-2000 r--p 00000000 00:00 5 /odd\\012name", 0, 0x1000, 0x2000, 0, true, false, false,
	 false, "/odd\nname"},
	{"1000-2000 r--p 00000000 00:00 5 (deleted)", 0, 0x1000, 0x2000, 0, true, false, false,
	 false, "(deleted)"},
	{.text = "", .err = -EBADMSG},
	{.text = "\n", .err = -EBADMSG},
	{.text = "1000-2000", .err = -EBADMSG},
	{.text = "2000-1000 r--p 0 0:0 0 /x", .err = -EBADMSG},
	{.text = "1000-1000 r--p 0 0:0 0 /x", .err = -EBADMSG},
	{.text = "1000-2000 r- 0 0:0 0 /x", .err = -EBADMSG},
	{.text = "zzzz-2000 r--p 0 0:0 0 /x", .err = -EBADMSG},
};

static void check_line(const struct line *row)
{
	char *copy CLEANUP(freep) = strdup(row->text);
	struct map_entry got;

	cr_expect(eq(int, maps_parse_line(copy, &got), row->err), "%s", row->text);
	if (row->err)
		return;
	cr_expect(eq(u64, got.start, row->start), "%s", row->text);
	cr_expect(eq(u64, got.end, row->end), "%s", row->text);
	cr_expect(eq(u64, got.offset, row->offset), "%s", row->text);
	cr_expect(eq(int, got.readable, row->readable), "%s", row->text);
	cr_expect(eq(int, got.writable, row->writable), "%s", row->text);
	cr_expect(eq(int, got.executable, row->executable), "%s", row->text);
	cr_expect(eq(int, got.deleted, row->deleted), "%s", row->text);
	cr_expect(eq(str, (char *)got.path, (char *)row->path), "%s", row->text);
}

Test(maps, a_line_is_taken_apart_or_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		check_line(&lines[i]);
}

static int find_own_code(void *arg, const struct map_entry *entry)
{
	uint64_t code = (uint64_t)(uintptr_t)&find_own_code;

	if (!entry->executable || code < entry->start || code >= entry->end)
		return 0;
	*(uint64_t *)arg = entry->inode;
	return 42;
}

Test(maps, the_code_of_this_test_is_found_in_its_own_maps)
{
	uint64_t inode = 0;

	cr_assert(eq(int, maps_each((uint32_t)getpid(), find_own_code, &inode), 42));
	cr_expect(ne(u64, inode, 0));
}

Test(maps, a_process_that_does_not_exist_is_told_apart)
{
	cr_assert(eq(int, maps_each(0x7fffffff, find_own_code, NULL), -ESRCH));
}

Test(maps, the_last_part_of_a_path_is_its_name)
{
	cr_expect(eq(str, (char *)maps_basename("/a/b/libjvm.so"), "libjvm.so"));
	cr_expect(eq(str, (char *)maps_basename("libjvm.so"), "libjvm.so"));
	cr_expect(eq(str, (char *)maps_basename("/a/"), ""));
}
