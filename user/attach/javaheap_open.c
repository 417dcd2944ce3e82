/* SPDX-License-Identifier: BSD-2-Clause */
/* What java_heap_open finds out: flags, bases, klasses and offsets, under the names different JDKs
 * give them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/javaheap.h"
#include "user/attach/javaklass.h"
#include "user/attach/target_memory.h"
#include "user/base/cleanup.h"

#define FLAGS_MAX	5000
#define FLAG_NAME_BYTES 64
#define OFFSET_MAX	4096 /* of a field in an object of a known class */

struct flag {
	const char *name;
	bool *ret;
	bool found;
};

static int read_flag(const struct jvm *jvm, const uint8_t *row, uint64_t name_at,
		     uint64_t address_at, struct flag *wanted, size_t nr)
{
	uint64_t name, address;
	char text[FLAG_NAME_BYTES];

	memcpy(&name, row + name_at, sizeof(name));
	memcpy(&address, row + address_at, sizeof(address));
	if (!name || !address || target_memory_text(jvm->tgid, name, text, sizeof(text)) < 0)
		return 0;
	for (size_t i = 0; i < nr; i++) {
		uint8_t value;
		int err;

		if (strcmp(text, wanted[i].name))
			continue;
		err = target_memory_read(jvm->tgid, address, &value, sizeof(value));
		if (err)
			return err;
		*wanted[i].ret = value != 0;
		wanted[i].found = true;
	}
	return 0;
}

/* JVMFlag::flags, which is the truth of -XX:+Use... whoever set it; called Flag up to JDK 10. */
static int read_flags(const struct jvm *jvm, const struct vmstructs *tables, struct flag *wanted,
		      size_t nr)
{
	const char *type = vmstructs_size(tables, "JVMFlag") ? "JVMFlag" : "Flag";
	uint64_t stride = vmstructs_size(tables, type),
		 flags_at = vmstructs_static(tables, type, "flags");
	uint64_t nr_at = vmstructs_static(tables, type, "numFlags"), flags, nr_flags, name_at,
		 address_at;
	uint8_t *rows CLEANUP(freep) = NULL;
	int err;

	if (!flags_at || !nr_at || stride < sizeof(uint64_t) || stride > 256 ||
	    vmstructs_offset(tables, type, "_name", &name_at) ||
	    vmstructs_offset(tables, type, "_addr", &address_at) ||
	    name_at > stride - sizeof(uint64_t) || address_at > stride - sizeof(uint64_t))
		return -EOPNOTSUPP;
	err = target_memory_read(jvm->tgid, flags_at, &flags, sizeof(flags));
	if (!err)
		err = target_memory_read(jvm->tgid, nr_at, &nr_flags, sizeof(nr_flags));
	if (err || nr_flags > FLAGS_MAX)
		return err ? err : -EOPNOTSUPP;
	rows = malloc(nr_flags * stride + 1);
	if (!rows)
		return -ENOMEM;
	err = target_memory_read(jvm->tgid, flags, rows, nr_flags * stride);
	for (uint64_t i = 0; i < nr_flags && !err; i++)
		err = read_flag(jvm, rows + i * stride, name_at, address_at, wanted, nr);
	return err;
}

/* Read the static field that is there under one of @names: { type, field } pairs, NULL at the end.
 */
static int read_static(const struct jvm *jvm, const struct vmstructs *tables,
		       const char *const names[][2], void *ret, size_t bytes)
{
	for (size_t i = 0; names[i][0]; i++) {
		uint64_t at = vmstructs_static(tables, names[i][0], names[i][1]);

		if (at)
			return target_memory_read(jvm->tgid, at, ret, bytes);
	}
	return -EOPNOTSUPP;
}

static int read_bases(const struct jvm *jvm, const struct vmstructs *tables, struct java_heap *heap)
{
	static const char *const oop_base[][2] = {{"CompressedOops", "_base"},
						  {"CompressedOops", "_narrow_oop._base"},
						  {"Universe", "_narrow_oop._base"},
						  {NULL, NULL}};
	static const char *const oop_shift[][2] = {{"CompressedOops", "_shift"},
						   {"CompressedOops", "_narrow_oop._shift"},
						   {"Universe", "_narrow_oop._shift"},
						   {NULL, NULL}};
	static const char *const klass_base[][2] = {
		{"CompressedKlassPointers", "_base"},
		{"CompressedKlassPointers", "_narrow_klass._base"},
		{"Universe", "_narrow_klass._base"},
		{NULL, NULL}};
	static const char *const klass_shift[][2] = {
		{"CompressedKlassPointers", "_shift"},
		{"CompressedKlassPointers", "_narrow_klass._shift"},
		{"Universe", "_narrow_klass._shift"},
		{NULL, NULL}};
	int err = 0;

	if (heap->narrow_oops) {
		err = read_static(jvm, tables, oop_base, &heap->oop_base, sizeof(heap->oop_base));
		if (!err)
			err = read_static(jvm, tables, oop_shift, &heap->oop_shift,
					  sizeof(heap->oop_shift));
	}
	if (!err && heap->narrow_klasses) {
		err = read_static(jvm, tables, klass_base, &heap->klass_base,
				  sizeof(heap->klass_base));
		if (!err)
			err = read_static(jvm, tables, klass_shift, &heap->klass_shift,
					  sizeof(heap->klass_shift));
	}
	return err ? err : heap->oop_shift > 8 || heap->klass_shift > 16 ? -EOPNOTSUPP : 0;
}

