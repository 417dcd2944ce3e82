/* SPDX-License-Identifier: BSD-2-Clause */
/* What the names of a JVM's threads tell: the VM Thread, and the collector. */
#include <errno.h>
#include <string.h>

#include "user/attach/jvm_parts.h"
#include "user/attach/target_process.h"
#include "user/base/cleanup.h"

#define VM_THREAD "VM Thread" /* JDK 8 to 27 */

struct search {
	uint32_t tgid;
	uint32_t vm_tid;
	uint64_t vm_start_ticks;
	enum jvm_collector collector; /* by a thread no other collector has */
	bool has_gc_thread;	      /* one that several have */
};

static enum jvm_collector collector_of_comm(const char *comm)
{
	static const struct {
		const char *prefix;
		enum jvm_collector collector;
	} names[] = {
		{"G1 ", JVM_COLLECTOR_G1},
		{"ZDirector", JVM_COLLECTOR_ZGC},
		{"XDirector", JVM_COLLECTOR_ZGC},
		{"ZDriver", JVM_COLLECTOR_ZGC},
		{"XDriver", JVM_COLLECTOR_ZGC},
		{"Shenandoah Cont", JVM_COLLECTOR_SHENANDOAH},
		{"Shenandoah GC T", JVM_COLLECTOR_SHENANDOAH},
		{"Shenand..", JVM_COLLECTOR_SHENANDOAH},
		{"CMS Main Thread", JVM_COLLECTOR_CMS},
		{"Concurrent Mark", JVM_COLLECTOR_CMS},
		{"GC task thread#", JVM_COLLECTOR_PARALLEL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(comm, names[i].prefix, strlen(names[i].prefix)))
			return names[i].collector;
	return JVM_COLLECTOR_UNKNOWN;
}

/* Any Java thread may call itself that; the JVM made its own before it ran any Java. */
static void take_vm_thread(struct search *search, uint32_t tid)
{
	struct process_stat stat;

	if (process_stat(search->tgid, tid, &stat))
		return; /* ended meanwhile */
	if (search->vm_tid &&
	    (stat.start_ticks > search->vm_start_ticks ||
	     (stat.start_ticks == search->vm_start_ticks && tid > search->vm_tid)))
		return;
	search->vm_tid = tid;
	search->vm_start_ticks = stat.start_ticks;
}

static int look_at_thread(void *arg, uint32_t tid)
{
	struct search *search = arg;
	char comm[EVENT_COMM_BYTES];

	if (process_comm(search->tgid, tid, comm))
		return 0; /* ended meanwhile */
	if (!strcmp(comm, VM_THREAD))
		take_vm_thread(search, tid);
	if (!search->collector)
		search->collector = collector_of_comm(comm);
	if (!strncmp(comm, "GC Thread#", 10) || !strncmp(comm, "ParGC Thread#", 13))
		search->has_gc_thread = true;
	return 0;
}

static void take_collector(const struct search *search, struct jvm *jvm)
{
	enum jvm_collector asked = jvm_collector_of_arguments(jvm->vm_arguments);

	jvm->collector_source = "thread names";
	if (search->collector) {
		jvm->collector = search->collector;
	} else if (search->has_gc_thread) {
		jvm->collector = JVM_COLLECTOR_PARALLEL;
	} else if (asked) {
		jvm->collector = asked; /* Serial and Epsilon have no threads: they look alike */
		jvm->collector_source = "arguments";
	} else if (search->vm_tid) {
		jvm->collector = JVM_COLLECTOR_SERIAL;
	} else {
		jvm->collector_source = "";
	}
}

int jvm_take_threads(struct jvm *jvm)
{
	struct search search = {.tgid = jvm->tgid};
	int err = process_each_thread(jvm->tgid, look_at_thread, &search);

	if (err)
		return err;
	jvm->vm_tid = search.vm_tid;
	if (!jvm->collector)
		take_collector(&search, jvm);
	return 0;
}

enum jvm_collector jvm_collector_of_counter(const char *name)
{
	static const struct {
		const char *prefix;
		enum jvm_collector collector;
	} names[] = {
		/* What sun.gc.collector.N.name begins with: 17 and 25 as seen, then 8 and 11 (their
		   sources). */
		{"Serial", JVM_COLLECTOR_SERIAL},
		{"Parallel", JVM_COLLECTOR_PARALLEL},
		{"G1", JVM_COLLECTOR_G1},
		{"Z", JVM_COLLECTOR_ZGC},
		{"X ", JVM_COLLECTOR_ZGC},
		{"Shenandoah", JVM_COLLECTOR_SHENANDOAH},
		{"Copy", JVM_COLLECTOR_SERIAL},
		{"MSC", JVM_COLLECTOR_SERIAL},
		{"PSScavenge", JVM_COLLECTOR_PARALLEL},
		{"PSParallel", JVM_COLLECTOR_PARALLEL},
		{"PSMarkSweep", JVM_COLLECTOR_PARALLEL},
		{"PCopy", JVM_COLLECTOR_CMS},
		{"CMS", JVM_COLLECTOR_CMS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(name, names[i].prefix, strlen(names[i].prefix)))
			return names[i].collector;
	return JVM_COLLECTOR_UNKNOWN;
}

enum jvm_collector jvm_collector_of_arguments(const char *text)
{
	static const struct {
		const char *flag;
		enum jvm_collector collector;
	} flags[] = {
		{"-XX:+UseSerialGC", JVM_COLLECTOR_SERIAL},
		{"-XX:+UseParallelGC", JVM_COLLECTOR_PARALLEL},
		{"-XX:+UseG1GC", JVM_COLLECTOR_G1},
		{"-XX:+UseConcMarkSweepGC", JVM_COLLECTOR_CMS},
		{"-XX:+UseZGC", JVM_COLLECTOR_ZGC},
		{"-XX:+UseShenandoahGC", JVM_COLLECTOR_SHENANDOAH},
		{"-XX:+UseEpsilonGC", JVM_COLLECTOR_EPSILON},
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (strstr(text, flags[i].flag))
			return flags[i].collector;
	return JVM_COLLECTOR_UNKNOWN;
}

const char *jvm_collector_name(enum jvm_collector collector)
{
	static const char *const names[] = {
		[JVM_COLLECTOR_UNKNOWN] = "unknown",
		[JVM_COLLECTOR_SERIAL] = "Serial",
		[JVM_COLLECTOR_PARALLEL] = "Parallel",
		[JVM_COLLECTOR_G1] = "G1",
		[JVM_COLLECTOR_CMS] = "CMS",
		[JVM_COLLECTOR_ZGC] = "ZGC",
		[JVM_COLLECTOR_SHENANDOAH] = "Shenandoah",
		[JVM_COLLECTOR_EPSILON] = "Epsilon",
	};

	return (size_t)collector < ARRAY_SIZE(names) ? names[collector] : "unknown";
}
