/* SPDX-License-Identifier: BSD-2-Clause */
/* Run COMMAND and write what it used to FILE: cpu_ns=, wall_ns=, peak_kb=. Exits as it does. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long ns_of(struct timeval time)
{
	return time.tv_sec * 1000000000ll + time.tv_usec * 1000ll;
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int write_usage(const char *path, const struct rusage *usage, long long wall_ns)
{
	FILE *file = fopen(path, "we");

	if (!file) {
		fprintf(stderr, "usage: %s: %s\n", path, strerror(errno));
		return 1;
	}
	fprintf(file, "cpu_ns=%lld wall_ns=%lld peak_kb=%ld\n",
		ns_of(usage->ru_utime) + ns_of(usage->ru_stime), wall_ns, usage->ru_maxrss);
	return fclose(file) != 0;
}

int main(int argc, char **argv)
{
	long long begin_ns = now_ns();
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "Usage: usage FILE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "usage: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
		fprintf(stderr, "usage: %s\n", strerror(errno));
		return 1;
	}
	if (write_usage(argv[1], &usage, now_ns() - begin_ns))
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
