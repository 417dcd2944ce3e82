/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/bpf/capture.h"

#define NR_PAIRS 19

enum { WAITER, WAKER };
enum { FACT_WORD, FACT_PAIRS };

TestSuite(bpf_futex, .init = capture_or_skip, .timeout = 30);

static _Atomic uint32_t word;
static _Atomic uint32_t nr_begun; /* waits */

static void *wait_often(void *arg)
{
	struct account *account = arg;

	account_begin(account);
	for (uint32_t i = 0; i < NR_PAIRS; i++) {
		atomic_store(&nr_begun, i + 1);
		while (atomic_load(&word) == i)
			syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, i, NULL, NULL, 0);
	}
	account_end(account);
	return NULL;
}

/* The value changes only once the waiter has fallen asleep on it. */
static void wake_often(struct shared *shared)
{
	struct account *waker = &shared->threads[WAKER];
	pthread_t waiter;

	atomic_store(&word, 0);
	shared->threads[WAITER].fact[FACT_WORD] = (uintptr_t)&word;
	pthread_create(&waiter, NULL, wait_often, &shared->threads[WAITER]);
	account_begin(waker);
	for (uint32_t i = 0; i < NR_PAIRS; i++) {
		while (atomic_load(&nr_begun) != i + 1)
			sleep_us(100);
		await_asleep(shared->threads[WAITER].tid);
		atomic_store(&word, i + 1);
		waker->fact[FACT_PAIRS] +=
			syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	account_end(waker);
	pthread_join(waiter, NULL);
}

static void expect_pair(const struct event_offcpu *off, const struct shared *shared, uint32_t tgid)
{
	uint64_t address = shared->threads[WAITER].fact[FACT_WORD];

	cr_expect(eq(u64, off->arg0, address), "the word it waits on");
	cr_expect(eq(u32, off->arg1, FUTEX_WAIT_PRIVATE));
	cr_expect(lt(u32, off->arg2, NR_PAIRS), "the value it expects");
	cr_expect(eq(u32, off->waker_tid, shared->threads[WAKER].tid));
	cr_expect(eq(u32, off->waker_tgid, tgid));
	cr_expect(eq(int, off->waker_nr, SYS_futex));
	cr_expect(eq(u64, off->waker_arg0, address), "the word it is woken on");
	cr_expect(eq(u32, off->flags & OFFCPU_WOKEN_BY_IRQ, 0));
}

Test(bpf_futex, each_wait_names_its_word_and_its_waker)
{
	struct subject subject;
	struct capture capture;
	const struct event_offcpu *off = NULL;
	const struct shared *shared;
	size_t nr_waits = 0;

	capture_body(&capture, &subject, wake_often);

	shared = subject.shared;
	cr_assert(eq(u64, shared->threads[WAKER].fact[FACT_PAIRS], NR_PAIRS),
		  "every wake-up found its waiter");
	expect_whole(&capture, &shared->threads[WAITER]);
	expect_whole(&capture, &shared->threads[WAKER]);
	while ((off = capture_interval(&capture, &shared->threads[WAITER], off))) {
		if (off->nr != SYS_futex || !(off->state & 1))
			continue;
		expect_pair(off, shared, subject.tgid);
		nr_waits++;
	}
	cr_expect(eq(sz, nr_waits, NR_PAIRS));
	subject_stop(&subject);
	capture_free(&capture);
}

static void wait_until_late(struct shared *shared)
{
	struct timespec timeout = {.tv_nsec = 3000000};

	atomic_store(&word, 0);
	account_begin(&shared->threads[WAITER]);
	for (int i = 0; i < NR_PAIRS; i++)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &timeout, NULL, 0);
	account_end(&shared->threads[WAITER]);
}

Test(bpf_futex, a_wait_that_times_out_has_no_waker)
{
	struct subject subject;
	struct capture capture;
	const struct event_offcpu *off = NULL;
	size_t nr_waits = 0;

	capture_body(&capture, &subject, wait_until_late);

	expect_whole(&capture, &subject.shared->threads[WAITER]);
	while ((off = capture_interval(&capture, &subject.shared->threads[WAITER], off))) {
		if (off->nr != SYS_futex || !(off->state & 1))
			continue;
		nr_waits++;
		cr_expect(eq(u32, off->waker_tid, 0));
		cr_expect(eq(int, off->waker_nr, -1));
		cr_expect(eq(u32, off->flags & OFFCPU_WOKEN_BY_IRQ, OFFCPU_WOKEN_BY_IRQ));
	}
	cr_expect(eq(sz, nr_waits, NR_PAIRS));
	subject_stop(&subject);
	capture_free(&capture);
}
