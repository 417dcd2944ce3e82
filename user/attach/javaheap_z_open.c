/* SPDX-License-Identifier: BSD-2-Clause */
/* Where ZGC's variables and forwarding tables are. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "user/attach/javaheap_z.h"
#include "user/attach/jvm.h"
#include "user/attach/target_memory.h"
#include "user/attach/vmstructs.h"
#include "user/base/cleanup.h"

#define NAME_BYTES	 64
#define GRANULE_SHIFT	 21 /* zGlobals.hpp: 2 MiB, unless vmStructs says otherwise */
#define GENERATION_WORDS 64 /* of a ZGeneration that are searched for its forwarding table */

struct search {
	const struct jvm *jvm;
	const struct vmstructs *tables;
	char prefix; /* 'Z', or 'X': what 21 calls the old one of its two */
};

/* Names in ZGC differ in their first letter alone: "@Heap" is ZHeap or XHeap. */
static const char *spell(const struct search *search, const char *name, char buffer[NAME_BYTES])
{
	snprintf(buffer, NAME_BYTES, "%s", name);
	for (char *c = buffer; *c; c++)
		if (*c == '@')
			*c = search->prefix;
	return buffer;
}

static int find(const struct search *search, const char *type, const char *field, uint64_t *ret)
{
	char type_name[NAME_BYTES], field_name[NAME_BYTES];

	return vmstructs_offset(search->tables, spell(search, type, type_name),
				spell(search, field, field_name), ret)
		       ? -EOPNOTSUPP
		       : 0;
}

static int read_u64(const struct search *search, uint64_t at, uint64_t *ret)
{
	return target_memory_read(search->jvm->tgid, at, ret, sizeof(*ret));
}

/* @GlobalsForVMStructs holds pointers to the variables. */
static int find_globals(const struct search *search, uint64_t *ret)
{
	char name[NAME_BYTES];
	uint64_t at = vmstructs_static(search->tables, spell(search, "@GlobalsForVMStructs", name),
				       "_instance_p");

	return at ? read_u64(search, at, ret) : -EOPNOTSUPP;
}

static int find_variables(const struct search *search, struct java_z *z)
{
	static const struct {
		size_t index;
		const char *field;
		bool generational;
	} wanted[] = {
		{0, "_@AddressGoodMask", false},    {1, "_@AddressBadMask", false},
		{2, "_@AddressWeakBadMask", false}, {0, "_@PointerLoadGoodMask", true},
		{1, "_@PointerLoadBadMask", true},  {3, "_@PointerLoadShift", true},
	};
	uint64_t globals, at, mask_at;
	int err = find_globals(search, &globals);

	for (size_t i = 0; i < ARRAY_SIZE(wanted) && !err; i++) {
		if (wanted[i].generational != z->generational)
			continue;
		err = find(search, "@GlobalsForVMStructs", wanted[i].field, &at);
		if (!err)
			err = read_u64(search, globals + at, &z->phase_at[wanted[i].index]);
	}
	if (!err)
		err = find(search, "@GlobalsForVMStructs", "_@AddressOffsetMask", &at);
	if (!err)
		err = read_u64(search, globals + at, &mask_at);
	return err ? err : read_u64(search, mask_at, &z->offset_mask);
}

static int find_forwarding_layout(const struct search *search, struct java_z *z)
{
	uint64_t virtual_at, start_at, length_at, entries_at;
	char name[NAME_BYTES];
	int64_t shift;
	int err = find(search, "@Forwarding", "_virtual", &virtual_at);

	if (!err)
		err = find(search, "@VirtualMemory", "_start", &start_at);
	if (!err)
		err = find(search, "@Forwarding", "_object_alignment_shift", &z->alignment_at);
	if (!err)
		err = find(search, "@Forwarding", "_entries", &entries_at);
	if (!err)
		err = find(search, "@AttachedArrayForForwarding", "_length", &length_at);
	if (err)
		return err;
	z->start_at = virtual_at + start_at;
	z->nr_entries_at = entries_at + length_at;
	z->entries_at =
		(vmstructs_size(search->tables, spell(search, "@Forwarding", name)) + 7) / 8 * 8;
	if (vmstructs_constant(search->tables, spell(search, "@GranuleSizeShift", name), &shift))
		shift = GRANULE_SHIFT;
	z->granule_shift = (uint32_t)shift;
	return z->entries_at && shift > 0 && shift < 64 ? 0 : -EOPNOTSUPP;
}

