/* SPDX-License-Identifier: BSD-2-Clause */
/* Write the time (CLOCK_MONOTONIC, ns) to FILE and become COMMAND: a shell has no clock that is
 * fine enough. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec now;
	FILE *file;

	if (argc < 3) {
		fprintf(stderr, "Usage: stamp FILE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	file = fopen(argv[1], "we");
	if (!file) {
		fprintf(stderr, "stamp: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	fprintf(file, "%lld\n", now.tv_sec * 1000000000ll + now.tv_nsec);
	fclose(file);
	execvp(argv[2], argv + 2);
	fprintf(stderr, "stamp: %s: %s\n", argv[2], strerror(errno));
	return 127;
}
