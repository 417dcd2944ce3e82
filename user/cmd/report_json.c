/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/report.md explains the members. */
#include "user/base/cleanup.h"
#include "user/cmd/facts.h"
#include "user/cmd/report.h"
#include "user/output/json.h"

#define SCHEMA_VERSION 1
#define PAUSES_MAX     100

static const double percents[] = {50, 90, 99, 99.9, 99.99, 100};
static const char *const percent_keys[] = {"p50", "p90", "p99", "p99.9", "p99.99", "max"};

static void json_percentiles(struct json *json, const char *key, struct histogram *h)
{
	json_open(json, key, '{');
	json_number(json, "requests", h->nr);
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++)
		json_known(json, percent_keys[i], h->nr, histogram_percentile(h, percents[i]));
	json_close(json, '}');
}

static void json_causes(struct json *json, const char *key, const uint64_t ns[NR_CAUSES])
{
	json_open(json, key, '{');
	for (enum cause cause = 0; cause < NR_CAUSES; cause++)
		if (ns[cause])
			json_number(json, cause_name(cause), ns[cause]);
	json_close(json, '}');
}

/* The requests of the class a percentile falls into: how many, and the sums of their parts. */
static void json_ranking(struct json *json, const struct ranking *ranking)
{
	json_open(json, "causes_at", '{');
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
		struct ranked ranked = ranking_at(ranking, percents[i]);

		json_open(json, percent_keys[i], '{');
		json_number(json, "requests", ranked.nr);
		json_number(json, "total_ns", ranked.total_ns);
		json_causes(json, "ns", ranked.ns);
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void json_pauses(struct json *json, const struct report_bill *bill)
{
	const struct report_pause *rows[PAUSES_MAX];
	size_t nr = report_bill_dearest(bill, rows, PAUSES_MAX);

	json_number(json, "pauses", bill->nr);
	json_open(json, "dearest_pauses", '[');
	for (size_t i = 0; i < nr; i++) {
		const struct pause *p = &rows[i]->pause;

		json_open(json, NULL, '{');
		json_number(json, "nr", p->nr);
		json_known(json, "begin_ns", p->begin_ns, p->begin_ns);
		json_known(json, "release_ns", p->release_ns, p->release_ns);
		json_text(json, "operation", *p->operation ? p->operation : NULL);
		json_text(json, "gc_cause", *p->cause ? p->cause : NULL);
		json_number(json, "requests_hit", rows[i]->nr_direct);
		json_number(json, "requests_behind", rows[i]->nr_backlog);
		json_number(json, "lost_ns", rows[i]->ns);
		json_number(json, "worst_response_ns", rows[i]->worst_ns);
		json_text(json, "worst_id", rows[i]->worst_id);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_worst(struct json *json, const struct report_sums *s)
{
	json_open(json, "worst", '[');
	for (size_t i = 0; i < s->nr_worst; i++) {
		const struct report_worst *w = &s->worst[i];

		json_open(json, NULL, '{');
		json_text(json, "id", w->id);
		json_text(json, "label", w->label);
		json_number(json, "begin_ns", w->begin_ns);
		json_number(json, "response_ns", w->response_ns);
		json_causes(json, "ns", w->split.ns);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_join(struct json *json, const struct report_run *run)
{
	static const char *const keys[NR_JOIN_KEYS] = {"none", "value", "bytes", "turn", "time"};
	static const char *const reasons[NR_JOIN_REASONS] = {
		"none",	       "not_sent",	"before_recording", "after_recording",
		"no_position", "no_connection", "no_bytes",
	};
	const struct join_tally *t;

	json_open(json, "schedule", '{');
	json_text(json, "clock", run->clock.name);
	json_bool(json, "usable", run->join != NULL);
	json_text(json, "why_not", run->clock.why_not);
	if (run->join) {
		t = join_tally(run->join);
		json_number(json, "clock_error_ns", run->clock.error_ns);
		json_number(json, "entries", t->nr_entries);
		json_number(json, "matched", t->nr_matched);
		json_open(json, "matched_by", '{');
		for (size_t i = JOIN_VALUE; i < NR_JOIN_KEYS; i++)
			json_number(json, keys[i], t->by_key[i]);
		json_close(json, '}');
		json_open(json, "unmatched", '{');
		for (size_t i = UNMATCHED_NOT_SENT; i < NR_JOIN_REASONS; i++)
			json_number(json, reasons[i], t->unmatched[i]);
		json_close(json, '}');
		json_number(json, "server_requests_alone", t->nr_requests_alone);
		json_number(json, "in_a_turn_with_others", run->nr_same_turn);
		json_number(json, "ambiguous", t->nr_ambiguous);
		json_number(json, "impossible", t->nr_impossible);
	}
	json_close(json, '}');
}

static void json_breach(struct json *json, const struct sla_cause *cause)
{
	const struct sla_breach *b = &cause->breach;

	json_open(json, NULL, '{');
	json_number(json, "first_over_ns", b->first_over_ns);
	json_known(json, "normal_ns", b->normal_ns != SLA_UNKNOWN, b->normal_ns);
	json_number(json, "windows", b->nr_windows);
	json_known(json, "worst_value_ns", b->worst.value_ns != SLA_UNKNOWN, b->worst.value_ns);
	json_number(json, "worst_requests", b->worst.nr);
	json_number(json, "worst_over", b->worst.nr_over);
	json_number(json, "worst_allowed", b->worst.nr_allowed);
	json_number(json, "requests_split", cause->nr);
	json_causes(json, "ns", cause->split.ns);
	json_text(json, "worst_id", *cause->worst_id ? cause->worst_id : NULL);
	json_close(json, '}');
}

static void json_sla(struct json *json, const struct report_options *options)
{
	json_open(json, "sla", '[');
	for (size_t i = 0; i < options->nr_slas; i++) {
		const struct report_sla *s = &options->slas[i];

		json_open(json, NULL, '{');
		json_text(json, "promise", s->word);
		json_bool(json, "broken", report_sla_broken(s));
		json_number(json, "windows", s->summary.nr_windows - s->summary.nr_empty);
		json_number(json, "windows_broken", s->summary.nr_broken);
		json_number(json, "requests_over", s->nr_over);
		json_number(json, "requests_over_without_pauses", s->nr_over_without_pauses);
		json_open(json, "breaches", '[');
		for (size_t k = 0; k < s->nr_breaches; k++)
			json_breach(json, &s->breaches[k]);
		json_close(json, ']');
		json_close(json, '}');
	}
	json_close(json, ']');
}

void report_json(struct report_run *run)
{
	struct json json = {.to = stdout};
	struct report_sums *s = &run->sums;

	json_open(&json, NULL, '{');
	json_number(&json, "schema", SCHEMA_VERSION);
	json_text(&json, "counted_from", run->options->nr_schedules ? "intended" : "arrival");
	json_percentiles(&json, "response_ns", &s->response);
	json_percentiles(&json, "service_ns", &s->service);
	json_percentiles(&json, "without_pauses_ns", &s->without_pauses);
	json_causes(&json, "causes_ns", s->all.ns);
	json_ranking(&json, &s->ranking);
	json_pauses(&json, &s->bill);
	json_worst(&json, s);
	if (run->options->nr_slas)
		json_sla(&json, run->options);
	if (run->options->nr_schedules)
		json_join(&json, run);
	json_number(&json, "not_split", run->split_totals.nr_unsplit);
	json_number(&json, "crossed", run->split_totals.nr_crossed);
	facts_json(&json, &run->requests.replay->account);
	json_close(&json, '}');
	json_end_line(&json);
}
