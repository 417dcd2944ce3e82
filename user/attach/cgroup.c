/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/cgroup.h"
#include "user/base/cleanup.h"

#define LINE_BYTES 4096
/* What v1 calls no limit is the largest multiple of a page below 2^63. */
#define V1_UNLIMITED (1ull << 62)

/* Whether the comma-separated @list has @word. */
static bool list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, word, length) && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

/* Copy the line at *at into @line without its newline and move behind it. False at the end of the
 * text. */
static bool next_line(const char **at, char line[LINE_BYTES])
{
	size_t length = strcspn(*at, "\n"), copied = length < LINE_BYTES ? length : LINE_BYTES - 1;

	if (!**at)
		return false;
	memcpy(line, *at, copied);
	line[copied] = '\0';
	*at += length + ((*at)[length] == '\n');
	return true;
}

char *cgroup_path(const char *cgroups, const char *controller)
{
	char line[LINE_BYTES];

	while (next_line(&cgroups, line)) { /* "4:memory,foo:/path"; v2: "0::/path" */
		char *list = strchr(line, ':');
		char *path = list ? strchr(list + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		if (*controller ? list_has(list + 1, controller) : !list[1])
			return strdup(path);
	}
	return NULL;
}

/* mountinfo writes blank, tab, newline and backslash as \ooo. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		unsigned int code;
		int digits = 0;

		if (*from == '\\' && sscanf(from + 1, "%3o%n", &code, &digits) == 1 &&
		    digits == 3) {
			*to = (char)code;
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

struct mount {
	char root[LINE_BYTES], point[LINE_BYTES], type[64], options[LINE_BYTES];
};

static bool take_mount(const char *line, struct mount *ret)
{
	const char *after = strstr(line, " - "); /* before it a varying number of optional fields */

	if (!after || sscanf(line, "%*d %*d %*s %4095s %4095s", ret->root, ret->point) != 2 ||
	    sscanf(after, " - %63s %*s %4095s", ret->type, ret->options) != 2)
		return false;
	unescape(ret->root);
	unescape(ret->point);
	return true;
}

/* @path below @root; NULL: it is not. */
static const char *path_below(const char *path, const char *root)
{
	size_t length = strcmp(root, "/") ? strlen(root) : 0;

	if (strncmp(path, root, length) || (path[length] && path[length] != '/') ||
	    strstr(path, "/.."))
		return NULL;
	return strcmp(path + length, "/") ? path + length : "";
}

char *cgroup_directory(const char *mounts, const char *controller, const char *path,
		       size_t *ret_mount_bytes)
{
	struct mount *mount CLEANUP(freep) = malloc(sizeof(*mount));
	char line[LINE_BYTES], *directory;

	while (mount && next_line(&mounts, line)) {
		const char *below;

		if (!take_mount(line, mount) ||
		    strcmp(mount->type, *controller ? "cgroup" : "cgroup2") ||
		    (*controller && !list_has(mount->options, controller)))
			continue;
		below = path_below(path, mount->root);
		if (!below)
			continue;
		if (asprintf(&directory, "%s%s", mount->point, below) < 0)
			return NULL;
		*ret_mount_bytes = strlen(mount->point);
		return directory;
	}
	return NULL;
}

bool cgroup_read(const char *directory, const char *name, char *buffer, size_t bytes)
{
	char *path CLEANUP(freep) = NULL;
	FILE *file CLEANUP(fclosep) = NULL;

	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		path = NULL;
		return false;
	}
	file = fopen(path, "re");
	if (!file || !fgets(buffer, (int)bytes, file))
		return false;
	buffer[strcspn(buffer, "\n")] = '\0';
	return true;
}

/* The quota of one group. False: it has none. */
static bool read_quota(const char *directory, uint64_t *quota_us, uint64_t *period_us)
{
	char text[128], period[64];
	int64_t quota;

	if (cgroup_read(directory, "cpu.max", text,
			sizeof(text))) /* "max 100000" or "20000 100000" */
		return sscanf(text, "%" SCNu64 " %" SCNu64, quota_us, period_us) == 2 && *period_us;
	if (!cgroup_read(directory, "cpu.cfs_quota_us", text, sizeof(text)) ||
	    !cgroup_read(directory, "cpu.cfs_period_us", period, sizeof(period)))
		return false;
	if (sscanf(text, "%" SCNd64, &quota) != 1 || quota <= 0)
		return false;
	*quota_us = (uint64_t)quota;
	return sscanf(period, "%" SCNu64, period_us) == 1 && *period_us;
}

/* Cut the last part of @directory off. False when that would leave the mount. */
static bool go_up(char *directory, size_t mount_bytes)
{
	char *slash = strrchr(directory, '/');

	if (strlen(directory) <= mount_bytes || !slash || (size_t)(slash - directory) < mount_bytes)
		return false;
	*slash = '\0';
	return true;
}

int cgroup_cpu_quota(const char *directory, size_t mount_bytes, struct cgroup_quota *ret)
{
	char *at CLEANUP(freep) = strdup(directory);

	*ret = (struct cgroup_quota){0};
	if (!at)
		return -ENOMEM;
	do {
		uint64_t quota_us, period_us;
		char *group;

		if (!read_quota(at, &quota_us, &period_us) ||
		    (ret->limited && (double)quota_us / (double)period_us >=
					     (double)ret->quota_us / (double)ret->period_us))
			continue;
		group = strdup(at[mount_bytes] ? at + mount_bytes : "/");
		if (!group) {
			free(ret->group);
			return -ENOMEM;
		}
		free(ret->group);
		*ret = (struct cgroup_quota){true, quota_us, period_us, group};
	} while (go_up(at, mount_bytes));
	return 0;
}

uint64_t cgroup_memory_limit(const char *directory, size_t mount_bytes)
{
	char *at CLEANUP(freep) = strdup(directory), text[128];
	uint64_t tightest = UINT64_MAX, limit;

	if (!at)
		return tightest;
	do {
		if (!cgroup_read(at, "memory.max", text, sizeof(text)) &&
		    !cgroup_read(at, "memory.limit_in_bytes", text, sizeof(text)))
			continue;
		if (sscanf(text, "%" SCNu64, &limit) == 1 && limit < V1_UNLIMITED &&
		    limit < tightest)
			tightest = limit;
	} while (go_up(at, mount_bytes));
	return tightest;
}
