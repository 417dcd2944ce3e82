/* SPDX-License-Identifier: BSD-2-Clause */
/* What `standstill load` and `standstill schedule` say about a schedule, which both read from its
 * file. */
#ifndef STANDSTILL_CMD_SCHEDULE_REPORT_H
#define STANDSTILL_CMD_SCHEDULE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "user/load/summary.h"
#include "user/load/verdict.h"

struct schedule_reader;

struct schedule_report {
	const char *path;
	struct schedule_reader *reader;
	struct load_summary summary;
	struct run_facts facts;
	struct verdict verdict;
	struct schedule_health health;
};

struct schedule_report_options {
	double percent; /* what the verdict is about */
	bool json;
	const char *hdr;  /* percentile output: FILE.response and FILE.service */
	const char *hlog; /* interval log */
};

/* Open @path, or say why not and return the exit code. */
int report_open(const char *path, struct schedule_reader **ret);

/* Read all of @path and report it as @options say. Returns the exit code. */
int report_schedule(const char *path, const struct schedule_report_options *options);

/* Say what of @path could not be read; the exit code. */
int report_schedule_health(const char *path, const struct schedule_reader *r, int read_error);

/* Text or JSON of a report that is complete. */
void schedule_report_text(const struct schedule_report *report, FILE *to);
void schedule_report_json(const struct schedule_report *report, FILE *to);

extern const double report_percentiles[];
extern const unsigned int nr_report_percentiles;

#endif
