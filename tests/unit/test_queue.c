/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tests/lib/random.h"
#include "user/attribution/queue.h"
#include "user/attribution/queue_backlog.h"
#include "user/attribution/queue_windows.h"

#define MS 1000000ull

static struct queue *new_queue(uint32_t nr_servers)
{
	struct queue *q;

	cr_assert(zero(int, queue_new(nr_servers, queue_backlog_masks, NR_QUEUE_CAUSES, &q)));
	return q;
}

static void away(struct queue *q, uint64_t from_ns, uint64_t to_ns, uint8_t cause)
{
	struct queue_interval window = {.from_ns = from_ns, .to_ns = to_ns, .cause = cause};

	cr_assert(zero(int, queue_add_away(q, &window)));
}

/* A request of @work_ns and @other_ns of @cause, as it comes out of the replay with everything. */
static struct queue_span add(struct queue *q, uint64_t arrival_ns, uint64_t work_ns, uint8_t cause,
			     uint64_t other_ns, struct queue_backlog *ret)
{
	const struct queue_segment segments[] = {{.ns = other_ns, .cause = cause},
						 {.ns = work_ns, .cause = QUEUE_LOAD}};
	struct queue_request request = {arrival_ns, segments, 2};
	struct queue_span spans[NR_QUEUE_CAUSES];

	cr_assert(zero(int, queue_add(q, &request, spans)));
	queue_backlog(spans, arrival_ns, spans[0].start_ns, ret);
	cr_assert(eq(u64, ret->nr_negative, 0));
	cr_assert(zero(i64, ret->misfit_ns));
	return spans[0];
}

static void expect_only(const struct queue_backlog *b, unsigned int cause, uint64_t ns, size_t nr)
{
	for (unsigned int i = 0; i < NR_QUEUE_CAUSES; i++)
		cr_assert(eq(u64, b->of_ns[i], i == cause ? ns : 0), "request %zu, cause %u", nr,
			  i);
}

/* D/D/1, the pause in the midst of request 100: each later one waits for what is not caught up. */
Test(queue, a_pause_in_a_service_drains_to_the_nanosecond)
{
	const uint64_t every = MS, service = 700 * 1000 + 1, pause = 50 * MS + 123;
	struct queue *q = new_queue(1);
	uint64_t drained = 100 + pause / (every - service) + 1;

	away(q, 100 * every + 300000, 100 * every + 300000 + pause, QUEUE_PAUSE);
	for (uint64_t n = 0; n < 400; n++) {
		struct queue_backlog b;
		struct queue_span s = add(q, n * every, service, QUEUE_LOCK, 0, &b);
		uint64_t wait = n > 100 && n < drained ? pause - (n - 100) * (every - service) : 0;

		expect_only(&b, QUEUE_PAUSE, wait, n);
		cr_assert(eq(u64, s.start_ns, n * every + wait));
		cr_assert(eq(u64, s.finish_ns, s.start_ns + service + (n == 100 ? pause : 0)));
	}
	cr_assert(eq(u64, drained, 267));
	queue_free(q);
}

/* The same while nobody is served: those that arrive in it wait for its end, then for each other.
 */
Test(queue, a_pause_of_an_idle_server_drains_to_the_nanosecond)
{
	const uint64_t every = MS, service = 700 * 1000, from = 100 * MS + 800 * 1000;
	const uint64_t to = from + 20 * MS + 77;
	struct queue *q = new_queue(1);

	away(q, from, to, QUEUE_STOPPED);
	for (uint64_t n = 0; n < 300; n++) {
		struct queue_backlog b;
		int64_t wait = (int64_t)(to - 101 * every) -
			       (int64_t)(n - 101) * (int64_t)(every - service);

		add(q, n * every, service, QUEUE_LOCK, 0, &b);
		expect_only(&b, QUEUE_STOPPED, n >= 101 && wait > 0 ? (uint64_t)wait : 0, n);
	}
	queue_free(q);
}

Test(queue, a_lock_held_by_one_of_two_servers_costs_only_what_the_other_cannot_do)
{
	struct queue *q = new_queue(2);

	/* Two servers, each arrival 600 of work every 400: 1.5 busy on average. */
	for (uint64_t n = 0; n < 200; n++) {
		struct queue_backlog b;
		uint64_t wait = 0;

		/* The other one alone falls behind by 200 a request until the first is back: 50
		 * arrivals later, when it is (10000 + 600) / 400. */
		add(q, n * 400, 600, QUEUE_LOCK, n == 50 ? 10000 : 0, &b);
		if (n > 51 && n <= 50 + 18)
			wait = (n - 51) * 200;
		if (n > 50 && n <= 50 + 18)
			expect_only(&b, QUEUE_LOCK, wait, n);
		if (n < 50)
			expect_only(&b, QUEUE_LOCK, 0, n);
	}
	queue_free(q);
}

