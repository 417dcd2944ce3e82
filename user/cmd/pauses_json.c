/* SPDX-License-Identifier: BSD-2-Clause */
/* The last line of --json. docs/pauses.md explains its members. */
#include <stdio.h>

#include "user/cmd/facts.h"
#include "user/cmd/pauses.h"
#include "user/output/json.h"

#define SCHEMA_VERSION 1

static void json_histogram(struct json *json, const char *key, struct histogram *h)
{
	json_open(json, key, '{');
	json_number(json, "nr", h->nr);
	json_number(json, "sum", h->sum);
	json_known(json, "p50", h->nr, histogram_percentile(h, 50));
	json_known(json, "p90", h->nr, histogram_percentile(h, 90));
	json_known(json, "p99", h->nr, histogram_percentile(h, 99));
	json_known(json, "max", h->nr, h->max);
	json_close(json, '}');
}

static void json_kinds(struct json *json, const struct pauses_summary *s)
{
	json_open(json, "operations", '[');
	for (size_t i = 0; i < s->nr_kinds; i++) {
		const struct pause_kind_row *kind = &s->kinds[i];

		json_open(json, NULL, '{');
		json_text(json, "operation", *kind->operation ? kind->operation : NULL);
		json_text(json, "cause", *kind->cause ? kind->cause : NULL);
		json_number(json, "nr", kind->nr);
		json_known(json, "sum_ns", kind->nr_timed, kind->sum_ns);
		json_known(json, "max_ns", kind->nr_timed, kind->max_ns);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_jvms(struct json *json, const struct pauses_summary *s,
		      const struct replay *replay)
{
	json_open(json, "jvms", '[');
	for (size_t i = 0; i < s->nr_jvms; i++) {
		uint64_t counted = 0, found = 0;
		enum agreement agreement = NOT_CHECKED;

		if (!replay->window.set)
			agreement = summary_check(&s->jvms[i], &replay->account, &counted, &found);
		json_open(json, NULL, '{');
		json_number(json, "tgid", s->jvms[i].tgid);
		json_number(json, "nr", s->jvms[i].nr);
		json_number(json, "sum_ns", s->jvms[i].sum_ns);
		json_known(json, "jvm_counted", agreement != NOT_CHECKED, counted);
		json_known(json, "found", agreement != NOT_CHECKED, found);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void pauses_json_summary(struct pauses_summary *s, const struct replay *replay)
{
	struct json json = {.to = stdout};
	struct pauses_totals totals;

	pauses_totals(replay->pauses, &totals);
	json_open(&json, NULL, '{');
	json_open(&json, "summary", '{');
	json_number(&json, "schema", SCHEMA_VERSION);
	json_number(&json, "nr", s->nr);
	json_number(&json, "nr_cut", s->nr_cut);
	json_number(&json, "nr_incomplete", s->nr_incomplete);
	json_number(&json, "nr_missed", s->nr_missed);
	json_number(&json, "nr_late_returns", totals.nr_late_returns);
	json_histogram(&json, "duration_ns", &s->duration);
	json_histogram(&json, "reaching_ns", &s->reaching);
	json_histogram(&json, "lost_ns", &s->lost);
	json_kinds(&json, s);
	json_jvms(&json, s, replay);
	facts_json(&json, &replay->account);
	json_close(&json, '}');
	json_close(&json, '}');
	json_end_line(&json);
}
