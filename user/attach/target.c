/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/cgroup.h"
#include "user/attach/jvm.h"
#include "user/attach/secret.h"
#include "user/attach/target.h"
#include "user/attach/target_process.h"
#include "user/base/cleanup.h"
#include "user/recording/record.h"

#define FILE_BYTES_MAX (1u << 20)

struct facts {
	fact_fn *fn;
	void *arg;
};

static void tell(const struct facts *facts, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void tell(const struct facts *facts, const char *key, const char *format, ...)
{
	char value[RECORD_VALUE_BYTES]; /* what is longer is cut: so is the record */
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	if (*value)
		facts->fn(facts->arg, key, value);
}

static void tell_groups(const struct facts *facts, const char *cgroups)
{
	static const struct {
		const char *controller, *key;
	} wanted[] = {
		{"", "target.cgroup.v2"},
		{"cpu", "target.cgroup.cpu"},
		{"cpuset", "target.cgroup.cpuset"},
		{"memory", "target.cgroup.memory"},
		{"freezer", "target.cgroup.freezer"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		char *path CLEANUP(freep) = cgroup_path(cgroups, wanted[i].controller);

		if (path)
			tell(facts, wanted[i].key, "%s", path);
	}
}

/* The directory of the group that holds @controller for the process: its v1 hierarchy, or v2 where
 * there is none. */
static char *directory_of(const char *cgroups, const char *mounts, const char *controller,
			  size_t *ret_mount_bytes)
{
	const char *const hierarchies[] = {controller, ""};

	for (size_t i = 0; i < ARRAY_SIZE(hierarchies); i++) {
		char *path CLEANUP(freep) = cgroup_path(cgroups, hierarchies[i]);

		if (path)
			return cgroup_directory(mounts, hierarchies[i], path, ret_mount_bytes);
	}
	return NULL;
}

static void tell_cpu(const struct facts *facts, const char *cgroups, const char *mounts)
{
	size_t mount_bytes;
	char *directory CLEANUP(freep) = directory_of(cgroups, mounts, "cpu", &mount_bytes);
	struct cgroup_quota quota;

	if (!directory)
		return;
	tell(facts, "target.cgroup.cpu_directory", "%s", directory);
	if (cgroup_cpu_quota(directory, mount_bytes, &quota))
		return;
	if (!quota.limited) {
		tell(facts, "target.cpu.quota", "none");
		return;
	}
	tell(facts, "target.cpu.quota_us", "%" PRIu64, quota.quota_us);
	tell(facts, "target.cpu.period_us", "%" PRIu64, quota.period_us);
	tell(facts, "target.cpu.quota_group", "%s", quota.group);
	free(quota.group);
}

static void tell_limits(const struct facts *facts, const char *cgroups, const char *mounts)
{
	size_t mount_bytes;
	char *cpuset CLEANUP(freep) = directory_of(cgroups, mounts, "cpuset", &mount_bytes);
	char *memory CLEANUP(freep) = directory_of(cgroups, mounts, "memory", &mount_bytes);
	uint64_t limit = memory ? cgroup_memory_limit(memory, mount_bytes) : UINT64_MAX;
	char cpus[RECORD_VALUE_BYTES];

	if (cpuset && (cgroup_read(cpuset, "cpuset.cpus.effective", cpus, sizeof(cpus)) ||
		       cgroup_read(cpuset, "cpuset.effective_cpus", cpus, sizeof(cpus))))
		tell(facts, "target.cpuset.cpus", "%s", cpus);
	if (limit != UINT64_MAX)
		tell(facts, "target.memory.limit_bytes", "%" PRIu64, limit);
	else if (memory)
		tell(facts, "target.memory.limit", "none");
}

/* Lines of /proc/PID/status that are facts as they stand. */
static void tell_status(const struct facts *facts, const char *status)
{
	static const struct {
		const char *line, *key;
	} wanted[] = {
		{"Name:", "target.comm"},
		{"Threads:", "target.threads"},
		{"VmRSS:", "target.rss"},
		{"Cpus_allowed_list:", "target.cpus_allowed"},
	};

	for (const char *at = status; *at; at += strcspn(at, "\n"), at += *at == '\n')
		for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
			size_t length = strlen(wanted[i].line);
			const char *value = at + length + (at[length] == '\t');

			if (strncmp(at, wanted[i].line, length))
				continue;
			value += strspn(value, " ");
			tell(facts, wanted[i].key, "%.*s", (int)strcspn(value, "\n"), value);
		}
}

int target_facts(uint32_t tgid, fact_fn *fn, void *arg)
{
	const struct facts facts = {fn, arg};
	size_t bytes;
	char *status CLEANUP(freep) = process_read(tgid, "status", FILE_BYTES_MAX, &bytes);
	char *cgroups CLEANUP(freep) = process_read(tgid, "cgroup", FILE_BYTES_MAX, &bytes);
	char *mounts CLEANUP(freep) =
		process_read((uint32_t)getpid(), "mountinfo", FILE_BYTES_MAX, &bytes);
	char *exe CLEANUP(freep) = process_link(tgid, "exe");
	struct process_status identity;
	int err = process_status(tgid, tgid, &identity);

	if (err)
		return err;
	tell(&facts, "target.pid", "%" PRIu32, tgid);
	tell(&facts, "target.pid_in_namespace", "%" PRIu32, identity.ns_tid);
	tell(&facts, "target.uid", "%" PRIu32, identity.uid);
	if (exe)
		tell(&facts, "target.exe", "%s", exe);
	if (status)
		tell_status(&facts, status);
	if (!cgroups)
		return 0;
	tell_groups(&facts, cgroups);
	if (mounts) {
		tell_cpu(&facts, cgroups, mounts);
		tell_limits(&facts, cgroups, mounts);
	}
	return 0;
}

static void tell_jvm_probes(const struct facts *facts, const struct jvm *jvm)
{
	tell(facts, "jvm.usdt_locations", "%zu", jvm->nr_usdt);
	tell(facts, "jvm.symbols", "%s", jvm->has_symtab ? "yes" : "no");
	tell(facts, "jvm.operations_named", "%" PRIu32, jvm->nr_operations);
	if (!jvm->perfdata_address)
		tell(facts, "jvm.hsperfdata", "none");
	else
		tell(facts, "jvm.hsperfdata", "%s",
		     *jvm->perfdata_path ? jvm->perfdata_path : "in memory only");
}

static void tell_masked(const struct facts *facts, const char *key, const char *arguments)
{
	char *masked CLEANUP(freep) = strdup(arguments);

	if (!masked)
		return;
	secret_mask(masked);
	tell(facts, key, "%s", masked);
}

void jvm_facts(const struct jvm *jvm, fact_fn *fn, void *arg)
{
	const struct facts facts = {fn, arg};

	if (jvm->feature)
		tell(&facts, "jvm.feature", "%d", jvm->feature);
	tell(&facts, "jvm.version", "%s", jvm->version);
	tell(&facts, "jvm.version_source", "%s", jvm->version_source);
	tell(&facts, "jvm.name", "%s", jvm->vm_name);
	tell(&facts, "jvm.vendor", "%s", jvm->vendor);
	tell(&facts, "jvm.collector", "%s", jvm_collector_name(jvm->collector));
	tell(&facts, "jvm.collector_source", "%s", jvm->collector_source);
	tell_masked(&facts, "jvm.command", jvm->java_command);
	tell_masked(&facts, "jvm.arguments", jvm->vm_arguments);
	tell(&facts, "jvm.library", "%s", jvm->libjvm);
	tell(&facts, "jvm.vm_thread", "%" PRIu32, jvm->vm_tid);
	tell(&facts, "jvm.start_monotonic_ns", "%" PRIu64, jvm->start_ns);
	tell(&facts, "jvm.monotonic_offset_ns", "%" PRId64, jvm->monotonic_offset_ns);
	tell_jvm_probes(&facts, jvm);
}

struct thread_list {
	uint32_t tgid;
	target_thread_fn *fn;
	void *arg;
};

static int take_thread(void *arg, uint32_t tid)
{
	const struct thread_list *list = arg;
	struct target_thread thread = {.tid = tid};
	struct process_stat stat;

	if (process_stat(list->tgid, tid, &stat))
		return 0; /* ended meanwhile */
	thread.start_ns = process_ticks_to_ns(stat.start_ticks);
	memcpy(thread.comm, stat.comm, sizeof(thread.comm));
	list->fn(list->arg, &thread);
	return 0;
}

int target_threads(uint32_t tgid, target_thread_fn *fn, void *arg)
{
	struct thread_list list = {tgid, fn, arg};

	return process_each_thread(tgid, take_thread, &list);
}
