/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/attach/maps.h"
#include "user/base/cleanup.h"

#define DELETED " (deleted)"

/* The kernel writes a newline in a path as "\012"; nothing else is escaped. */
static void unescape_newlines(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		if (!strncmp(from, "\\012", 4)) {
			*to = '\n';
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

static void take_path(char *path, struct map_entry *ret)
{
	size_t length = strlen(path), suffix = strlen(DELETED);

	ret->deleted = length > suffix && !strcmp(path + length - suffix, DELETED);
	if (ret->deleted)
		path[length - suffix] = '\0';
	unescape_newlines(path);
	ret->path = path;
}

int maps_parse_line(char *line, struct map_entry *ret)
{
	char access[5] = "";
	int path_at = 0;

	*ret = (struct map_entry){0};
	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64 " %n",
		   &ret->start, &ret->end, access, &ret->offset, &ret->inode, &path_at) != 5 ||
	    !path_at || strlen(access) != 4 || ret->start >= ret->end)
		return -EBADMSG;
	ret->readable = access[0] == 'r';
	ret->writable = access[1] == 'w';
	ret->executable = access[2] == 'x';
	take_path(line + path_at, ret);
	return 0;
}

int maps_each(uint32_t tgid, map_fn *fn, void *arg)
{
	char path[64], *line CLEANUP(freep) = NULL;
	FILE *file CLEANUP(fclosep) = NULL;
	size_t room = 0;
	int err;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", tgid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : errno == EPERM ? -EACCES : -errno;
	errno = 0;
	while (getline(&line, &room, file) > 0) {
		struct map_entry entry;

		err = maps_parse_line(line, &entry);
		if (!err)
			err = fn(arg, &entry);
		if (err)
			return err;
	}
	return ferror(file) ? -(errno ? errno : EIO) : 0;
}

const char *maps_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
