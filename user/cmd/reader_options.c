/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "user/base/units.h"
#include "user/cmd/cmd.h"
#include "user/cmd/reader_options.h"

static void take_path(struct reader_options *options, const char *arg, struct argp_state *state)
{
	if (options->path)
		argp_error(state, "one recording at a time, not also '%s'", arg);
	options->path = arg;
}

error_t reader_option(struct reader_options *options, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case READER_CSV:
		options->format = FORMAT_CSV;
		return 0;
	case READER_JSON:
		options->format = FORMAT_JSON;
		return 0;
	case READER_BETWEEN:
		if (replay_parse_window(arg, &options->window))
			argp_error(state, "'%s' is no stretch of time; 2s..5s, 2s.. or ..5s are",
				   arg);
		return 0;
	case ARGP_KEY_ARG:
		take_path(options, arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!options->path)
			argp_error(state, "which recording? `%s FILE`, - is standard input",
				   state->name);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void reader_time(uint64_t *ret_ns, const char *arg, struct argp_state *state)
{
	if (units_parse_time(arg, ret_ns))
		argp_error(state, "'%s' is no time; 250us, 5ms or 1s are", arg);
}

int reader_word(const char *const *words, size_t nr, const char *arg)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(words[i], arg))
			return (int)i;
	return -1;
}

int reader_parse(const struct argp_option *rows, argp_parser_t parser, const char *doc, int argc,
		 char **argv, void *input)
{
	const struct argp argp = {rows, parser, "FILE", doc, NULL, NULL, NULL};

	argp_err_exit_status = EXIT_USAGE;
	return argp_parse(&argp, argc, argv, 0, NULL, input) ? EXIT_USAGE : EXIT_OK;
}
