/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `standstill report` share; nobody else includes it. */
#ifndef STANDSTILL_CMD_REPORT_H
#define STANDSTILL_CMD_REPORT_H

#include "user/attribution/join.h"
#include "user/attribution/ranking.h"
#include "user/attribution/split.h"
#include "user/attribution/splitter.h"
#include "user/base/histogram.h"
#include "user/cmd/report_sla.h"
#include "user/cmd/requests.h"

#define REPORT_SCHEDULES_MAX 16
#define REPORT_WORST_MAX     1000

struct report_options {
	struct reader_options reader;
	const char *schedules[REPORT_SCHEDULES_MAX];
	size_t nr_schedules;
	uint64_t worst;
	struct report_sla *slas; /* SLAS_MAX */
	size_t nr_slas;
};

/* ---- report_bill.c: what each pause cost the requests ---- */

struct report_pause {
	struct pause pause;  /* without its list of the stopped */
	uint64_t nr_direct;  /* requests with time in it */
	uint64_t nr_backlog; /* requests made late by it, and not in it */
	uint64_t ns;	     /* time of requests, direct and by backlog */
	uint64_t worst_ns;   /* the longest response of those */
	char worst_id[REQUEST_ID_BYTES];
};

struct report_bill {
	struct map pauses; /* struct report_pause by nr */
	uint64_t nr;
};

int report_bill_pause(struct report_bill *bill, const struct pause *pause);
void report_bill_request(struct report_bill *bill, const char *id,
			 const struct split_result *result);
const struct report_pause *report_bill_find(const struct report_bill *bill, uint64_t nr);

/* The @nr dearest, dearest first. Returns how many there are. */
size_t report_bill_dearest(const struct report_bill *bill, const struct report_pause **ret,
			   size_t nr);
void report_bill_free(struct report_bill *bill);

/* ---- report_sums.c: what all requests come to ---- */

struct report_worst {
	char id[REQUEST_ID_BYTES];
	char label[REQUEST_LABEL_BYTES];
	char reader[EVENT_NAME_BYTES];
	uint64_t begin_ns, response_ns;
	struct split split;
};

struct report_sums {
	struct histogram response, service, without_pauses;
	struct histogram
		lateness;  /* of the generator: sent after it was due and had a connection */
	uint64_t nr_early; /* sent before that: not in lateness */
	struct ranking ranking;
	struct split all;
	struct report_bill bill;
	struct report_worst *worst; /* a heap, the shortest at its root */
	size_t nr_worst, worst_limit;
	uint64_t nr_crossed_far;    /* a boundary before the one it follows by more than 20 us */
	uint64_t first_ns, last_ns; /* when the requests were due */
};

/* One request of the report, @entry NULL where no schedule has it. 0 or -ENOMEM. */
int report_sums_add(struct report_sums *s, const struct request_row *row,
		    const struct schedule_request *entry, const struct split_result *result);
void report_sums_sort(struct report_sums *s); /* the worst, worst first; nothing more can come */
void report_sums_free(struct report_sums *s);

/* ---- report_clock.c: whether the clocks of recording and schedule are one ---- */

struct report_clock {
	char name[64];	   /* "monotonic", "realtime", ... of the schedule; "": not asked yet */
	int64_t offset_ns; /* added to the schedule's times */
	uint64_t error_ns;
	bool usable;
	const char *why_not;
};

/* @anchor of the schedule, NULL: it has none. */
struct report_clock report_clock(const struct clock *recording, const char *name,
				 const struct schedule_anchor *anchor);

/* ---- report_run.c ---- */

struct report_run {
	const struct report_options *options;
	struct requests_run requests;
	struct join *join; /* NULL: no schedule */
	struct report_clock clock;
	struct report_sums sums;
	struct splitter *splitter;
	struct requests_totals totals;
	struct splitter_totals split_totals;
	bool is_pushed;		 /* the request that is being joined */
	uint64_t generator_tgid; /* as the schedule says; 0: it does not */
	uint64_t nr_same_turn;	 /* entries whose turn another one had already */
	bool out_of_memory;
	int error; /* of a schedule */
};

int report_run(struct report_run *run);
void report_run_free(struct report_run *run);

/* What the response would have been had there been no pauses, by the replay. */
uint64_t report_without_pauses_ns(const struct split_result *result);

void report_text(struct report_run *run);
void report_sla_text(const struct report_run *run);
void report_json(struct report_run *run);

/* ---- report_csv.c: a row a request, as they are split ---- */

void report_csv_header(void);
void report_csv_row(const struct request_row *row, const struct splitter_row *split);

#endif
