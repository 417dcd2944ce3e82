/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <uchar.h>
#include <unistd.h>

#include "user/attach/javaheap.h"
#include "user/attach/javanames_text.h"
#include "user/base/cleanup.h"

struct name {
	const char16_t *units;
	const char *utf8, *comm;
	bool fits;
};

static const struct name names[] = {
	{u"main", "main", "main", true},
	{u"main", "main", "mai", false},
	{u"main", "main", "main2", false},
	{u"exactly15chars!", "exactly15chars!", "exactly15chars!", true},
	{u"sixteen charact.", "sixteen charact.", "sixteen charact", true},
	{u"http-nio-8080-exec-12", "http-nio-8080-exec-12", "http-nio-8080-e", true},
	{u"http-nio-8080-exec-12", "http-nio-8080-exec-12", "http-ni..xec-12", true}, /* JDK 27 */
	{u"http-nio-8080-exec-12", "http-nio-8080-exec-12", "http-ni..xec-13", false},
	{u"http-nio-8080-exec-12", "http-nio-8080-exec-12", "http-nio-8080-f", false},
	{u"Größe-Übertragung", "Größe-Übertragung", "Größe-Übertr", true},
	{u"日本語スレッド", "日本語スレッド", "日本語スレ", true},
	/* Cut inside a character, as HotSpot does. */
	{u"a日本語スレッド", "a日本語スレッド", "a日本語ス\xe3\x83", true},
	/* HotSpot writes a surrogate pair as two characters of three bytes. */
	{u"😀", "😀", "\xed\xa0\xbd\xed\xb8\x80", true},
	{u"😀", "😀", "😀", false},
	{u"\xd83d!", "\xef\xbf\xbd!", "\xed\xa0\xbd!", true},
	{u"!\xde00", "!\xef\xbf\xbd", "!\xed\xb8\x80", true},
	{u"a\tb\x7f"
	 u"c\x85",
	 "a?b?c?",
	 "a\tb\x7f"
	 "c\xc2\x85",
	 true},
	{u"", "", "", true},
	{u"", "", "java", false},
};

static uint32_t count_units(const char16_t *units)
{
	uint32_t nr = 0;

	while (units[nr])
		nr++;
	return nr;
}

Test(javanames, a_name_becomes_utf8_and_is_known_by_its_comm)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct java_text text = {(const uint8_t *)names[i].units,
					       2 * count_units(names[i].units), true};
		char buffer[128];

		java_text_print(&text, buffer, sizeof(buffer));
		cr_expect(eq(str, buffer, (char *)names[i].utf8), "row %zu", i);
		cr_expect(eq(int, java_text_is_comm(&text, names[i].comm), names[i].fits),
			  "row %zu", i);
	}
}

Test(javanames, latin_1_is_one_byte_a_character)
{
	const struct java_text text = {(const uint8_t *)"Gr\xf6\xdf"
							"e",
				       5, false};
	char buffer[16], small[5];

	java_text_print(&text, buffer, sizeof(buffer));
	cr_expect(eq(str, buffer, "Größe"));
	cr_expect(java_text_is_comm(&text, "Größe"));
	java_text_print(&text, small, sizeof(small));
	cr_expect(eq(str, small, "Gr\xc3\xb6"), "cut at a character, not inside one");
}

Test(javanames, a_nul_in_a_name_is_two_bytes_to_hotspot)
{
	const struct java_text text = {(const uint8_t *)"a\0b", 3, false};
	char buffer[16];

	java_text_print(&text, buffer, sizeof(buffer));
	cr_expect(eq(str, buffer, "a?b"));
	cr_expect(java_text_is_comm(&text, "a\xc0\x80"
					   "b"));
	cr_expect(zero(int, java_text_is_comm(&text, "a")));
}

/* A heap in this test's own memory. */
struct fake_klass {
	uint64_t filler;
	uint32_t layout;
	uint32_t filler2;
	uint64_t super;
};

struct fake_array {
	uint64_t mark;
	uint32_t klass, length;
	char bytes[16];
};

#define LAYOUT_BYTE_ARRAY 0xc0100800u /* primitive, header 16, T_BYTE, 2^0 */

struct fake {
	struct java_heap heap;
	struct fake_klass thread, worker, bytes; /* klasses; compressed: (address - base) >> 3 */
	struct fake_array array __attribute__((aligned(8)));
	uint64_t bad_mask, good_mask, offset_mask, shift;
	uint64_t root;
	uint32_t narrow;
};

