/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bpf/capture.h"

#define NR_SHORT 31 /* threads that live for a moment */
#define NR_LONG	 7  /* threads that stay */

TestSuite(bpf_task, .init = capture_or_skip, .timeout = 30);

static void *rename_and_end(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "short-%d", (int)(intptr_t)arg);
	pthread_setname_np(pthread_self(), name);
	return NULL;
}

static void create_often(struct shared *shared)
{
	pthread_t thread;

	shared->threads[0].tid = this_tid();
	for (int i = 0; i < NR_SHORT; i++) {
		pthread_create(&thread, NULL, rename_and_end, (void *)(intptr_t)i);
		pthread_join(thread, NULL);
	}
	pthread_create(&thread, NULL, rename_and_end, (void *)(intptr_t)NR_SHORT);
	pthread_join(thread, NULL);
}

static void expect_life(const struct capture *capture, const struct event_task *new, int i)
{
	const struct event_task *renamed, *ended;
	const struct event_offcpu *off;
	char name[16];

	snprintf(name, sizeof(name), "short-%d", i);
	renamed = (const void *)capture_first(capture, EVENT_TASK_RENAME, new->hdr.tid);
	cr_assert(ne(ptr, (void *)renamed, NULL));
	cr_expect(eq(str, (char *)renamed->comm, name));
	off = (const void *)capture_first(capture, EVENT_OFFCPU, new->hdr.tid);
	cr_assert(ne(ptr, (void *)off, NULL));
	cr_expect(eq(u32, off->seq, 1));
	cr_expect(eq(u32, off->flags & OFFCPU_NEW_THREAD, OFFCPU_NEW_THREAD));
	cr_expect(eq(u64, off->runq_ns, off->off_ns), "a new thread can run at once");
	cr_expect(eq(u64, off->hdr.ts_ns - off->off_ns, new->hdr.ts_ns), "from its creation on");
	ended = (const void *)capture_first(capture, EVENT_TASK_EXIT, new->hdr.tid);
	cr_assert(ne(ptr, (void *)ended, NULL), "the exit of thread %d", i);
	cr_expect(eq(u32, ended->group_dead, 0));
	cr_expect(gt(u64, ended->exec_ns, 0));
}

Test(bpf_task, threads_that_come_and_go_are_each_seen_to_do_so)
{
	struct subject subject;
	struct capture capture;
	const struct event_hdr *event = NULL;
	int i = 0;

	capture_body(&capture, &subject, create_often);

	cr_expect(eq(u64, capture.nr_lost, 0));
	cr_expect(eq(sz, capture_count(&capture, EVENT_TASK_NEW, 0), NR_SHORT + 1));
	cr_expect(eq(sz, capture_count(&capture, EVENT_TASK_RENAME, 0), NR_SHORT + 1));
	while ((event = capture_next(&capture, event))) {
		const struct event_task *new = (const void *)event;

		if (event->kind != EVENT_TASK_NEW)
			continue;
		cr_expect(eq(u32, new->tgid, subject.tgid));
		cr_expect(eq(u32, new->parent_tid, subject.shared->threads[0].tid));
		if (i < NR_SHORT) /* the last one is joined before its exit is over */
			expect_life(&capture, new, i);
		i++;
	}
	subject_stop(&subject);
	capture_free(&capture);
}

static void *stay(void *arg)
{
	pthread_setname_np(pthread_self(), "stays");
	pthread_barrier_wait(arg);
	pause();
	return NULL;
}

static void create_some(struct shared *shared)
{
	static pthread_barrier_t barrier;
	pthread_t thread;

	(void)shared;
	pthread_barrier_init(&barrier, NULL, NR_LONG + 1);
	for (int i = 0; i < NR_LONG; i++)
		pthread_create(&thread, NULL, stay, &barrier);
	pthread_barrier_wait(&barrier);
	sleep_us(20000); /* until they are asleep */
}

Test(bpf_task, a_snapshot_has_every_thread_once)
{
	struct subject subject;
	struct capture capture;
	const struct event_hdr *event = NULL;
	size_t nr_stay = 0;

	subject_start(&subject, create_some, NULL);
	capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
	capture_drain(&capture);
	cr_expect(eq(sz, capture_count(&capture, EVENT_THREAD, 0), NR_LONG + 1), "at attach");
	cr_assert(eq(int, probes_snapshot(capture.probes), 0));
	capture_end(&capture);

	cr_expect(eq(u64, capture.nr_lost, 0));
	cr_expect(eq(sz, capture_count(&capture, EVENT_THREAD, 0), 2 * (NR_LONG + 1)));
	while ((event = capture_next(&capture, event))) {
		const struct event_thread *seen = (const void *)event;

		if (event->kind != EVENT_THREAD)
			continue;
		cr_expect(eq(sz, capture_count(&capture, EVENT_THREAD, event->tid), 2));
		cr_expect(eq(u32, seen->tgid, subject.tgid));
		cr_expect(eq(u32, seen->state & 1, 1), "all of them sleep");
		cr_expect(gt(u64, seen->off_since_ns, 0));
		cr_expect(lt(u64, seen->start_ns, event->ts_ns));
		nr_stay += !strcmp(seen->comm, "stays");
	}
	cr_expect(eq(sz, nr_stay, 2 * NR_LONG));
	subject_stop(&subject);
	capture_free(&capture);
}

static void become_another(struct shared *shared)
{
	(void)shared;
	execl("/bin/sh", "sh", "-c", "exit 3", NULL);
}

Test(bpf_task, a_program_that_becomes_another_and_ends_says_how)
{
	struct subject subject;
	struct capture capture;
	const struct event_task *exec, *ended;
	int status;

	subject_start(&subject, NULL, become_another);
	capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
	subject_begin(&subject);
	cr_assert(eq(int, waitpid(subject.tgid, &status, 0), subject.tgid));
	capture_end(&capture);

	cr_expect(eq(u64, capture.nr_lost, 0));
	cr_assert(eq(sz, capture_count(&capture, EVENT_TASK_EXEC, subject.tgid), 1));
	cr_assert(eq(sz, capture_count(&capture, EVENT_TASK_EXIT, subject.tgid), 1));
	exec = (const void *)capture_first(&capture, EVENT_TASK_EXEC, subject.tgid);
	ended = (const void *)capture_first(&capture, EVENT_TASK_EXIT, subject.tgid);
	cr_expect(eq(str, (char *)exec->comm, "sh"));
	cr_expect(eq(u32, ended->group_dead, 1));
	cr_expect(eq(int, WEXITSTATUS(ended->exit_code), 3));
	cr_expect(eq(int, WEXITSTATUS(status), 3));
	capture_free(&capture);
}
