/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "user/attach/javaheap_z.h"
#include "user/base/cleanup.h"

#define NR_ENTRIES    16
#define NR_GRANULES   8
#define GRANULE_SHIFT 21
#define FROM	      (3ull << GRANULE_SHIFT) /* the page that was emptied */
#define INDEX	      5ull		      /* of the object on it, whose alignment is 8 */
#define OLD_OFFSET    (FROM + INDEX * 8)
#define NEW_OFFSET    ((6ull << GRANULE_SHIFT) + 0x40)
#define HASH_OF_5     3		   /* the last 4 bits of ZHash::uint32_to_uint32(5), 0x6637fbf3 */
#define HEAP_BASE     (1ull << 42) /* generational: above the offset in an address */

struct forwarding { /* as far as it is read */
	uint64_t start, end, alignment, nr_entries;
	uint64_t entries[NR_ENTRIES];
};

struct fake {
	struct java_z z;
	struct java_z_phase phase;
	const struct forwarding *young[NR_GRANULES], *old[NR_GRANULES];
	struct forwarding forwarding;
};

static uint64_t address_of(const void *at)
{
	return (uint64_t)(uintptr_t)at;
}

static uint64_t entry(uint64_t index, uint64_t to)
{
	return index << 46 | to << 1 | 1;
}

static void make(struct fake *f, bool generational)
{
	static const struct java_z_phase marked = {.good_mask = 1ull << 44,
						   .bad_mask = 7ull << 42 & ~(1ull << 44),
						   .weak_bad_mask = 3ull << 42};
	static const struct java_z_phase shifted = {.good_mask = 0x1000,
						    .bad_mask = 0xe000,
						    .shift = 13,
						    .young_mask = 0x5000,
						    .old_mask = 0x3000};

	*f = (struct fake){.phase = generational ? shifted : marked};
	f->forwarding =
		(struct forwarding){.start = FROM, .alignment = 3, .nr_entries = NR_ENTRIES};
	f->z = (struct java_z){
		.tgid = (uint32_t)getpid(),
		.generational = generational,
		.offset_mask = (1ull << 42) - 1,
		.granule_shift = GRANULE_SHIFT,
		.maps = {address_of(f->young), generational ? address_of(f->old) : 0},
		.start_at = offsetof(struct forwarding, start),
		.alignment_at = offsetof(struct forwarding, alignment),
		.nr_entries_at = offsetof(struct forwarding, nr_entries),
		.entries_at = offsetof(struct forwarding, entries),
	};
	for (int i = 0; i < JAVA_Z_VARIABLES; i++)
		f->z.phase_at[i] = address_of((uint64_t *)&f->phase + i);
	cr_assert(zero(int, java_z_begin(&f->z)));
}

static uint64_t expect_address(const struct fake *f, uint64_t raw, uint64_t expected,
			       const char *why)
{
	uint64_t got = 1;

	cr_expect(zero(int, java_z_address(&f->z, raw, &got)), "%s", why);
	cr_expect(eq(u64, got, expected), "%s", why);
	return got;
}

static void expect_none(const struct fake *f, uint64_t raw, const char *why)
{
	uint64_t got;

	cr_expect(eq(int, java_z_address(&f->z, raw, &got), -EAGAIN), "%s", why);
}

/* The pages' views are mapped at offset | good mask. */
#define VIEW	 (1ull << 44)
#define REMAPPED (1ull << 44)
#define MARKED0	 (1ull << 42)

Test(javaheap_z, a_marked_pointer_leads_where_its_object_is)
{
	struct fake f;

	make(&f, false);
	expect_address(&f, 0, 0, "null");
	expect_address(&f, OLD_OFFSET | REMAPPED, OLD_OFFSET | VIEW, "mended");
	expect_address(&f, OLD_OFFSET | MARKED0, OLD_OFFSET | VIEW, "its page was not emptied");
	f.young[3] = &f.forwarding;
	expect_address(&f, OLD_OFFSET | MARKED0, OLD_OFFSET | VIEW, "not moved yet");
	f.forwarding.entries[HASH_OF_5] = entry(INDEX, NEW_OFFSET);
	expect_address(&f, OLD_OFFSET | MARKED0, NEW_OFFSET | VIEW, "moved");
	expect_address(&f, OLD_OFFSET | REMAPPED, OLD_OFFSET | VIEW,
		       "mended: another object is there now");
}

Test(javaheap_z, entries_are_found_behind_others_and_around_the_end)
{
	struct fake f;

	make(&f, false);
	f.young[3] = &f.forwarding;
	for (int i = HASH_OF_5; i < NR_ENTRIES; i++)
		f.forwarding.entries[i] = entry(100 + (uint64_t)i, 0x1000);
	expect_address(&f, OLD_OFFSET | MARKED0, OLD_OFFSET | VIEW, "only others");
	f.forwarding.entries[0] = entry(INDEX, NEW_OFFSET);
	expect_address(&f, OLD_OFFSET | MARKED0, NEW_OFFSET | VIEW, "around the end");
	for (int i = 0; i < NR_ENTRIES; i++)
		f.forwarding.entries[i] = entry(100 + (uint64_t)i, 0x1000);
	expect_none(&f, OLD_OFFSET | MARKED0,
		    "a full table, which ZGC never has, does not hang us");
}