static uint64_t address_of(const void *at)
{
	return (uint64_t)(uintptr_t)at;
}

static uint32_t narrow_klass(const struct fake *f, const struct fake_klass *klass)
{
	return (uint32_t)((address_of(klass) - f->heap.klass_base) >> f->heap.klass_shift);
}

static void make(struct fake *f)
{
	*f = (struct fake){.bytes = {.layout = LAYOUT_BYTE_ARRAY}, .array = {.length = 5}};
	f->heap = (struct java_heap){
		.tgid = (uint32_t)getpid(),
		.narrow_oops = true,
		.narrow_klasses = true,
		.oop_base = address_of(f) - 4096,
		.klass_base = address_of(f) - 8192,
		.oop_shift = 3,
		.klass_shift = 3,
		.klass_at = 8,
		.layout_helper_at = offsetof(struct fake_klass, layout),
		.super_at = offsetof(struct fake_klass, super),
		.thread_klass = address_of(&f->thread),
	};
	f->worker.super = address_of(&f->thread);
	f->array.klass = narrow_klass(f, &f->bytes);
	memcpy(f->array.bytes, "hello", 5);
}

Test(javaheap, compressed_references_are_decoded)
{
	struct fake f;
	uint64_t raw, address;

	make(&f);
	f.narrow = (uint32_t)((address_of(&f.array) - f.heap.oop_base) >> 3);
	cr_assert(zero(int, java_heap_field(&f.heap, address_of(&f.narrow), &raw, &address)));
	cr_expect(eq(u64, address, address_of(&f.array)));
	cr_expect(eq(u64, raw, f.narrow));
	f.narrow = 0;
	cr_assert(zero(int, java_heap_field(&f.heap, address_of(&f.narrow), &raw, &address)));
	cr_expect(zero(u64, address), "null has no base");
}

Test(javaheap, an_address_that_no_object_can_have_is_refused)
{
	struct fake f;
	uint64_t raw, address;

	make(&f);
	f.root = address_of(&f.array) + 4;
	cr_expect(eq(int, java_heap_root(&f.heap, address_of(&f.root), &raw, &address), -EAGAIN));
	cr_expect(eq(int, java_heap_root(&f.heap, 8, &raw, &address), -EFAULT));
}

Test(javaheap, byte_arrays_are_read_and_nothing_else_is_taken_for_one)
{
	static const struct {
		const char *why;
		uint32_t layout;
	} others[] = {
		{"char[]", 0xc0100501},
		{"Object[]", 0x80100902},
		{"boolean[]", 0xc0100400},
		{"an object", 24},
	};
	struct fake f;
	uint64_t bytes;
	uint32_t nr;

	make(&f);
	cr_assert(zero(int, java_heap_bytes(&f.heap, address_of(&f.array), &bytes, &nr)));
	cr_expect(eq(u64, bytes, address_of(f.array.bytes)));
	cr_expect(eq(u32, nr, 5));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		make(&f);
		f.bytes.layout = others[i].layout;
		cr_expect(eq(int, java_heap_bytes(&f.heap, address_of(&f.array), &bytes, &nr),
			     -EAGAIN),
			  "%s", others[i].why);
	}
	make(&f);
	f.heap.byte_array_klass = address_of(&f.worker);
	cr_expect(eq(int, java_heap_bytes(&f.heap, address_of(&f.array), &bytes, &nr), -EAGAIN),
		  "there is one klass of byte[]");
}

Test(javaheap, compact_headers_hold_the_klass_in_the_mark)
{
	struct compact {
		uint64_t mark;
		uint32_t length;
	} array;
	struct fake f;
	uint64_t bytes;
	uint32_t nr;

	make(&f);
	f.heap.compact_headers = true;
	f.bytes.layout = 0xc00c0800; /* header 12 */
	array = (struct compact){((uint64_t)narrow_klass(&f, &f.bytes) << 42) | 0x3ff, 3};
	cr_assert(zero(int, java_heap_bytes(&f.heap, address_of(&array), &bytes, &nr)));
	cr_expect(eq(u64, bytes, address_of(&array) + 12));
	cr_expect(eq(u32, nr, 3));
}

