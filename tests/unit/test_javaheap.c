/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "user/attach/javaheap.h"
#include "user/base/cleanup.h"

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

Test(javaheap, nothing_read_during_a_collection_holds)
{
	struct fake f;
	uint8_t active = 0;
	uint32_t collections = 7;

	make(&f);
	f.heap.active_at = address_of(&active);
	f.heap.collections_at = address_of(&collections);
	cr_assert(zero(int, java_heap_begin(&f.heap)));
	cr_expect(java_heap_still(&f.heap));
	active = 1;
	cr_expect(zero(int, java_heap_still(&f.heap)), "one began");
	cr_expect(eq(int, java_heap_begin(&f.heap), -EBUSY), "one is going on");
	active = 0;
	cr_assert(zero(int, java_heap_begin(&f.heap)));
	collections++;
	cr_expect(zero(int, java_heap_still(&f.heap)), "one came and went");
}

Test(javaheap, a_thread_knows_its_java_thread)
{
	struct fake f;
	uint64_t got;

	make(&f);
	f.root = 0x1234;
	f.heap.thread_eetop_at = offsetof(struct fake, root);
	cr_assert(zero(int, java_heap_java_thread(&f.heap, address_of(&f), &got)));
	cr_expect(eq(u64, got, 0x1234));
}
