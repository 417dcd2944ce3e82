/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `standstill requests` and `standstill request` share; nobody else includes it.
 */
#ifndef STANDSTILL_CMD_REQUESTS_H
#define STANDSTILL_CMD_REQUESTS_H

#include "user/base/histogram.h"
#include "user/base/units.h"
#include "user/cmd/reader_options.h"
#include "user/cmd/replay.h"
#include "user/timeline/requests.h"

struct json;

struct requests_options {
	struct reader_options reader;
	bool all;	/* as they come, not only the worst */
	uint64_t worst; /* rows at most, longest first */
	uint64_t slower_ns;
	const char *label;  /* part of it; NULL: any */
	const char *thread; /* name or tid; NULL: any */
};

/* ---- requests_row.c: one request with its names, whoever is gone by the time it is printed ----
 */

#define REQUEST_ID_BYTES    32
#define REQUEST_LABEL_BYTES (RECORD_METHOD_BYTES + RECORD_PATH_BYTES + 2)

struct request_row {
	struct request request;
	char id[REQUEST_ID_BYTES]; /* connection:position; "" for an answer without a request */
	char label[REQUEST_LABEL_BYTES]; /* "GET /path", "turn" */
	char reader[EVENT_NAME_BYTES], answerer[EVENT_NAME_BYTES], sender[EVENT_NAME_BYTES],
		receiver[EVENT_NAME_BYTES];
};

void request_row_fill(struct request_row *row, const struct request *request,
		      const struct threads *threads);

/* "GET /users/17" is one of "GET /users/#". */
void request_row_group(char group[REQUEST_LABEL_BYTES], const char *label);

/* ---- requests_top.c: the longest, longest first ---- */

struct request_top {
	struct request_row *rows; /* a heap, the shortest at its root */
	size_t nr, limit;
};

int request_top_init(struct request_top *top, size_t limit);
void request_top_put(struct request_top *top, const struct request_row *row);
void request_top_sort(struct request_top *top); /* nothing can be put any more */
void request_top_free(struct request_top *top);

/* ---- requests_summary.c: what all requests come to ---- */

#define GROUPS_MAX 48

struct request_group { /* of one label, or of one peer downstream */
	char name[REQUEST_LABEL_BYTES];
	struct histogram response;
	struct histogram span[NR_REQUEST_SPANS];
	uint64_t nr_crossed[NR_REQUEST_SPANS]; /* left out of span: negative */
	uint64_t nr_paused;
};

struct requests_summary {
	struct request_group all;
	struct request_group *labels[GROUPS_MAX]; /* the last one: all others */
	size_t nr_labels;
	struct request_group *downstream[GROUPS_MAX];
	size_t nr_downstream;
	struct histogram handoff;     /* of those that were handed over */
	uint64_t nr_unanswered;	      /* when the recording ended */
	uint64_t unanswered_since_ns; /* the one that has waited longest */
	char unanswered_id[REQUEST_ID_BYTES];
};

/* 0 or -ENOMEM. */
int requests_summary_add(struct requests_summary *s, const struct request_row *row);
void requests_summary_free(struct requests_summary *s);

/* ---- printing ---- */

/* "-3.1 us" where two stamps crossed. */
char *requests_print_signed(char buffer[UNITS_BYTES + 1], int64_t ns);

void requests_text_columns(void);
void requests_text_row(const struct account *account, const struct request_row *row);
void requests_text_summary(struct requests_summary *s, const struct requests_totals *totals,
			   const struct account *account);
void requests_csv_header(void);
void requests_csv_row(const struct request_row *row);
void requests_json_members(struct json *json, const struct request_row *row);
void requests_json_row(const struct request_row *row);
void requests_json_summary(struct requests_summary *s, const struct requests_totals *totals,
			   const struct account *account);

/* ---- requests_replay.c: a recording in, request rows and a summary out ---- */

struct requests_run {
	struct replay *replay;
	struct requests *requests;
	void (*row)(void *arg, const struct request *request);
	void *arg;
	bool out_of_memory;
};

/* Read @path. Returns an exit code; what is wrong has been said. To be freed in any case. */
int requests_run(struct requests_run *run, const char *path);
void requests_run_free(struct requests_run *run);

#endif
