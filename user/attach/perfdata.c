/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "user/attach/perfdata.h"
#include "user/attach/target_memory.h"
#include "user/base/units.h"

#define BIG_ENDIAN_ORDER    0 /* PerfDataPrologue::byte_order */
#define LITTLE_ENDIAN_ORDER 1

struct prologue {	  /* PerfDataPrologue, perfMemory.hpp */
	uint8_t magic[4]; /* in this order on every machine */
	uint8_t byte_order, major, minor, accessible;
	int32_t used, overflow;
	int64_t mod_time_stamp;
	int32_t entry_offset, num_entries;
};
_Static_assert(sizeof(struct prologue) == 32, "hsperfdata 2.0");

struct entry_header { /* PerfDataEntry */
	int32_t entry_length, name_offset, vector_length;
	uint8_t data_type, flags, data_units, data_variability;
	int32_t data_offset;
};
_Static_assert(sizeof(struct entry_header) == 20, "hsperfdata 2.0");

static bool take_prologue(const uint8_t *data, size_t bytes, struct prologue *ret)
{
	static const uint8_t magic[4] = {0xca, 0xfe, 0xc0, 0xc0};
	const uint8_t native =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? LITTLE_ENDIAN_ORDER : BIG_ENDIAN_ORDER;

	if (bytes < sizeof(*ret))
		return false;
	memcpy(ret, data, sizeof(*ret));
	return !memcmp(ret->magic, magic, sizeof(magic)) && ret->byte_order == native &&
	       ret->major == 2 && ret->used >= (int32_t)sizeof(*ret) &&
	       ret->entry_offset >= (int32_t)sizeof(*ret) && ret->num_entries >= 0;
}

uint32_t perfdata_used(const uint8_t *data, size_t bytes)
{
	struct prologue prologue;

	return take_prologue(data, bytes, &prologue) ? (uint32_t)prologue.used : 0;
}

/* Take the entry at @offset, of which @room bytes are there at most. Its length, or -EBADMSG. */
static int64_t take_entry(const uint8_t *data, size_t offset, size_t room,
			  struct perfdata_entry *ret)
{
	struct entry_header header;
	uint32_t length, name_at, data_at, data_bytes;

	if (room < sizeof(header))
		return -EBADMSG;
	memcpy(&header, data + offset, sizeof(header));
	if (header.entry_length < (int32_t)sizeof(header) || (size_t)header.entry_length > room ||
	    header.name_offset < 0 || header.data_offset < 0 || header.vector_length < 0)
		return -EBADMSG;
	length = (uint32_t)header.entry_length;
	name_at = (uint32_t)header.name_offset;
	data_at = (uint32_t)header.data_offset;
	data_bytes = header.data_type == 'J' ? sizeof(int64_t) : (uint32_t)header.vector_length;
	if (name_at >= length || !memchr(data + offset + name_at, '\0', length - name_at) ||
	    data_at > length || data_bytes > length - data_at)
		return -EBADMSG;
	*ret = (struct perfdata_entry){
		.name = (const char *)data + offset + name_at,
		.type = (char)header.data_type,
		.offset = (uint32_t)offset + data_at,
		.bytes = data_bytes,
		.data = data + offset + data_at,
	};
	if (header.data_type == 'J' && header.vector_length)
		ret->type =
			'\0'; /* an array of numbers: HotSpot has none, and nobody here wants one */
	return length;
}

int perfdata_parse(const uint8_t *data, size_t bytes, perfdata_fn *fn, void *arg)
{
	struct prologue prologue;
	size_t at, end;

	if (!take_prologue(data, bytes, &prologue) || (size_t)prologue.used > bytes ||
	    prologue.entry_offset > prologue.used)
		return -EBADMSG;
	at = (size_t)prologue.entry_offset;
	end = (size_t)prologue.used;
	for (int32_t i = 0; i < prologue.num_entries; i++) {
		struct perfdata_entry entry;
		int64_t length = take_entry(data, at, end - at, &entry);

		if (length < 0)
			return (int)length;
		if (entry.type == 'J' || entry.type == 'B')
			fn(arg, &entry);
		at += (size_t)length;
	}
	return 0;
}

void perfdata_text(const struct perfdata_entry *entry, char *buffer, size_t buffer_bytes)
{
	size_t length = entry->type == 'B' ? strnlen((const char *)entry->data, entry->bytes) : 0;

	if (length >= buffer_bytes)
		length = buffer_bytes - 1;
	for (size_t i = 0; i < length; i++)
		buffer[i] = iscntrl(entry->data[i]) ? '?' : (char)entry->data[i];
	memset(buffer + length, 0, buffer_bytes - length);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Read one number; @err keeps the first error of several. */
static bool read_number(const struct jvm *jvm, const struct jvm_location *from, uint64_t *ret,
			int *err)
{
	int got;

	if (!from->address)
		return false;
	got = target_memory_read(jvm->tgid, from->address, ret, sizeof(*ret));
	if (got && !*err)
		*err = got;
	return !got;
}

static bool read_text(const struct jvm *jvm, const struct jvm_location *from,
		      char ret[EVENT_CAUSE_BYTES], int *err)
{
	size_t bytes = from->bytes < EVENT_CAUSE_BYTES ? from->bytes : EVENT_CAUSE_BYTES - 1;
	size_t length;
	int got;

	if (!from->address || !bytes)
		return false;
	got = target_memory_read(jvm->tgid, from->address, ret, bytes);
	if (got && !*err)
		*err = got;
	length = got ? 0 : strnlen(ret, bytes);
	memset(ret + length, 0, EVENT_CAUSE_BYTES - length);
	return !got;
}

static bool read_gc_invocations(const struct jvm *jvm, uint64_t *ret, int *err)
{
	const struct jvm_counter_map *map = &jvm->counters;
	uint64_t sum = 0, one;

	for (uint32_t i = 0; i < map->nr_gc_invocations; i++) {
		if (!read_number(jvm, &map->gc_invocations[i], &one, err))
			return false;
		sum += one;
	}
	*ret = sum;
	return map->nr_gc_invocations > 0;
}

int perfdata_snapshot(const struct jvm *jvm, struct perfdata_snapshot *ret)
{
	const struct jvm_counter_map *map = &jvm->counters;
	int err = 0;

	*ret = (struct perfdata_snapshot){.before_ns = now_ns()};
	if (read_number(jvm, &map->safepoints, &ret->safepoints, &err))
		ret->valid |= JVM_COUNTER_SAFEPOINTS;
	if (read_number(jvm, &map->sync_time, &ret->sync_ns, &err))
		ret->valid |= JVM_COUNTER_SYNC;
	if (read_number(jvm, &map->safepoint_time, &ret->safepoint_time_ns, &err))
		ret->valid |= JVM_COUNTER_SAFEPOINT_TIME;
	if (read_gc_invocations(jvm, &ret->gc_invocations, &err))
		ret->valid |= JVM_COUNTER_GC;
	if (read_text(jvm, &map->cause, ret->cause, &err))
		ret->valid |= JVM_COUNTER_CAUSE;
	if (read_text(jvm, &map->last_cause, ret->last_cause, &err))
		ret->valid |= JVM_COUNTER_LAST_CAUSE;
	ret->after_ns = now_ns();
	if (ret->valid)
		return 0;
	return err ? err : -ENODATA;
}
