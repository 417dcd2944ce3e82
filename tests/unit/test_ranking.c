/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/lib/random.h"
#include "user/attribution/ranking.h"

static void add(struct ranking *r, enum cause cause, uint64_t ns, uint64_t rest_ns)
{
	struct split split = {0};

	split.ns[cause] = ns;
	split.ns[CAUSE_ON_CPU] += rest_ns;
	cr_assert(zero(int, ranking_add(r, &split)));
}

Test(ranking, of_nothing_there_is_nothing)
{
	struct ranking r = {0};

	cr_expect(zero(u64, ranking_at(&r, 99).nr));
	cr_expect(zero(u64, ranking_beyond(&r, 0).nr));
	ranking_free(&r);
}

Test(ranking, the_tail_is_made_of_its_own_requests)
{
	struct ranking r = {0};
	enum cause order[NR_CAUSES];
	struct ranked tail;

	for (int i = 0; i < 980; i++)
		add(&r, CAUSE_NETWORK, 10, 990);
	for (int i = 0; i < 20; i++)
		add(&r, CAUSE_PAUSE, 90000, 10000);
	tail = ranking_at(&r, 99);
	cr_expect(eq(u64, tail.nr, 20));
	cr_expect(eq(u64, tail.total_ns, 20 * 100000));
	cr_expect(eq(u64, tail.ns[CAUSE_PAUSE], 20 * 90000));
	cr_expect(zero(u64, tail.ns[CAUSE_NETWORK]));
	cr_expect(eq(u32, ranked_order(&tail, order), 2));
	cr_expect(eq(int, order[0], CAUSE_PAUSE));
	cr_expect(eq(int, order[1], CAUSE_ON_CPU));
	cr_expect(eq(u64, ranking_at(&r, 50).nr, 980));
	cr_expect(eq(u64, ranking_at(&r, 98).nr, 980), "nearest rank: the 980th of 1000");
	ranking_free(&r);
}

Test(ranking, everything_is_in_one_class_whatever_its_size)
{
	struct ranking r = {0};
	uint64_t random = 1, total_ns = 0;
	struct ranked all;

	for (int i = 0; i < 5000; i++) {
		uint64_t ns = random_next(&random) >> (3 + random_next(&random) % 61);

		add(&r, CAUSE_IO, ns >> 12, 0);
		total_ns += ns >> 12;
	}
	all = ranking_beyond(&r, 0);
	cr_expect(eq(u64, all.nr, 5000));
	cr_expect(eq(u64, all.total_ns, total_ns));
	ranking_free(&r);
}

Test(ranking, a_response_time_lies_within_its_class)
{
	for (uint64_t ns = 1; ns < 1ull << 61; ns += ns / 3 + 1) {
		struct ranking r = {0};
		struct ranked one;

		add(&r, CAUSE_PARKED, ns, 0);
		one = ranking_at(&r, 100);
		cr_assert(le(u64, one.from_ns, ns));
		cr_assert(gt(u64, one.to_ns, ns));
		cr_assert(le(u64, one.to_ns - one.from_ns, ns / RANKING_FINE + 1));
		ranking_free(&r);
	}
}
