/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever goes in, every nanosecond of the response time comes out once. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/lib/random.h"
#include "user/attribution/split.h"

#define NR_LISTS    10
#define NR_LIST	    40
#define NR_REQUESTS 20000

struct lists {
	struct condition of[NR_LISTS][NR_LIST];
	size_t nr;
};

static struct conditions some(uint64_t *state, struct lists *lists)
{
	struct condition *at = lists->of[lists->nr++];
	uint64_t now_ns = random_next(state) % 1500;
	size_t nr = random_next(state) % NR_LIST;

	for (size_t i = 0; i < nr; i++) {
		at[i].from_ns = now_ns + (random_next(state) % 2 ? 0 : random_next(state) % 90);
		at[i].to_ns = now_ns = at[i].from_ns + 1 + random_next(state) % 90;
		at[i].cause = random_next(state) % NR_CAUSES;
		at[i].pause_nr = split_is_stop(at[i].cause) ? random_next(state) % 4 : 0;
	}
	return (struct conditions){at, nr};
}

static struct split_thread somebody(uint64_t *state, struct lists *lists)
{
	return (struct split_thread){random_next(state) % 4, some(state, lists)};
}

static struct split_backlog some_backlog(uint64_t *state)
{
	struct split_backlog backlog = {.replayed = random_next(state) % 4};

	for (size_t i = 0; i < NR_BACKLOGS; i++)
		if (random_next(state) % 3 == 0)
			backlog.ns[i] = random_next(state) % 300;
	return backlog;
}

static void some_request(uint64_t *state, struct lists *lists, struct split_request *ret)
{
	uint64_t now_ns = 1000;

	*ret = (struct split_request){
		.sender = somebody(state, lists),
		.reader = somebody(state, lists),
		.answerer = somebody(state, lists),
		.receiver = somebody(state, lists),
		.pauses = some(state, lists),
		.losses = some(state, lists),
		.reader_at_work = some(state, lists),
		.answerer_at_work = some(state, lists),
		.previous = some(state, lists),
		.wait = some_backlog(state),
		.hand_off = some_backlog(state),
		.connection = some_backlog(state),
		.connection_wait_ns = random_next(state) % 300,
		.window = random_next(state) % 2,
	};
	ret->last_answerer = random_next(state) % 4 ? ret->answerer : ret->reader;
	for (int i = 0; i < NR_BOUNDARIES; i++) {
		now_ns += random_next(state) % 300;
		ret->at_ns[i] = random_next(state) % 8 ? now_ns : 0;
		if (random_next(state) % 16 == 0) /* crossed */
			ret->at_ns[i] -= ret->at_ns[i] ? random_next(state) % 200 : 0;
	}
	if (random_next(state) % 4)
		ret->reader_until_ns = 1000 + random_next(state) % 2000;
	if (random_next(state) % 4)
		ret->answerer_since_ns = 1000 + random_next(state) % 2000;
}

static void expect_whole(const struct split_result *result)
{
	uint64_t now_ns = result->begin_ns, sum_ns[NR_CAUSES] = {0};

	for (size_t i = 0; i < result->nr; i++) {
		const struct segment *s = &result->segments[i];

		cr_assert(eq(u64, s->from_ns, now_ns));
		cr_assert(gt(u64, s->to_ns, s->from_ns));
		cr_assert(lt(u32, s->cause, NR_CAUSES));
		sum_ns[s->cause] += s->to_ns - s->from_ns;
		now_ns = s->to_ns;
	}
	cr_assert(eq(u64, now_ns, result->end_ns));
	for (int i = 0; i < NR_CAUSES; i++)
		cr_assert(eq(u64, sum_ns[i], result->split.ns[i]));
	cr_assert(eq(u64, split_total_ns(&result->split), result->end_ns - result->begin_ns));
	cr_assert(le(u64, result->split.pause_ns, result->end_ns - result->begin_ns));
}

static bool is_a_pause(uint32_t cause)
{
	return cause >= CAUSE_PAUSE && cause <= CAUSE_PAUSE_FAULT;
}

Test(split, segments_cover_the_response_time_once_whatever_goes_in)
{
	static struct lists lists;
	struct split_result result = {0};
	uint64_t state = 7, nr_split = 0, nr_backlog = 0, nr_pause = 0;

	for (int i = 0; i < NR_REQUESTS; i++) {
		struct split_request request;

		lists.nr = 0;
		some_request(&state, &lists, &request);
		if (split_request(&request, &result))
			continue;
		expect_whole(&result);
		nr_split++;
		for (size_t s = 0; s < result.nr; s++) {
			nr_backlog += result.segments[s].cause == CAUSE_BACKLOG_LOCK;
			nr_pause += is_a_pause(result.segments[s].cause);
		}
	}
	cr_expect(gt(u64, nr_split, NR_REQUESTS * 9 / 10));
	cr_expect(gt(u64, nr_backlog, 1000)); /* the generator reaches what it should */
	cr_expect(gt(u64, nr_pause, 1000));
	split_free(&result);
}
