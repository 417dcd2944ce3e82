/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "user/base/units.h"
#include "user/cmd/schedule_report.h"
#include "user/import/schedule.h"

static const char *value(char buffer[UNITS_BYTES], uint64_t ns)
{
	return ns == UINT64_MAX ? "no answer" : units_print_time(buffer, ns);
}

static bool known(uint64_t number)
{
	return number != SCHEDULE_UNKNOWN;
}

static void print_head(const struct schedule_report *report, FILE *to)
{
	const struct load_summary *s = &report->summary;
	const char *target = schedule_meta(report->reader, "target"),
		   *arrival = schedule_meta(report->reader, "arrival");
	const char *end = schedule_meta(report->reader, "end");
	double span_s = (double)(s->last_intended_ns - s->first_intended_ns) / NS_PER_S;

	fprintf(to, "%s", report->path);
	if (target)
		fprintf(to, ": %s", target);
	if (arrival)
		fprintf(to, ", %s", arrival);
	if (end && strcmp(end, "done"))
		fprintf(to, " (%s)", end);
	fprintf(to, "\n%" PRIu64 " requests planned", s->nr);
	if (s->nr > 1)
		fprintf(to, " in %.3f s, %.2f/s", span_s, load_summary_rate(s));
	fprintf(to, "; %" PRIu64 " answered, %" PRIu64 " not", s->nr_answered,
		s->nr - s->nr_answered);
	if (s->nr_warmup)
		fprintf(to, "; %" PRIu64 " of the warm-up left out", s->nr_warmup);
	fputs("\n", to);
}

static void print_failures(const struct load_summary *s, FILE *to)
{
	const char *before = "failed: ";

	for (unsigned int i = FAILURE_NONE + 1; i < NR_SCHEDULE_FAILURES; i++) {
		if (!s->nr_failures[i])
			continue;
		fprintf(to, "%s%" PRIu64 " %s%s", before, s->nr_failures[i],
			schedule_failure_name(i),
			i == FAILURE_STATUS ? " (not 2xx; answered all the same)" : "");
		before = ", ";
	}
	if (*before == ',')
		fputs("\n", to);
	if (s->nr_skipped)
		fprintf(to, "%" PRIu64 " were skipped by the generator: never sent, in no figure\n",
			s->nr_skipped);
}

static void print_row(const struct load_summary *s, const char *name, uint64_t response,
		      uint64_t service, FILE *to)
{
	char a[UNITS_BYTES], b[UNITS_BYTES], c[UNITS_BYTES];
	bool both = response != UINT64_MAX && service != UINT64_MAX && s->response.nr;

	fprintf(to, "  %-8s %14s %14s", name, s->response.nr ? value(a, response) : "-",
		s->service.nr ? value(b, service) : "-");
	if (both && response > service)
		fprintf(to, " %14s", units_print_time(c, response - service));
	fputs("\n", to);
}

static void print_times(const struct load_summary *s, FILE *to)
{
	char name[16];

	if (!s->response.nr && !s->service.nr)
		return;
	fprintf(to, "\n  %-8s %14s %14s %14s\n  %-8s %14s %14s\n", "", "response time",
		"service time", "difference", "", "from intended", "from sent");
	for (unsigned int i = 0; i < nr_report_percentiles; i++) {
		double p = report_percentiles[i];

		snprintf(name, sizeof(name), "p%g", p);
		print_row(s, name, hdr_percentile_of(&s->response, p, s->nr_unanswered),
			  hdr_percentile_of(&s->service, p, s->nr_unanswered), to);
	}
	print_row(s, "max", s->nr_unanswered ? UINT64_MAX : s->response.max,
		  s->nr_unanswered ? UINT64_MAX : s->service.max, to);
	print_row(s, "mean", (uint64_t)hdr_mean(&s->response), (uint64_t)hdr_mean(&s->service), to);
	if (s->nr_unanswered)
		fprintf(to, "  Requests without an answer rank behind the slowest; the mean leaves "
			    "them out.\n");
}