Test(queue, overload_never_drains_and_a_pause_stays_what_it_was)
{
	struct queue *q = new_queue(1);

	for (uint64_t n = 0; n < 100000; n++) {
		struct queue_backlog b;

		add(q, n * 1000, 1500, QUEUE_PAUSE, n == 0 ? 10007 : 0, &b);
		cr_assert(eq(u64, b.of_ns[QUEUE_PAUSE], n ? 10007 : 0));
		cr_assert(eq(u64, b.of_ns[QUEUE_LOAD], n * 500));
	}
	queue_free(q);
}

static uint64_t exponential(uint64_t *random, double mean)
{
	double unit = ((double)(random_next(random) >> 11) + 0.5) / 0x1p53;

	return (uint64_t)(-log(unit) * mean);
}

/* Lindley's recursion, for Poisson arrivals at 80 % of what one server can do. */
Test(queue, poisson_arrivals_wait_as_lindley_says)
{
	struct queue *q = new_queue(1);
	uint64_t random = 5, arrival = 0;
	int64_t with = 0, without = 0;

	for (uint64_t n = 0; n < 200000; n++) {
		uint64_t work = exponential(&random, 0.79 * (double)MS);
		uint64_t lock = n % 5000 == 17 ? 30 * MS + n : 0;
		uint64_t gap = exponential(&random, (double)MS);
		struct queue_backlog b;

		add(q, arrival, work, QUEUE_LOCK, lock, &b);
		cr_assert(eq(i64, b.wait_ns, with));
		cr_assert(eq(u64, b.of_ns[QUEUE_LOAD], (uint64_t)without));
		expect_only(&(struct queue_backlog){.of_ns[QUEUE_LOCK] = b.of_ns[QUEUE_LOCK]},
			    QUEUE_LOCK, (uint64_t)(with - without), n);
		arrival += gap;
		with += (int64_t)(work + lock) - (int64_t)gap;
		without += (int64_t)work - (int64_t)gap;
		with = with > 0 ? with : 0;
		without = without > 0 ? without : 0;
	}
	queue_free(q);
}

#define SERVERS 7

/* Kiefer and Wolfowitz: the work left with each server, sorted. */
static uint64_t workload_step(uint64_t left[SERVERS], uint64_t service)
{
	uint64_t wait = left[0], mine = left[0] + service;
	size_t i = 0;

	for (; i + 1 < SERVERS && left[i + 1] < mine; i++)
		left[i] = left[i + 1];
	left[i] = mine;
	return wait;
}

static void pass(uint64_t left[SERVERS], uint64_t gap)
{
	for (size_t i = 0; i < SERVERS; i++)
		left[i] = left[i] > gap ? left[i] - gap : 0;
}

Test(queue, poisson_arrivals_at_several_servers_wait_as_kiefer_and_wolfowitz_say)
{
	uint64_t with[SERVERS] = {0}, without[SERVERS] = {0}, random = 6, arrival = 0;
	struct queue *q = new_queue(SERVERS);

	for (uint64_t n = 0; n < 200000; n++) {
		uint64_t work = exponential(&random, 6.1 * (double)MS);
		uint64_t peer = n % 400 < 3 ? 70 * MS : 0;
		uint64_t gap = exponential(&random, (double)MS);
		struct queue_backlog b;

		add(q, arrival, work, QUEUE_DOWNSTREAM, peer, &b);
		cr_assert(eq(u64, (uint64_t)b.wait_ns, workload_step(with, work + peer)));
		cr_assert(eq(u64, b.of_ns[QUEUE_LOAD], workload_step(without, work)));
		pass(with, gap);
		pass(without, gap);
		arrival += gap;
	}
	queue_free(q);
}

