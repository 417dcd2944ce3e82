/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "user/attach/javaheap.h"
#include "user/attach/javanames.h"
#include "user/attach/javanames_text.h"
#include "user/attach/target_memory.h"
#include "user/attach/target_process.h"
#include "user/attach/vmstructs.h"
#include "user/base/cleanup.h"
#include "user/base/units.h"

#define JAVA_THREADS_MAX 65536u
#define TEXT_BYTES_MAX	 4096u
#define NAME_BYTES	 1024
#define PASSES		 4		   /* over the threads that are without a name */
#define BUSY_NS		 (100 * NS_PER_MS) /* more for a heap that is being collected */
#define PASS_GAP_NS	 (4 * NS_PER_MS)
#define LIST_TRIES	 16

struct native { /* a thread as the kernel knows it */
	uint32_t ns_tid, tid;
	char comm[EVENT_COMM_BYTES];
	bool named; /* given out */
};

struct walk {
	const struct jvm *jvm;
	struct java_heap heap;
	/* Where things are; vmStructs. */
	uint64_t list_at;			/* ThreadsSMRSupport::_java_thread_list */
	uint64_t length_at, threads_at;		/* in ThreadsList */
	uint64_t osthread_at, thread_object_at; /* in JavaThread */
	uint64_t thread_id_at;			/* in OSThread */
	bool by_handle; /* _threadObj is an OopHandle, the address of the reference; else the
			   reference itself */
	struct native *natives; /* by ns_tid */
	size_t nr_natives, room_natives;
	char own_comm[EVENT_COMM_BYTES]; /* of the process: what threads are called that HotSpot did
					    not name */
	uint64_t *threads;		 /* JavaThreads */
	uint32_t nr_threads;
	bool busy; /* the heap was being collected in this pass */
	java_name_fn *fn;
	void *arg;
};

/* What one reading of a name saw on its way. */
struct reading {
	uint64_t root;				 /* where the first is */
	uint64_t thread, name, value;		 /* references as stored */
	uint64_t thread_at, string_at, array_at; /* the objects they led to */
	uint32_t ns_tid, nr_bytes;
	uint8_t coder;
	uint8_t bytes[TEXT_BYTES_MAX];
};

static int find_places(const struct vmstructs *tables, struct walk *walk)
{
	const char *object_type = vmstructs_type_of(tables, "JavaThread", "_threadObj");

	walk->list_at = vmstructs_static(tables, "ThreadsSMRSupport", "_java_thread_list");
	if (!walk->list_at || !object_type ||
	    vmstructs_offset(tables, "ThreadsList", "_length", &walk->length_at) ||
	    vmstructs_offset(tables, "ThreadsList", "_threads", &walk->threads_at) ||
	    vmstructs_offset(tables, "JavaThread", "_threadObj", &walk->thread_object_at) ||
	    vmstructs_offset(tables, "OSThread", "_thread_id", &walk->thread_id_at) ||
	    (vmstructs_offset(tables, "JavaThread", "_osthread", &walk->osthread_at) &&
	     vmstructs_offset(tables, "Thread", "_osthread", &walk->osthread_at)))
		return -EOPNOTSUPP; /* JDK 8 keeps its threads otherwise */
	walk->by_handle = !strcmp(object_type, "OopHandle");
	return walk->by_handle || !strcmp(object_type, "oop") ? 0 : -EOPNOTSUPP;
}

static int take_native(void *arg, uint32_t tid)
{
	struct walk *walk = arg;
	struct process_status status = {.ns_tid = tid};
	struct native native = {.tid = tid};

	if (process_comm(walk->jvm->tgid, tid, native.comm) ||
	    (walk->jvm->ns_tgid != walk->jvm->tgid &&
	     process_status(walk->jvm->tgid, tid, &status)))
		return 0; /* ended meanwhile */
	native.ns_tid = status.ns_tid;
	if (tid == walk->jvm->tgid)
		memcpy(walk->own_comm, native.comm, sizeof(walk->own_comm));
	if (walk->nr_natives == walk->room_natives) {
		size_t room = walk->room_natives ? 2 * walk->room_natives : 64;
		struct native *natives = realloc(walk->natives, room * sizeof(*natives));

		if (!natives)
			return -ENOMEM;
		walk->natives = natives;
		walk->room_natives = room;
	}
	walk->natives[walk->nr_natives++] = native;
	return 0;
}

