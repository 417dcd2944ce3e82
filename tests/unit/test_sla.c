/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#include "user/attribution/sla.h"

#define MS 1000000ull
#define S  1000000000ull

Test(sla, promises_are_read_as_typed)
{
	static const struct {
		const char *word, *label;
		uint32_t percent;
		uint64_t limit_ns, window_ns;
	} rows[] = {
		{"p99<50ms", "", 99000000, 50 * MS, 0},
		{"p99.9<200ms@10s", "", 99900000, 200 * MS, 10 * S},
		{"max<1s", "", 100000000, S, 0},
		{"p100<1s", "", 100000000, S, 0},
		{"p0.000001<7ns@1m", "", 1, 7, 60 * S},
		{"login:p99<50ms", "login", 99000000, 50 * MS, 0},
		{"GET /a:8080/<b>:p50<1.5ms@1s", "GET /a:8080/<b>", 50000000, 1500000, S},
		{"a@b:max<2h", "a@b", 100000000, 7200 * S, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *wrong = "";
		struct sla sla;

		cr_assert(zero(int, sla_parse(rows[i].word, &sla, &wrong)), "%s: %s", rows[i].word,
			  wrong);
		cr_expect_str_eq(sla.label, rows[i].label);
		cr_expect(eq(u32, sla.percent, rows[i].percent), "%s", rows[i].word);
		cr_expect(eq(u64, sla.limit_ns, rows[i].limit_ns), "%s", rows[i].word);
		cr_expect(eq(u64, sla.window_ns, rows[i].window_ns), "%s", rows[i].word);
	}
}

Test(sla, what_cannot_be_read_is_refused_with_one_reason)
{
	static const char *const rows[][2] = {
		{"", "no '<'"},
		{"p99", "no '<'"},
		{"p99<", "time is missing"},
		{"p99<50", "unit"},
		{"p99<50ms@", "time is missing"},
		{"p99<50ms@10", "unit"},
		{"p99<=50ms", "number and its unit"},
		{"p99<-5ms", "number and its unit"},
		{"p99<50parsec", "number and its unit"},
		{"p99<0ms", "longer than 0"},
		{"p0<50ms", "more than 0"},
		{"p101<50ms", "at most 100"},
		{"p100.000001<50ms", "at most 100"},
		{"p99.1234567<50ms", "six decimals"},
		{"p9.9.9<50ms", "percentage"},
		{"p99.<50ms", "percentage"},
		{"p.9<50ms", "percentage"},
		{"99<50ms", "percentage"},
		{"mean<50ms", "percentage"},
		{"<50ms", "percentage"},
		{":p99<50ms", "label"},
		{"a:<50ms", "percentage"},
		{"p99<50ms@10s@20s", "number and its unit"},
		{"p99999999999999999999999<1s", "at most 100"},
	};
	char longest[400];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *wrong = "";
		struct sla sla;

		cr_expect(eq(int, sla_parse(rows[i][0], &sla, &wrong), -EINVAL), "%s", rows[i][0]);
		cr_expect(strstr(wrong, rows[i][1]) != NULL, "%s: %s", rows[i][0], wrong);
	}
	memset(longest, 'x', sizeof(longest));
	strcpy(&longest[300], ":p99<1s");
	cr_expect(eq(int, sla_parse(longest, &(struct sla){0}, &(const char *){0}), -EINVAL));
}

static struct sla_window windows[16];
static struct sla_breach breaches[16];
static size_t nr_windows, nr_breaches;

static void take_window(void *context, const struct sla_window *window)
{
	(void)context;
	windows[nr_windows++] = *window;
}

static void take_breach(void *context, const struct sla_breach *breach)
{
	(void)context;
	breaches[nr_breaches++] = *breach;
}

static struct sla_watch *watch(const char *word, uint64_t to_ns)
{
	const char *wrong;
	struct sla_watch *w;
	struct sla sla;

	cr_assert(zero(int, sla_parse(word, &sla, &wrong)));
	cr_assert(zero(int, sla_watch_new(&sla, 0, to_ns, take_window, take_breach, NULL, &w)));
	return w;
}

/* @nr requests, 10 ms apart from @from_ns on. */
static void add(struct sla_watch *w, uint64_t from_ns, size_t nr, uint64_t response_ns)
{
	for (size_t i = 0; i < nr; i++)
		cr_assert(zero(int, sla_watch_add(w, from_ns + 10 * MS * i, response_ns)));
}

