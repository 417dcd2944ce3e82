/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tests/bpf/capture.h"

#define NR_SLEEPS 29

TestSuite(bpf_target, .init = capture_or_skip, .timeout = 30);

static void sleep_often(struct shared *shared)
{
	account_begin(&shared->threads[0]);
	for (int i = 0; i < NR_SLEEPS; i++)
		sleep_us(1000);
	account_end(&shared->threads[0]);
}

static void run_all(struct subject *subjects, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		subject_begin(&subjects[i]);
	for (size_t i = 0; i < nr; i++)
		subject_wait(&subjects[i]);
}

Test(bpf_target, two_targets_are_recorded_at_once_and_a_third_process_is_not)
{
	struct subject all[3], *one = &all[0], *two = &all[1], *stranger = &all[2];
	struct capture capture;
	const struct event_hdr *event = NULL;

	for (size_t i = 0; i < 3; i++)
		subject_start(&all[i], NULL, sleep_often);
	do {
		capture_begin(&capture, (const struct subject *[]){one, two}, 2, 0);
		run_all(all, 3);
		capture_end(&capture);
	} while (capture_must_repeat(&capture));

	cr_expect(ge(sz, expect_whole(&capture, &one->shared->threads[0]), NR_SLEEPS));
	cr_expect(ge(sz, expect_whole(&capture, &two->shared->threads[0]), NR_SLEEPS));
	cr_assert(ge(u64, stranger->shared->threads[0].nr_switches, NR_SLEEPS));
	while ((event = capture_next(&capture, event))) {
		if (event->kind == EVENT_CONN_OPEN)
			continue; /* inherited from this process, and nobody's doing */
		cr_expect(event->tid == (uint32_t)one->tgid || event->tid == (uint32_t)two->tgid,
			  "kind %u tid %u", event->kind, event->tid);
	}
	for (size_t i = 0; i < 3; i++)
		subject_stop(&all[i]);
	capture_free(&capture);
}

static void capture_after_refusal(struct capture *capture, struct subject *subject)
{
	struct probe_target target = {.tgid = (uint32_t)subject->tgid};
	struct probe_options options = {.pauses = PAUSE_PROBES_NONE, .refuse_all = true};
	struct probe_problem problem = {};

	memset(capture, 0, sizeof(*capture));
	cr_assert(eq(int, probes_attach(&target, 1, &options, &capture->probes, &problem), 0), "%s",
		  problem.what);
	subject_run(subject);
	capture_end(capture);
}

Test(bpf_target, a_kernel_that_refused_the_first_load_records_the_same)
{
	struct subject subject;
	struct capture capture;

	subject_start(&subject, NULL, sleep_often);
	do {
		capture_after_refusal(&capture, &subject);
	} while (capture_must_repeat(&capture));
	cr_expect(ge(sz, expect_whole(&capture, &subject.shared->threads[0]), NR_SLEEPS));
	subject_stop(&subject);
	capture_free(&capture);
}

struct counted {
	uint64_t runs, hits, nr_programs;
};

static void add_cost(void *arg, const struct record_probe *cost)
{
	struct counted *counted = arg;

	cr_expect(le(u64, cost->hits, cost->runs), "%s", cost->name);
	counted->runs += cost->runs;
	counted->hits += cost->hits;
	counted->nr_programs++;
}

/* A switch-out and a switch-in each, and a wake-up for a sleep: the programs count at least what
 * the kernel counts.
 */
Test(bpf_target, the_probes_count_their_own_runs)
{
	struct subject subject;
	struct capture capture;
	struct counted before = {}, after = {};
	uint64_t nr_switches;

	subject_start(&subject, NULL, sleep_often);
	do {
		before = after = (struct counted){};
		capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
		probes_costs(capture.probes, add_cost, &before);
		subject_run(&subject);
		probes_costs(capture.probes, add_cost, &after);
		capture_end(&capture);
	} while (capture_must_repeat(&capture));

	nr_switches = subject.shared->threads[0].nr_switches;
	cr_expect(gt(u64, after.nr_programs, 1));
	cr_expect(ge(u64, after.hits - before.hits, 2 * nr_switches + NR_SLEEPS));
	subject_stop(&subject);
	capture_free(&capture);
}

static void run_once(struct subject *subject, struct capture *capture)
{
	do {
		capture_begin(capture, (const struct subject *const[]){subject}, 1, 0);
		subject_run(subject);
		capture_end(capture);
	} while (capture_must_repeat(capture));
	expect_whole(capture, &subject->shared->threads[0]);
	capture_free(capture);
}

Test(bpf_target, probes_that_were_detached_can_be_attached_again)
{
	struct subject subject;
	struct capture capture;

	subject_start(&subject, NULL, sleep_often);
	for (int i = 0; i < 3; i++)
		run_once(&subject, &capture);
	subject_stop(&subject);
}

Test(bpf_target, a_process_that_is_gone_cannot_be_attached_to)
{
	struct subject subject;
	struct probe_problem problem = {};
	struct probes *probes = NULL;
	struct probe_target target = {};
	struct probe_options options = {.pauses = PAUSE_PROBES_NONE};

	subject_start(&subject, NULL, NULL);
	target.tgid = subject.tgid;
	subject_stop(&subject);
	cr_expect(eq(int, probes_attach(&target, 1, &options, &probes, &problem), -ESRCH));
	cr_expect(gt(sz, strlen(problem.what), 0), "it says so");
	cr_expect(eq(ptr, probes, NULL));
}
