/* SPDX-License-Identifier: BSD-2-Clause */
/* `standstill dump`: every record of a recording, as it was written. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/cmd/cmd.h"
#include "user/cmd/dump.h"
#include "user/cmd/open.h"
#include "user/cmd/reader_options.h"
#include "user/recording/reader.h"
#include "user/recording/schema.h"
#include "user/recording/text.h"

enum { OPTION_KIND = 256, OPTION_THREAD, OPTION_BETWEEN, OPTION_STATS };

#define MONOTONIC_DIGITS 10 /* a bare number this long is no count of seconds: 31 years */
#define PEEK_RECORDS	 4096

struct moment {
	uint64_t ns;
	bool from_start; /* counts from the recording's start, not from the machine's */
};

struct options {
	struct reader_options reader;
	bool stats;
	bool kinds[NR_RECORD_KINDS], any_kind;
	uint32_t tid;
	bool any_tid;
	struct moment from, to;
	bool between;
};

static const struct argp_option argp_options[] = {
	READER_ROW_JSON("One JSON object a record, a line each, with all fields"),
	{"kind", OPTION_KIND, "KIND", 0, "Only records of this kind; may be given several times",
	 0},
	{"thread", OPTION_THREAD, "TID", 0, "Only records about this thread", 0},
	{"between", OPTION_BETWEEN, "FROM..TO", 0,
	 "Only records of that time: since the recording's start (1.5s..2s, 800ms..), or of the "
	 "monotonic "
	 "clock in ns, as dump prints it",
	 0},
	{"stats", OPTION_STATS, NULL, 0,
	 "No records, but how many there are of each kind, and their size", 0},
	{0},
};

static const char argp_doc[] =
	"Print every record of a recording, in order of time: when in ns of the monotonic clock, "
	"kind, thread, and "
	"the fields that are not 0."
	"\vExamples:\n"
	"  standstill dump run.still | less\n"
	"  standstill dump run.still --kind safepoint_begin --kind safepoint_end\n"
	"  standstill dump run.still --thread 4711 --between 1.5s..1.6s\n"
	"  standstill dump run.still --json | jq 'select(.runq_ns > 1000000)'\n"
	"  standstill dump run.still --stats\n"
	"  ssh host cat run.still | standstill dump - --kind info\n\n"
	"The kinds of records and their fields: docs/recording.md.";

static int parse_moment(const char *word, struct moment *ret)
{
	size_t nr = strlen(word);

	ret->from_start = !(nr >= MONOTONIC_DIGITS && strspn(word, "0123456789") == nr);
	if (ret->from_start)
		return units_parse_time(word, &ret->ns);
	return units_parse_number(word, 0, UINT64_MAX, &ret->ns);
}

/* "FROM..TO" or "FROM,TO"; either may be left out. */
static int parse_between(const char *word, struct options *options)
{
	const char *between = strstr(word, "..") ?: strchr(word, ',');
	char from[64];

	if (!between || (size_t)(between - word) >= sizeof(from))
		return -EINVAL;
	memcpy(from, word, (size_t)(between - word));
	from[between - word] = 0;
	options->from = (struct moment){0, false};
	options->to = (struct moment){UINT64_MAX, false};
	options->between = true;
	if (*from && parse_moment(from, &options->from))
		return -EINVAL;
	between += *between == ',' ? 1 : 2;
	if (*between && parse_moment(between, &options->to))
		return -EINVAL;
	if (options->from.from_start == options->to.from_start &&
	    options->from.ns >= options->to.ns)
		return -EINVAL;
	return 0;
}

static void parse_kind(struct options *options, const char *word, struct argp_state *state)
{
	const struct schema_kind *kind = schema_named(word);

	if (!kind) {
		argp_error(state,
			   "'%s' is no kind of record; `standstill dump FILE --stats` lists those "
			   "there are",
			   word);
		return;
	}
	options->kinds[kind->kind] = true;
	options->any_kind = true;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;
	uint64_t number;

	switch (key) {
	case OPTION_STATS:
		options->stats = true;
		return 0;
	case OPTION_KIND:
		parse_kind(options, arg, state);
		return 0;
	case OPTION_THREAD:
		if (units_parse_number(arg, 0, UINT32_MAX, &number))
			argp_error(state, "'%s' is no thread's number", arg);
		options->tid = (uint32_t)number;
		options->any_tid = true;
		return 0;
	case OPTION_BETWEEN:
		if (parse_between(arg, options))
			argp_error(state,
				   "'%s' is no stretch of time; 1.5s..2s, 2s.. or ..800ms are",
				   arg);
		return 0;
	default:
		return reader_option(&options->reader, key, arg, state);
	}
}

