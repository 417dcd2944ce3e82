/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts of the machine and its kernel that change what latencies look like. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "user/attach/target.h"
#include "user/base/cleanup.h"
#include "user/recording/record.h"

#define LINE_BYTES 8192 /* the flags of /proc/cpuinfo are the longest */

/* The first line of @path. */
static bool read_line(const char *path, char *buffer, size_t bytes)
{
	FILE *file CLEANUP(fclosep) = fopen(path, "re");

	if (!file || !fgets(buffer, (int)bytes, file))
		return false;
	buffer[strcspn(buffer, "\n")] = '\0';
	return true;
}

/* What a kernel's file says of several choices: the one in brackets. */
static void tell_choice(fact_fn *fn, void *arg, const char *key, const char *path)
{
	char line[256], *from, *to;

	if (!read_line(path, line, sizeof(line)))
		return;
	from = strchr(line, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		return;
	*to = '\0';
	fn(arg, key, from + 1);
}

static void tell_file(fact_fn *fn, void *arg, const char *key, const char *path)
{
	char line[RECORD_VALUE_BYTES];

	if (read_line(path, line, sizeof(line)) && *line)
		fn(arg, key, line);
}

static void tell_cpus(fact_fn *fn, void *arg)
{
	FILE *file CLEANUP(fclosep) = fopen("/proc/cpuinfo", "re");
	char line[LINE_BYTES], nr[32];
	bool has_model = false, has_flags = false;

	snprintf(nr, sizeof(nr), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	fn(arg, "machine.cpus", nr);
	while (file && !(has_model && has_flags) && fgets(line, sizeof(line), file)) {
		char *value = strchr(line, ':');

		if (!value)
			continue;
		value += strspn(value, ": ");
		value[strcspn(value, "\n")] = '\0';
		if (!has_model && !strncmp(line, "model name", 10)) {
			has_model = true;
			fn(arg, "machine.cpu_model", value);
		} else if (!has_flags && !strncmp(line, "flags", 5)) {
			has_flags = true;
			fn(arg, "machine.hypervisor", strstr(value, " hypervisor") ? "yes" : "no");
		}
	}
}

static void tell_memory(fact_fn *fn, void *arg)
{
	FILE *file CLEANUP(fclosep) = fopen("/proc/meminfo", "re");
	char line[256], text[32];
	uint64_t kib;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "MemTotal: %" SCNu64 " kB", &kib) != 1)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64, kib * 1024);
		fn(arg, "machine.memory_bytes", text);
		return;
	}
}

void machine_facts(fact_fn *fn, void *arg)
{
	struct utsname name;

	if (!uname(&name)) {
		fn(arg, "machine.host", name.nodename);
		fn(arg, "machine.arch", name.machine);
		fn(arg, "kernel.release", name.release);
		fn(arg, "kernel.version", name.version);
	}
	tell_cpus(fn, arg);
	tell_memory(fn, arg);
	tell_file(fn, arg, "kernel.clocksource",
		  "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	tell_file(fn, arg, "machine.cpu_governor",
		  "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	tell_choice(fn, arg, "kernel.transparent_hugepage",
		    "/sys/kernel/mm/transparent_hugepage/enabled");
	tell_file(fn, arg, "kernel.numa_balancing", "/proc/sys/kernel/numa_balancing");
}
