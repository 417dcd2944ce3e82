/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the command lines of all commands that read a recording have in common: the FILE, the form
 * of the output, the stretch of time. A command lists those it has by the macros below, with its
 * own help, and hands every key it does not know itself to reader_option().
 */
#ifndef STANDSTILL_CMD_READER_OPTIONS_H
#define STANDSTILL_CMD_READER_OPTIONS_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include "user/cmd/replay.h"

enum reader_format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

struct reader_options {
	const char *path; /* never NULL once reader_parse() is back */
	enum reader_format format;
	struct replay_window window;
};

enum { READER_CSV = 1024, READER_JSON, READER_BETWEEN }; /* a command's own keys are below */

#define READER_ROW_CSV(help)                                                                       \
	{                                                                                          \
		"csv", READER_CSV, NULL, 0, help, 0                                                \
	}
#define READER_ROW_JSON(help)                                                                      \
	{                                                                                          \
		"json", READER_JSON, NULL, 0, help, 0                                              \
	}
#define READER_ROW_BETWEEN(help)                                                                   \
	{                                                                                          \
		"between", READER_BETWEEN, "FROM..TO", 0, help, 0                                  \
	}

/* Take a key of the above, an argument or the end of the line; ARGP_ERR_UNKNOWN for all others. */
error_t reader_option(struct reader_options *options, int key, char *arg, struct argp_state *state);

/* Values of a command's own options; what is no such value ends the program with a usage error. */
void reader_time(uint64_t *ret_ns, const char *arg, struct argp_state *state); /* 250us, 5ms, 1s */

/* Which of the @nr @words @arg is, or -1: the command says which there are. */
int reader_word(const char *const *words, size_t nr, const char *arg);

/* Parse a command line of options and one FILE into @input, what @parser gets as state->input.
 * 0, or EXIT_USAGE. */
int reader_parse(const struct argp_option *rows, argp_parser_t parser, const char *doc, int argc,
		 char **argv, void *input);

#endif
