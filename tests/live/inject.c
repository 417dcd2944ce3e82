/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does something to a process from outside, at known times:
 *
 *   inject clock                                     print CLOCK_MONOTONIC
 *   inject stop PID TID COUNT MS GAP_MS              SIGSTOP to one thread, which stops all; MS
 * later SIGCONT inject write FILE ON OFF COUNT MS GAP_MS         write ON, MS later OFF (a freezer,
 * a quota)
 *
 * Each injection prints `on_before on_after off_before off_after` in CLOCK_MONOTONIC ns. SIGINT and
 * SIGTERM end it early, but never inside an injection: what was stopped is set going first.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"

struct injection {
	pid_t pid; /* 0: write to a file instead */
	pid_t tid; /* gets the signal; a busy one takes it at once, one that sleeps must first get a
		      CPU */
	const char *file, *on, *off;
	uint64_t count, length_ns, gap_ns;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void block_signals(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGTERM);
	sigprocmask(SIG_BLOCK, ret, NULL);
}

/* Ahead of what it stops, so that the times are the planned ones. Without the right to, they are
 * still the true ones. */
static void be_punctual(void)
{
	const struct sched_param first = {.sched_priority = 1};

	(void)sched_setscheduler(0, SCHED_FIFO, &first);
}

/* Sleep until @until_ns; false when a signal asks to end. */
static bool sleep_until(uint64_t until_ns, const sigset_t *signals)
{
	for (uint64_t now = now_ns(); now < until_ns; now = now_ns()) {
		struct timespec left = {(time_t)((until_ns - now) / NS_PER_S),
					(long)((until_ns - now) % NS_PER_S)};

		if (sigtimedwait(signals, NULL, &left) > 0)
			return false;
	}
	return true;
}

static int write_word(const char *path, const char *word)
{
	int fd CLEANUP(closep) = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, word, strlen(word)) < 0)
		return -errno;
	return 0;
}

static int turn(const struct injection *in, bool on)
{
	if (in->pid)
		return (on ? tgkill(in->pid, in->tid, SIGSTOP) : kill(in->pid, SIGCONT)) ? -errno
											 : 0;
	return write_word(in->file, on ? in->on : in->off);
}

static int inject_once(const struct injection *in, const sigset_t *signals, bool *ret_goes_on)
{
	uint64_t on_before, on_after, off_before;
	int off, on;

	on_before = now_ns();
	on = turn(in, true);
	on_after = now_ns();
	*ret_goes_on = sleep_until(on_before + in->length_ns, signals);
	off_before = now_ns();
	off = turn(in, false); /* also when turning it on went wrong half-way */
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", on_before, on_after, off_before,
	       now_ns());
	return on ? on : off;
}

static int inject(const struct injection *in)
{
	sigset_t signals;
	bool goes_on = true;

	block_signals(&signals);
	be_punctual();
	for (uint64_t i = 0; i < in->count && goes_on; i++) {
		int error;

		goes_on = sleep_until(now_ns() + in->gap_ns, &signals);
		if (!goes_on)
			break;
		error = inject_once(in, &signals, &goes_on);
		if (error) {
			fprintf(stderr, "inject: %s\n", strerror(-error));
			return EXIT_FAILURE;
		}
	}
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static bool parse_times(char **words, struct injection *ret)
{
	uint64_t length_ms, gap_ms;

	if (units_parse_number(words[0], 1, 1000, &ret->count) ||
	    units_parse_number(words[1], 1, 60000, &length_ms) ||
	    units_parse_number(words[2], 0, 60000, &gap_ms))
		return false;
	ret->length_ns = length_ms * NS_PER_MS;
	ret->gap_ns = gap_ms * NS_PER_MS;
	return true;
}

static bool parse(int argc, char **argv, struct injection *ret)
{
	uint64_t pid, tid;

	if (argc == 7 && !strcmp(argv[1], "stop")) {
		if (units_parse_number(argv[2], 2, INT32_MAX, &pid) ||
		    units_parse_number(argv[3], 2, INT32_MAX, &tid))
			return false;
		ret->pid = (pid_t)pid;
		ret->tid = (pid_t)tid;
		return parse_times(argv + 4, ret);
	}
	if (argc == 8 && !strcmp(argv[1], "write")) {
		ret->file = argv[2];
		ret->on = argv[3];
		ret->off = argv[4];
		return parse_times(argv + 5, ret);
	}
	return false;
}

int main(int argc, char **argv)
{
	struct injection in = {0};

	if (argc == 2 && !strcmp(argv[1], "clock")) {
		printf("%" PRIu64 "\n", now_ns());
		return EXIT_SUCCESS;
	}
	if (!parse(argc, argv, &in)) {
		fprintf(stderr, "inject: wrong arguments; see tests/live/inject.c\n");
		return 2;
	}
	return inject(&in);
}
