/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bpf/capture.h"

#define NR_WAITS 17

enum { WAITER, WAKER };
enum { FACT_FD, FACT_WAKE_FD };

TestSuite(bpf_wait, .init = capture_or_skip, .timeout = 30);

/* One way to wait for a pipe, and what its records must say. */
struct way {
	const char *name;
	int nr;		    /* the syscall the waiter is in */
	bool first_is_pipe; /* arg0 is the pipe's descriptor, not that of something that watches it
			     */
	void (*wait)(int fd, int watch);
};

static void by_read(int fd, int watch)
{
	(void)fd, (void)watch;
}

static void by_epoll(int fd, int watch)
{
	struct epoll_event event;

	(void)fd;
	epoll_wait(watch, &event, 1, -1);
}

static void by_poll(int fd, int watch)
{
	struct pollfd files = {.fd = fd, .events = POLLIN};

	(void)watch;
	poll(&files, 1, -1);
}

static const struct way ways[] = {
	{"read", SYS_read, true, by_read},
	{"epoll", SYS_epoll_wait, true, by_epoll},
	{"poll", SYS_poll, false, by_poll},
};

struct waiting {
	const struct way *way;
	struct account *account;
	int pipe[2], watch;
	_Atomic int nr_begun; /* waits */
};

static void *wait_often(void *arg)
{
	struct waiting *waiting = arg;
	char byte;

	account_begin(waiting->account);
	for (int i = 0; i < NR_WAITS; i++) {
		atomic_store(&waiting->nr_begun, i + 1);
		waiting->way->wait(waiting->pipe[0], waiting->watch);
		if (read(waiting->pipe[0], &byte, 1) != 1)
			abort();
	}
	account_end(waiting->account);
	return NULL;
}

static void feed(struct shared *shared, const struct way *way)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct waiting waiting = {.way = way, .account = &shared->threads[WAITER]};
	pthread_t waiter;

	waiting.watch = epoll_create1(0);
	if (pipe(waiting.pipe) || waiting.watch < 0 ||
	    epoll_ctl(waiting.watch, EPOLL_CTL_ADD, waiting.pipe[0], &event))
		abort();
	shared->threads[WAITER].fact[FACT_FD] =
		way->nr == SYS_read ? waiting.pipe[0] : waiting.watch;
	shared->threads[WAKER].fact[FACT_WAKE_FD] = waiting.pipe[1];
	pthread_create(&waiter, NULL, wait_often, &waiting);
	account_begin(&shared->threads[WAKER]);
	for (int i = 0; i < NR_WAITS; i++) {
		while (atomic_load(&waiting.nr_begun) != i + 1)
			sleep_us(100);
		await_asleep(shared->threads[WAITER].tid);
		if (write(waiting.pipe[1], "w", 1) != 1)
			abort();
	}
	account_end(&shared->threads[WAKER]);
	pthread_join(waiter, NULL);
}

static void feed_read(struct shared *shared)
{
	feed(shared, &ways[0]);
}

static void feed_epoll(struct shared *shared)
{
	feed(shared, &ways[1]);
}

static void feed_poll(struct shared *shared)
{
	feed(shared, &ways[2]);
}

static void expect_waits(const struct way *way, subject_fn *body)
{
	struct subject subject;
	struct capture capture;
	const struct event_offcpu *off = NULL;
	const struct account *waiter, *waker;
	size_t nr_waits = 0;

	capture_body(&capture, &subject, body);

	waiter = &subject.shared->threads[WAITER];
	waker = &subject.shared->threads[WAKER];
	expect_whole(&capture, waiter);
	expect_whole(&capture, waker);
	while ((off = capture_interval(&capture, waiter, off))) {
		if (off->nr != way->nr || !(off->state & 1))
			continue;
		nr_waits++;
		if (way->first_is_pipe)
			cr_expect(eq(u64, off->arg0, waiter->fact[FACT_FD]));
		cr_expect(eq(u32, off->waker_tid, waker->tid));
		cr_expect(eq(int, off->waker_nr, SYS_write));
		cr_expect(eq(u64, off->waker_arg0, waker->fact[FACT_WAKE_FD]));
		cr_expect(eq(u32, off->flags & OFFCPU_WOKEN_BY_IRQ, 0));
	}
	cr_expect(eq(sz, nr_waits, NR_WAITS), "%s", way->name);
	subject_stop(&subject);
	capture_free(&capture);
}

