/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of `standstill load`: what its options come to. */
#ifndef STANDSTILL_CMD_LOAD_H
#define STANDSTILL_CMD_LOAD_H

#include "user/cmd/schedule_report.h"
#include "user/load/options.h"
#include "user/load/target.h"

#define LOAD_HEADERS_MAX 64

struct load_command {
	/* As typed. */
	const char *target, *rate, *frame, *body, *urls, *method, *output, *arguments;
	const char *headers[LOAD_HEADERS_MAX];
	size_t nr_headers;
	bool quiet, live, even_if_down;

	/* What it comes to. */
	struct target place;
	struct load_options load;
	struct schedule_report_options report;
};

/* Parse; ends the program with EXIT_USAGE when the arguments make no sense. Free with
 * load_command_free. */
void load_parse(int argc, char **argv, struct load_command *ret);

/* After the options have been read: what they come to together. NULL, or a sentence. @wrong is room
 * for one. */
const char *load_settle(struct load_command *c, char wrong[MESSAGE_WRONG_LEN]);

void load_command_free(struct load_command *c);

#endif
