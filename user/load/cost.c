/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "user/base/cleanup.h"
#include "user/load/cost.h"

#define PATH_BYTES 4352

/* The words that cpu.stat has for the same things, version 2 and 1 of cgroups. */
static void read_stat(FILE *file, struct cost *ret)
{
	unsigned long long value;
	char word[64];

	while (fscanf(file, "%63s %llu", word, &value) == 2) {
		if (!strcmp(word, "nr_throttled"))
			ret->nr_throttled = value;
		else if (!strcmp(word, "throttled_usec"))
			ret->throttled_ns = value * 1000;
		else if (!strcmp(word, "throttled_time"))
			ret->throttled_ns = value;
	}
}

static void read_cgroup(const char *root, const char *path, struct cost *ret)
{
	char name[PATH_BYTES];
	FILE *file CLEANUP(fclosep) = NULL;

	snprintf(name, sizeof(name), "%s%s/cpu.stat", root, path);
	file = fopen(name, "re");
	if (!file) { /* in a container the path may be the host's, and the root our own */
		snprintf(name, sizeof(name), "%s/cpu.stat", root);
		file = fopen(name, "re");
	}
	if (file)
		read_stat(file, ret);
}

/* True when @controllers, a list with commas, has cpu. */
static int has_cpu(char *controllers)
{
	char *save;

	for (char *one = strtok_r(controllers, ",", &save); one; one = strtok_r(NULL, ",", &save))
		if (!strcmp(one, "cpu"))
			return 1;
	return 0;
}

static void read_throttling(struct cost *ret)
{
	FILE *file CLEANUP(fclosep) = fopen("/proc/self/cgroup", "re");
	char line[PATH_BYTES];

	while (file && fgets(line, sizeof(line), file)) {
		char *rest = line, *path;

		line[strcspn(line, "\n")] = '\0';
		strsep(&rest, ":");
		path = rest;
		if (!path)
			continue;
		if (*path == ':') {
			read_cgroup("/sys/fs/cgroup", path + 1, ret); /* version 2 */
			continue;
		}
		if (has_cpu(strsep(&path, ":")) && path)
			read_cgroup("/sys/fs/cgroup/cpu", path, ret); /* version 1 */
	}
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
