/* SPDX-License-Identifier: BSD-2-Clause */
/* `standstill report`: options, order of calls. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "user/cmd/cmd.h"
#include "user/cmd/report.h"

#define WORST_DEFAULT 10

enum {
	OPTION_SCHEDULE = 256,
	OPTION_WORST,
	OPTION_SLA,
};

static const struct argp_option argp_options[] = {
	{"schedule", OPTION_SCHEDULE, "FILE", 0,
	 "What the load generator planned, sent and got; may be given several times. Without one "
	 "response times count from arrival",
	 0},
	{"sla", OPTION_SLA, "PROMISE", 0,
	 "What was promised: 'p99<50ms', 'p99.9<200ms@10s' (of each 10 s), 'max<1s', "
	 "'GET /a:p99<50ms'; may be given several times. The exit code is 12 when one was broken",
	 0},
	{"worst", OPTION_WORST, "N", 0, "How many of the slowest requests to list (10)", 0},
	READER_ROW_CSV("A row a request, with a column a cause; nothing else"),
	READER_ROW_JSON("The report as one JSON object"),
	{0},
};

static const char argp_doc[] =
	"Say who stopped the requests: every response time, split into causes that add up to it."
	"\vExamples:\n"
	"  standstill report run.still --schedule run.sched\n"
	"  standstill report run.still                  # counted from arrival\n"
	"  standstill report run.still --schedule a.sched --schedule b.sched --worst 50\n"
	"  standstill report run.still --schedule run.sched --sla 'p99<50ms@10s'\n"
	"  standstill report run.still --schedule run.sched --json\n"
	"  standstill report run.still --schedule run.sched --csv >split.csv\n\n"
	"The rules by which time is given to causes: docs/attribution.md.";

static void take_sla(struct report_options *options, const char *arg, struct argp_state *state)
{
	const char *wrong;

	if (options->nr_slas == SLAS_MAX)
		argp_error(state, "at most %d promises", SLAS_MAX);
	if (report_sla_init(&options->slas[options->nr_slas++], arg, &wrong))
		argp_error(state, "--sla '%s': %s", arg, wrong);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct report_options *options = state->input;

	switch (key) {
	case OPTION_SCHEDULE:
		if (options->nr_schedules == REPORT_SCHEDULES_MAX)
			argp_error(state, "at most %d schedules", REPORT_SCHEDULES_MAX);
		options->schedules[options->nr_schedules++] = arg;
		return 0;
	case OPTION_SLA:
		take_sla(options, arg, state);
		return 0;
	case OPTION_WORST:
		if (units_parse_number(arg, 0, REPORT_WORST_MAX, &options->worst))
			argp_error(state, "'%s' is no number of requests from 0 to %d", arg,
				   REPORT_WORST_MAX);
		return 0;
	default:
		return reader_option(&options->reader, key, arg, state);
	}
}

static int verdict(const struct report_options *options, int code)
{
	for (size_t i = 0; code == EXIT_OK && i < options->nr_slas; i++)
		if (report_sla_broken(&options->slas[i]))
			code = EXIT_SLA_BROKEN;
	return code;
}

static void print(struct report_run *run)
{
	switch (run->options->reader.format) {
	case FORMAT_JSON:
		report_json(run);
		break;
	case FORMAT_CSV:
		break; /* the rows are out */
	case FORMAT_TEXT:
		report_text(run);
		break;
	}
}

int cmd_report(int argc, char **argv)
{
	struct report_sla slas[SLAS_MAX] = {0};
	struct report_options options = {.worst = WORST_DEFAULT, .slas = slas};
	struct report_run run = {.options = &options};
	int code = reader_parse(argp_options, parse_option, argp_doc, argc, argv, &options);

	if (code)
		return code;
	code = report_run(&run);
	if (code == EXIT_OK || code == EXIT_DAMAGED) {
		print(&run);
		code = verdict(&options, code);
	}
	report_run_free(&run);
	for (size_t i = 0; i < options.nr_slas; i++)
		report_sla_free(&slas[i]);
	return finish_output(code);
}
