/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `standstill request`: options, order of calls. The recording is read twice: the first time finds
 * the request, the second time keeps what the threads that matter did while it lasted. So nothing
 * need be kept for requests that nobody asks for.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/cmd/cmd.h"
#include "user/cmd/request.h"

enum { OPTION_JSON = 256, OPTION_WIDTH, OPTION_ASCII };

#define WIDTH_MIN 60
#define WIDTH_MAX 400

static const struct argp_option argp_options[] = {
	{"json", OPTION_JSON, NULL, 0, "One JSON object: the request, its intervals, its pauses",
	 0},
	{"width", OPTION_WIDTH, "COLUMNS", 0, "As wide; the terminal's width, 100 without one", 0},
	{"ascii", OPTION_ASCII, NULL, 0, "Bars of '#', whatever the locale", 0},
	{0},
};

static const char argp_doc[] =
	"Show one request step by step: each part of its response time, the thread that matters in "
	"it, what that thread did or waited for, who woke it, and the pauses meanwhile."
	"\vID is what `standstill requests` prints: the connection and the position of the "
	"request's first byte in it.\n\n"
	"Examples:\n"
	"  standstill request run.still 7:1234\n"
	"  standstill request run.still 7:1234 --json | python3 -m json.tool\n\n"
	"The recording is read twice, so it cannot come from standard input.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct request_options *options = state->input;
	uint64_t width;

	switch (key) {
	case OPTION_JSON:
		options->json = true;
		return 0;
	case OPTION_ASCII:
		options->ascii = true;
		return 0;
	case OPTION_WIDTH:
		if (units_parse_number(arg, WIDTH_MIN, WIDTH_MAX, &width))
			argp_error(state, "'%s' is no width from %d to %d", arg, WIDTH_MIN,
				   WIDTH_MAX);
		options->width = (int)width;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num >= 2)
			argp_error(state, "one request at a time, not also '%s'", arg);
		*(state->arg_num ? &options->id : &options->path) = arg;
		return 0;
	case ARGP_KEY_END:
		if (!options->id)
			argp_error(state, "which request? `standstill request FILE ID`");
		if (!strcmp(options->path, "-"))
			argp_error(state, "the recording is read twice: it must be a file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the first time: which request ---- */

struct search {
	const char *id;
	struct requests_run run;
	struct request_row row;
	bool found;
};

static void on_request(void *arg, const struct request *request)
{
	struct search *search = arg;
	struct request_row row;

	if (search->found)
		return;
	request_row_fill(&row, request, search->run.replay->threads);
	if (strcmp(row.id, search->id))
		return;
	search->row = row;
	search->found = true;
}

static void search_free(struct search *search)
{
	requests_run_free(&search->run);
}

static int find(const struct request_options *options, struct request_row *ret)
{
	struct search search CLEANUP(search_free) = {.id = options->id};
	int code;

	search.run.row = on_request;
	search.run.arg = &search;
	code = requests_run(&search.run, options->path);
	if (code != EXIT_OK && code != EXIT_DAMAGED)
		return code;
	if (!search.found) {
		complain("there is no request %s in %s; `standstill requests %s --all` lists them",
			 options->id, options->path, options->path);
		return EXIT_FAILED;
	}
	*ret = search.row;
	if (ret->request.state == REQUEST_CUT_END) /* it lasted as long as the recording */
		ret->request.end_ns = account_end(&search.run.replay->account);
	return EXIT_OK;
}

static void story_freep(struct request_story *story)
{
	request_story_free(story);
}

static int show(const struct request_options *options)
{
	struct request_story story CLEANUP(story_freep) = {0};
	int code = find(options, &story.row);

	if (!code)
		code = request_story_read(&story, options->path);
	if (code != EXIT_OK && code != EXIT_DAMAGED)
		return code;
	if (options->json)
		request_story_json(&story);
	else
		request_story_text(&story, options);
	return code;
}

int cmd_request(int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse_option, "FILE ID", argp_doc,
					 NULL,	       NULL,	     NULL};
	struct request_options options = {0};

	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return EXIT_USAGE;
	return finish_output(show(&options));
}