static int compare_natives(const void *a, const void *b)
{
	const struct native *x = a, *y = b;

	return x->ns_tid < y->ns_tid ? -1 : x->ns_tid > y->ns_tid;
}

/* The JavaThreads of now: lists are replaced, never changed, and freed later, so one that is still
 * current was whole. */
static int read_list(struct walk *walk)
{
	uint32_t tgid = walk->jvm->tgid;

	for (int i = 0; i < LIST_TRIES; i++) {
		uint64_t list, threads, again;
		int err = target_memory_read(tgid, walk->list_at, &list, sizeof(list));

		if (err)
			return err;
		if (target_memory_read(tgid, list + walk->length_at, &walk->nr_threads,
				       sizeof(walk->nr_threads)) ||
		    target_memory_read(tgid, list + walk->threads_at, &threads, sizeof(threads)) ||
		    walk->nr_threads > JAVA_THREADS_MAX)
			continue;
		free(walk->threads);
		walk->threads = malloc(walk->nr_threads * sizeof(*walk->threads) + 1);
		if (!walk->threads)
			return -ENOMEM;
		if (!target_memory_read(tgid, threads, walk->threads,
					walk->nr_threads * sizeof(*walk->threads)) &&
		    !target_memory_read(tgid, walk->list_at, &again, sizeof(again)) &&
		    again == list)
			return 0;
	}
	return -EAGAIN;
}

/*
 * From the JavaThread to its java.lang.Thread, which must know it too: what is read of a thread
 * that has just ended is freed memory, and the place of its reference may be another thread's by
 * now.
 */
static int read_thread(struct walk *walk, uint64_t java_thread, struct reading *r)
{
	uint32_t tgid = walk->jvm->tgid;
	uint64_t osthread, klass, back;
	int err = target_memory_read(tgid, java_thread + walk->osthread_at, &osthread,
				     sizeof(osthread));

	r->root = java_thread + walk->thread_object_at;
	if (!err)
		err = target_memory_read(tgid, osthread + walk->thread_id_at, &r->ns_tid,
					 sizeof(r->ns_tid));
	if (!err && walk->by_handle)
		err = target_memory_read(tgid, r->root, &r->root, sizeof(r->root));
	if (!err)
		err = java_heap_root(&walk->heap, r->root, &r->thread, &r->thread_at);
	if (!err && !r->thread_at)
		err = -EAGAIN; /* not yet started, or ending */
	if (!err)
		err = java_heap_klass(&walk->heap, r->thread_at, &klass);
	if (!err && !java_heap_is_thread(&walk->heap, klass))
		err = -EAGAIN;
	if (!err)
		err = java_heap_java_thread(&walk->heap, r->thread_at, &back);
	return err ? err : back == java_thread ? 0 : -EAGAIN;
}

static int read_name(struct walk *walk, uint64_t java_thread, struct reading *r)
{
	struct java_heap *heap = &walk->heap;
	uint64_t bytes, klass;
	int err = read_thread(walk, java_thread, r);

	if (!err)
		err = java_heap_field(heap, r->thread_at + heap->thread_name_at, &r->name,
				      &r->string_at);
	if (!err && !r->string_at)
		err = -EAGAIN;
	if (!err)
		err = java_heap_klass(heap, r->string_at, &klass);
	if (!err && klass != heap->string_klass)
		err = -EAGAIN;
	if (!err)
		err = java_heap_field(heap, r->string_at + heap->string_value_at, &r->value,
				      &r->array_at);
	if (!err)
		err = target_memory_read(heap->tgid, r->string_at + heap->string_coder_at,
					 &r->coder, 1);
	if (!err && (!r->array_at || r->coder > 1))
		err = -EAGAIN;
	if (!err)
		err = java_heap_bytes(heap, r->array_at, &bytes, &r->nr_bytes);
	if (!err && (r->nr_bytes > TEXT_BYTES_MAX || (r->coder && r->nr_bytes % 2)))
		err = -EAGAIN;
	return err ? err : target_memory_read(heap->tgid, bytes, r->bytes, r->nr_bytes);
}

