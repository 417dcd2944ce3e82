/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "user/attach/javaheap_z.h"
#include "user/attach/target_memory.h"

#define REMAPPED_SHIFT                                                                             \
	12 /* generational: bits 12 to 15, one of them set: which relocations it has seen */
#define REMAPPED_MASK 0xf000ull
#define REMEMBERED_MASK                                                                            \
	0x0030ull /* bits 4 and 5, both set: from an old object to an old object                   \
		   */
#define ENTRIES_MAX	(1u << 24)
#define PROBES_MAX	4096 /* steps in a forwarding table of at most half full */
#define PROBES_PER_READ 16

static int read_u64(const struct java_z *z, uint64_t at, uint64_t *ret)
{
	return target_memory_read(z->tgid, at, ret, sizeof(*ret));
}

_Static_assert(sizeof(struct java_z_phase) == JAVA_Z_VARIABLES * sizeof(uint64_t), "one each");

static int read_phase(const struct java_z *z, struct java_z_phase *ret)
{
	uint64_t values[JAVA_Z_VARIABLES] = {0};

	for (int i = 0; i < JAVA_Z_VARIABLES; i++) {
		int err = z->phase_at[i] ? read_u64(z, z->phase_at[i], &values[i]) : 0;

		if (err)
			return err;
	}
	memcpy(ret, values, sizeof(*ret));
	return 0;
}

int java_z_begin(struct java_z *z)
{
	return read_phase(z, &z->phase);
}

bool java_z_still(const struct java_z *z)
{
	struct java_z_phase now;

	return !read_phase(z, &now) && !memcmp(&now, &z->phase, sizeof(now));
}

/* ZHash::uint32_to_uint32, by Thomas Wang: where in the table an object's entry is looked for
 * first. */
static uint32_t hash(uint32_t key)
{
	key = ~key + (key << 15);
	key ^= key >> 12;
	key += key << 2;
	key ^= key >> 4;
	key *= 2057;
	return key ^ key >> 16;
}

/* Entries: bit 0 in use, bits 1 to 45 the new offset, above it the object's number on its old page;
 * zForwardingEntry.hpp. */
static bool is_entry_of(uint64_t entry, uint64_t index)
{
	return entry >> 46 == index;
}

/* Entries from @at on, around the end: 0 and *ret 0 when the object has none. */
static int find_entry(const struct java_z *z, uint64_t table, uint64_t nr, uint64_t index,
		      uint64_t *ret)
{
	uint64_t at = hash((uint32_t)index) & (nr - 1), entries[PROBES_PER_READ];

	for (int probes = 0; probes < PROBES_MAX;) {
		uint64_t step = nr - at < PROBES_PER_READ ? nr - at : PROBES_PER_READ;
		int err = target_memory_read(z->tgid, table + at * sizeof(entries[0]), entries,
					     step * sizeof(entries[0]));

		if (err)
			return err;
		for (uint64_t i = 0; i < step; i++, probes++) {
			*ret = entries[i] & 1 ? entries[i] : 0;
			if (!*ret || is_entry_of(entries[i], index))
				return 0;
		}
		at = (at + step) & (nr - 1);
	}
	return -EAGAIN;
}

/*
 * Where the object went that was at @offset when @map's forwardings were made. None for its page:
 * the page was not emptied, it is where it was. None for itself: it has not been moved yet, and its
 * page is not given back before it is.
 */
static int forward(const struct java_z *z, uint64_t map, uint64_t offset, uint64_t *ret)
{
	uint64_t forwarding, start, alignment, nr, entry;
	int err = read_u64(z, map + (offset >> z->granule_shift) * sizeof(uint64_t), &forwarding);

	*ret = offset;
	if (err || !forwarding)
		return err;
	err = read_u64(z, forwarding + z->start_at, &start);
	if (!err)
		err = read_u64(z, forwarding + z->alignment_at, &alignment);
	if (!err)
		err = read_u64(z, forwarding + z->nr_entries_at, &nr);
	if (err)
		return err;
	if (offset < start || alignment > 32 || !nr || nr > ENTRIES_MAX || nr & (nr - 1))
		return -EAGAIN;
	err = find_entry(z, forwarding + z->entries_at, nr, (offset - start) >> alignment, &entry);
	if (!err && entry)
		*ret = entry << 18 >> 19;
	return err;
}

/* Metadata above the offset: marked in this or the last cycle, or remapped. */
static int marked_address(const struct java_z *z, uint64_t raw, uint64_t *ret)
{
	uint64_t offset = raw & z->offset_mask;
	int err = 0;

	if (raw & z->phase.weak_bad_mask)
		err = z->maps[JAVA_Z_YOUNG] ? forward(z, z->maps[JAVA_Z_YOUNG], offset, &offset)
					    : -EAGAIN;
	*ret = offset |
	       z->phase.good_mask; /* of the several views of the heap, one that is in use */
	return err;
}

/* The generation whose last relocation the pointer has not seen; ZBarrier::remap_generation gives
 * the reasons. */
static int generation_of(const struct java_z *z, uint64_t raw, uint64_t offset,
			 enum java_z_generation *ret)
{
	uint64_t forwarding;
	int err;

	*ret = raw & z->phase.old_mask & REMAPPED_MASK ? JAVA_Z_YOUNG : JAVA_Z_OLD;
	if (raw & (z->phase.old_mask | z->phase.young_mask) & REMAPPED_MASK ||
	    (raw & REMEMBERED_MASK) == REMEMBERED_MASK)
		return 0;
	err = read_u64(z, z->maps[JAVA_Z_YOUNG] + (offset >> z->granule_shift) * sizeof(uint64_t),
		       &forwarding);
	if (!err && forwarding)
		*ret = JAVA_Z_YOUNG;
	return err;
}

/* Metadata below the address. Where it begins depends on the metadata itself on x86 (zAddress_x86),
 * and is fixed elsewhere. */
static int shift_of(const struct java_z *z, uint64_t raw, uint32_t *ret)
{
	uint64_t remapped = (raw & REMAPPED_MASK) >> REMAPPED_SHIFT;

	if (!remapped || remapped & (remapped - 1) || z->phase.shift >= 64)
		return -EAGAIN;
#ifdef __x86_64__
	*ret = REMAPPED_SHIFT + 1 + (uint32_t)__builtin_ctzll(remapped);
#else
	*ret = (uint32_t)z->phase.shift;
#endif
	return 0;
}

static int shifted_address(const struct java_z *z, uint64_t raw, uint64_t *ret)
{
	enum java_z_generation generation;
	uint64_t offset;
	uint32_t shift;
	int err = shift_of(z, raw, &shift);

	if (err)
		return err;
	*ret = raw >> shift;
	if (!(raw & z->phase.bad_mask))
		return 0;
	if (!z->maps[JAVA_Z_YOUNG] || !z->maps[JAVA_Z_OLD])
		return -EAGAIN;
	offset = *ret & z->offset_mask;
	err = generation_of(z, raw, offset, &generation);
	if (!err)
		err = forward(z, z->maps[generation], offset, &offset);
	*ret = (*ret & ~z->offset_mask) | offset;
	return err;
}

int java_z_address(const struct java_z *z, uint64_t raw, uint64_t *ret)
{
	uint64_t all = z->generational ? ~0xffffull : z->offset_mask;
	int err;

	*ret = 0;
	if (!(raw & all)) /* null, coloured or not */
		return 0;
	err = z->generational ? shifted_address(z, raw, ret) : marked_address(z, raw, ret);
	return err ? err : *ret % 8 ? -EAGAIN : 0;
}
