/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <unistd.h>

#include "tests/bpf/capture.h"

#define NR_MANY	   211 /* more than a ring of one page holds */
#define RING_BYTES 4096

TestSuite(bpf_loss, .init = capture_or_skip, .timeout = 30);

static void sleep_many(struct shared *shared)
{
	account_begin(&shared->threads[0]);
	for (int i = 0; i < NR_MANY; i++)
		sleep_us(100);
	account_end(&shared->threads[0]);
}

static uint64_t lost_of_kind(const struct capture *capture, uint16_t kind)
{
	uint64_t nr = 0;

	for (int cause = 0; cause < NR_LOST_CAUSES; cause++)
		nr += capture->lost[kind][cause];
	return nr;
}

static uint32_t last_seq(const struct capture *capture, uint32_t tid)
{
	const struct event_hdr *event = NULL;
	uint32_t seq = 0;

	while ((event = capture_next(capture, event)))
		if (event->kind == EVENT_OFFCPU && event->tid == tid)
			seq = ((const struct event_offcpu *)event)->seq;
	return seq;
}

/* Nobody reads the ring while its owner makes more than it holds; then it is read, and one more
 * stretch shows the gap. */
Test(bpf_loss, a_ring_that_is_too_small_loses_what_is_counted_and_nothing_else)
{
	struct subject subject;
	struct capture capture;
	uint64_t received, lost;

	subject_start(&subject, NULL, sleep_many);
	capture_begin(&capture, (const struct subject *[]){&subject}, 1, RING_BYTES);
	capture_drain(&capture);
	subject_run(&subject);
	capture_drain(&capture);
	subject_run(&subject);
	capture_end(&capture);

	received = capture_count(&capture, EVENT_OFFCPU, subject.tgid);
	lost = lost_of_kind(&capture, EVENT_OFFCPU);
	cr_expect(gt(u64, lost, NR_MANY), "two stretches, each of which fills the ring");
	cr_expect(gt(u64, received, 2 * (RING_BYTES / 256)));
	cr_expect(eq(u64, lost - capture.lost[EVENT_OFFCPU][LOST_UNSEEN],
		     capture.lost[EVENT_OFFCPU][LOST_RING_FULL]),
		  "for one cause, but for what the kernel did not show");
	cr_expect(eq(u64, lost, capture.nr_lost), "and of one kind");
	subject_stop(&subject);
	capture_free(&capture);
}

static void sleep_once(struct shared *shared)
{
	(void)shared;
	sleep_us(1000);
}

static void sleep_many_then_once(struct shared *shared)
{
	static int nr;

	if (nr++ == 0)
		sleep_many(shared);
	else
		sleep_once(shared);
}

Test(bpf_loss, the_gap_in_a_threads_numbers_is_the_number_lost)
{
	struct subject subject;
	struct capture capture;
	uint64_t received, lost;

	subject_start(&subject, NULL, sleep_many_then_once);
	capture_begin(&capture, (const struct subject *[]){&subject}, 1, RING_BYTES);
	capture_drain(&capture);
	subject_run(&subject);
	capture_drain(&capture);
	subject_run(&subject); /* these find the ring empty */
	capture_end(&capture);

	received = capture_count(&capture, EVENT_OFFCPU, subject.tgid);
	lost = lost_of_kind(&capture, EVENT_OFFCPU);
	cr_expect(gt(u64, lost, 0));
	cr_expect(eq(u64, received + lost, last_seq(&capture, subject.tgid)));
	cr_expect(ge(u64, received + lost, subject.shared->threads[0].nr_switches));
	subject_stop(&subject);
	capture_free(&capture);
}

Test(bpf_loss, a_ring_of_the_usual_size_loses_nothing_of_the_same)
{
	struct subject subject;
	struct capture capture;

	capture_body(&capture, &subject, sleep_many);
	expect_whole(&capture, &subject.shared->threads[0]);
	subject_stop(&subject);
	capture_free(&capture);
}