Test(javaheap_z, tables_that_make_no_sense_are_not_believed)
{
	struct fake f;

	make(&f, false);
	f.young[3] = &f.forwarding;
	f.forwarding.nr_entries = 12;
	expect_none(&f, OLD_OFFSET | MARKED0, "no power of two");
	f.forwarding.nr_entries = 0;
	expect_none(&f, OLD_OFFSET | MARKED0, "no entries");
	f.forwarding.nr_entries = 1ull << 40;
	expect_none(&f, OLD_OFFSET | MARKED0, "more entries than a page has objects");
	f.forwarding.nr_entries = NR_ENTRIES;
	f.forwarding.alignment = 64;
	expect_none(&f, OLD_OFFSET | MARKED0, "an alignment that C does not define");
	f.forwarding.alignment = 3;
	f.forwarding.start = OLD_OFFSET + 8;
	expect_none(&f, OLD_OFFSET | MARKED0, "not its page");
	make(&f, false);
	f.z.maps[JAVA_Z_YOUNG] = 0;
	expect_none(&f, OLD_OFFSET | MARKED0, "no tables");
	expect_address(&f, OLD_OFFSET | REMAPPED, OLD_OFFSET | VIEW, "no tables, but mended");
	expect_none(&f, (OLD_OFFSET + 4) | REMAPPED, "no object begins there");
}

/* Generational, x86: a pointer's one bit of 0xf000 says where its address begins. */
static uint64_t shifted(uint64_t offset, uint64_t remapped, uint64_t others)
{
	return (HEAP_BASE | offset) << (__builtin_ctzll(remapped) + 1) | remapped | others;
}

#ifdef __x86_64__
Test(javaheap_z, a_shifted_pointer_leads_where_its_object_is)
{
	struct fake f;

	make(&f, true);
	expect_address(&f, 0, 0, "null");
	expect_address(&f, 0x1000, 0, "coloured null");
	expect_address(&f, shifted(OLD_OFFSET, 0x1000, 0), HEAP_BASE | OLD_OFFSET, "mended");
	expect_address(&f, shifted(OLD_OFFSET, 0x2000, 0), HEAP_BASE | OLD_OFFSET,
		       "not seen by young, not moved");
	f.forwarding.entries[HASH_OF_5] = entry(INDEX, NEW_OFFSET);
	f.young[3] = &f.forwarding;
	expect_address(&f, shifted(OLD_OFFSET, 0x2000, 0), HEAP_BASE | NEW_OFFSET,
		       "moved by young");
	expect_address(&f, shifted(OLD_OFFSET, 0x4000, 0), HEAP_BASE | OLD_OFFSET,
		       "young is up to date, old has none");
	expect_address(&f, shifted(OLD_OFFSET, 0x8000, 0), HEAP_BASE | NEW_OFFSET,
		       "neither is: young has one");
	expect_address(&f, shifted(OLD_OFFSET, 0x8000, 0x30), HEAP_BASE | OLD_OFFSET,
		       "neither is, but it is from old to old");
	f.young[3] = NULL;
	f.old[3] = &f.forwarding;
	expect_address(&f, shifted(OLD_OFFSET, 0x2000, 0), HEAP_BASE | OLD_OFFSET,
		       "old is up to date");
	expect_address(&f, shifted(OLD_OFFSET, 0x4000, 0), HEAP_BASE | NEW_OFFSET, "moved by old");
	expect_address(&f, shifted(OLD_OFFSET, 0x8000, 0), HEAP_BASE | NEW_OFFSET,
		       "neither is: young has none");
	expect_address(&f, shifted(OLD_OFFSET, 0x8000, 0x30), HEAP_BASE | NEW_OFFSET,
		       "from old to old");
}

Test(javaheap_z, shifted_pointers_of_impossible_colours_are_left_alone)
{
	struct fake f;

	make(&f, true);
	expect_none(&f, OLD_OFFSET << 16, "none of the four bits");
	expect_none(&f, OLD_OFFSET << 16 | 0x3000, "two of them");
	f.z.maps[JAVA_Z_OLD] = 0;
	expect_none(&f, shifted(OLD_OFFSET, 0x2000, 0), "half of the tables");
	expect_address(&f, shifted(OLD_OFFSET, 0x1000, 0), HEAP_BASE | OLD_OFFSET, "mended");
}
#endif

Test(javaheap_z, a_new_phase_ends_what_was_begun)
{
	struct fake f;

	for (int i = 0; i < JAVA_Z_VARIABLES; i++) {
		make(&f, true);
		cr_expect(java_z_still(&f.z));
		((uint64_t *)&f.phase)[i] ^= 0x2000;
		cr_expect(zero(int, java_z_still(&f.z)), "variable %d", i);
	}
}
