/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How objects lie in a JVM's heap, and how to read a few of them from outside while the JVM runs
 * and moves them. vmStructs in, checked pointers and fields out. What a pointer means depends on
 * the collector: this is the only place that knows.
 */
#ifndef STANDSTILL_ATTACH_JAVAHEAP_H
#define STANDSTILL_ATTACH_JAVAHEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "user/attach/javaheap_z.h"
#include "user/attach/jvm.h"
#include "user/attach/vmstructs.h"

struct java_heap {
	uint32_t tgid;
	bool z; /* ZGC's pointers; all others are addresses */
	bool narrow_oops, narrow_klasses, compact_headers;
	uint64_t oop_base, klass_base;
	uint32_t oop_shift, klass_shift;
	uint64_t mark_at, klass_at;	     /* oopDesc::_mark, ::_metadata */
	uint64_t layout_helper_at, super_at; /* Klass::_layout_helper, ::_super */
	uint64_t string_klass, thread_klass;
	uint64_t byte_array_klass; /* 0 until the first was seen */
	/* Offsets of the fields name and eetop of java.lang.Thread, value and coder of String. */
	uint64_t thread_name_at, thread_eetop_at, string_value_at, string_coder_at;
	uint64_t active_at,
		collections_at; /* CollectedHeap: bool, pauses and moves now; counts them */
	uint32_t collections;	/* since java_heap_begin */
	struct java_z pointers; /* when z */
};

/* What is needed of @jvm's heap. 0, -EOPNOTSUPP (this build or collector is not understood), or as
 * target_memory_read. */
int java_heap_open(const struct jvm *jvm, const struct vmstructs *tables, struct java_heap *ret);

/*
 * Between a begin that is 0 and a still() that is true, what is read holds: no collector has moved
 * objects in a pause meanwhile (all but ZGC), or has begun a phase that gives pointers another
 * meaning (ZGC). Shenandoah's old copies of what it moves beside Java stay as they were until
 * nothing leads there. -EBUSY: a collector is at work, try later; or as target_memory_read.
 */
int java_heap_begin(struct java_heap *heap);
bool java_heap_still(const struct java_heap *heap);

/*
 * The reference at address @at of the JVM's own memory (root), or of an object: *ret_raw as stored,
 * *ret the object's address, 0 for null. 0, -EAGAIN (what it means cannot be told now), or as
 * target_memory_read.
 */
int java_heap_root(const struct java_heap *heap, uint64_t at, uint64_t *ret_raw, uint64_t *ret);
int java_heap_field(const struct java_heap *heap, uint64_t at, uint64_t *ret_raw, uint64_t *ret);

/* The klass of the object at @object. 0, -EAGAIN or as target_memory_read. */
int java_heap_klass(const struct java_heap *heap, uint64_t object, uint64_t *ret);

/* Whether @klass is java.lang.Thread or below it. */
bool java_heap_is_thread(const struct java_heap *heap, uint64_t klass);

/* The JavaThread of a java.lang.Thread; 0 once it has ended. 0 or as target_memory_read. */
int java_heap_java_thread(const struct java_heap *heap, uint64_t thread, uint64_t *ret);

/* The bytes of a byte[]: where the first is, and how many. 0, -EAGAIN (it is no byte[]), or as
 * target_memory_read. */
int java_heap_bytes(struct java_heap *heap, uint64_t array, uint64_t *ret, uint32_t *ret_nr);

#endif
