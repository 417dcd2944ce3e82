/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of --csv and --json. docs/threads.md explains them. */
#include <stdio.h>

#include "user/cmd/facts.h"
#include "user/cmd/threads.h"
#include "user/output/csv.h"
#include "user/output/json.h"

#define SCHEMA_VERSION 1

static const char *column_of(char buffer[32], enum reason reason)
{
	snprintf(buffer, 32, "%s_ns", reason_name(reason));
	for (char *at = buffer; *at; at++)
		if (*at == ' ')
			*at = '_';
	return buffer;
}

void threads_csv_header(void)
{
	struct csv csv = {.to = stdout};
	char column[32];

	for (const char *const *name =
		     (const char *const[]){"tgid", "tid", "name", "role", "first_ns", "last_ns",
					   "wall_ns", NULL};
	     *name; name++)
		csv_text(&csv, *name);
	for (int reason = 0; reason < NR_REASONS; reason++)
		csv_text(&csv, column_of(column, (enum reason)reason));
	for (const char *const *name = (const char *const[]){"in_pauses_ns", "intervals", "lost",
							     "wakes", "exec_ns", NULL};
	     *name; name++)
		csv_text(&csv, *name);
	csv_end_row(&csv);
}

void threads_csv_row(const struct thread_row *row)
{
	struct csv csv = {.to = stdout};

	csv_number(&csv, row->tgid);
	csv_known(&csv, row->tid, row->tid);
	csv_text(&csv, row->name);
	csv_text(&csv, role_name(row->role));
	csv_number(&csv, row->first_ns);
	csv_number(&csv, row->last_ns);
	csv_number(&csv, row->wall_ns);
	for (int reason = 0; reason < NR_REASONS; reason++)
		csv_number(&csv, row->in_ns[reason]);
	csv_number(&csv, row->in_pauses_ns);
	csv_number(&csv, row->nr_intervals);
	csv_number(&csv, row->nr_lost);
	csv_number(&csv, row->nr_wakes);
	csv_known(&csv, row->has_exec, row->exec_ns);
	csv_end_row(&csv);
}

void threads_json_row(const struct thread_row *row)
{
	struct json json = {.to = stdout};
	char column[32];

	json_open(&json, NULL, '{');
	json_number(&json, "tgid", row->tgid);
	json_known(&json, "tid", row->tid, row->tid);
	json_text(&json, "name", row->name);
	json_text(&json, "role", role_name(row->role));
	json_number(&json, "threads", row->nr_threads);
	json_number(&json, "first_ns", row->first_ns);
	json_number(&json, "last_ns", row->last_ns);
	json_number(&json, "wall_ns", row->wall_ns);
	for (int reason = 0; reason < NR_REASONS; reason++)
		json_number(&json, column_of(column, (enum reason)reason), row->in_ns[reason]);
	json_number(&json, "in_pauses_ns", row->in_pauses_ns);
	json_number(&json, "intervals", row->nr_intervals);
	json_number(&json, "lost", row->nr_lost);
	json_number(&json, "wakes", row->nr_wakes);
	json_known(&json, "exec_ns", row->has_exec, row->exec_ns);
	json_close(&json, '}');
	json_end_line(&json);
}

void threads_json_summary(const struct replay *replay, const struct threads_check *check)
{
	struct json json = {.to = stdout};

	json_open(&json, NULL, '{');
	json_open(&json, "summary", '{');
	json_number(&json, "schema", SCHEMA_VERSION);
	json_open(&json, "exec_check", '{');
	json_number(&json, "threads", check->nr);
	json_number(&json, "exec_ns", check->exec_ns);
	json_number(&json, "running_ns", check->running_ns);
	json_number(&json, "worst_ns", check->worst_ns);
	json_number(&json, "worst_of_ns", check->worst_of_ns);
	json_text(&json, "worst_name", *check->worst_name ? check->worst_name : NULL);
	json_close(&json, '}');
	json_number(&json, "intervals_lost", check->nr_lost);
	json_number(&json, "intervals_disordered", check->nr_disordered);
	json_number(&json, "intervals_overlapping", check->nr_overlaps);
	json_number(&json, "intervals_damaged", check->nr_damaged);
	facts_json(&json, &replay->account);
	json_close(&json, '}');
	json_close(&json, '}');
	json_end_line(&json);
}
