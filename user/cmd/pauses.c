/* SPDX-License-Identifier: BSD-2-Clause */
/* `standstill pauses`: options, order of calls. */
#include <stdlib.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/cmd/cmd.h"
#include "user/cmd/pauses.h"

#define LIMIT_MAX     1000000ull
#define LIMIT_DEFAULT 20 /* of sorted rows */

enum { OPTION_MIN = 256, OPTION_SORT };

static const struct argp_option argp_options[] = {
	READER_ROW_CSV("Comma-separated values, a row a pause, times in monotonic ns"),
	READER_ROW_JSON("One JSON object a line, a pause each with all its threads; the last one "
			"is a summary"),
	{"min", OPTION_MIN, "TIME", 0, "Only pauses of at least this length (250us, 5ms, 1s)", 0},
	{"sort", OPTION_SORT, "KEY", 0,
	 "begin (the default), or the largest first by duration, reaching or lost (the sum of what "
	 "its threads lost)",
	 0},
	{NULL, 'n', "N", 0, "At most N rows; 20 when sorted by size", 0},
	READER_ROW_BETWEEN("Only pauses that touch this time, counted from the start of the "
			   "recording (2s..5s)"),
	{0},
};

static const char argp_doc[] =
	"List the stop-the-world pauses of a recording: how long reaching the safepoint, the "
	"operation and leaving took, what for, "
	"which thread was late, who was stopped longest."
	"\vExamples:\n"
	"  standstill pauses run.still\n"
	"  standstill pauses run.still --sort duration -n 5\n"
	"  standstill pauses run.still --min 10ms --between 30s..60s\n"
	"  standstill pauses run.still --csv >pauses.csv\n"
	"  standstill pauses run.still --json | tail -n 1 | python3 -m json.tool\n\n"
	"What every column means and how exact it is: docs/pauses.md.";

static void parse_sort(struct pauses_options *options, const char *word, struct argp_state *state)
{
	static const char *const keys[] = {"begin", "duration", "reaching", "lost"};
	int sort = reader_word(keys, ARRAY_SIZE(keys), word);

	if (sort < 0)
		argp_error(state, "'%s' is no order; begin, duration, reaching or lost are", word);
	else
		options->sort = (enum pauses_sort)sort;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct pauses_options *options = state->input;

	switch (key) {
	case OPTION_SORT:
		parse_sort(options, arg, state);
		return 0;
	case OPTION_MIN:
		reader_time(&options->min_ns, arg, state);
		return 0;
	case 'n':
		if (units_parse_number(arg, 1, LIMIT_MAX, &options->limit))
			argp_error(state, "'%s' is no number of rows from 1 to %llu", arg,
				   LIMIT_MAX);
		return 0;
	default:
		return reader_option(&options->reader, key, arg, state);
	}
}

struct listing {
	const struct pauses_options *options;
	struct replay *replay;
	struct pauses_summary *summary;
	struct top top;
	uint64_t nr_printed;
	bool begun;
	bool out_of_memory;
};

static void begin_output(struct listing *listing)
{
	if (listing->begun)
		return;
	listing->begun = true;
	if (listing->options->reader.format == FORMAT_TEXT)
		pauses_text_header(&listing->replay->account);
	else if (listing->options->reader.format == FORMAT_CSV)
		pauses_csv_header();
}

static void print_row(void *arg, const struct pause_row *row)
{
	struct listing *listing = arg;

	begin_output(listing);
	listing->nr_printed++;
	switch (listing->options->reader.format) {
	case FORMAT_TEXT:
		pauses_text_row(&listing->replay->account, row);
		break;
	case FORMAT_CSV:
		pauses_csv_row(row);
		break;
	case FORMAT_JSON:
		pauses_json_row(row);
		break;
	}
}

static bool is_in_window(const struct replay *replay, const struct pause *pause)
{
	uint64_t from_ns, to_ns, end_ns = pause->release_ns ? pause->release_ns : UINT64_MAX;

	replay_bounds(replay, &from_ns, &to_ns);
	return pause->begin_ns < to_ns && end_ns > from_ns;
}

static void on_pause(void *arg, const struct pause *pause)
{
	struct listing *listing = arg;
	const struct pauses_options *options = listing->options;
	struct pause_row *row;

	if (!is_in_window(listing->replay, pause))
		return;
	row = pause_row_new(pause, listing->replay->threads);
	if (!row) {
		listing->out_of_memory = true;
		return;
	}
	summary_add(listing->summary, &listing->replay->account, row);
	if (row->duration_ns < options->min_ns) {
		pause_row_free(row);
	} else if (options->sort != SORT_BEGIN) {
		top_put(&listing->top, row);
	} else {
		if (!options->limit || listing->nr_printed < options->limit)
			print_row(listing, row);
		pause_row_free(row);
	}
}

static void finish_listing(struct listing *listing)
{
	const struct pauses_options *options = listing->options;

	if (options->sort != SORT_BEGIN)
		top_each(&listing->top, print_row, listing);
	begin_output(listing);
	if (options->reader.format == FORMAT_TEXT)
		pauses_text_summary(listing->summary, listing->replay, listing->nr_printed);
	else if (options->reader.format == FORMAT_JSON)
		pauses_json_summary(listing->summary, listing->replay);
}

static void replayp(struct replay **r)
{
	replay_free(*r);
}

static int list_pauses(const struct pauses_options *options)
{
	struct pauses_summary *summary CLEANUP(freep) = calloc(1, sizeof(*summary));
	struct replay *replay CLEANUP(replayp) = NULL;
	struct listing listing = {.options = options, .summary = summary};
	struct replay_hooks hooks = {.pause = on_pause, .arg = &listing};
	int code;

	if (!summary || replay_new(&hooks, &options->reader.window, &replay) ||
	    top_init(&listing.top, options->limit ? options->limit : LIMIT_DEFAULT,
		     options->sort)) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	listing.replay = replay;
	code = replay_file(replay, options->reader.path);
	if (listing.out_of_memory) {
		complain("out of memory");
		code = EXIT_FAILED;
	}
	if (code == EXIT_OK || code == EXIT_DAMAGED)
		finish_listing(&listing);
	top_free(&listing.top);
	return code;
}

int cmd_pauses(int argc, char **argv)
{
	struct pauses_options options = {0};

	if (reader_parse(argp_options, parse_option, argp_doc, argc, argv, &options))
		return EXIT_USAGE;
	return finish_output(list_pauses(&options));
}
