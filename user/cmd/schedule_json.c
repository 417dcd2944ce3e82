/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "user/cmd/schedule_report.h"
#include "user/import/schedule.h"
#include "user/output/json.h"

static bool known(uint64_t number)
{
	return number != SCHEDULE_UNKNOWN;
}

static void put_times(struct json *json, const char *key, const struct hdr *h,
		      uint64_t nr_unanswered)
{
	json_open(json, key, '{');
	json_number(json, "count", h->nr);
	if (h->nr) {
		for (unsigned int i = 0; i < nr_report_percentiles; i++) {
			uint64_t ns = hdr_percentile_of(h, report_percentiles[i], nr_unanswered);
			char name[24];

			snprintf(name, sizeof(name), "p%g_ns", report_percentiles[i]);
			json_known(json, name, ns != UINT64_MAX, ns); /* null: no answer */
		}
		json_number(json, "min_ns", h->min);
		json_number(json, nr_unanswered ? "max_answered_ns" : "max_ns", h->max);
		json_number(json, "mean_ns", (uint64_t)hdr_mean(h));
	}
	json_close(json, '}');
}

static void put_counts(struct json *json, const struct load_summary *s)
{
	json_number(json, "requests", s->nr);
	json_number(json, "warmup_requests", s->nr_warmup);
	json_number(json, "answered", s->nr_answered);
	json_number(json, "unanswered", s->nr_unanswered);
	json_number(json, "skipped", s->nr_skipped);
	json_number(json, "stamps_backwards", s->nr_negative);
	json_number(json, "first_intended_ns", s->first_intended_ns);
	json_number(json, "last_intended_ns", s->last_intended_ns);
	json_number(json, "rate_millihertz", (uint64_t)(load_summary_rate(s) * 1000 + 0.5));
	json_open(json, "failures", '{');
	for (unsigned int i = FAILURE_NONE + 1; i < NR_SCHEDULE_FAILURES; i++)
		json_number(json, schedule_failure_name(i), s->nr_failures[i]);
	json_close(json, '}');
}

static void put_facts(struct json *json, const struct load_summary *s, const struct run_facts *f)
{
	const struct {
		const char *key;
		uint64_t number;
	} facts[] = {
		{"duration_ns", f->duration_ns},
		{"threads", f->threads},
		{"planned", f->planned},
		{"omitted", f->omitted},
		{"replans", f->replans},
		{"lost", f->lost},
		{"missing", f->missing},
		{"not_open_ns", f->not_open_ns},
		{"own_cpu_ns", f->own_cpu_ns},
		{"writer_cpu_ns", f->writer_cpu_ns},
		{"run_queue_ns", f->run_queue_ns},
		{"throttled_ns", f->throttled_ns},
		{"nr_throttled", f->nr_throttled},
		{"connections_opened", f->connections_opened},
		{"in_flight_max", f->in_flight_max},
		{"unsolicited", f->unsolicited},
	};

	json_open(json, "generator", '{');
	put_times(json, "lateness", &s->lateness, 0);
	put_times(json, "conn_wait", &s->conn_wait, 0);
	json_number(json, "late_over_1ms", s->nr_late);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		json_known(json, facts[i].key, known(facts[i].number), facts[i].number);
	json_bool(json, "complete", f->complete);
	json_close(json, '}');
}

static void put_verdict(struct json *json, const struct verdict *v)
{
	char percent[24];

	json_open(json, "verdict", '{');
	snprintf(percent, sizeof(percent), "%g", v->percent);
	json_text(json, "percentile", percent);
	json_bool(json, "good_enough", v->good);
	json_known(json, "response_ns", v->at_ns != UINT64_MAX, v->at_ns);
	json_known(json, "response_without_lateness_ns", v->on_time_ns != UINT64_MAX,
		   v->on_time_ns);
	json_open(json, "reasons", '[');
	for (unsigned int i = 0; i < v->nr_reasons; i++)
		json_text(json, NULL, v->reasons[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static void put_meta(struct json *json, const struct schedule_reader *r)
{
	const char *line;

	json_open(json, "schedule", '{');
	for (size_t i = 0; (line = schedule_meta_line(r, i)); i++) {
		const char *equals = strchr(line, '=');
		char key[64];

		if (!equals || (size_t)(equals - line) >= sizeof(key))
			continue;
		memcpy(key, line, (size_t)(equals - line));
		key[equals - line] = '\0';
		if (schedule_meta(r, key) == equals + 1) /* said again later: only the last */
			json_text(json, key, equals + 1);
	}
	json_close(json, '}');
}

void schedule_report_json(const struct schedule_report *report, FILE *to)
{
	struct json json = {.to = to};

	json_open(&json, NULL, '{');
	json_number(&json, "version", 1);
	json_text(&json, "file", report->path);
	put_meta(&json, report->reader);
	put_counts(&json, &report->summary);
	put_times(&json, "response", &report->summary.response, report->summary.nr_unanswered);
	put_times(&json, "service", &report->summary.service, report->summary.nr_unanswered);
	put_facts(&json, &report->summary, &report->facts);
	put_verdict(&json, &report->verdict);
	json_close(&json, '}');
	json_end_line(&json);
}