struct dump {
	const struct options *options;
	struct recording_reader *reader;
	uint64_t start_ns;
	bool start_is_told; /* by the recorder, in a record */
	struct dump_stats stats;
};

/* When the recording began: as its recorder says (docs/recording.md), else the time of its first
 * record. */
static void note_start(struct dump *d, const struct event_hdr *event)
{
	const struct record_info *info = (const struct record_info *)event;

	if (d->start_is_told)
		return;
	if (!d->start_ns)
		d->start_ns = event->ts_ns;
	if (event->kind == RECORD_INFO && !strcmp(info->key, "standstill.start_ns"))
		d->start_is_told = !units_parse_number(info->value, 0, UINT64_MAX, &d->start_ns);
}

static uint64_t on_clock(const struct dump *d, const struct moment *moment)
{
	uint64_t start_ns = moment->from_start ? d->start_ns : 0;

	return moment->ns > UINT64_MAX - start_ns ? UINT64_MAX : start_ns + moment->ns;
}

static bool wanted(const struct dump *d, const struct event_hdr *event)
{
	const struct options *options = d->options;

	if (options->any_kind && !options->kinds[event->kind])
		return false;
	if (options->any_tid && event->tid != options->tid)
		return false;
	return !options->between || (event->ts_ns >= on_clock(d, &options->from) &&
				     event->ts_ns < on_clock(d, &options->to));
}

static bool print_event(const struct dump *d, const struct event_hdr *event)
{
	char line[DUMP_LINE_MAX];
	int nr = d->options->reader.format == FORMAT_JSON
			 ? dump_json(event, line, sizeof(line) - 1)
			 : text_print(event, line, sizeof(line) - 1);

	if (nr < 0)
		return false; /* no kind the schema knows comes out of a reader, nor one so long */
	line[nr] = '\n';
	return fwrite(line, 1, (size_t)nr + 1, stdout) == (size_t)nr + 1;
}

/* Skip to the wanted time, in a file; from a pipe everything is read. */
static int seek(struct dump *d)
{
	const struct event_hdr *event;
	int code;

	if (!d->options->between || !strcmp(d->options->reader.path, "-"))
		return EXIT_OK;
	for (int i = 0;
	     i < PEEK_RECORDS && !d->start_is_told && recording_next(d->reader, &event) == 1; i++)
		note_start(d, event);
	recording_reader_free(d->reader);
	d->reader = NULL;
	d->start_is_told = true;
	code = open_recording(d->options->reader.path, &d->reader);
	if (!code && on_clock(d, &d->options->from) < on_clock(d, &d->options->to))
		recording_seek(d->reader, on_clock(d, &d->options->from),
			       on_clock(d, &d->options->to));
	return code;
}

static int dump(struct dump *d)
{
	const struct event_hdr *event;
	int error;

	while ((error = recording_next(d->reader, &event)) == 1) {
		note_start(d, event);
		if (!wanted(d, event))
			continue;
		if (d->options->stats)
			dump_stats_count(&d->stats, event);
		else if (!print_event(d, event))
			return EXIT_OK; /* finish_output() knows why */
	}
	if (error < 0)
		return report_read_error(d->options->reader.path, error);
	if (d->options->stats)
		dump_stats_print(&d->stats, d->reader);
	return report_health(d->options->reader.path, d->reader);
}

int cmd_dump(int argc, char **argv)
{
	struct options options = {0};
	struct dump d = {.options = &options};
	int code;

	if (reader_parse(argp_options, parse_option, argp_doc, argc, argv, &options))
		return EXIT_USAGE;
	code = open_recording(options.reader.path, &d.reader);
	if (!code)
		code = seek(&d);
	if (!code)
		code = dump(&d);
	if (d.reader)
		recording_reader_free(d.reader);
	return finish_output(code);
}
