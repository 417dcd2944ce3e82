/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names PID SECONDS: read the names of a JVM's threads again and again, 20 times at least. Standard
 * output gets every pair of thread and name that ever came out, "tid TAB name"; standard error one
 * line of figures.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "user/attach/javanames.h"
#include "user/attach/jvm.h"
#include "user/base/units.h"

#define GAP_NS	   (3 * NS_PER_MS)
#define ROUNDS_MIN 20 /* on a busy machine too: less would prove little */

struct round {
	uint64_t nr_named;
};

static void print_name(void *arg, uint32_t tid, const char *name)
{
	struct round *round = arg;

	round->nr_named++;
	printf("%u\t%s\n", tid, name);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static int read_rounds(const struct jvm *jvm, uint64_t until_ns)
{
	const struct timespec gap = {.tv_nsec = GAP_NS};
	uint64_t nr_rounds = 0, nr_named = 0, nr_left = 0, longest_ns = 0;

	while (nr_rounds < ROUNDS_MIN || now_ns() < until_ns) {
		struct round round = {0};
		uint64_t began_ns = now_ns();
		int left = java_names_read(jvm, print_name, &round);

		if (left < 0) {
			fprintf(stderr, "names: cannot read them: %s\n", strerror(-left));
			return 1;
		}
		if (now_ns() - began_ns > longest_ns)
			longest_ns = now_ns() - began_ns;
		nr_rounds++;
		nr_named += round.nr_named;
		nr_left += (uint64_t)left;
		nanosleep(&gap, NULL);
	}
	fprintf(stderr, "%lu reads, %lu names, %lu not read, longest %.1f ms\n", nr_rounds,
		nr_named, nr_left, (double)longest_ns / (double)NS_PER_MS);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t pid, ns;
	struct jvm *jvm;
	int status;

	if (argc != 3 || units_parse_number(argv[1], 1, UINT32_MAX, &pid) ||
	    units_parse_time(argv[2], &ns)) {
		fprintf(stderr, "names PID SECONDS\n");
		return 2;
	}
	status = jvm_inspect((uint32_t)pid, &jvm);
	if (status) {
		fprintf(stderr, "names: cannot inspect %s: %s\n", argv[1], strerror(-status));
		return 1;
	}
	status = read_rounds(jvm, now_ns() + ns);
	jvm_free(jvm);
	return status;
}