Test(sla, exactly_as_many_over_the_limit_as_allowed_hold)
{
	for (size_t nr_over = 0; nr_over < 4; nr_over++) {
		struct sla_watch *w = watch("p99<50ms", 10 * S);
		struct sla_summary s;

		add(w, 0, 200 - nr_over, 50 * MS - 1);
		add(w, 2 * S, nr_over, 50 * MS);
		sla_watch_end(w, &s);
		cr_expect(eq(u64, s.nr_broken, nr_over > 2));
		cr_expect(eq(u64, s.nr_windows, 1));
		sla_watch_free(w);
	}
	cr_expect(eq(u64, windows[0].nr, 200));
	cr_expect(eq(u64, windows[0].nr_over, 3));
	cr_expect(eq(u64, windows[0].nr_allowed, 2));
	cr_expect(eq(u64, windows[0].value_ns, 50 * MS));
	cr_expect(eq(u64, windows[0].over_ns, 0), "less than is not at most");
	cr_expect(eq(u64, breaches[0].normal_ns, SLA_UNKNOWN), "the run ended over the limit");
}

Test(sla, a_breach_is_a_run_of_windows_and_knows_when_all_was_normal_again)
{
	struct sla_watch *w = watch("p90<50ms@1s", 10 * S);
	struct sla_summary s;

	add(w, 0, 100, MS);
	add(w, 1 * S, 80, MS);
	add(w, 1800 * MS, 20, 300 * MS); /* 20 % over */
	add(w, 2 * S, 30, 200 * MS);	 /* broken too */
	add(w, 2300 * MS, 70, MS);	 /* normal from here */
	add(w, 5 * S, 100, MS);		 /* nothing in between: not known to hold */
	add(w, 6 * S, 100, 70 * MS);
	sla_watch_end(w, &s);
	sla_watch_free(w);
	cr_assert(eq(u64, nr_breaches, 2));
	cr_expect(eq(u64, breaches[0].from_ns, S));
	cr_expect(eq(u64, breaches[0].to_ns, 3 * S));
	cr_expect(eq(u64, breaches[0].nr_windows, 2));
	cr_expect(eq(u64, breaches[0].first_over_ns, 1800 * MS));
	cr_expect(eq(u64, breaches[0].normal_ns, 2300 * MS));
	cr_expect(eq(u64, breaches[0].worst.over_ns, 250 * MS));
	cr_expect(eq(u64, breaches[1].normal_ns, SLA_UNKNOWN));
	cr_expect(eq(u64, breaches[1].worst.over_ns, 20 * MS));
	cr_expect(eq(u64, s.nr_windows, 10));
	cr_expect(eq(u64, s.nr_broken, 3));
	cr_expect(eq(u64, nr_windows, 3));
	cr_expect(eq(u64, s.nr_empty, 5));
}

Test(sla, normal_again_may_be_in_the_window_after)
{
	struct sla_watch *w = watch("p50<50ms@1s", 2 * S);
	struct sla_summary s;

	add(w, 0, 100, 60 * MS);
	add(w, S, 10, 60 * MS);
	add(w, 1100 * MS, 80, MS);
	sla_watch_end(w, &s);
	sla_watch_free(w);
	cr_assert(eq(u64, nr_breaches, 1));
	cr_expect(eq(u64, breaches[0].normal_ns, 1100 * MS));
}

Test(sla, requests_without_an_answer_are_over_every_limit)
{
	struct sla_watch *w = watch("p99<2h", S);
	struct sla_summary s;

	add(w, 0, 98, MS);
	add(w, 980 * MS, 2, SLA_UNKNOWN);
	sla_watch_end(w, &s);
	sla_watch_free(w);
	cr_assert(eq(u64, nr_windows, 1));
	cr_expect(eq(u64, windows[0].nr_unanswered, 2));
	cr_expect(eq(u64, windows[0].value_ns, SLA_UNKNOWN));
	cr_expect(eq(u64, breaches[0].worst.over_ns, SLA_UNKNOWN));
}

/* 2000 values share a bucket with the limit: only the count can tell. */
Test(sla, a_limit_within_a_bucket_is_kept_or_broken_by_count)
{
	for (uint64_t d = 0; d < 2; d++) {
		struct sla_watch *w = watch("p99<50ms", 100 * S);
		struct sla_summary s;

		add(w, 0, 2000, 50 * MS - d);
		sla_watch_end(w, &s);
		sla_watch_free(w);
		cr_expect(eq(u64, s.nr_broken, !d));
	}
	cr_expect(ge(u64, windows[0].value_ns, 50 * MS));
}

Test(sla, what_is_out_of_order_or_outside_is_refused)
{
	struct sla_watch *w = watch("p99<50ms@1s", 3 * S);
	struct sla_summary s;

	cr_expect(eq(int, sla_watch_add(w, 2 * S, 1), 0));
	cr_expect(eq(int, sla_watch_add(w, 2 * S - 1, 1), -EINVAL));
	cr_expect(eq(int, sla_watch_add(w, 3 * S, 1), -EINVAL));
	sla_watch_end(w, &s);
	cr_expect(eq(u64, s.nr_windows, 3));
	cr_expect(eq(u64, s.nr_empty, 2));
	cr_expect(eq(int, sla_watch_new(&(struct sla){0}, 5, 5, NULL, NULL, NULL, &w), -EINVAL));
	sla_watch_free(w);
}
