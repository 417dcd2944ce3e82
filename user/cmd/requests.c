/* SPDX-License-Identifier: BSD-2-Clause */
/* `standstill requests`: options, order of calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/cmd/cmd.h"
#include "user/cmd/facts.h"
#include "user/cmd/requests.h"

#define WORST_MAX     100000ull
#define WORST_DEFAULT 20

enum { OPTION_WORST = 256, OPTION_ALL, OPTION_SLOWER, OPTION_LABEL, OPTION_THREAD };

static const struct argp_option argp_options[] = {
	{"worst", OPTION_WORST, "N", 0, "The N with the longest response, longest first; 20", 0},
	{"all", OPTION_ALL, NULL, 0, "Every request, as they ended", 0},
	{"slower-than", OPTION_SLOWER, "TIME", 0, "Only with a longer response (10ms, 1s)", 0},
	{"label", OPTION_LABEL, "TEXT", 0, "Only requests with this in their label (/login)", 0},
	{"thread", OPTION_THREAD, "NAME|TID", 0, "Only requests read or answered by this thread",
	 0},
	READER_ROW_BETWEEN("Only requests that touch this time, counted from the start of the "
			   "recording (2s..5s)"),
	READER_ROW_CSV("Comma-separated values, a row a request, times in monotonic ns"),
	READER_ROW_JSON("One JSON object a line, a request each; the last one is a summary"),
	{0},
};

static const char argp_doc[] =
	"List the requests of a recording: how long each was on its way through the server's "
	"socket and threads, who read and answered it, which pauses it lay in."
	"\vExamples:\n"
	"  standstill requests run.still\n"
	"  standstill requests run.still --worst 5 --between 30s..60s\n"
	"  standstill requests run.still --slower-than 100ms --label /login\n"
	"  standstill requests run.still --all --csv >requests.csv\n"
	"  standstill request run.still 7:1234       # one of them, step by step\n\n"
	"The percentiles are of the requests that fit the options. What every column means and "
	"how exact it is: docs/requests.md.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct requests_options *options = state->input;

	switch (key) {
	case OPTION_ALL:
		options->all = true;
		return 0;
	case OPTION_WORST:
		if (units_parse_number(arg, 1, WORST_MAX, &options->worst))
			argp_error(state, "'%s' is no number of rows from 1 to %llu", arg,
				   WORST_MAX);
		return 0;
	case OPTION_SLOWER:
		reader_time(&options->slower_ns, arg, state);
		return 0;
	case OPTION_LABEL:
		options->label = arg;
		return 0;
	case OPTION_THREAD:
		options->thread = arg;
		return 0;
	default:
		return reader_option(&options->reader, key, arg, state);
	}
}

struct listing {
	const struct requests_options *options;
	struct requests_run run;
	struct requests_summary *summary;
	struct request_top top;
	uint32_t tid; /* of options->thread, when it is a number */
	bool begun, out_of_memory;
};

static void begin_output(struct listing *listing)
{
	const struct account *account = &listing->run.replay->account;

	if (listing->begun)
		return;
	listing->begun = true;
	if (listing->options->reader.format == FORMAT_CSV)
		requests_csv_header();
	if (listing->options->reader.format != FORMAT_TEXT)
		return;
	facts_text_header(account);
	if (!listing->options->all)
		return;
	printf("what was lost, and what was not recorded, is said at the end\n\n");
	requests_text_columns();
}

static void print_row(struct listing *listing, const struct request_row *row)
{
	switch (listing->options->reader.format) {
	case FORMAT_TEXT:
		requests_text_row(&listing->run.replay->account, row);
		break;
	case FORMAT_CSV:
		requests_csv_row(row);
		break;
	case FORMAT_JSON:
		requests_json_row(row);
		break;
	}
}

