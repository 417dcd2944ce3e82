/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "user/load/summary.h"
#include "user/load/verdict.h"

static struct load_summary summary;

#define MS 1000000ull

/* Request @seq of 1,000 a second, sent @late_ns after it should have been, answered @service_ns
 * later. */
static struct schedule_request request(uint64_t seq, uint64_t late_ns, uint64_t wait_ns,
				       uint64_t service_ns)
{
	struct schedule_request r = {
		.seq = seq, .intended_ns = 1000 * MS + seq * MS, .conn_wait_ns = wait_ns};

	r.sent_ns = r.intended_ns + wait_ns + late_ns;
	r.first_ns = r.received_ns = r.sent_ns + service_ns;
	return r;
}

static struct run_facts good_facts(void)
{
	struct run_facts f;

	memset(&f, 0xff, sizeof(f)); /* SCHEDULE_UNKNOWN */
	f.duration_ns = 1000 * MS;
	f.threads = 1;
	f.missing = f.omitted = f.lost = f.not_open_ns = f.run_queue_ns = f.throttled_ns = 0;
	f.complete = true;
	return f;
}

Test(load_summary, time_queued_for_a_connection_is_no_lateness)
{
	struct schedule_request r = request(0, 3 * MS, 40 * MS, 5 * MS);
	uint64_t late_ns;

	cr_assert(load_summary_lateness(&r, &late_ns));
	cr_expect_eq(late_ns, 3 * MS);
	load_summary_add(&summary, &r);
	cr_expect_eq(summary.response.max, 48 * MS);
	cr_expect_eq(summary.service.max, 5 * MS);
	cr_expect_eq(summary.lateness.max, 3 * MS);
	cr_expect_eq(summary.on_time.max, 45 * MS);
	cr_expect_eq(summary.conn_wait.max, 40 * MS);
}

Test(load_summary, the_warm_up_is_counted_and_left_out)
{
	summary.start_ns = 1000 * MS;
	summary.warmup_ns = 10 * MS;
	for (uint64_t i = 0; i < 20; i++) {
		struct schedule_request r = request(i, 0, 0, MS);

		load_summary_add(&summary, &r);
	}
	cr_expect_eq(summary.nr_warmup, 10);
	cr_expect_eq(summary.nr, 10);
	cr_expect_eq(summary.response.nr, 10);
}

Test(load_summary, requests_without_an_answer_are_counted_by_class)
{
	struct schedule_request r = request(0, 0, 0, MS);

	r.received_ns = r.first_ns = SCHEDULE_UNKNOWN;
	r.failure = FAILURE_TIMEOUT;
	load_summary_add(&summary, &r);
	r.failure = FAILURE_CUT;
	load_summary_add(&summary, &r);
	r = request(1, 0, 0, MS);
	r.failure = FAILURE_STATUS;
	load_summary_add(&summary, &r);
	cr_expect_eq(summary.nr_unanswered,
		     1); /* nobody knows what would have become of the cut one */
	cr_expect_eq(summary.nr_answered, 1);
	cr_expect_eq(summary.nr_failures[FAILURE_TIMEOUT], 1);
	cr_expect_eq(summary.nr_failures[FAILURE_STATUS], 1);
}

Test(load_summary, stamps_that_run_backwards_are_counted_and_in_no_figure)
{
	struct schedule_request r = request(0, 0, 0, MS);

	r.sent_ns = r.intended_ns - 1;
	load_summary_add(&summary, &r);
	r = request(1, 0, 0, MS);
	r.received_ns = r.sent_ns - 1;
	load_summary_add(&summary, &r);
	cr_expect_eq(summary.nr_negative, 2);
	cr_expect_eq(summary.response.nr, 0);
	cr_expect_eq(summary.service.nr, 0);
}

static void add_many(uint64_t nr, uint64_t late_ns)
{
	for (uint64_t i = 0; i < nr; i++) {
		struct schedule_request r =
			request(i, i % 20 ? 0 : late_ns, 0, MS + i % 100 * 1000);

		load_summary_add(&summary, &r);
	}
}

static bool good(const struct run_facts *f, double percent)
{
	struct verdict v;

	verdict_judge(&summary, f, percent, &v);
	cr_expect_eq(v.good, v.nr_reasons == 0);
	return v.good;
}

Test(load_verdict, a_generator_that_was_on_time_is_good_enough)
{
	struct run_facts f = good_facts();

	add_many(10000, 0);
	cr_expect(good(&f, 99));
	cr_expect(good(&f, 99.9));
	cr_expect_not(good(&f, 99.99)); /* rests on one request */
}

Test(load_verdict, each_thing_that_spoils_a_percentile_is_a_reason)
{
	struct run_facts f = good_facts();

	add_many(10000, 0);
	f.omitted = f.replans = 1;
	cr_expect_not(good(&f, 99));
	f = good_facts();
	f.lost = 1;
	cr_expect_not(good(&f, 99));
	f = good_facts();
	f.missing = 1;
	cr_expect_not(good(&f, 99));
	f = good_facts();
	f.complete = false;
	cr_expect_not(good(&f, 99));
	f = good_facts();
	f.run_queue_ns = 11 * MS; /* 1.1 % of its time */
	cr_expect_not(good(&f, 99));
	cr_expect(good(&f, 90));
	f = good_facts();
	f.throttled_ns = 11 * MS;
	cr_expect_not(good(&f, 99));
	f = good_facts();
	f.not_open_ns = 11 * MS;
	cr_expect_not(good(&f, 99));
}

Test(load_verdict, lateness_counts_where_it_moves_the_percentile)
{
	struct run_facts f = good_facts();

	add_many(10000, 2 * MS); /* one in 20 */
	cr_expect(good(&f, 90));
	cr_expect_not(good(&f, 99));
}
