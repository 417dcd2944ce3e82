/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/timeline/names.h"

int names_put(struct names *names, const struct name *name)
{
	struct name *known = map_get(&names->by_tid, name->tid);

	if (!known) {
		if (names->by_tid.nr >= NAMES_MAX)
			names_free(names);
		known = malloc(sizeof(*known));
		if (!known)
			return -ENOMEM;
		if (map_put(&names->by_tid, name->tid, known)) {
			free(known);
			return -ENOMEM;
		}
	}
	*known = *name;
	return 0;
}

const struct name *names_get(const struct names *names, uint32_t tid)
{
	return map_get(&names->by_tid, tid);
}

void names_free(struct names *names)
{
	size_t cursor = 0;
	void *name;

	while ((name = map_next(&names->by_tid, &cursor)))
		free(name);
	map_free(&names->by_tid);
}

bool names_comm_fits(const char *full, const char *comm)
{
	size_t bytes = strlen(comm), full_bytes = strlen(full);

	if (!strncmp(full, comm, bytes))
		return bytes == full_bytes || bytes == EVENT_COMM_BYTES - 1;
	return bytes == 15 && full_bytes > 15 && !memcmp(comm, full, 7) &&
	       !memcmp(comm + 7, "..", 2) && !memcmp(comm + 9, full + full_bytes - 6, 6);
}

void names_copy(char *to, size_t size, const char *from, size_t from_size)
{
	size_t bytes = strnlen(from, from_size);

	if (bytes >= size)
		bytes = size - 1;
	memcpy(to, from, bytes);
	memset(to + bytes, 0, size - bytes);
}
