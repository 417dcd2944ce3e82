/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/cmd/cmd.h"
#include "user/cmd/schedule_report.h"
#include "user/import/schedule.h"
#include "user/load/intervals.h"
#include "user/output/hlog.h"

const double report_percentiles[] = {50, 90, 99, 99.9, 99.99};
const unsigned int nr_report_percentiles = ARRAY_SIZE(report_percentiles);

int report_open(const char *path, struct schedule_reader **ret)
{
	int error = schedule_open(path, ret);

	if (error == -EBADMSG)
		complain("%s is no schedule: neither the binary form nor CSV that begins with "
			 "'#sched 1'",
			 path);
	else if (error == -EPROTONOSUPPORT)
		complain("%s was written by a newer version, whose form this one does not know",
			 path);
	else if (error)
		complain("cannot read %s: %s", path, strerror(-error));
	return error ? EXIT_NO_INPUT : EXIT_OK;
}

int report_schedule_health(const char *path, const struct schedule_reader *r, int read_error)
{
	struct schedule_health health;

	schedule_health(r, &health);
	if (read_error) {
		complain("cannot read all of %s: %s", path, strerror(-read_error));
		return EXIT_NO_INPUT;
	}
	if (!health.binary && health.nr_bad) {
		complain("%s: %llu lines are no requests and were passed over; the first is line "
			 "%llu: %s",
			 path, (unsigned long long)health.nr_bad,
			 (unsigned long long)health.first_bad_line, health.why_bad);
		return EXIT_DAMAGED;
	}
	if (health.nr_bad || health.nr_missing) {
		complain("%s: %llu damaged places were passed over (%llu bytes); %llu requests are "
			 "missing for sure",
			 path, (unsigned long long)health.nr_bad,
			 (unsigned long long)health.nr_skipped_bytes,
			 (unsigned long long)health.nr_missing);
		return EXIT_DAMAGED;
	}
	if (!health.complete && health.binary)
		complain("%s has no end: whoever wrote it was killed; all that was in it has been "
			 "read",
			 path);
	return EXIT_OK;
}

static void take_facts(struct schedule_report *report)
{
	struct run_facts *f = &report->facts;
	const struct schedule_reader *r = report->reader;
	uint64_t start_ns = schedule_meta_number(r, "start_ns"),
		 ended_ns = schedule_meta_number(r, "ended_ns");
	const struct {
		const char *key;
		uint64_t *to;
	} facts[] = {
		{"threads", &f->threads},
		{"planned", &f->planned},
		{"omitted", &f->omitted},
		{"replans", &f->replans},
		{"lost", &f->lost},
		{"not_open_ns", &f->not_open_ns},
		{"threads_cpu_ns", &f->threads_cpu_ns},
		{"own_cpu_ns", &f->own_cpu_ns},
		{"writer_cpu_ns", &f->writer_cpu_ns},
		{"run_queue_ns", &f->run_queue_ns},
		{"throttled_ns", &f->throttled_ns},
		{"nr_throttled", &f->nr_throttled},
		{"connections_opened", &f->connections_opened},
		{"in_flight_max", &f->in_flight_max},
		{"unsolicited", &f->unsolicited},
	};

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		*facts[i].to = schedule_meta_number(r, facts[i].key);
	f->missing = report->health.nr_missing;
	f->complete = report->health.complete || !report->health.binary;
	f->duration_ns = SCHEDULE_UNKNOWN;
	if (start_ns != SCHEDULE_UNKNOWN && ended_ns != SCHEDULE_UNKNOWN && ended_ns > start_ns)
		f->duration_ns = ended_ns - start_ns;
}

static int open_output(const char *path, const char *suffix, FILE **ret)
{
	char name[4096];

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	*ret = fopen(name, "we");
	if (!*ret)
		complain("cannot create %s: %s", name, strerror(errno));
	return *ret ? EXIT_OK : EXIT_NO_OUTPUT;
}

