/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "user/cmd/cmd.h"
#include "user/cmd/schedule_report.h"
#include "user/import/schedule.h"
#include "user/import/schedule_csv.h"
#include "user/import/schedule_writer.h"

enum {
	KEY_CSV = 256,
	KEY_BINARY,
	KEY_JSON,
	KEY_HDR,
	KEY_HLOG,
};

static const struct argp_option option_rows[] = {
	{"percentile", 'p', "NUMBER", 0, "That the generator must have been good enough for (99)",
	 1},
	{"json", KEY_JSON, NULL, 0, "The summary as JSON", 1},
	{"hdr", KEY_HDR, "FILE", 0, "HdrHistogram percentiles into FILE.response and FILE.service",
	 1},
	{"hlog", KEY_HLOG, "FILE", 0, "HdrHistogram interval log, version 1.3", 1},
	{"csv", KEY_CSV, NULL, 0, "No summary: the whole schedule as CSV, to standard output", 2},
	{"binary", KEY_BINARY, "FILE", 0,
	 "No summary: the whole schedule in its binary form, into FILE", 2},
	{0},
};

static const char help_text[] =
	"Summarises the schedule of a load generator, binary or CSV, or converts it."
	"\v"
	"Examples:\n"
	"  standstill schedule run.sched\n"
	"  standstill schedule run.sched --csv | head -n 40\n"
	"  standstill schedule run.sched -p 99.9 --hdr run --hlog run.hlog\n"
	"  standstill schedule other.csv --binary other.sched\n";

struct schedule_options {
	const char *path, *binary;
	bool csv;
	struct schedule_report_options report;
};

static error_t parse_option(int key, char *word, struct argp_state *state)
{
	struct schedule_options *o = state->input;
	char *end;

	switch (key) {
	case 'p':
		o->report.percent = strtod(word, &end);
		if (*end || !(o->report.percent > 0 && o->report.percent < 100))
			argp_error(state, "-p takes a number between 0 and 100 like 99.9, not '%s'",
				   word);
		return 0;
	case KEY_JSON:
		o->report.json = true;
		return 0;
	case KEY_HDR:
		o->report.hdr = word;
		return 0;
	case KEY_HLOG:
		o->report.hlog = word;
		return 0;
	case KEY_CSV:
		o->csv = true;
		return 0;
	case KEY_BINARY:
		o->binary = word;
		return 0;
	case ARGP_KEY_ARG:
		if (o->path)
			argp_error(state, "one schedule at a time, not '%s' too", word);
		o->path = word;
		return 0;
	case ARGP_KEY_END:
		if (!o->path)
			argp_error(state, "which schedule? give its file, or - for standard input");
		if (o->csv && o->binary)
			argp_error(state, "--csv and --binary are two runs");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int print_csv(const char *path)
{
	struct schedule_reader *r;
	int code = report_open(path, &r), error;

	if (code)
		return code;
	error = schedule_copy_csv(r, stdout);
	if (!ferror(stdout)) /* else not all of it was read, and nobody wants to know more: `| head`
			      */
		code = report_schedule_health(path, r, error);
	schedule_reader_free(r);
	return code;
}

/* What the file says about itself, its end included; labels come with the requests. */
static void copy_meta(struct schedule_reader *r, struct schedule_writer *w, size_t *nr_lines,
		      size_t *nr_anchors)
{
	const struct schedule_anchor *anchor;
	const char *line;

	for (; (line = schedule_meta_line(r, *nr_lines)); (*nr_lines)++) {
		const char *equals = strchr(line, '=');
		char key[64];

		if (!equals || (size_t)(equals - line) >= sizeof(key))
			continue;
		memcpy(key, line, (size_t)(equals - line));
		key[equals - line] = '\0';
		schedule_put_meta(w, key, "%s", equals + 1);
	}
	for (; (anchor = schedule_anchor(r, *nr_anchors)); (*nr_anchors)++)
		schedule_put_anchor(w, anchor);
}

static int copy_binary(struct schedule_reader *r, struct schedule_writer *w)
{
	size_t nr_lines = 0, nr_anchors = 0;
	struct schedule_request request;
	uint32_t nr_labels = 0;
	int got, error = 0;

	while (!error && (got = schedule_next(r, &request)) > 0) {
		copy_meta(r, w, &nr_lines, &nr_anchors);
		for (; nr_labels < request.label; nr_labels++)
			schedule_put_label(w, nr_labels + 1, schedule_label(r, nr_labels + 1));
		error = schedule_put(w, &request);
	}
	copy_meta(r, w, &nr_lines, &nr_anchors);
	return error ? 0 : got;
}

static int convert_to_binary(const struct schedule_options *o)
{
	struct schedule_reader *r;
	struct schedule_writer *w;
	int code = report_open(o->path, &r), error;

	if (code)
		return code;
	error = schedule_create(o->binary, &w);
	if (!error) {
		code = report_schedule_health(o->path, r, copy_binary(r, w));
		error = schedule_writer_close(w);
	}
	if (error) {
		complain("cannot write %s: %s", o->binary, strerror(-error));
		code = EXIT_NO_OUTPUT;
	}
	schedule_reader_free(r);
	return code;
}

int cmd_schedule(int argc, char **argv)
{
	static const struct argp argp = {option_rows, parse_option, "FILE", help_text,
					 NULL,	      NULL,	    NULL};
	struct schedule_options options = {.report = {.percent = 99}};
	int code;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (options.csv)
		code = print_csv(options.path);
	else if (options.binary)
		code = convert_to_binary(&options);
	else
		code = report_schedule(options.path, &options.report);
	return finish_output(code);
}
