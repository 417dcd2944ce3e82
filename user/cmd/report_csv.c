/* SPDX-License-Identifier: BSD-2-Clause */
/* A row a request, a column a cause: the columns of causes add up to response_ns. */
#include <stdio.h>

#include "user/cmd/report.h"
#include "user/output/csv.h"

static const char *const columns[] = {"seq",	     "id",	    "label",	   "intended_ns",
				      "sent_ns",     "arrived_ns",  "read_ns",	   "first_out_ns",
				      "last_out_ns", "received_ns", "response_ns", "pause_nr",
				      NULL};

void report_csv_header(void)
{
	struct csv csv = {.to = stdout};

	for (const char *const *column = columns; *column; column++)
		csv_text(&csv, *column);
	for (enum cause cause = 0; cause < NR_CAUSES; cause++)
		csv_text(&csv, cause_name(cause));
	csv_end_row(&csv);
}

static void csv_time(struct csv *csv, uint64_t ns)
{
	csv_known(csv, ns && ns != SCHEDULE_UNKNOWN, ns);
}

void report_csv_row(const struct request_row *row, const struct splitter_row *split)
{
	static const struct schedule_request none = {.seq = SCHEDULE_UNKNOWN,
						     .intended_ns = SCHEDULE_UNKNOWN,
						     .sent_ns = SCHEDULE_UNKNOWN,
						     .received_ns = SCHEDULE_UNKNOWN};
	const struct schedule_request *entry = split->schedule ? split->schedule : &none;
	const struct request *r = split->request;
	const struct split_result *result = split->result;
	struct csv csv = {.to = stdout};

	csv_known(&csv, entry->seq != SCHEDULE_UNKNOWN, entry->seq);
	csv_text(&csv, row->id);
	csv_text(&csv, row->label);
	csv_time(&csv, entry->intended_ns);
	csv_time(&csv, r->sent_ns ? r->sent_ns : entry->sent_ns);
	csv_time(&csv, r->arrived_ns);
	csv_time(&csv, r->read_ns);
	csv_time(&csv, r->first_out_ns);
	csv_time(&csv, r->last_out_ns);
	csv_time(&csv,
		 entry->received_ns != SCHEDULE_UNKNOWN ? entry->received_ns : r->received_ns);
	csv_number(&csv, result->end_ns - result->begin_ns);
	csv_known(&csv, result->split.pause_nr != 0, result->split.pause_nr);
	for (enum cause cause = 0; cause < NR_CAUSES; cause++)
		csv_number(&csv, result->split.ns[cause]);
	csv_end_row(&csv);
}
