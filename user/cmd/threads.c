/* SPDX-License-Identifier: BSD-2-Clause */
/* `standstill threads`: options, order of calls. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/cmd/cmd.h"
#include "user/cmd/threads.h"

enum {
	OPTION_CSV = 256,
	OPTION_JSON,
	OPTION_BY,
	OPTION_SORT,
	OPTION_SPANS,
	OPTION_THREAD,
	OPTION_REASON,
	OPTION_MIN,
	OPTION_BETWEEN
};

static const struct argp_option argp_options[] = {
	{"csv", OPTION_CSV, NULL, 0, "Comma-separated values, a row a thread, times in ns", 0},
	{"json", OPTION_JSON, NULL, 0, "One JSON object a line; the last one is a summary", 0},
	{"by", OPTION_BY, "KEY", 0, "Add threads up: by role, or by name (digits count as #)", 0},
	{"sort", OPTION_SORT, "KEY", 0,
	 "Largest first by cpu (on a CPU or wanting one), wall, run-queue, throttled or pauses; or "
	 "by name",
	 0},
	{"between", OPTION_BETWEEN, "FROM..TO", 0,
	 "Only this time, counted from the start of the recording", 0},
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

static int parse_word(const char *const *words, const char *word, int *ret)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], word))
			continue;
		*ret = i;
		return 0;
	}
	return -EINVAL;
}

static void parse_by(struct threads_options *options, const char *word, struct argp_state *state)
{
	static const char *const words[] = {"thread", "name", "role", NULL};
	int by = 0;

	if (parse_word(words, word, &by))
		argp_error(state, "threads cannot be added up by '%s'; by name or by role", word);
	options->by = (enum threads_by)by;
}

static void parse_sort(struct threads_options *options, const char *word, struct argp_state *state)
{
	static const char *const words[] = {"",		 "cpu",	   "wall", "run-queue",
					    "throttled", "pauses", "name", NULL};
	int sort = 0;

	if (!*word || parse_word(words, word, &sort))
		argp_error(state,
			   "'%s' is no order; cpu, wall, run-queue, throttled, pauses or name are",
			   word);
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

static error_t parse_last(const struct threads_options *options, struct argp_state *state)
{
	if (!options->path)
		argp_error(state,
			   "which recording? `standstill threads FILE`, - is standard input");
	if (!options->spans && (options->thread || options->has_reason || options->min_ns))
		argp_error(state, "--thread, --reason and --min go with --spans");
	if (options->spans && (options->by || options->sort))
		argp_error(state,
			   "--by and --sort do not go with --spans, whose order is that of time");
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct threads_options *options = state->input;

	switch (key) {
	case OPTION_CSV:
		options->format = THREADS_CSV;
		return 0;
	case OPTION_JSON:
		options->format = THREADS_JSON;
		return 0;
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
		if (units_parse_time(arg, &options->min_ns))
			argp_error(state, "'%s' is no time; 250us, 5ms or 1s are", arg);
		return 0;
	case OPTION_BETWEEN:
		if (replay_parse_window(arg, &options->window))
			argp_error(state, "'%s' is no stretch of time; 2s..5s, 2s.. or ..5s are",
				   arg);
		return 0;
	case ARGP_KEY_ARG:
		if (options->path)
			argp_error(state, "one recording at a time, not also '%s'", arg);
		options->path = arg;
		return 0;
	case ARGP_KEY_END:
		return parse_last(options, state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_threads(int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse_option, "FILE", argp_doc,
					 NULL,	       NULL,	     NULL};
	struct threads_options options = {0};

	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return EXIT_USAGE;
	return finish_output(options.spans ? threads_list_spans(&options)
					   : threads_tabulate(&options));
}