Test(queue, what_goes_on_elsewhere_is_not_held_up_by_a_pause_but_what_follows_is)
{
	const struct queue_segment segments[] = {
		{10, QUEUE_LOAD, false}, {50, QUEUE_DOWNSTREAM, true}, {5, QUEUE_LOAD, false}};
	static const struct {
		uint64_t from, to, finish;
		const char *why;
	} rows[] = {
		{20, 40, 65, "the answer comes after the pause"},
		{20, 60, 65, "the answer comes at its end"},
		{20, 80, 85, "the answer waits for its end"},
		{5, 9, 69, "the work before is held up"},
		{62, 64, 67, "the work after is held up"},
		{65, 99, 65, "it is over: half-open"},
		{0, 7, 72, "it starts when the pause is over"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct queue_request request = {0, segments, 3};
		struct queue_span spans[NR_QUEUE_CAUSES];
		struct queue *q = new_queue(1);

		away(q, rows[i].from, rows[i].to, QUEUE_PAUSE);
		cr_assert(zero(int, queue_add(q, &request, spans)));
		cr_expect(eq(u64, spans[0].finish_ns, rows[i].finish), "%s", rows[i].why);
		cr_expect(eq(u64, spans[1].finish_ns, 65), "without it");
		queue_free(q);
	}
}

Test(queue, a_negative_part_is_handed_out_as_misfit)
{
	struct queue_span spans[NR_QUEUE_CAUSES];
	struct queue_backlog b;
	int64_t sum = 0;

	for (unsigned int i = 0; i < NR_QUEUE_CAUSES; i++)
		spans[i] = (struct queue_span){130, 140};
	spans[1].start_ns = 150; /* without pauses it would be later: no replay of ours says so */
	queue_backlog(spans, 100, 137, &b);
	cr_expect(eq(u64, b.of_ns[QUEUE_PAUSE], 0));
	cr_expect(eq(u64, b.of_ns[QUEUE_STOPPED], 20));
	cr_expect(eq(u64, b.of_ns[QUEUE_LOAD], 30));
	cr_expect(eq(i64, b.misfit_ns, 7 - 20));
	cr_expect(eq(u64, b.nr_negative, 1));
	for (unsigned int i = 0; i < NR_QUEUE_CAUSES; i++)
		sum += (int64_t)b.of_ns[i];
	cr_expect(eq(i64, sum + b.misfit_ns, b.wait_ns));
	queue_backlog(spans, 100, 90, &b);
	cr_expect(eq(i64, b.wait_ns, -10), "taken before its arrival: said, not hidden");
}

Test(queue, what_makes_no_sense_is_refused)
{
	const uint32_t masks[QUEUE_REPLAYS_MAX + 1] = {0};
	struct queue_interval early = {.from_ns = 15, .to_ns = 30}, turned = {50, 40, 0, false},
			      foreign = {50, 60, NR_QUEUE_CAUSES, false};
	struct queue_request request = {.arrival_ns = 100};
	struct queue_span spans[NR_QUEUE_CAUSES];
	struct queue *q;

	cr_expect(eq(int, queue_new(0, masks, 1, &q), -EINVAL));
	cr_expect(eq(int, queue_new(1, masks, 0, &q), -EINVAL));
	cr_expect(eq(int, queue_new(1, masks, QUEUE_REPLAYS_MAX + 1, &q), -EINVAL));
	q = new_queue(1);
	away(q, 10, 20, QUEUE_PAUSE);
	cr_expect(eq(int, queue_add_away(q, &early), -EINVAL));
	cr_expect(eq(int, queue_add_away(q, &turned), -EINVAL));
	cr_expect(eq(int, queue_add_away(q, &foreign), -EINVAL));
	cr_expect(zero(int, queue_add(q, &request, spans)));
	request.arrival_ns = 99;
	cr_expect(eq(int, queue_add(q, &request, spans), -EINVAL));
	queue_free(q);
	queue_free(NULL);
}

Test(queue, a_window_that_comes_after_what_it_would_have_held_up_is_counted)
{
	struct queue *q = new_queue(1);
	struct queue_backlog b;

	add(q, 0, 100, QUEUE_LOCK, 0, &b);
	away(q, 50, 60, QUEUE_PAUSE);
	cr_expect(eq(u64, queue_nr_late(q), 1));
	away(q, 100, 110, QUEUE_PAUSE);
	cr_expect(eq(u64, queue_nr_late(q), 1));
	cr_expect(eq(u64, add(q, 100, 10, QUEUE_LOCK, 0, &b).start_ns, 110));
	queue_free(q);
}

Test(queue, windows_that_are_over_take_no_memory)
{
	struct windows w = {0};

	for (uint64_t n = 0; n < 1000000; n++) {
		struct queue_interval window = {10 * n, 10 * n + 5, QUEUE_PAUSE, false};

		cr_assert(zero(int, windows_add(&w, &window)));
		windows_forget(&w, n > 3 ? 10 * (n - 3) : 0);
	}
	cr_expect(le(u64, w.room, 256));
	windows_free(&w);
}
