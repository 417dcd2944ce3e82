/* SPDX-License-Identifier: BSD-2-Clause */
/* `standstill threads`: options, order of calls. */
#include <strings.h>

#include "user/base/cleanup.h"
#include "user/cmd/cmd.h"
#include "user/cmd/threads.h"

enum {
	OPTION_BY = 256,
	OPTION_SORT,
	OPTION_SPANS,
	OPTION_THREAD,
	OPTION_REASON,
	OPTION_MIN,
};

static const struct argp_option argp_options[] = {
	READER_ROW_CSV("Comma-separated values, a row a thread, times in ns"),
	READER_ROW_JSON("One JSON object a line; the last one is a summary"),
	{"by", OPTION_BY, "KEY", 0, "Add threads up: by role, or by name (digits count as #)", 0},
	{"sort", OPTION_SORT, "KEY", 0,
	 "Largest first by cpu (on a CPU or wanting one), wall, run-queue, throttled or pauses; or "
	 "by name",
	 0},
	READER_ROW_BETWEEN("Only this time, counted from the start of the recording"),
	{"spans", OPTION_SPANS, NULL, 0, "Every stretch of time of every thread as a row", 1},
	{"thread", OPTION_THREAD, "TID|NAME", 0, "With --spans: only of this thread", 1},
	{"reason", OPTION_REASON, "REASON", 0,
	 "With --spans: only these: running, \"run queue\", throttled, parked, ...", 1},
	{"min", OPTION_MIN, "TIME", 0, "With --spans: only those at least this long", 1},
	{0},
};

static const char argp_doc[] =
	"Where each thread's time went: on a CPU, runnable, throttled by its quota, waiting and "
	"what for, stopped in pauses. The parts "
	"of a thread add up to the time it was seen."
	"\vExamples:\n"
	"  standstill threads run.still\n"
	"  standstill threads run.still --by role\n"
	"  standstill threads run.still --csv --sort throttled\n"
	"  standstill threads run.still --spans --thread main --min 1ms\n"
	"  standstill threads run.still --spans --reason \"page fault\" --csv\n";

static void parse_by(struct threads_options *options, const char *word, struct argp_state *state)
{
	static const char *const words[] = {"thread", "name", "role"};
	int by = reader_word(words, ARRAY_SIZE(words), word);

	if (by < 0)
		argp_error(state, "threads cannot be added up by '%s'; by name or by role", word);
	else
		options->by = (enum threads_by)by;
}

static void parse_sort(struct threads_options *options, const char *word, struct argp_state *state)
{
	static const char *const words[] = {"",		 "cpu",	   "wall", "run-queue",
					    "throttled", "pauses", "name"};
	int sort = reader_word(words, ARRAY_SIZE(words), word);

	if (sort <= THREADS_UNSORTED)
		argp_error(state,
			   "'%s' is no order; cpu, wall, run-queue, throttled, pauses or name are",
			   word);
	else
		options->sort = (enum threads_sort)sort;
}

static void parse_reason(struct threads_options *options, const char *word,
			 struct argp_state *state)
{
	for (int reason = 0; reason < NR_REASONS; reason++) {
		if (strcasecmp(reason_name((enum reason)reason), word))
			continue;
		options->has_reason = true;
		options->reason = (enum reason)reason;
		return;
	}
	argp_error(
		state,
		"'%s' is no reason; they are the columns of --csv without _ns, with blanks for _",
		word);
}

static void check_spans(const struct threads_options *options, struct argp_state *state)
{
	if (!options->spans && (options->thread || options->has_reason || options->min_ns))
		argp_error(state, "--thread, --reason and --min go with --spans");
	if (options->spans && (options->by || options->sort))
		argp_error(state,
			   "--by and --sort do not go with --spans, whose order is that of time");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct threads_options *options = state->input;

	switch (key) {
	case OPTION_BY:
		parse_by(options, arg, state);
		return 0;
	case OPTION_SORT:
		parse_sort(options, arg, state);
		return 0;
	case OPTION_SPANS:
		options->spans = true;
		return 0;
	case OPTION_THREAD:
		options->thread = arg;
		return 0;
	case OPTION_REASON:
		parse_reason(options, arg, state);
		return 0;
	case OPTION_MIN:
		reader_time(&options->min_ns, arg, state);
		return 0;
	case ARGP_KEY_END:
		check_spans(options, state);
		return reader_option(&options->reader, key, arg, state);
	default:
		return reader_option(&options->reader, key, arg, state);
	}
}

int cmd_threads(int argc, char **argv)
{
	struct threads_options options = {0};

	if (reader_parse(argp_options, parse_option, argp_doc, argc, argv, &options))
		return EXIT_USAGE;
	return finish_output(options.spans ? threads_list_spans(&options)
					   : threads_tabulate(&options));
}
