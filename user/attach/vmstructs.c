/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/target_memory.h"
#include "user/attach/vmstructs.h"
#include "user/base/cleanup.h"

#define STRIDE_MAX     256u
#define ROWS_MAX       20000u /* JDK 25 has 1,000 fields and 1,100 constants */
#define ROWS_PER_READ  256u
#define TEXT_BYTES_MAX (8u << 20)
#define TEXT_SLACK     4096u /* read behind the last name, to have its end */

const char *const vmstructs_symbol_names[NR_VMSTRUCTS_SYMBOLS] = {
	[VMSTRUCTS_FIELDS] = "gHotSpotVMStructs",
	[VMSTRUCTS_FIELD_TYPE_AT] = "gHotSpotVMStructEntryTypeNameOffset",
	[VMSTRUCTS_FIELD_NAME_AT] = "gHotSpotVMStructEntryFieldNameOffset",
	[VMSTRUCTS_FIELD_TYPE_STRING_AT] = "gHotSpotVMStructEntryTypeStringOffset",
	[VMSTRUCTS_FIELD_IS_STATIC_AT] = "gHotSpotVMStructEntryIsStaticOffset",
	[VMSTRUCTS_FIELD_OFFSET_AT] = "gHotSpotVMStructEntryOffsetOffset",
	[VMSTRUCTS_FIELD_ADDRESS_AT] = "gHotSpotVMStructEntryAddressOffset",
	[VMSTRUCTS_FIELD_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[VMSTRUCTS_TYPES] = "gHotSpotVMTypes",
	[VMSTRUCTS_TYPE_NAME_AT] = "gHotSpotVMTypeEntryTypeNameOffset",
	[VMSTRUCTS_TYPE_SIZE_AT] = "gHotSpotVMTypeEntrySizeOffset",
	[VMSTRUCTS_TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[VMSTRUCTS_INTS] = "gHotSpotVMIntConstants",
	[VMSTRUCTS_INT_NAME_AT] = "gHotSpotVMIntConstantEntryNameOffset",
	[VMSTRUCTS_INT_VALUE_AT] = "gHotSpotVMIntConstantEntryValueOffset",
	[VMSTRUCTS_INT_STRIDE] = "gHotSpotVMIntConstantEntryArrayStride",
	[VMSTRUCTS_LONGS] = "gHotSpotVMLongConstants",
	[VMSTRUCTS_LONG_NAME_AT] = "gHotSpotVMLongConstantEntryNameOffset",
	[VMSTRUCTS_LONG_VALUE_AT] = "gHotSpotVMLongConstantEntryValueOffset",
	[VMSTRUCTS_LONG_STRIDE] = "gHotSpotVMLongConstantEntryArrayStride",
};

struct table { /* rows as the target has them */
	uint8_t *rows;
	size_t nr, stride;
};

struct vmstructs {
	uint64_t layout[NR_VMSTRUCTS_SYMBOLS]; /* the variables' values */
	struct table fields, types, ints, longs;
	uint64_t text_from; /* all names lie in [text_from, text_from + text_bytes) of the target */
	size_t text_bytes;
	char *text; /* a copy of that, with a NUL behind */
};

static uint64_t read_u64(const uint8_t *row, uint64_t at)
{
	uint64_t value;

	memcpy(&value, row + at, sizeof(value));
	return value;
}

static int32_t read_i32(const uint8_t *row, uint64_t at)
{
	int32_t value;

	memcpy(&value, row + at, sizeof(value));
	return value;
}

/* The variables; those that are offsets must point into their rows. */
static int read_layout(uint32_t tgid, const uint64_t addresses[NR_VMSTRUCTS_SYMBOLS],
		       struct vmstructs *v)
{
	static const struct {
		enum vmstructs_symbol first, stride;
	} tables[] = {
		{VMSTRUCTS_FIELDS, VMSTRUCTS_FIELD_STRIDE},
		{VMSTRUCTS_TYPES, VMSTRUCTS_TYPE_STRIDE},
		{VMSTRUCTS_INTS, VMSTRUCTS_INT_STRIDE},
		{VMSTRUCTS_LONGS, VMSTRUCTS_LONG_STRIDE},
	};

	for (size_t i = 0; i < NR_VMSTRUCTS_SYMBOLS; i++) {
		int err = addresses[i] ? target_memory_read(tgid, addresses[i], &v->layout[i],
							    sizeof(v->layout[i]))
				       : -ENODATA;

		if (err)
			return err;
	}
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		uint64_t stride = v->layout[tables[i].stride];

		if (stride < sizeof(uint64_t) || stride > STRIDE_MAX)
			return -EBADMSG;
		for (size_t j = tables[i].first + 1; j < tables[i].stride; j++)
			if (v->layout[j] > stride - sizeof(uint64_t))
				return -EBADMSG;
	}
	return 0;
}

/* Rows up to the first without a name. Tables end close to unmapped memory at worst: halve the step
 * there. */
static int read_table(uint32_t tgid, uint64_t address, size_t stride, uint64_t name_at,
		      struct table *ret)
{
	size_t step = ROWS_PER_READ;

	ret->stride = stride;
	while (ret->nr < ROWS_MAX) {
		uint8_t *rows = realloc(ret->rows, (ret->nr + step) * stride);
		int err;

		if (!rows)
			return -ENOMEM;
		ret->rows = rows;
		err = target_memory_read(tgid, address + ret->nr * stride, rows + ret->nr * stride,
					 step * stride);
		if (err == -EFAULT && step > 1) {
			step /= 2;
			continue;
		}
		if (err)
			return err;
		for (size_t end = ret->nr + step; ret->nr < end; ret->nr++)
			if (!read_u64(rows + ret->nr * stride, name_at))
				return 0;
	}
	return -EBADMSG;
}

static int read_tables(uint32_t tgid, struct vmstructs *v)
{
	const uint64_t *layout = v->layout;
	int err;

	err = read_table(tgid, layout[VMSTRUCTS_FIELDS], layout[VMSTRUCTS_FIELD_STRIDE],
			 layout[VMSTRUCTS_FIELD_TYPE_AT], &v->fields);
	if (!err)
		err = read_table(tgid, layout[VMSTRUCTS_TYPES], layout[VMSTRUCTS_TYPE_STRIDE],
				 layout[VMSTRUCTS_TYPE_NAME_AT], &v->types);
	if (!err)
		err = read_table(tgid, layout[VMSTRUCTS_INTS], layout[VMSTRUCTS_INT_STRIDE],
				 layout[VMSTRUCTS_INT_NAME_AT], &v->ints);
	if (!err)
		err = read_table(tgid, layout[VMSTRUCTS_LONGS], layout[VMSTRUCTS_LONG_STRIDE],
				 layout[VMSTRUCTS_LONG_NAME_AT], &v->longs);
	return err;
}

static void widen_text(const struct table *table, uint64_t at, uint64_t *from, uint64_t *to)
{
	for (size_t i = 0; i < table->nr; i++) {
		uint64_t address = read_u64(table->rows + i * table->stride, at);

		if (!address)
			continue;
		if (address < *from)
			*from = address;
		if (address > *to)
			*to = address;
	}
}

/* All names are literals of one library: they lie together, and one read fetches them. */
static int read_text(uint32_t tgid, struct vmstructs *v)
{
	uint64_t from = UINT64_MAX, to = 0;
	size_t slack = TEXT_SLACK;
	int err;

	widen_text(&v->fields, v->layout[VMSTRUCTS_FIELD_TYPE_AT], &from, &to);
	widen_text(&v->fields, v->layout[VMSTRUCTS_FIELD_NAME_AT], &from, &to);
	widen_text(&v->fields, v->layout[VMSTRUCTS_FIELD_TYPE_STRING_AT], &from, &to);
	widen_text(&v->types, v->layout[VMSTRUCTS_TYPE_NAME_AT], &from, &to);
	widen_text(&v->ints, v->layout[VMSTRUCTS_INT_NAME_AT], &from, &to);
	widen_text(&v->longs, v->layout[VMSTRUCTS_LONG_NAME_AT], &from, &to);
	if (from > to || to - from > TEXT_BYTES_MAX)
		return -EBADMSG;
	v->text = malloc(to - from + slack + 1);
	if (!v->text)
		return -ENOMEM;
	do {
		v->text_bytes = to - from + slack;
		err = target_memory_read(tgid, from, v->text, v->text_bytes);
		slack /= 2;
	} while (err == -EFAULT && slack);
	v->text[err ? 0 : v->text_bytes] = '\0';
	v->text_from = from;
	return err;
}

int vmstructs_read(uint32_t tgid, const uint64_t addresses[NR_VMSTRUCTS_SYMBOLS],
		   struct vmstructs **ret)
{
	struct vmstructs *v = calloc(1, sizeof(*v));
	int err;

	if (!v)
		return -ENOMEM;
	err = read_layout(tgid, addresses, v);
	if (!err)
		err = read_tables(tgid, v);
	if (!err)
		err = read_text(tgid, v);
	if (err) {
		vmstructs_free(v);
		return err;
	}
	*ret = v;
	return 0;
}

void vmstructs_free(struct vmstructs *v)
{
	if (!v)
		return;
	free(v->fields.rows);
	free(v->types.rows);
	free(v->ints.rows);
	free(v->longs.rows);
	free(v->text);
	free(v);
}

/* The text a row points at, "" for none: within the copy by construction of read_text. */
static const char *text_at(const struct vmstructs *v, const uint8_t *row, uint64_t at)
{
	uint64_t address = read_u64(row, at);

	return address ? v->text + (address - v->text_from) : "";
}

static const uint8_t *find_field(const struct vmstructs *v, const char *type, const char *field)
{
	for (size_t i = 0; i < v->fields.nr; i++) {
		const uint8_t *row = v->fields.rows + i * v->fields.stride;

		if (!strcmp(text_at(v, row, v->layout[VMSTRUCTS_FIELD_NAME_AT]), field) &&
		    !strcmp(text_at(v, row, v->layout[VMSTRUCTS_FIELD_TYPE_AT]), type))
			return row;
	}
	return NULL;
}

static bool is_static(const struct vmstructs *v, const uint8_t *row)
{
	return read_i32(row, v->layout[VMSTRUCTS_FIELD_IS_STATIC_AT]) != 0;
}

int vmstructs_offset(const struct vmstructs *v, const char *type, const char *field, uint64_t *ret)
{
	const uint8_t *row = find_field(v, type, field);

	if (!row || is_static(v, row))
		return -ENOENT;
	*ret = read_u64(row, v->layout[VMSTRUCTS_FIELD_OFFSET_AT]);
	return 0;
}

uint64_t vmstructs_static(const struct vmstructs *v, const char *type, const char *field)
{
	const uint8_t *row = find_field(v, type, field);

	return row && is_static(v, row) ? read_u64(row, v->layout[VMSTRUCTS_FIELD_ADDRESS_AT]) : 0;
}

const char *vmstructs_type_of(const struct vmstructs *v, const char *type, const char *field)
{
	const uint8_t *row = find_field(v, type, field);

	return row ? text_at(v, row, v->layout[VMSTRUCTS_FIELD_TYPE_STRING_AT]) : NULL;
}

static const uint8_t *find_named(const struct vmstructs *v, const struct table *table,
				 uint64_t name_at, const char *name)
{
	for (size_t i = 0; i < table->nr; i++) {
		const uint8_t *row = table->rows + i * table->stride;

		if (!strcmp(text_at(v, row, name_at), name))
			return row;
	}
	return NULL;
}

uint64_t vmstructs_size(const struct vmstructs *v, const char *type)
{
	const uint8_t *row = find_named(v, &v->types, v->layout[VMSTRUCTS_TYPE_NAME_AT], type);

	return row ? read_u64(row, v->layout[VMSTRUCTS_TYPE_SIZE_AT]) : 0;
}

int vmstructs_constant(const struct vmstructs *v, const char *name, int64_t *ret)
{
	const uint8_t *row = find_named(v, &v->ints, v->layout[VMSTRUCTS_INT_NAME_AT], name);

	if (row) {
		*ret = read_i32(row, v->layout[VMSTRUCTS_INT_VALUE_AT]);
		return 0;
	}
	row = find_named(v, &v->longs, v->layout[VMSTRUCTS_LONG_NAME_AT], name);
	if (!row)
		return -ENOENT;
	*ret = (int64_t)read_u64(row, v->layout[VMSTRUCTS_LONG_VALUE_AT]);
	return 0;
}

void vmstructs_each(const struct vmstructs *v,
		    void (*fn)(void *arg, const char *type, const char *field,
			       const char *type_string, bool is_static, uint64_t where),
		    void *arg)
{
	for (size_t i = 0; i < v->fields.nr; i++) {
		const uint8_t *row = v->fields.rows + i * v->fields.stride;
		bool fixed = is_static(v, row);

		fn(arg, text_at(v, row, v->layout[VMSTRUCTS_FIELD_TYPE_AT]),
		   text_at(v, row, v->layout[VMSTRUCTS_FIELD_NAME_AT]),
		   text_at(v, row, v->layout[VMSTRUCTS_FIELD_TYPE_STRING_AT]), fixed,
		   read_u64(row, v->layout[fixed ? VMSTRUCTS_FIELD_ADDRESS_AT
						 : VMSTRUCTS_FIELD_OFFSET_AT]));
	}
}
