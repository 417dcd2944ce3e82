/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "user/attach/javaheap.h"
#include "user/attach/target_memory.h"

#define COMPACT_KLASS_SHIFT 42 /* markWord.hpp: the klass is the upper 22 bits */
#define COMPACT_LENGTH_AT   8
#define SUPERS_MAX	    64
/* Klass::_layout_helper of a byte[]: a primitive array (top bits 11), T_BYTE = 8, elements of 2^0
 * bytes; klass.hpp. */
#define LAYOUT_OF_BYTES(layout)                                                                    \
	((layout) >> 30 == 3 && ((layout) >> 8 & 0xff) == 8 && ((layout)&0xff) == 0)
#define LAYOUT_HEADER(layout) ((layout) >> 16 & 0xff)
#define ALIGNED(address)      ((address) && (address) % 8 == 0)

static int read_u64(const struct java_heap *heap, uint64_t at, uint64_t *ret)
{
	return target_memory_read(heap->tgid, at, ret, sizeof(*ret));
}

/*
 * A collection that slides objects together first makes all pointers lead to the new places, where
 * for a while others still lie: nothing seen meanwhile may be believed, however often it is seen.
 * 0, or -EBUSY.
 */
static int read_collections(const struct java_heap *heap, uint32_t *ret)
{
	uint8_t active;
	int err = target_memory_read(heap->tgid, heap->active_at, &active, sizeof(active));

	if (!err)
		err = target_memory_read(heap->tgid, heap->collections_at, ret, sizeof(*ret));
	return err ? err : active ? -EBUSY : 0;
}

int java_heap_begin(struct java_heap *heap)
{
	return heap->z ? java_z_begin(&heap->pointers) : read_collections(heap, &heap->collections);
}

bool java_heap_still(const struct java_heap *heap)
{
	uint32_t collections;

	if (heap->z)
		return java_z_still(&heap->pointers);
	return !read_collections(heap, &collections) && collections == heap->collections;
}

int java_heap_root(const struct java_heap *heap, uint64_t at, uint64_t *ret_raw, uint64_t *ret)
{
	int err = read_u64(heap, at, ret_raw);

	if (err)
		return err;
	if (heap->z)
		return java_z_address(&heap->pointers, *ret_raw, ret);
	*ret = *ret_raw;
	return *ret && !ALIGNED(*ret) ? -EAGAIN : 0;
}

int java_heap_field(const struct java_heap *heap, uint64_t at, uint64_t *ret_raw, uint64_t *ret)
{
	uint32_t narrow;
	int err;

	if (!heap->narrow_oops)
		return java_heap_root(heap, at, ret_raw, ret);
	err = target_memory_read(heap->tgid, at, &narrow, sizeof(narrow));
	*ret_raw = narrow;
	*ret = narrow ? heap->oop_base + ((uint64_t)narrow << heap->oop_shift) : 0;
	return err;
}

int java_heap_klass(const struct java_heap *heap, uint64_t object, uint64_t *ret)
{
	uint64_t wide;
	uint32_t narrow;
	int err;

	if (heap->compact_headers) {
		err = read_u64(heap, object + heap->mark_at, &wide);
		narrow = (uint32_t)(wide >> COMPACT_KLASS_SHIFT);
	} else if (heap->narrow_klasses) {
		err = target_memory_read(heap->tgid, object + heap->klass_at, &narrow,
					 sizeof(narrow));
	} else {
		err = read_u64(heap, object + heap->klass_at, ret);
		return err ? err : ALIGNED(*ret) ? 0 : -EAGAIN;
	}
	if (err)
		return err;
	*ret = heap->klass_base + ((uint64_t)narrow << heap->klass_shift);
	return narrow && ALIGNED(*ret) ? 0 : -EAGAIN;
}

bool java_heap_is_thread(const struct java_heap *heap, uint64_t klass)
{
	for (int i = 0; i < SUPERS_MAX && klass; i++) {
		if (klass == heap->thread_klass)
			return true;
		if (read_u64(heap, klass + heap->super_at, &klass))
			return false;
	}
	return false;
}

int java_heap_java_thread(const struct java_heap *heap, uint64_t thread, uint64_t *ret)
{
	return read_u64(heap, thread + heap->thread_eetop_at, ret);
}

int java_heap_bytes(struct java_heap *heap, uint64_t array, uint64_t *ret, uint32_t *ret_nr)
{
	uint64_t klass, length_at;
	uint32_t layout;
	int err = java_heap_klass(heap, array, &klass);

	if (!err)
		err = target_memory_read(heap->tgid, klass + heap->layout_helper_at, &layout,
					 sizeof(layout));
	if (err)
		return err;
	if (!LAYOUT_OF_BYTES(layout) || (heap->byte_array_klass && klass != heap->byte_array_klass))
		return -EAGAIN;
	heap->byte_array_klass = klass;
	if (heap->compact_headers)
		length_at = COMPACT_LENGTH_AT;
	else
		length_at = heap->klass_at +
			    (heap->narrow_klasses ? sizeof(uint32_t) : sizeof(uint64_t));
	*ret = array + LAYOUT_HEADER(layout);
	return target_memory_read(heap->tgid, array + length_at, ret_nr, sizeof(*ret_nr));
}
