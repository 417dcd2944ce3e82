/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/javaklass.h"
#include "user/attach/target_memory.h"
#include "user/base/cleanup.h"

#define SYMBOL_BYTES	 256
#define STREAM_BYTES_MAX 65536
#define FIELDS_MAX	 4096

struct klass {
	uint32_t tgid;
	const struct vmstructs *tables;
	uint64_t address, constants; /* InstanceKlass, the first slot of its ConstantPool */
	uint32_t nr_constants;
};

struct field {
	uint64_t name_index, signature_index, offset;
};

static int read_pointer(const struct klass *klass, uint64_t at, uint64_t *ret)
{
	return target_memory_read(klass->tgid, at, ret, sizeof(*ret));
}

static int open_klass(struct klass *klass)
{
	uint64_t at, pool, header = vmstructs_size(klass->tables, "ConstantPool");
	int err;

	if (!header || vmstructs_offset(klass->tables, "InstanceKlass", "_constants", &at))
		return -EOPNOTSUPP;
	err = read_pointer(klass, klass->address + at, &pool);
	if (err)
		return err;
	if (vmstructs_offset(klass->tables, "ConstantPool", "_length", &at))
		return -EOPNOTSUPP;
	klass->constants = pool + header;
	return target_memory_read(klass->tgid, pool + at, &klass->nr_constants,
				  sizeof(klass->nr_constants));
}

/* Whether constant @index is the Symbol @text. */
static bool is_symbol(const struct klass *klass, uint64_t index, const char *text)
{
	uint64_t symbol, length_at, body_at;
	char body[SYMBOL_BYTES];
	uint16_t length;

	if (!index || index >= klass->nr_constants ||
	    vmstructs_offset(klass->tables, "Symbol", "_length", &length_at) ||
	    vmstructs_offset(klass->tables, "Symbol", "_body", &body_at) ||
	    read_pointer(klass, klass->constants + index * sizeof(uint64_t), &symbol))
		return false;
	return !target_memory_read(klass->tgid, symbol + length_at, &length, sizeof(length)) &&
	       length == strlen(text) && length < sizeof(body) &&
	       !target_memory_read(klass->tgid, symbol + body_at, body, length) &&
	       !memcmp(body, text, length);
}

/* The contents of the Array<T> that the InstanceKlass field @name points at; malloc'ed. */
static int read_array(const struct klass *klass, const char *name, const char *type,
		      uint32_t item_bytes, uint8_t **ret, uint32_t *ret_bytes)
{
	uint64_t field_at, data_at, length_at, array;
	uint32_t length;
	int err;

	if (vmstructs_offset(klass->tables, "InstanceKlass", name, &field_at) ||
	    vmstructs_offset(klass->tables, type, "_data", &data_at) ||
	    vmstructs_offset(klass->tables, "Array<int>", "_length", &length_at))
		return -EOPNOTSUPP;
	err = read_pointer(klass, klass->address + field_at, &array);
	if (!err)
		err = target_memory_read(klass->tgid, array + length_at, &length, sizeof(length));
	if (err)
		return err;
	if (length > STREAM_BYTES_MAX / item_bytes)
		return -EOPNOTSUPP;
	*ret_bytes = length * item_bytes;
	*ret = malloc(*ret_bytes + 1);
	return *ret ? target_memory_read(klass->tgid, array + data_at, *ret, *ret_bytes) : -ENOMEM;
}

/* Up to JDK 20: six u2 a field; the last two hold the offset above two tag bits (fieldInfo.hpp). */
static int next_row(const uint8_t *data, uint32_t bytes, uint32_t *at, struct field *ret)
{
	uint16_t row[6];

	if (bytes - *at < sizeof(row))
		return -EOPNOTSUPP;
	memcpy(row, data + *at, sizeof(row));
	*at += sizeof(row);
	*ret = (struct field){row[1], row[2], ((uint32_t)row[5] << 16 | row[4]) >> 2};
	return 0;
}

/* HotSpot's UNSIGNED5: digits of base 64 above the first, bytes 1 to 191 end a number
 * (unsigned5.hpp). */
static int next_number(const uint8_t *data, uint32_t bytes, uint32_t *at, uint64_t *ret)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < 5; i++) {
		uint8_t byte;

		if (*at >= bytes || !data[*at])
			return -EOPNOTSUPP;
		byte = data[(*at)++];
		sum += (uint64_t)(byte - 1) << (6 * i);
		if (byte < 192 || i == 4)
			break;
	}
	*ret = sum;
	return 0;
}

/* From JDK 21 on: name, signature, offset, access flags, field flags, and what the field flags
 * announce. */
static int next_packed(const uint8_t *data, uint32_t bytes, uint32_t *at, struct field *ret)
{
	enum { INITIALIZED = 1 << 0, GENERIC = 1 << 2, CONTENDED = 1 << 4 };
	uint64_t numbers[5], skipped;
	int err = 0;

	for (size_t i = 0; i < 5 && !err; i++)
		err = next_number(data, bytes, at, &numbers[i]);
	if (err)
		return err;
	if (numbers[4] & INITIALIZED)
		err = next_number(data, bytes, at, &skipped);
	if (!err && numbers[4] & GENERIC)
		err = next_number(data, bytes, at, &skipped);
	if (!err && numbers[4] & CONTENDED)
		err = next_number(data, bytes, at, &skipped);
	*ret = (struct field){numbers[0], numbers[1], numbers[2]};
	return err;
}

struct fields {
	uint8_t *data;
	uint32_t bytes, at;
	uint64_t nr; /* declared in Java; those the JVM adds follow */
	bool packed;
};

static int read_fields(const struct klass *klass, struct fields *ret)
{
	uint64_t count_at, nr_injected;
	uint16_t count;
	int err;

	ret->packed =
		!vmstructs_offset(klass->tables, "InstanceKlass", "_fieldinfo_stream", &count_at);
	if (ret->packed) {
		err = read_array(klass, "_fieldinfo_stream", "Array<u1>", 1, &ret->data,
				 &ret->bytes);
		if (!err)
			err = next_number(ret->data, ret->bytes, &ret->at, &ret->nr);
		return err ? err : next_number(ret->data, ret->bytes, &ret->at, &nr_injected);
	}
	if (vmstructs_offset(klass->tables, "InstanceKlass", "_java_fields_count", &count_at))
		return -EOPNOTSUPP;
	err = read_array(klass, "_fields", "Array<u2>", sizeof(uint16_t), &ret->data, &ret->bytes);
	if (!err)
		err = target_memory_read(klass->tgid, klass->address + count_at, &count,
					 sizeof(count));
	ret->nr = err ? 0 : count;
	return err;
}

int java_klass_field(uint32_t tgid, const struct vmstructs *tables, uint64_t address,
		     const char *name, const char *signature, uint64_t *ret)
{
	struct klass klass = {.tgid = tgid, .tables = tables, .address = address};
	struct fields fields = {0};
	int err = open_klass(&klass);

	if (!err)
		err = read_fields(&klass, &fields);
	for (uint64_t i = 0; i < fields.nr && i < FIELDS_MAX && !err; i++) {
		struct field field;

		err = fields.packed ? next_packed(fields.data, fields.bytes, &fields.at, &field)
				    : next_row(fields.data, fields.bytes, &fields.at, &field);
		if (err || !is_symbol(&klass, field.name_index, name) ||
		    !is_symbol(&klass, field.signature_index, signature))
			continue;
		free(fields.data);
		*ret = field.offset;
		return 0;
	}
	free(fields.data);
	return err ? err : -EOPNOTSUPP;
}
