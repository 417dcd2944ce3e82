/* SPDX-License-Identifier: BSD-2-Clause */
/* What a JVM says of itself in hsperfdata, read in its memory: counters' places, version,
 * collector, command. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/jvm_parts.h"
#include "user/attach/perfdata.h"
#include "user/attach/target_memory.h"
#include "user/attach/vmstructs.h"
#include "user/base/cleanup.h"

#define PROLOGUE_BYTES	 32u
#define USED_BYTES_MAX	 (4u << 20)
#define TEXT_BYTES_MAX	 65536u
#define COLLECTORS_ASKED 8 /* numbers tried after sun.gc.collector. */
#define TICKS_PER_S	 1000000000ll

struct take {
	struct jvm *jvm;
	bool out_of_memory;
	int64_t frequency; /* of the counters of time */
	char java_version[JVM_TEXT_BYTES];
	struct jvm_location invocations[COLLECTORS_ASKED];
};

static void take_location(const struct take *take, const struct perfdata_entry *entry,
			  struct jvm_location *ret)
{
	ret->address = take->jvm->perfdata_address + entry->offset;
	ret->bytes = entry->bytes;
}

static void take_counter(struct take *take, const struct perfdata_entry *entry)
{
	struct jvm_counter_map *map = &take->jvm->counters;
	const struct {
		const char *name;
		char type;
		struct jvm_location *ret;
	} wanted[] = {
		{"sun.rt.safepoints", 'J', &map->safepoints},
		{"sun.rt.safepointSyncTime", 'J', &map->sync_time},
		{"sun.rt.safepointTime", 'J', &map->safepoint_time},
		{"sun.rt.applicationTime", 'J', &map->application_time},
		{"sun.gc.cause", 'B', &map->cause},
		{"sun.gc.lastCause", 'B', &map->last_cause},
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (entry->type == wanted[i].type && !strcmp(entry->name, wanted[i].name))
			take_location(take, entry, wanted[i].ret);
	if (entry->type == 'J' && !strcmp(entry->name, "sun.os.hrt.frequency"))
		memcpy(&take->frequency, entry->data, sizeof(take->frequency));
}

static void take_collector(struct take *take, const struct perfdata_entry *entry)
{
	char text[JVM_TEXT_BYTES], what[16];
	struct jvm *jvm = take->jvm;
	unsigned int number;

	if (sscanf(entry->name, "sun.gc.collector.%1u.%15s", &number, what) != 2 ||
	    number >= COLLECTORS_ASKED)
		return;
	if (entry->type == 'J' && !strcmp(what, "invocations"))
		take_location(take, entry, &take->invocations[number]);
	if (entry->type != 'B' || strcmp(what, "name") || jvm->collector)
		return;
	perfdata_text(entry, text, sizeof(text));
	jvm->collector = jvm_collector_of_counter(text);
	if (jvm->collector)
		jvm->collector_source = "hsperfdata";
}

static void take_long_text(struct take *take, const struct perfdata_entry *entry, char **ret)
{
	size_t bytes = entry->bytes < TEXT_BYTES_MAX ? entry->bytes + 1 : TEXT_BYTES_MAX;
	char *text = malloc(bytes);

	if (!text) {
		take->out_of_memory = true;
		return;
	}
	perfdata_text(entry, text, bytes);
	free(*ret);
	*ret = text;
}

static void take_text(struct take *take, const struct perfdata_entry *entry)
{
	struct jvm *jvm = take->jvm;

	if (!strcmp(entry->name, "java.property.java.vm.version"))
		perfdata_text(entry, jvm->version, sizeof(jvm->version));
	else if (!strcmp(entry->name, "java.property.java.version"))
		perfdata_text(entry, take->java_version, sizeof(take->java_version));
	else if (!strcmp(entry->name, "java.property.java.vm.name"))
		perfdata_text(entry, jvm->vm_name, sizeof(jvm->vm_name));
	else if (!strcmp(entry->name, "java.property.java.vm.vendor"))
		perfdata_text(entry, jvm->vendor, sizeof(jvm->vendor));
	else if (!strcmp(entry->name, "sun.rt.javaCommand"))
		take_long_text(take, entry, &jvm->java_command);
	else if (!strcmp(entry->name, "java.rt.vmArgs"))
		take_long_text(take, entry, &jvm->vm_arguments);
}

static void take_entry(void *arg, const struct perfdata_entry *entry)
{
	struct take *take = arg;

	take_counter(take, entry);
	take_collector(take, entry);
	if (entry->type == 'B')
		take_text(take, entry);
}

static void close_gaps(const struct take *take)
{
	struct jvm_counter_map *map = &take->jvm->counters;

	for (size_t i = 0; i < COLLECTORS_ASKED && map->nr_gc_invocations < JVM_COLLECTORS_MAX; i++)
		if (take->invocations[i].address)
			map->gc_invocations[map->nr_gc_invocations++] = take->invocations[i];
	if (take->frequency == TICKS_PER_S)
		return;
	/* Not ns: better no times than wrong ones. Linux always has 1e9 (os_linux.cpp,
	 * elapsed_frequency). */
	map->sync_time = map->safepoint_time = map->application_time = (struct jvm_location){0};
}

/* With -XX:+PerfDisableSharedMem the counters are in plain memory, which vmStructs knows. */
static int find_private_memory(struct jvm *jvm, const struct vmstructs *tables)
{
	uint64_t start_at = tables ? vmstructs_static(tables, "PerfMemory", "_start") : 0;
	uint64_t used_at = tables ? vmstructs_static(tables, "PerfMemory", "_capacity") : 0;
	uint64_t start, capacity;
	int err;

	if (!start_at || !used_at)
		return 0;
	err = target_memory_read(jvm->tgid, start_at, &start, sizeof(start));
	if (!err)
		err = target_memory_read(jvm->tgid, used_at, &capacity, sizeof(capacity));
	if (err || !start || !capacity || capacity > USED_BYTES_MAX)
		return err;
	jvm->perfdata_address = start;
	jvm->perfdata_bytes = (uint32_t)capacity;
	return 0;
}

static void take_version(const struct take *take)
{
	struct jvm *jvm = take->jvm;

	if (!*jvm->version)
		return;
	jvm->feature = jvm_feature_of(jvm->version);
	jvm->version_source = "hsperfdata";
	/* JDK 8 counts its HotSpot apart, as 25: nobody knows it by that. */
	if (jvm->feature == 8 && *take->java_version)
		memcpy(jvm->version, take->java_version, sizeof(jvm->version));
}

int jvm_take_perfdata(struct jvm *jvm, const struct vmstructs *tables)
{
	uint8_t prologue[PROLOGUE_BYTES], *data CLEANUP(freep) = NULL;
	struct take take = {.jvm = jvm};
	uint32_t used = 0;
	int err = 0;

	if (!jvm->perfdata_address)
		err = find_private_memory(jvm, tables);
	if (err || !jvm->perfdata_address)
		return err;
	err = target_memory_read(jvm->tgid, jvm->perfdata_address, prologue, sizeof(prologue));
	if (err)
		return err;
	used = perfdata_used(prologue, sizeof(prologue));
	if (!used || used > jvm->perfdata_bytes || used > USED_BYTES_MAX)
		return 0; /* still being set up, or nothing we know */
	data = malloc(used);
	if (!data)
		return -ENOMEM;
	err = target_memory_read(jvm->tgid, jvm->perfdata_address, data, used);
	if (err)
		return err;
	perfdata_parse(data, used, take_entry,
		       &take); /* a bad entry ends it; the ones before it hold */
	close_gaps(&take);
	take_version(&take);
	return take.out_of_memory ? -ENOMEM : 0;
}