static void print_lateness(const struct load_summary *s, FILE *to)
{
	char p50[UNITS_BYTES], p99[UNITS_BYTES], p999[UNITS_BYTES], max[UNITS_BYTES];

	if (!s->lateness.nr)
		return;
	fprintf(to,
		"sent late by p50 %s, p99 %s, p99.9 %s, max %s (due %.3f s after the first); "
		"%" PRIu64 " over 1 ms\n",
		value(p50, hdr_percentile(&s->lateness, 50)),
		value(p99, hdr_percentile(&s->lateness, 99)),
		value(p999, hdr_percentile(&s->lateness, 99.9)), value(max, s->lateness.max),
		(double)(s->latest_at_ns - s->first_intended_ns) / NS_PER_S, s->nr_late);
}

static void print_open(const struct schedule_report *report, FILE *to)
{
	const struct load_summary *s = &report->summary;
	char p99[UNITS_BYTES], max[UNITS_BYTES], time[UNITS_BYTES];
	double share = verdict_not_open(&report->facts);

	if (share == 0)
		fputs("open-loop all the time", to);
	else if (share > 0)
		fprintf(to,
			"not open-loop for %s (%.2f %% of its threads' time): requests waited for "
			"a connection",
			units_print_time(time, report->facts.not_open_ns), 100 * share);
	if (s->conn_wait.nr && s->conn_wait.max)
		fprintf(to, "%sconnection wait p99 %s, max %s", share >= 0 ? "; " : "",
			value(p99, hdr_percentile(&s->conn_wait, 99)),
			value(max, s->conn_wait.max));
	if (share >= 0 || (s->conn_wait.nr && s->conn_wait.max))
		fputs("\n", to);
}

static void print_cost(const struct run_facts *f, FILE *to)
{
	char time[UNITS_BYTES];
	double run = (double)f->duration_ns;

	if (!known(f->duration_ns))
		return;
	if (known(f->own_cpu_ns))
		fprintf(to, "CPU: %.1f %% of a core to send", 100 * (double)f->own_cpu_ns / run);
	if (known(f->own_cpu_ns) && known(f->writer_cpu_ns))
		fprintf(to, ", %.1f %% to write", 100 * (double)f->writer_cpu_ns / run);
	if (known(f->run_queue_ns))
		fprintf(to, "; waited for a CPU %s", units_print_time(time, f->run_queue_ns));
	if (known(f->throttled_ns))
		fprintf(to, "; stopped by a CPU quota %s",
			f->nr_throttled ? units_print_time(time, f->throttled_ns) : "never");
	fputs("\n", to);
	if (known(f->connections_opened))
		fprintf(to,
			"%" PRIu64 " connections opened; at most %" PRIu64 " requests in flight\n",
			f->connections_opened, f->in_flight_max);
	if (known(f->unsolicited) && f->unsolicited)
		fprintf(to,
			"%" PRIu64
			" connections closed since bytes came that no request had asked for\n",
			f->unsolicited);
}

static void print_verdict(const struct verdict *v, FILE *to)
{
	fprintf(to, "\n%s for p%g", v->good ? "good enough" : "NOT good enough", v->percent);
	if (v->good) {
		char at[UNITS_BYTES], on_time[UNITS_BYTES];

		fprintf(to, ": %s, and %s without its own lateness\n", value(at, v->at_ns),
			value(on_time, v->on_time_ns));
		return;
	}
	fputs(":\n", to);
	for (unsigned int i = 0; i < v->nr_reasons; i++)
		fprintf(to, "  - %s\n", v->reasons[i]);
}

void schedule_report_text(const struct schedule_report *report, FILE *to)
{
	const struct load_summary *s = &report->summary;

	print_head(report, to);
	print_failures(s, to);
	if (s->nr_negative)
		fprintf(to,
			"%" PRIu64
			" requests have stamps that run backwards: counted here, in no figure\n",
			s->nr_negative);
	print_times(s, to);
	fputs("\ngenerator: ", to);
	print_lateness(s, to);
	print_open(report, to);
	print_cost(&report->facts, to);
	print_verdict(&report->verdict, to);
}
