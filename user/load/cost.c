/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "user/attach/cgroup.h"
#include "user/base/cleanup.h"
#include "user/load/cost.h"

#define PATH_BYTES 4352

/* All of @path, which has no NUL in it; NULL when there is none. To be freed. */
static char *read_text(const char *path)
{
	FILE *file CLEANUP(fclosep) = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file || getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void add(uint64_t *sum, uint64_t more)
{
	*sum = *sum == COST_UNKNOWN ? more : *sum + more;
}

/* The words that cpu.stat has for the same things in version 2 and 1 of cgroups. */
static void add_stat(const char *directory, struct cost *ret)
{
	unsigned long long value;
	char name[PATH_BYTES], word[64];
	FILE *file CLEANUP(fclosep) = NULL;

	snprintf(name, sizeof(name), "%s/cpu.stat", directory);
	file = fopen(name, "re");
	while (file && fscanf(file, "%63s %llu", word, &value) == 2) {
		if (!strcmp(word, "nr_throttled"))
			add(&ret->nr_throttled, value);
		else if (!strcmp(word, "throttled_usec"))
			add(&ret->throttled_ns, value * 1000);
		else if (!strcmp(word, "throttled_time"))
			add(&ret->throttled_ns, value);
	}
}

/* A quota of any group above stops us too, and is counted there. */
static void read_hierarchy(const char *cgroups, const char *mounts, const char *controller,
			   struct cost *ret)
{
	size_t mount_bytes = 0;
	char *path CLEANUP(freep) = cgroup_path(cgroups, controller);
	char *directory CLEANUP(freep) =
		path ? cgroup_directory(mounts, controller, path, &mount_bytes) : NULL;

	while (directory && strlen(directory) >= mount_bytes) {
		char *slash = strrchr(directory, '/');

		add_stat(directory, ret);
		if (!slash)
			return;
		*slash = '\0';
	}
}

static void read_throttling(struct cost *ret)
{
	char *cgroups CLEANUP(freep) = read_text("/proc/self/cgroup");
	char *mounts CLEANUP(freep) = read_text("/proc/self/mountinfo");

	if (!cgroups || !mounts)
		return;
	read_hierarchy(cgroups, mounts, "", ret);
	read_hierarchy(cgroups, mounts, "cpu", ret);
}

void cost_read(struct cost *ret)
{
	struct timespec cpu;

	*ret = (struct cost){.throttled_ns = COST_UNKNOWN, .nr_throttled = COST_UNKNOWN};
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	ret->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
	read_throttling(ret);
}

static uint64_t between(uint64_t earlier, uint64_t later)
{
	return earlier == COST_UNKNOWN || later == COST_UNKNOWN ? COST_UNKNOWN : later - earlier;
}

struct cost cost_between(const struct cost *earlier, const struct cost *later)
{
	return (struct cost){
		.cpu_ns = later->cpu_ns - earlier->cpu_ns,
		.throttled_ns = between(earlier->throttled_ns, later->throttled_ns),
		.nr_throttled = between(earlier->nr_throttled, later->nr_throttled),
	};
}