Test(javaheap, wide_headers_hold_the_klass_as_it_is)
{
	struct wide {
		uint64_t mark, klass;
		uint32_t length;
	} array;
	struct fake f;
	uint64_t bytes;
	uint32_t nr;

	make(&f);
	f.heap.narrow_klasses = false;
	f.bytes.layout = 0xc0180800; /* header 24 */
	array = (struct wide){1, address_of(&f.bytes), 9};
	cr_assert(zero(int, java_heap_bytes(&f.heap, address_of(&array), &bytes, &nr)));
	cr_expect(eq(u64, bytes, address_of(&array) + 24));
	cr_expect(eq(u32, nr, 9));
}

Test(javaheap, threads_are_known_by_what_they_descend_from)
{
	struct fake f;

	make(&f);
	cr_expect(java_heap_is_thread(&f.heap, address_of(&f.thread)));
	cr_expect(java_heap_is_thread(&f.heap, address_of(&f.worker)));
	cr_expect(zero(int, java_heap_is_thread(&f.heap, address_of(&f.bytes))));
	f.bytes.super = address_of(&f.bytes);
	cr_expect(zero(int, java_heap_is_thread(&f.heap, address_of(&f.bytes))),
		  "its own ancestor, for ever");
}

static void make_z(struct fake *f, enum java_pointers pointers)
{
	make(f);
	f->heap.narrow_oops = false;
	f->heap.pointers = pointers;
	f->heap.bad_mask_at = address_of(&f->bad_mask);
	f->heap.good_mask_at = address_of(&f->good_mask);
	if (pointers == JAVA_POINTERS_MARKED)
		f->heap.offset_mask_at = address_of(&f->offset_mask);
	else
		f->heap.shift_at = address_of(&f->shift);
	f->bad_mask = pointers == JAVA_POINTERS_MARKED ? 7ull << 42 & ~(1ull << 44) : 0xe000;
	f->good_mask = pointers == JAVA_POINTERS_MARKED ? 1ull << 44 : 0x1000;
	f->offset_mask = (1ull << 42) - 1;
	f->shift = 13;
	cr_assert(zero(int, java_heap_begin(&f->heap)));
}

Test(javaheap, marked_pointers_of_zgc_are_good_or_left_alone)
{
	struct fake f;
	uint64_t raw, address;

	make_z(&f, JAVA_POINTERS_MARKED);
	f.root = 0x1238 | 1ull << 44;
	cr_assert(zero(int, java_heap_root(&f.heap, address_of(&f.root), &raw, &address)));
	cr_expect(eq(u64, address, 0x1238 | 1ull << 44), "that view of the heap is mapped");
	f.root = 0x1238 | 1ull << 42;
	cr_expect(eq(int, java_heap_root(&f.heap, address_of(&f.root), &raw, &address), -EAGAIN));
	f.root = 0;
	cr_assert(zero(int, java_heap_root(&f.heap, address_of(&f.root), &raw, &address)));
	cr_expect(zero(u64, address));
}

Test(javaheap, shifted_pointers_of_zgc_are_good_or_left_alone)
{
	struct fake f;
	uint64_t raw, address;

	make_z(&f, JAVA_POINTERS_SHIFTED);
	f.root = 0x40000001238ull << 13 | 0x1000;
	cr_assert(zero(int, java_heap_root(&f.heap, address_of(&f.root), &raw, &address)));
	cr_expect(eq(u64, address, 0x40000001238ull));
	f.root = 0x40000001238ull << 14 | 0x2000;
	cr_expect(eq(int, java_heap_root(&f.heap, address_of(&f.root), &raw, &address), -EAGAIN));
}

Test(javaheap, a_new_phase_of_zgc_ends_what_was_begun)
{
	struct fake f;

	make_z(&f, JAVA_POINTERS_SHIFTED);
	cr_expect(java_heap_still(&f.heap));
	f.bad_mask = 0xd000;
	cr_expect(zero(int, java_heap_still(&f.heap)));
	make_z(&f, JAVA_POINTERS_SHIFTED);
	f.good_mask = 0x2000;
	cr_expect(zero(int, java_heap_still(&f.heap)));
	make_z(&f, JAVA_POINTERS_SHIFTED);
	f.shift = 64;
	cr_expect(eq(int, java_heap_begin(&f.heap), -EAGAIN), "a shift that C does not define");
}
