/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/attach/vmstructs.h"
#include "user/base/cleanup.h"

/* The tables of a JVM, in this test's own memory: rows as vmStructs.hpp declares them. */
struct field_row {
	const char *type, *field, *type_string;
	int32_t is_static;
	uint64_t offset;
	const void *address;
};

struct type_row {
	const char *name, *super;
	int32_t is_oop, is_integer, is_unsigned;
	uint64_t size;
};

struct int_row {
	const char *name;
	int32_t value;
};

struct long_row {
	const char *name;
	uint64_t value;
};

struct tables {
	struct field_row fields[4];
	struct type_row types[3];
	struct int_row ints[2];
	struct long_row longs[2];
	uint64_t variables[NR_VMSTRUCTS_SYMBOLS];
	uint64_t addresses[NR_VMSTRUCTS_SYMBOLS]; /* of the variables */
};

static const uint64_t layout[NR_VMSTRUCTS_SYMBOLS] = {
	[VMSTRUCTS_FIELD_NAME_AT] = offsetof(struct field_row, field),
	[VMSTRUCTS_FIELD_TYPE_STRING_AT] = offsetof(struct field_row, type_string),
	[VMSTRUCTS_FIELD_IS_STATIC_AT] = offsetof(struct field_row, is_static),
	[VMSTRUCTS_FIELD_OFFSET_AT] = offsetof(struct field_row, offset),
	[VMSTRUCTS_FIELD_ADDRESS_AT] = offsetof(struct field_row, address),
	[VMSTRUCTS_FIELD_STRIDE] = sizeof(struct field_row),
	[VMSTRUCTS_TYPE_SIZE_AT] = offsetof(struct type_row, size),
	[VMSTRUCTS_TYPE_STRIDE] = sizeof(struct type_row),
	[VMSTRUCTS_INT_VALUE_AT] = offsetof(struct int_row, value),
	[VMSTRUCTS_INT_STRIDE] = sizeof(struct int_row),
	[VMSTRUCTS_LONG_VALUE_AT] = offsetof(struct long_row, value),
	[VMSTRUCTS_LONG_STRIDE] = sizeof(struct long_row),
};

static void make(struct tables *t)
{
	static const int target;

	*t = (struct tables){
		.fields = {{"ThreadsList", "_length", "const uint", 0, 4, NULL},
			   {"PerfMemory", "_start", "char*", 1, 0, &target},
			   {"Thread", "_length", NULL, 0, 99, NULL}},
		.types = {{.name = "JVMFlag", .size = 24}, {.name = "OopHandle", .size = 8}},
		.ints = {{"LogBytesPerWord", -3}},
		.longs = {{"markWord::hash_mask", 0x7fffffffffff}},
	};
	memcpy(t->variables, layout, sizeof(layout));
	t->variables[VMSTRUCTS_FIELDS] = (uintptr_t)t->fields;
	t->variables[VMSTRUCTS_TYPES] = (uintptr_t)t->types;
	t->variables[VMSTRUCTS_INTS] = (uintptr_t)t->ints;
	t->variables[VMSTRUCTS_LONGS] = (uintptr_t)t->longs;
	for (size_t i = 0; i < NR_VMSTRUCTS_SYMBOLS; i++)
		t->addresses[i] = (uintptr_t)&t->variables[i];
}

static int read_tables(const struct tables *t, struct vmstructs **ret)
{
	return vmstructs_read((uint32_t)getpid(), t->addresses, ret);
}

Test(vmstructs, fields_sizes_and_constants_are_found_by_name)
{
	struct vmstructs *v;
	struct tables t;
	uint64_t offset = 0;
	int64_t value = 0;

	make(&t);
	cr_assert(zero(int, read_tables(&t, &v)));
	cr_expect(zero(int, vmstructs_offset(v, "ThreadsList", "_length", &offset)));
	cr_expect(eq(u64, offset, 4));
	cr_expect(zero(int, vmstructs_offset(v, "Thread", "_length", &offset)));
	cr_expect(eq(u64, offset, 99));
	cr_expect(eq(u64, vmstructs_static(v, "PerfMemory", "_start"),
		     (uintptr_t)t.fields[1].address));
	cr_expect(eq(str, (char *)vmstructs_type_of(v, "ThreadsList", "_length"), "const uint"));
	cr_expect(eq(u64, vmstructs_size(v, "OopHandle"), 8));
	cr_expect(zero(int, vmstructs_constant(v, "LogBytesPerWord", &value)));
	cr_expect(eq(i64, value, -3));
	cr_expect(zero(int, vmstructs_constant(v, "markWord::hash_mask", &value)));
	cr_expect(eq(i64, value, 0x7fffffffffff));
	vmstructs_free(v);
}