static int read_klasses(const struct jvm *jvm, const struct vmstructs *tables,
			struct java_heap *heap)
{
	static const char *const string[][2] = {
		{"vmClasses", "_klasses[static_cast<int>(vmClassID::String_klass_knum)]"},
		{"SystemDictionary", "_well_known_klasses[SystemDictionary::String_klass_knum]"},
		{NULL, NULL}};
	static const char *const thread[][2] = {
		{"vmClasses", "_klasses[static_cast<int>(vmClassID::Thread_klass_knum)]"},
		{"SystemDictionary", "_well_known_klasses[SystemDictionary::Thread_klass_knum]"},
		{NULL, NULL}};
	int err = read_static(jvm, tables, string, &heap->string_klass, sizeof(heap->string_klass));

	if (!err)
		err = read_static(jvm, tables, thread, &heap->thread_klass,
				  sizeof(heap->thread_klass));
	return err ? err : heap->string_klass && heap->thread_klass ? 0 : -EOPNOTSUPP;
}

static bool is_plausible(uint64_t offset)
{
	return offset >= 8 && offset < OFFSET_MAX;
}

/* The offset of a field: what the JVM worked out for itself, where .symtab names it, else by the
 * class's own description. */
static int find_offset(const struct jvm *jvm, const struct vmstructs *tables, uint64_t symbol,
		       uint64_t klass, const char *name, const char *signature, uint64_t *ret)
{
	int32_t offset;
	int err;

	if (!symbol)
		return java_klass_field(jvm->tgid, tables, klass, name, signature, ret);
	err = target_memory_read(jvm->tgid, symbol, &offset, sizeof(offset));
	*ret = offset > 0 ? (uint64_t)offset : 0;
	return err;
}

static int read_offsets(const struct jvm *jvm, const struct vmstructs *tables,
			struct java_heap *heap)
{
	const struct {
		uint64_t symbol, klass;
		const char *name, *signature;
		uint64_t *ret;
	} wanted[] = {
		{jvm->symbols.thread_name, heap->thread_klass, "name", "Ljava/lang/String;",
		 &heap->thread_name_at},
		{jvm->symbols.thread_eetop, heap->thread_klass, "eetop", "J",
		 &heap->thread_eetop_at},
		{jvm->symbols.string_value, heap->string_klass, "value", "[B",
		 &heap->string_value_at},
		{jvm->symbols.string_coder, heap->string_klass, "coder", "B",
		 &heap->string_coder_at},
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		int err = find_offset(jvm, tables, wanted[i].symbol, wanted[i].klass,
				      wanted[i].name, wanted[i].signature, wanted[i].ret);

		if (err)
			return err;
		if (!is_plausible(*wanted[i].ret))
			return -EOPNOTSUPP;
	}
	return 0;
}

/* Where the heap says whether it is being collected in a pause; the field was renamed in JDK 23. */
static int find_activity(const struct jvm *jvm, const struct vmstructs *tables,
			 struct java_heap *heap)
{
	uint64_t at = vmstructs_static(tables, "Universe", "_collectedHeap"), collected;
	int err =
		at ? target_memory_read(jvm->tgid, at, &collected, sizeof(collected)) : -EOPNOTSUPP;

	if (err)
		return err;
	if ((vmstructs_offset(tables, "CollectedHeap", "_is_stw_gc_active", &heap->active_at) &&
	     vmstructs_offset(tables, "CollectedHeap", "_is_gc_active", &heap->active_at)) ||
	    vmstructs_offset(tables, "CollectedHeap", "_total_collections", &heap->collections_at))
		return -EOPNOTSUPP;
	heap->active_at += collected;
	heap->collections_at += collected;
	return 0;
}

static bool is_generational(const struct vmstructs *tables)
{
	uint64_t at;

	return !vmstructs_offset(tables, "ZGlobalsForVMStructs", "_ZPointerLoadShift", &at);
}

int java_heap_open(const struct jvm *jvm, const struct vmstructs *tables, struct java_heap *heap)
{
	bool generational = false;
	struct flag flags[] = {
		{"UseCompressedOops", &heap->narrow_oops, false},
		{"UseCompressedClassPointers", &heap->narrow_klasses, false},
		{"UseCompactObjectHeaders", &heap->compact_headers, false},
		{"UseZGC", &heap->z, false},
		{"ZGenerational", &generational, false}, /* JDK 21 to 23, where both ZGCs are */
	};
	int err;

	*heap = (struct java_heap){.tgid = jvm->tgid, .narrow_klasses = true};
	err = read_flags(jvm, tables, flags, ARRAY_SIZE(flags));
	if (err)
		return err;
	if (!flags[0].found || vmstructs_offset(tables, "oopDesc", "_mark", &heap->mark_at) ||
	    (vmstructs_offset(tables, "oopDesc", "_metadata._klass", &heap->klass_at) &&
	     vmstructs_offset(tables, "oopDesc", "_compressed_klass", &heap->klass_at)) ||
	    vmstructs_offset(tables, "Klass", "_layout_helper", &heap->layout_helper_at) ||
	    vmstructs_offset(tables, "Klass", "_super", &heap->super_at))
		return -EOPNOTSUPP;
	err = read_bases(jvm, tables, heap);
	if (!err)
		err = read_klasses(jvm, tables, heap);
	if (!err)
		err = find_activity(jvm, tables, heap);
	if (!err && heap->z)
		err = java_z_open(jvm, tables,
				  flags[4].found ? generational : is_generational(tables),
				  &heap->pointers);
	return err ? err : read_offsets(jvm, tables, heap);
}
