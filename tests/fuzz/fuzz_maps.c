/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of /proc/PID/maps and the texts around cgroups: a process chooses the names of its files
 * and groups. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/cgroup.h"
#include "user/attach/maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(char *text)
{
	const char *end = text + strlen(text);
	struct map_entry entry;

	if (maps_parse_line(text, &entry))
		return;
	assert(entry.start < entry.end);
	assert(entry.path >= text && entry.path <= end && entry.path + strlen(entry.path) <= end);
	assert(maps_basename(entry.path) >= entry.path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *path, *directory;
	size_t mount_bytes;

	memcpy(text, data, size);
	text[size] = '\0';
	path = cgroup_path(text, "cpu");
	directory = cgroup_directory(text, "cpu", path ? path : "/a", &mount_bytes);
	assert(!directory || mount_bytes <= strlen(directory));
	free(directory);
	free(path);
	check_line(text);
	free(text);
	return 0;
}