Test(vmstructs, what_is_not_there_is_not_found)
{
	struct vmstructs *v;
	struct tables t;
	uint64_t offset = 7;
	int64_t value;

	make(&t);
	cr_assert(zero(int, read_tables(&t, &v)));
	cr_expect(eq(int, vmstructs_offset(v, "ThreadsList", "_threads", &offset), -ENOENT));
	cr_expect(eq(int, vmstructs_offset(v, "PerfMemory", "_start", &offset), -ENOENT),
		  "it is static");
	cr_expect(eq(u64, offset, 7));
	cr_expect(zero(u64, vmstructs_static(v, "ThreadsList", "_length")), "it is not static");
	cr_expect(zero(ptr, (void *)vmstructs_type_of(v, "X", "_length")));
	cr_expect(zero(u64, vmstructs_size(v, "Flag")));
	cr_expect(eq(int, vmstructs_constant(v, "LogBytes", &value), -ENOENT));
	vmstructs_free(v);
}

Test(vmstructs, a_missing_variable_is_no_data)
{
	struct vmstructs *v;
	struct tables t;

	for (size_t i = 0; i < NR_VMSTRUCTS_SYMBOLS; i++) {
		make(&t);
		t.addresses[i] = 0;
		cr_expect(eq(int, read_tables(&t, &v), -ENODATA), "%s", vmstructs_symbol_names[i]);
	}
}

Test(vmstructs, offsets_outside_their_rows_are_refused)
{
	static const enum vmstructs_symbol tables[] = {VMSTRUCTS_FIELDS, VMSTRUCTS_TYPES,
						       VMSTRUCTS_INTS, VMSTRUCTS_LONGS};
	struct vmstructs *v;
	struct tables t;

	for (size_t i = 0; i < NR_VMSTRUCTS_SYMBOLS; i++) {
		bool is_table = false;

		for (size_t j = 0; j < ARRAY_SIZE(tables); j++)
			is_table |= tables[j] == i;
		make(&t);
		t.variables[i] = UINT64_MAX;
		cr_expect(eq(int, read_tables(&t, &v), is_table ? -EFAULT : -EBADMSG), "%s",
			  vmstructs_symbol_names[i]);
	}
}

Test(vmstructs, names_scattered_over_the_address_space_are_refused)
{
	struct vmstructs *v;
	struct tables t;

	make(&t);
	t.fields[0].field = (const char *)8;
	cr_expect(eq(int, read_tables(&t, &v), -EBADMSG));
}

/* Endless: every row has a name, up to the end of what is mapped. */
Test(vmstructs, a_table_without_an_end_is_refused)
{
	size_t bytes = 1 << 16, nr = bytes / sizeof(struct int_row);
	struct int_row *rows =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct vmstructs *v;
	struct tables t;

	cr_assert(rows != MAP_FAILED);
	for (size_t i = 0; i < nr; i++)
		rows[i] = (struct int_row){"x", 0};
	munmap((char *)rows + bytes - 4096, 4096);
	make(&t);
	t.variables[VMSTRUCTS_INTS] = (uintptr_t)rows;
	cr_expect(eq(int, read_tables(&t, &v), -EFAULT));
	munmap(rows, bytes - 4096);
}

/* The last row before unmapped memory ends the table: reading ahead must not lose it. */
Test(vmstructs, a_table_right_before_unmapped_memory_is_read_whole)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct int_row *rows = (struct int_row *)(page + 4096) - 3;
	struct vmstructs *v;
	struct tables t;
	int64_t value = 0;

	cr_assert(page != MAP_FAILED);
	munmap(page + 4096, 4096);
	make(&t);
	rows[0] = (struct int_row){t.ints[0].name, 1};
	rows[1] = (struct int_row){t.types[0].name, 2};
	t.variables[VMSTRUCTS_INTS] = (uintptr_t)rows;
	cr_assert(zero(int, read_tables(&t, &v)));
	cr_expect(zero(int, vmstructs_constant(v, "JVMFlag", &value)));
	cr_expect(eq(i64, value, 2));
	vmstructs_free(v);
	munmap(page, 4096);
}
