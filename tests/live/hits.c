/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hits TID FILE OFFSET: the times (CLOCK_MONOTONIC ns, a line each) at which a thread comes to an
 * instruction of a mapped file. A truth of its own for the tests: a uprobe of perf, without BPF and
 * without anything of standstill. First prints "ready"; ends at SIGTERM or SIGINT, or with the
 * thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"

#define DATA_PAGES 16 /* a power of two; 64 KiB are 2,700 hits between two looks */
#define LOOK_MS	   20

struct sample {
	struct perf_event_header header;
	uint64_t time_ns;
};

static int uprobe_type(uint32_t *ret)
{
	FILE *file CLEANUP(fclosep) = fopen("/sys/bus/event_source/devices/uprobe/type", "re");

	return file && fscanf(file, "%" SCNu32, ret) == 1 ? 0 : -ENOENT;
}

static int open_uprobe(pid_t tid, const char *path, uint64_t offset)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config1 = (uintptr_t)path,
		.config2 = offset,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	if (uprobe_type(&attr.type))
		return -1;
	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The ring's @size bytes at @offset, which may wrap. */
static void copy_out(const char *data, size_t data_size, uint64_t offset, void *to, size_t size)
{
	size_t at = offset % data_size, first = data_size - at < size ? data_size - at : size;

	memcpy(to, data + at, first);
	memcpy((char *)to + first, data, size - first);
}

/* Print what has come. Returns 0, or -ENOBUFS when hits were lost. */
static int drain(struct perf_event_mmap_page *page, size_t page_size)
{
	const char *data = (char *)page + page_size;
	size_t data_size = DATA_PAGES * page_size;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	int status = 0;

	while (tail < head) {
		struct sample sample;

		copy_out(data, data_size, tail, &sample, sizeof(sample));
		if (sample.header.type == PERF_RECORD_SAMPLE)
			printf("%" PRIu64 "\n", sample.time_ns);
		else if (sample.header.type == PERF_RECORD_LOST)
			status = -ENOBUFS;
		tail += sample.header.size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	return status;
}

/* False when it is time to end: a signal, or the thread is gone. */
static bool wait_a_while(int fd, const sigset_t *signals)
{
	const struct timespec a_while = {0, LOOK_MS * 1000000};
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	if (sigtimedwait(signals, NULL, &a_while) > 0)
		return false;
	return poll(&poll_fd, 1, 0) < 0 || !(poll_fd.revents & POLLHUP);
}

static int watch(int fd, const sigset_t *signals)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *page =
		mmap(NULL, (1 + DATA_PAGES) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	bool goes_on = true;

	if (page == MAP_FAILED)
		return -errno;
	printf("ready\n");
	fflush(stdout);
	while (goes_on) {
		goes_on = wait_a_while(fd, signals);
		if (drain(page, page_size))
			return -ENOBUFS;
	}
	return fflush(stdout) ? -errno : 0;
}

int main(int argc, char **argv)
{
	uint64_t tid, offset;
	sigset_t signals;
	int fd CLEANUP(closep) = -1, error;

	if (argc != 4 || units_parse_number(argv[1], 1, INT32_MAX, &tid) ||
	    units_parse_number(argv[3], 1, UINT64_MAX, &offset)) {
		fprintf(stderr, "hits: wrong arguments; see tests/live/hits.c\n");
		return 2;
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	fd = open_uprobe((pid_t)tid, argv[2], offset);
	error = fd < 0 ? -errno : watch(fd, &signals);
	if (error)
		fprintf(stderr, "hits: %s\n", strerror(-error));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