static int close_output(const char *path, FILE *file)
{
	bool failed = ferror(file);

	if (fclose(file) || failed) {
		complain("cannot write %s: %s", path, strerror(errno));
		return EXIT_NO_OUTPUT;
	}
	return EXIT_OK;
}

static int write_hdr(const char *path, const char *suffix, const struct hdr *h)
{
	FILE *file;
	int code = open_output(path, suffix, &file);

	if (code)
		return code;
	hdr_print_percentiles(h, 5, file);
	return close_output(path, file);
}

/* hlog intervals begin at the wall-clock time of the first of all clock anchors that is nearest;
 * without one at 0. */
static uint64_t wall_ns(const struct schedule_reader *r, uint64_t at_ns)
{
	const struct schedule_anchor *a = schedule_anchor(r, 0);
	const char *clock = schedule_meta(r, "clock");

	if (clock && !strncmp(clock, "realtime", 8))
		return at_ns;
	return a ? a->realtime_ns + at_ns - a->monotonic_ns : 0;
}

/* The first request that is read decides where time begins, unless the file says so. */
static struct intervals *begin_hlog(const struct schedule_report *report,
				    const struct schedule_request *first, FILE *to)
{
	uint64_t start_ns = schedule_meta_number(report->reader, "start_ns");

	if (start_ns == SCHEDULE_UNKNOWN)
		start_ns = first->intended_ns != SCHEDULE_UNKNOWN ? first->intended_ns
								  : first->sent_ns;
	if (start_ns == SCHEDULE_UNKNOWN)
		start_ns = 0;
	hlog_begin(to, wall_ns(report->reader, start_ns));
	return intervals_new(to, start_ns);
}

static int read_all(struct schedule_report *report, FILE *hlog)
{
	struct load_summary *s = &report->summary;
	struct intervals *intervals = NULL;
	struct schedule_request request;
	int got, error = 0;
	bool first = true;

	while ((got = schedule_next(report->reader, &request)) > 0) {
		if (first) {
			uint64_t warmup_ns = schedule_meta_number(report->reader, "warmup_ns");

			s->start_ns = schedule_meta_number(report->reader, "start_ns");
			s->warmup_ns =
				s->start_ns == SCHEDULE_UNKNOWN || warmup_ns == SCHEDULE_UNKNOWN
					? 0
					: warmup_ns;
			intervals = hlog ? begin_hlog(report, &request, hlog) : NULL;
			first = false;
		}
		load_summary_add(s, &request);
		if (intervals && !error && !load_summary_is_warmup(s, &request))
			error = intervals_add(intervals, &request);
	}
	if (intervals_end(intervals) || error)
		return -ENOMEM;
	return got;
}

static int finish(struct schedule_report *report, const struct schedule_report_options *options,
		  int read_error)
{
	int code = report_schedule_health(report->path, report->reader, read_error),
	    written = EXIT_OK;

	if (read_error)
		return code;
	schedule_health(report->reader, &report->health);
	take_facts(report);
	verdict_judge(&report->summary, &report->facts, options->percent, &report->verdict);
	if (options->json)
		schedule_report_json(report, stdout);
	else
		schedule_report_text(report, stdout);
	if (options->hdr) {
		written = write_hdr(options->hdr, ".response", &report->summary.response);
		if (!written)
			written = write_hdr(options->hdr, ".service", &report->summary.service);
	}
	return written ? written : code;
}

int report_schedule(const char *path, const struct schedule_report_options *options)
{
	struct schedule_report *report = calloc(1, sizeof(*report));
	FILE *hlog = NULL;
	int code, hlog_code = EXIT_OK;

	if (!report) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	report->path = path;
	code = report_open(path, &report->reader);
	if (!code && options->hlog)
		code = open_output(options->hlog, "", &hlog);
	if (!code) {
		code = finish(report, options, read_all(report, hlog));
		if (hlog)
			hlog_code = close_output(options->hlog, hlog);
	}
	schedule_reader_free(report->reader);
	free(report);
	return code ? code : hlog_code;
}
