/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * textdiff PID NAME: how many bytes of the code of the mapped file whose path ends in NAME differ
 * between the process' memory and the file. A probe that is still there is a breakpoint instruction
 * in memory. Prints the number; exit 0, or 2 when it cannot tell.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"

#define CHUNK_BYTES 65536

struct mapping {
	uint64_t from, to, offset;
	char path[512];
};

static int compare_chunk(int memory, int file, const struct mapping *map, uint64_t at,
			 uint64_t *ret)
{
	unsigned char in_memory[CHUNK_BYTES], in_file[CHUNK_BYTES];
	size_t size =
		map->to - map->from - at < CHUNK_BYTES ? map->to - map->from - at : CHUNK_BYTES;
	ssize_t got = pread(file, in_file, size, (off_t)(map->offset + at));

	if (got < 0 || pread(memory, in_memory, size, (off_t)(map->from + at)) != (ssize_t)size)
		return -1;
	for (ssize_t i = 0; i < got; i++) /* behind the end of the file the mapping holds zeros */
		*ret += in_memory[i] != in_file[i];
	return 0;
}

static int compare_mapping(const char *pid, const struct mapping *map, uint64_t *ret)
{
	char memory_path[64], file_path[600];
	int memory CLEANUP(closep) = -1, file CLEANUP(closep) = -1;

	snprintf(memory_path, sizeof(memory_path), "/proc/%s/mem", pid);
	snprintf(file_path, sizeof(file_path), "/proc/%s/root%s", pid, map->path);
	memory = open(memory_path, O_RDONLY | O_CLOEXEC);
	file = open(file_path, O_RDONLY | O_CLOEXEC);
	if (memory < 0 || file < 0)
		return -1;
	for (uint64_t at = 0; at < map->to - map->from; at += CHUNK_BYTES)
		if (compare_chunk(memory, file, map, at, ret))
			return -1;
	return 0;
}

static int ends_in(const char *path, const char *name)
{
	size_t path_length = strlen(path), name_length = strlen(name);

	return path_length >= name_length && !strcmp(path + path_length - name_length, name);
}

static int compare_all(const char *pid, const char *name, uint64_t *ret, unsigned int *ret_nr)
{
	char line[1024], rights[8];
	FILE *maps CLEANUP(fclosep) = NULL;

	snprintf(line, sizeof(line), "/proc/%s/maps", pid);
	maps = fopen(line, "re");
	if (!maps)
		return -1;
	while (fgets(line, sizeof(line), maps)) {
		struct mapping map = {0};

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %511s", &map.from,
			   &map.to, rights, &map.offset, map.path) != 5)
			continue;
		if (!strchr(rights, 'x') || !ends_in(map.path, name))
			continue;
		++*ret_nr;
		if (compare_mapping(pid, &map, ret))
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int nr_mappings = 0;
	uint64_t nr_bytes = 0;

	if (argc != 3 || compare_all(argv[1], argv[2], &nr_bytes, &nr_mappings) || !nr_mappings) {
		fprintf(stderr, "textdiff: cannot compare the code of a process with its file\n");
		return 2;
	}
	printf("%" PRIu64 "\n", nr_bytes);
	return 0;
}