Test(bpf_wait, a_read_of_an_empty_pipe_is_woken_by_its_writer)
{
	expect_waits(&ways[0], feed_read);
}

Test(bpf_wait, an_epoll_is_woken_by_who_writes_to_its_pipe)
{
	expect_waits(&ways[1], feed_epoll);
}

Test(bpf_wait, a_poll_is_woken_by_who_writes_to_its_pipe)
{
	expect_waits(&ways[2], feed_poll);
}

static void spin(struct shared *shared)
{
	volatile uint64_t count = 0;

	shared->threads[0].tid = this_tid();
	for (;;)
		count++;
}

#define NR_STOPS 5
#define STOP_US	 20000

static void stop_often(const struct subject *subject)
{
	sleep_us(STOP_US);
	for (int i = 0; i < NR_STOPS; i++) {
		kill(subject->tgid, SIGSTOP);
		cr_assert(eq(int, waitpid(subject->tgid, NULL, WUNTRACED), subject->tgid));
		sleep_us(STOP_US);
		kill(subject->tgid, SIGCONT);
		sleep_us(STOP_US);
	}
}

Test(bpf_wait, each_sigstop_is_one_stopped_interval)
{
	struct subject subject;
	struct capture capture;
	const struct event_hdr *event = NULL;
	size_t nr_stops = 0;

	subject_start(&subject, NULL, spin);
	subject_begin(&subject);
	do {
		capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
		stop_often(&subject);
		capture_end(&capture);
	} while (capture_must_repeat(&capture));

	while ((event = capture_next(&capture, event))) {
		const struct event_offcpu *off = (const void *)event;

		if (event->kind != EVENT_OFFCPU || !(off->state & 4))
			continue;
		nr_stops++;
		cr_expect(ge(u64, off->off_ns, STOP_US * 1000ull));
		cr_expect(eq(u32, off->waker_tid, getpid()), "who sent SIGCONT");
		cr_expect(eq(int, off->waker_nr, SYS_kill));
	}
	cr_expect(eq(sz, nr_stops, NR_STOPS));
	subject_stop(&subject);
	capture_free(&capture);
}

#define NR_FAULTS 13

/* Pages of a file that nobody has in memory, far enough apart that none is read along with another.
 */
static void fault_often(struct shared *shared)
{
	const size_t stride = 1 << 20;
	char path[] = "/var/tmp/standstill-fault-XXXXXX";
	char *page = calloc(1, 4096), *map;
	int fd = mkstemp(path);

	if (fd < 0 || !page)
		abort();
	unlink(path);
	for (int i = 0; i < NR_FAULTS; i++)
		if (pwrite(fd, page, 4096, i * stride) != 4096)
			abort();
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	map = mmap(NULL, NR_FAULTS * stride, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		abort();
	madvise(map, NR_FAULTS * stride, MADV_RANDOM);
	account_begin(&shared->threads[0]);
	for (int i = 0; i < NR_FAULTS; i++)
		(void)*(volatile char *)(map + i * stride);
	account_end(&shared->threads[0]);
}

Test(bpf_wait, a_cold_page_is_waited_for_outside_any_syscall)
{
	struct subject subject;
	struct capture capture;
	const struct event_offcpu *off = NULL;
	const struct account *account;
	size_t nr_faults = 0;

	capture_body(&capture, &subject, fault_often);

	account = &subject.shared->threads[0];
	if (account->nr_major_faults == 0)
		cr_skip_test("/var/tmp is not on a disk that is waited for");
	expect_whole(&capture, account);
	while ((off = capture_interval(&capture, account, off)))
		nr_faults += off->nr == -1 && off->state & 2 && off->flags & OFFCPU_IOWAIT;
	cr_expect(eq(u64, account->nr_major_faults, NR_FAULTS));
	cr_expect(le(sz, nr_faults, NR_FAULTS));
	cr_expect(gt(sz, nr_faults, NR_FAULTS / 2), "a disk may answer before anybody waits");
	subject_stop(&subject);
	capture_free(&capture);
}