static int find_heap(const struct search *search, uint64_t *ret)
{
	uint64_t at = vmstructs_static(search->tables, "Universe", "_collectedHeap"), heap_at;
	int err = find(search, "@CollectedHeap", "_heap", &heap_at);

	if (!err)
		err = at ? read_u64(search, at, ret) : -EOPNOTSUPP;
	*ret += err ? 0 : heap_at;
	return err;
}

/* The address of the array that maps granules to ZForwardings, of the ZForwardingTable at @table.
 */
static int read_map(const struct search *search, uint64_t table, uint64_t *ret)
{
	uint64_t map_at, array_at;
	int err = find(search, "@ForwardingTable", "_map", &map_at);

	if (!err)
		err = find(search, "@GranuleMapForForwarding", "_map", &array_at);
	return err ? err : read_u64(search, table + map_at + array_at, ret);
}

static int find_table(const struct search *search, struct java_z *z)
{
	uint64_t heap, table_at;
	int err = find_heap(search, &heap);

	if (!err)
		err = find(search, "@Heap", "_forwarding_table", &table_at);
	return err ? err : read_map(search, heap + table_at, &z->maps[JAVA_Z_YOUNG]);
}

/*
 * vmStructs does not say where a ZGeneration has its forwarding table, but the class does: right
 * behind its pointers to page allocator and page table (zGeneration.hpp), whose values are known.
 * Two such pointers side by side are the place.
 */
static int find_generation(const struct search *search, uint64_t pointer_at, uint64_t heap,
			   uint64_t *ret)
{
	uint64_t generation, words[GENERATION_WORDS], allocator_at, pages_at;
	int err = find(search, "@Heap", "_page_allocator", &allocator_at);

	if (!err)
		err = find(search, "@Heap", "_page_table", &pages_at);
	if (!err)
		err = read_u64(search, pointer_at, &generation);
	if (!err)
		err = target_memory_read(search->jvm->tgid, generation, words, sizeof(words));
	for (size_t i = 0; i + 2 < GENERATION_WORDS && !err; i++)
		if (words[i] == heap + allocator_at && words[i + 1] == heap + pages_at)
			return read_map(search, generation + (i + 2) * sizeof(words[0]), ret);
	return err ? err : -EOPNOTSUPP;
}

static int find_generations(const struct search *search, struct java_z *z)
{
	const struct jvm_symbols *symbols = &search->jvm->symbols;
	uint64_t heap;
	int err;

	if (!symbols->z_young || !symbols->z_old || !symbols->z_young_mask || !symbols->z_old_mask)
		return -EOPNOTSUPP;
	err = find_heap(search, &heap);
	if (!err)
		err = find_generation(search, symbols->z_young, heap, &z->maps[JAVA_Z_YOUNG]);
	if (!err)
		err = find_generation(search, symbols->z_old, heap, &z->maps[JAVA_Z_OLD]);
	z->phase_at[4] = symbols->z_young_mask;
	z->phase_at[5] = symbols->z_old_mask;
	return err;
}

int java_z_open(const struct jvm *jvm, const struct vmstructs *tables, bool generational,
		struct java_z *ret)
{
	struct search search = {.jvm = jvm, .tables = tables, .prefix = 'Z'};
	uint64_t at;
	int err;

	if (!generational && !find(&(struct search){jvm, tables, 'X'}, "@Heap", "_page_table", &at))
		search.prefix = 'X';
	*ret = (struct java_z){.tgid = jvm->tgid, .generational = generational};
	err = find_variables(&search, ret);
	if (!err)
		err = find_forwarding_layout(&search, ret);
	if (err)
		return err;
	err = generational ? find_generations(&search, ret) : find_table(&search, ret);
	if (err) /* then only pointers that are mended can be read */
		memset(ret->maps, 0, sizeof(ret->maps));
	return err == -EOPNOTSUPP ? 0 : err;
}