/*
 * What one thread writes while we read: a name being changed, a thread that ends. Against the
 * collector, which rewrites all pointers at once, java_heap_begin and java_heap_still stand guard.
 */
static bool agree(const struct reading *a, const struct reading *b)
{
	return a->root == b->root && a->thread == b->thread && a->name == b->name &&
	       a->value == b->value && a->thread_at == b->thread_at &&
	       a->string_at == b->string_at && a->array_at == b->array_at &&
	       a->ns_tid == b->ns_tid && a->coder == b->coder && a->nr_bytes == b->nr_bytes &&
	       !memcmp(a->bytes, b->bytes, a->nr_bytes);
}

/* The kernel's name says whose name it is; threads that came in by JNI, and main, bear the
 * process's. */
static bool fits(const struct walk *walk, const struct native *native, const struct java_text *text)
{
	return java_text_is_comm(text, native->comm) || !strcmp(native->comm, walk->own_comm);
}

static bool give_name(struct walk *walk, const struct reading *reading)
{
	const struct java_text text = {reading->bytes, reading->nr_bytes, reading->coder == 1};
	struct native key = {.ns_tid = reading->ns_tid}, *native;
	char name[NAME_BYTES];

	native = bsearch(&key, walk->natives, walk->nr_natives, sizeof(key), compare_natives);
	if (!native || native->named || !fits(walk, native, &text))
		return false;
	java_text_print(&text, name, sizeof(name));
	native->named = true;
	walk->fn(walk->arg, native->tid, name);
	return true;
}

static bool take_name(struct walk *walk, uint64_t java_thread)
{
	struct reading first, second;
	bool same;

	if (java_heap_begin(&walk->heap)) {
		walk->busy = true;
		return false;
	}
	same = !read_name(walk, java_thread, &first) && !read_name(walk, java_thread, &second) &&
	       agree(&first, &second);
	if (!java_heap_still(&walk->heap)) {
		walk->busy = true;
		return false;
	}
	return same && give_name(walk, &first);
}

/* Try each thread that has no name yet; those named are dropped from the list. */
static void try_all(struct walk *walk)
{
	uint32_t nr_left = 0;

	walk->busy = false;
	for (uint32_t i = 0; i < walk->nr_threads; i++)
		if (!take_name(walk, walk->threads[i]))
			walk->threads[nr_left++] = walk->threads[i];
	walk->nr_threads = nr_left;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static int walk_threads(struct walk *walk)
{
	const struct timespec gap = {.tv_nsec = PASS_GAP_NS};
	uint64_t until_ns;
	int err = process_each_thread(walk->jvm->tgid, take_native, walk);

	if (!err)
		err = read_list(walk);
	if (err)
		return err;
	qsort(walk->natives, walk->nr_natives, sizeof(*walk->natives), compare_natives);
	until_ns = now_ns() + BUSY_NS;
	try_all(walk);
	for (int i = 1; walk->nr_threads && (i < PASSES || (walk->busy && now_ns() < until_ns));
	     i++) {
		nanosleep(&gap, NULL);
		try_all(walk);
	}
	return (int)walk->nr_threads;
}

int java_names_read(const struct jvm *jvm, java_name_fn *fn, void *arg)
{
	struct walk walk = {.jvm = jvm, .fn = fn, .arg = arg};
	struct vmstructs *tables;
	int err = vmstructs_read(jvm->tgid, jvm->vmstructs, &tables);

	if (err)
		return err == -ENODATA ? -EOPNOTSUPP : err;
	err = find_places(tables, &walk);
	if (!err)
		err = java_heap_open(jvm, tables, &walk.heap);
	vmstructs_free(tables);
	if (!err)
		err = walk_threads(&walk);
	free(walk.natives);
	free(walk.threads);
	return err;
}