static bool is_by_thread(const struct listing *listing, const struct request_row *row)
{
	const char *thread = listing->options->thread;
	const struct request *r = &row->request;

	if (listing->tid)
		return r->reader_tid == listing->tid || r->answerer_tid == listing->tid;
	return !strcmp(row->reader, thread) || !strcmp(row->answerer, thread);
}

static bool is_in_window(const struct listing *listing, const struct request *request)
{
	const struct replay_window *window = &listing->options->reader.window;
	uint64_t start_ns = listing->run.replay->account.start_ns;

	return !window->set ||
	       (request->end_ns >= start_ns + window->from_ns &&
		(window->to_ns == UINT64_MAX || request->begin_ns < start_ns + window->to_ns));
}

static bool is_wanted(const struct listing *listing, const struct request_row *row)
{
	const struct requests_options *options = listing->options;
	const struct request *request = &row->request;

	if (request->state == REQUEST_WHOLE
		    ? request->end_ns - request->begin_ns < options->slower_ns
		    : options->slower_ns != 0)
		return false;
	if (options->label && !strstr(row->label, options->label))
		return false;
	return is_in_window(listing, request) && (!options->thread || is_by_thread(listing, row));
}

static void on_request(void *arg, const struct request *request)
{
	struct listing *listing = arg;
	struct request_row row;

	request_row_fill(&row, request, listing->run.replay->threads);
	if (!is_wanted(listing, &row))
		return;
	if (requests_summary_add(listing->summary, &row))
		listing->out_of_memory = true;
	if (request->kind == REQUEST_DOWNSTREAM)
		return;
	if (!listing->options->all) {
		if (request->state == REQUEST_WHOLE)
			request_top_put(&listing->top, &row);
		return;
	}
	begin_output(listing);
	print_row(listing, &row);
}

static void print_worst(struct listing *listing)
{
	request_top_sort(&listing->top);
	if (listing->options->reader.format == FORMAT_TEXT && listing->top.nr) {
		printf("\nthe longest%s\n", listing->top.nr > 1 ? ", longest first" : "");
		requests_text_columns();
	}
	for (size_t i = 0; i < listing->top.nr; i++)
		print_row(listing, &listing->top.rows[i]);
}

static void finish_listing(struct listing *listing)
{
	const struct account *account = &listing->run.replay->account;
	enum reader_format format = listing->options->reader.format;
	struct requests_totals totals;

	requests_totals(listing->run.requests, &totals);
	begin_output(listing);
	if (format == FORMAT_TEXT) {
		if (listing->options->all)
			printf("\n");
		requests_text_summary(listing->summary, &totals, account);
	}
	if (!listing->options->all)
		print_worst(listing);
	if (format == FORMAT_JSON)
		requests_json_summary(listing->summary, &totals, account);
}

static void listing_free(struct listing *listing)
{
	request_top_free(&listing->top);
	if (listing->summary)
		requests_summary_free(listing->summary);
	free(listing->summary);
	requests_run_free(&listing->run);
}

static int list_requests(const struct requests_options *options)
{
	struct listing listing CLEANUP(listing_free) = {.options = options};
	uint64_t tid;
	int code;

	listing.summary = calloc(1, sizeof(*listing.summary));
	if (!listing.summary ||
	    request_top_init(&listing.top, options->worst ? options->worst : WORST_DEFAULT)) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	if (options->thread && !units_parse_number(options->thread, 1, UINT32_MAX, &tid))
		listing.tid = (uint32_t)tid;
	listing.run.row = on_request;
	listing.run.arg = &listing;
	code = requests_run(&listing.run, options->reader.path);
	if (listing.out_of_memory) {
		complain("out of memory");
		code = EXIT_FAILED;
	}
	if (code == EXIT_OK || code == EXIT_DAMAGED)
		finish_listing(&listing);
	return code;
}

int cmd_requests(int argc, char **argv)
{
	struct requests_options options = {0};

	if (reader_parse(argp_options, parse_option, argp_doc, argc, argv, &options))
		return EXIT_USAGE;
	return finish_output(list_requests(&options));
}
