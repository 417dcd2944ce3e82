/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "tests/bpf/capture.h"

#define NR_YIELDS 211

enum { YIELDER, OTHER };

TestSuite(bpf_sched, .init = capture_or_skip, .timeout = 30);

static _Atomic bool over;

static void *yield_until_over(void *arg)
{
	account_begin(arg);
	while (!atomic_load(&over))
		sched_yield();
	account_end(arg);
	return NULL;
}

/* Two threads that give one CPU to each other: none of them ever sleeps. */
static void yield_often(struct shared *shared)
{
	pthread_t other;

	atomic_store(&over, false);
	pin_to_cpu(0);
	pthread_create(&other, NULL, yield_until_over, &shared->threads[OTHER]);
	account_begin(&shared->threads[YIELDER]);
	for (int i = 0; i < NR_YIELDS; i++)
		sched_yield();
	account_end(&shared->threads[YIELDER]);
	atomic_store(&over, true);
	pthread_join(other, NULL);
}

Test(bpf_sched, a_yield_is_a_wait_in_the_run_queue_behind_the_other)
{
	struct subject subject;
	struct capture capture;
	const struct event_offcpu *off = NULL;
	const struct account *yielder, *other;
	size_t nr_yields = 0, nr_behind = 0;

	capture_body(&capture, &subject, yield_often);

	yielder = &subject.shared->threads[YIELDER];
	other = &subject.shared->threads[OTHER];
	expect_whole(&capture, yielder);
	expect_whole(&capture, other);
	while ((off = capture_interval(&capture, yielder, off))) {
		if (off->state != 0)
			continue;
		cr_expect(eq(u64, off->runq_ns, off->off_ns), "it could run all the time");
		cr_expect(eq(u32, off->waker_tid, 0));
		cr_expect(eq(int, off->cpu, 0));
		nr_yields += off->nr == SYS_sched_yield;
		nr_behind += off->ahead_tid == other->tid;
	}
	cr_expect(gt(sz, nr_yields, 0));
	cr_expect(gt(sz, nr_behind, 0));
	subject_stop(&subject);
	capture_free(&capture);
}

static void *spin_until_over(void *arg)
{
	account_begin(arg);
	while (!atomic_load(&over))
		;
	account_end(arg);
	return NULL;
}

static void compete(struct shared *shared)
{
	pthread_t other;
	uint64_t until_ns;

	atomic_store(&over, false);
	pin_to_cpu(0);
	pthread_create(&other, NULL, spin_until_over, &shared->threads[OTHER]);
	account_begin(&shared->threads[YIELDER]);
	until_ns = now_ns() + 200000000;
	while (now_ns() < until_ns)
		;
	account_end(&shared->threads[YIELDER]);
	atomic_store(&over, true);
	pthread_join(other, NULL);
}

/* As often as it takes to see one; each time all intervals must be there, in order and without
 * overlap. */
Test(bpf_sched, a_return_that_the_kernel_shows_to_no_probe_is_not_lost)
{
	struct subject subject;
	struct capture capture;
	bool disturbed = false;

	for (int i = 0; i < 15 && !disturbed; i++) {
		subject_start(&subject, NULL, compete);
		capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
		subject_run(&subject);
		capture_end(&capture);
		disturbed = capture_is_disturbed(&capture);
		expect_whole(&capture, &subject.shared->threads[YIELDER]);
		expect_whole(&capture, &subject.shared->threads[OTHER]);
		subject_stop(&subject);
		capture_free(&capture);
	}
	if (!disturbed)
		cr_skip_test("this kernel shows every switch");
}

Test(bpf_sched, a_thread_preempted_in_its_own_code_is_in_no_syscall)
{
	struct subject subject;
	struct capture capture;
	const struct event_offcpu *off = NULL;
	const struct account *one;
	size_t nr_preempted = 0;

	capture_body(&capture, &subject, compete);

	one = &subject.shared->threads[YIELDER];
	expect_whole(&capture, one);
	expect_whole(&capture, &subject.shared->threads[OTHER]);
	while ((off = capture_interval(&capture, one, off)))
		nr_preempted += off->state == 0 && off->nr == -1 && off->runq_ns == off->off_ns &&
				off->ahead_tid == subject.shared->threads[OTHER].tid;
	cr_expect(gt(sz, nr_preempted, 0));
	subject_stop(&subject);
	capture_free(&capture);
}
