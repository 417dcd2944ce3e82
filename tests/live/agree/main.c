/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * agree --log JVM.LOG --pauses PAUSES.CSV --from NS --to NS [--spans VMTHREAD.CSV] [--releases
 * TIMES] [--label TEXT]
 * [--offender NAME] [--names] agree --header
 *
 * One row of the table: what a JVM logged of its own safepoints against what standstill found.
 * Exit: 0 when all limits hold, 1 when one is broken, 2 when the input cannot be read.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/live/agree/verdict.h"
#include "user/base/units.h"

#define EXIT_BROKEN 1
#define EXIT_INPUT  2

struct options {
	const char *log, *pauses, *spans, *releases, *label, *offender;
	uint64_t from_ns, to_ns;
	bool names, counts, header, verbose;
};

enum option_key {
	KEY_LABEL = 256,
	KEY_OFFENDER,
	KEY_NAMES,
	KEY_COUNTS,
	KEY_HEADER,
	KEY_FROM,
	KEY_TO
};

static const struct argp_option options[] = {
	{"log", 'l', "FILE", 0, "the JVM's log: -Xlog:safepoint=info:file=FILE:tn:filecount=0", 0},
	{"pauses", 'p', "FILE", 0, "output of `standstill pauses --csv`", 0},
	{"spans", 's', "FILE", 0, "the VM Thread's spans: `standstill threads --spans --csv`", 0},
	{"releases", 'r', "FILE", 0, "when the JVM came to what lets the threads go, ns a line", 0},
	{"from", KEY_FROM, "NS", 0, "the probes were there from then on (CLOCK_MONOTONIC)", 0},
	{"to", KEY_TO, "NS", 0, "and until then", 0},
	{"label", KEY_LABEL, "TEXT", 0, "what the row begins with", 0},
	{"offender", KEY_OFFENDER, "NAME", 0, "this thread was made to be late", 0},
	{"names", KEY_NAMES, NULL, 0, "an unknown operation breaks a limit", 0},
	{"counts", KEY_COUNTS, NULL, 0, "only what is missed or invented breaks a limit", 0},
	{"header", KEY_HEADER, NULL, 0, "print the head of the table, and nothing else", 0},
	{"verbose", 'v', NULL, 0, "print each pair's errors, in ns, to standard error", 0},
	{0},
};

static error_t parse_time(const char *word, uint64_t *ret, struct argp_state *state)
{
	if (units_parse_number(word, 1, UINT64_MAX, ret))
		argp_error(state, "'%s' is no time in ns", word);
	return 0;
}

static error_t check(const struct options *o, struct argp_state *state)
{
	if (!o->header && (!o->log || !o->pauses || !o->from_ns || o->to_ns <= o->from_ns))
		argp_error(state, "--log, --pauses, --from and a later --to are needed");
	return 0;
}

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'l':
		o->log = word;
		return 0;
	case 'p':
		o->pauses = word;
		return 0;
	case 's':
		o->spans = word;
		return 0;
	case 'r':
		o->releases = word;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	case KEY_LABEL:
		o->label = word;
		return 0;
	case KEY_OFFENDER:
		o->offender = word;
		return 0;
	case KEY_NAMES:
		o->names = true;
		return 0;
	case KEY_COUNTS:
		o->counts = true;
		return 0;
	case KEY_HEADER:
		o->header = true;
		return 0;
	case KEY_FROM:
		return parse_time(word, &o->from_ns, state);
	case KEY_TO:
		return parse_time(word, &o->to_ns, state);
	case ARGP_KEY_END:
		return check(o, state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

struct inputs {
	struct safepoint_log log;
	struct found_list found;
	struct off_list off;
	struct match match;
};

static int complain(const char *path, size_t line, const char *why, int error)
{
	fprintf(stderr, "agree: %s, line %zu: %s: %s\n", path, line, why, strerror(-error));
	return error;
}

static int read_inputs(const struct options *o, struct inputs *in)
{
	const char *why = "no safepoint's line, or its parts do not add up";
	size_t line = 0;
	int error = log_read(o->log, &in->log, &line);

	if (error)
		return complain(o->log, line, why, error);
	error = o->releases ? log_add_releases(&in->log, o->releases, &line) : 0;
	if (error)
		return complain(o->releases, line, "not times in order", error);
	error = found_read(o->pauses, &in->found, &line, &why);
	if (error)
		return complain(o->pauses, line, why, error);
	if (!o->spans)
		return 0;
	error = off_read(o->spans, &in->off, &line, &why);
	return error ? complain(o->spans, line, why, error) : 0;
}

static void free_inputs(struct inputs *in)
{
	log_free(&in->log);
	free(in->found.pauses);
	free(in->off.spans);
	free(in->match.pairs);
}

static void print_pairs(const struct match *match)
{
	for (size_t i = 0; i < match->nr_pairs; i++) {
		const struct logged *l = match->pairs[i].logged;
		const struct found *f = match->pairs[i].found;
		uint64_t mark_ns = l->leave_ns ? l->leave_ns : l->end_ns;

		fprintf(stderr, "%ju %s begin %jd release %jd reaching %jd of %ju late '%s'\n",
			(uintmax_t)l->begin_ns, l->name, (intmax_t)(f->begin_ns - l->begin_ns),
			(intmax_t)(f->release_ns - mark_ns),
			(intmax_t)(f->reaching_ns - l->reaching_ns), (uintmax_t)l->reaching_ns,
			f->late_name);
	}
}

static int compare(const struct options *o)
{
	struct inputs in = {0};
	struct agreement agreement;
	int status = EXIT_INPUT;

	if (!read_inputs(o, &in) && !match(&in.log, &in.found, o->from_ns, o->to_ns, &in.match) &&
	    !agreement_of(&in.match, &in.off, o->offender, &agreement)) {
		const struct demand demand = {
			.names = o->names, .offender = o->offender != NULL, .times = !o->counts};

		status = EXIT_BROKEN;
		if (verdict_row(o->label ? o->label : "", &in.match, &agreement, &demand))
			status = EXIT_SUCCESS;
		if (o->verbose)
			print_pairs(&in.match);
	}
	free_inputs(&in);
	return status;
}

int main(int argc, char **argv)
{
	const struct argp argp = {.options = options, .parser = parse};
	struct options o = {0};

	argp_err_exit_status = EXIT_INPUT;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_INPUT;
	if (o.header) {
		verdict_header();
		return EXIT_SUCCESS;
	}
	return compare(&o);
}
