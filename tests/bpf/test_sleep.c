/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/bpf/capture.h"

#define NR_SLEEPS 23
#define SLEEP_US  2000

TestSuite(bpf_sleep, .init = capture_or_skip, .timeout = 30);

static void sleep_often(struct shared *shared)
{
	account_begin(&shared->threads[0]);
	for (int i = 0; i < NR_SLEEPS; i++)
		sleep_us(SLEEP_US);
	account_end(&shared->threads[0]);
}

Test(bpf_sleep, twenty_three_sleeps_are_twenty_three_records)
{
	struct subject subject;
	struct capture capture;
	const struct event_offcpu *off = NULL;
	size_t nr_sleeps = 0;

	capture_body(&capture, &subject, sleep_often);

	expect_whole(&capture, &subject.shared->threads[0]);
	while ((off = capture_interval(&capture, &subject.shared->threads[0], off))) {
		if (off->nr != SYS_clock_nanosleep || off->state == 0)
			continue; /* preempted by a stranger */
		nr_sleeps++;
		cr_expect(eq(u32, off->tgid, subject.tgid));
		cr_expect(eq(u32, off->state & 1, 1), "asleep, interruptible");
		cr_expect(eq(u64, off->arg0, 0), "CLOCK_REALTIME, as glibc's nanosleep has it");
		cr_expect(eq(u32, off->flags & OFFCPU_WOKEN, OFFCPU_WOKEN));
		cr_expect(eq(u32, off->flags & OFFCPU_WOKEN_BY_IRQ, OFFCPU_WOKEN_BY_IRQ),
			  "a timer");
		cr_expect(eq(u32, off->waker_tid, 0));
		cr_expect(ge(u64, off->off_ns - off->runq_ns, SLEEP_US * 1000ull - 100000),
			  "it was woken when its time was over");
	}
	cr_expect(eq(sz, nr_sleeps, NR_SLEEPS));
	subject_stop(&subject);
	capture_free(&capture);
}

/* What the wall clock says more than time on (the kernel's account) and off (ours) the CPU
 * together. */
static int64_t unaccounted_ns(void)
{
	struct subject subject;
	struct capture capture;
	const struct event_offcpu *off = NULL;
	struct account account;
	uint64_t off_ns = 0;

	capture_body(&capture, &subject, sleep_often);
	account = subject.shared->threads[0];
	expect_whole(&capture, &account);
	while ((off = capture_interval(&capture, &account, off)))
		off_ns += off->off_ns;
	subject_stop(&subject);
	capture_free(&capture);
	return (int64_t)(account.to_ns - account.from_ns - off_ns - account.cpu_ns);
}

/*
 * The kernel puts its own stamps elsewhere in a switch, and a host that takes the CPU away in
 * between makes the two differ; a wrong length would do so each time.
 */
Test(bpf_sleep, time_on_and_off_the_cpu_add_up_to_the_wall_clock)
{
	const int64_t tolerance_ns = 20000 * (NR_SLEEPS + 1);
	int64_t least_ns = INT64_MAX;

	for (int i = 0; i < 5 && least_ns > tolerance_ns; i++) {
		int64_t difference_ns = llabs(unaccounted_ns());

		if (difference_ns < least_ns)
			least_ns = difference_ns;
	}
	cr_expect(le(i64, least_ns, tolerance_ns));
}

enum { SLEEPER, SPINNER };

static _Atomic bool over;

static void *spin_until_over(void *arg)
{
	account_begin(arg);
	while (!atomic_load(&over))
		;
	account_end(arg);
	return NULL;
}

static void sleep_beside_a_spinner(struct shared *shared)
{
	pthread_t spinner;

	pin_to_cpu(0);
	pthread_create(&spinner, NULL, spin_until_over, &shared->threads[SPINNER]);
	sleep_often(shared);
	atomic_store(&over, true);
	pthread_join(spinner, NULL);
}

/* x86 handles an interrupt that hits user mode on the stack of the thread it hit, which has not
 * woken anybody. */
Test(bpf_sleep, a_timer_that_interrupts_a_busy_thread_is_not_taken_for_that_thread)
{
	struct subject subject;
	struct capture capture;
	const struct event_offcpu *off = NULL;
	size_t nr_sleeps = 0, nr_behind_spinner = 0;

	capture_body(&capture, &subject, sleep_beside_a_spinner);

	expect_whole(&capture, &subject.shared->threads[SLEEPER]);
	expect_whole(&capture, &subject.shared->threads[SPINNER]);
	while ((off = capture_interval(&capture, &subject.shared->threads[SLEEPER], off))) {
		if (off->nr != SYS_clock_nanosleep || off->state == 0)
			continue;
		nr_sleeps++;
		nr_behind_spinner += off->ahead_tid == subject.shared->threads[SPINNER].tid;
		cr_expect(eq(u32, off->waker_tid, 0));
		cr_expect(eq(u32, off->flags & OFFCPU_WOKEN_BY_IRQ, OFFCPU_WOKEN_BY_IRQ));
	}
	cr_expect(eq(sz, nr_sleeps, NR_SLEEPS));
	cr_expect(gt(sz, nr_behind_spinner, 0), "the spinner was what the timer interrupted");
	subject_stop(&subject);
	capture_free(&capture);
}

static void ignore(int signal)
{
	(void)signal;
}

static void sleep_until_disturbed(struct shared *shared)
{
	struct timespec long_time = {.tv_sec = 20};

	signal(SIGUSR1, ignore);
	atomic_store(&shared->threads[0].tid, this_tid());
	nanosleep(&long_time, NULL);
}

Test(bpf_sleep, a_thread_asleep_at_attach_is_known_to_be_asleep)
{
	struct subject subject;
	struct capture capture;
	const struct event_thread *seen;
	const struct event_offcpu *off;
	uint64_t before_ns;

	subject_start(&subject, NULL, sleep_until_disturbed);
	subject_begin(&subject);
	while (atomic_load(&subject.shared->threads[0].tid) == 0)
		sleep_us(100);
	await_asleep(subject.tgid);
	before_ns = now_ns();
	capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
	kill(subject.tgid, SIGUSR1);
	subject_wait(&subject);
	capture_end(&capture);

	seen = (const void *)capture_first(&capture, EVENT_THREAD, subject.tgid);
	cr_assert(ne(ptr, (void *)seen, NULL), "a record of the thread as it was found");
	cr_expect(ge(u64, seen->off_since_ns, before_ns));
	cr_expect(eq(int, seen->nr, SYS_clock_nanosleep));
	off = (const void *)capture_first(&capture, EVENT_OFFCPU, subject.tgid);
	cr_assert(ne(ptr, (void *)off, NULL), "a record of its waking up");
	cr_expect(eq(u32, off->seq, 1));
	cr_expect(eq(int, off->nr, SYS_clock_nanosleep));
	cr_expect(eq(u32, off->flags & OFFCPU_BEFORE_ATTACH, OFFCPU_BEFORE_ATTACH));
	cr_expect(ge(u64, off->hdr.ts_ns - off->off_ns, before_ns),
		  "no time from before is made up");
	cr_expect(eq(u32, off->waker_tid, getpid()), "who sent the signal");
	subject_stop(&subject);
	capture_free(&capture);
}
