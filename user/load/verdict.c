/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "user/base/units.h"
#include "user/load/summary.h"
#include "user/load/verdict.h"

#define LATENESS_SHARE 0.05 /* of the percentile: more of it must not be the generator's own */
#define LATENESS_FLOOR (10 * NS_PER_US) /* what no generator can do without */
#define RESTS_ON       10		/* requests beyond the percentile, at least */

static bool known(uint64_t number)
{
	return number != SCHEDULE_UNKNOWN;
}

static void add_reason(struct verdict *v, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add_reason(struct verdict *v, const char *format, ...)
{
	va_list arguments;

	if (v->nr_reasons == VERDICT_REASONS_MAX)
		return;
	va_start(arguments, format);
	vsnprintf(v->reasons[v->nr_reasons++], VERDICT_BYTES, format, arguments);
	va_end(arguments);
}

double verdict_not_open(const struct run_facts *f)
{
	if (!known(f->not_open_ns) || !known(f->duration_ns) || !known(f->threads) ||
	    !f->duration_ns || !f->threads)
		return -1;
	return (double)f->not_open_ns / (double)f->duration_ns / (double)f->threads;
}

static void judge_samples(struct verdict *v, const struct load_summary *s)
{
	double nr = (double)(s->nr_answered + s->nr_unanswered),
	       beyond = nr * (100 - v->percent) / 100;

	if (beyond < RESTS_ON - 1e-6) /* 100 - 99.9 is a bit less than 0.1 */
		add_reason(v,
			   "p%g of %.0f requests rests on the slowest %.1f; at least %d are "
			   "wanted, so run longer",
			   v->percent, nr, beyond, RESTS_ON);
	if (s->nr_no_intended)
		add_reason(v, "%llu requests have no intended time, so no response time either",
			   (unsigned long long)s->nr_no_intended);
	if (s->nr_negative)
		add_reason(v, "%llu requests have stamps that run backwards",
			   (unsigned long long)s->nr_negative);
}

static void judge_lateness(struct verdict *v, const struct load_summary *s)
{
	char at[UNITS_BYTES], on_time[UNITS_BYTES];
	uint64_t allowed_ns;

	if (s->lateness.nr == 0 || v->at_ns == UINT64_MAX || v->on_time_ns == UINT64_MAX)
		return;
	allowed_ns = (uint64_t)(LATENESS_SHARE * (double)v->at_ns);
	if (allowed_ns < LATENESS_FLOOR)
		allowed_ns = LATENESS_FLOOR;
	if (v->at_ns > v->on_time_ns + allowed_ns)
		add_reason(v, "without its own lateness, p%g would be %s instead of %s", v->percent,
			   units_print_time(on_time, v->on_time_ns),
			   units_print_time(at, v->at_ns));
}

static void judge_missing(struct verdict *v, const struct run_facts *f)
{
	if (known(f->omitted) && f->omitted)
		add_reason(v,
			   "%llu requests that were due were never sent, as its planner forgot "
			   "them (%llu times)",
			   (unsigned long long)f->omitted, (unsigned long long)f->replans);
	if (known(f->lost) && f->lost)
		add_reason(v, "%llu requests were sent but could not be written down",
			   (unsigned long long)f->lost);
	if (f->missing)
		add_reason(v, "%llu requests stood in parts of the file that are damaged",
			   (unsigned long long)f->missing);
	if (!f->complete)
		add_reason(v, "the file has no end: what came after its last part is not known");
}

/* A share of the run during which something kept it from sending and receiving hits about that
 * share of the requests. */
static void judge_stolen(struct verdict *v, const struct run_facts *f, uint64_t ns, uint64_t of_ns,
			 const char *what)
{
	char time[UNITS_BYTES];

	if (!known(ns) || !known(of_ns) || !of_ns || !known(f->duration_ns))
		return;
	if ((double)ns / (double)of_ns > (100 - v->percent) / 100)
		add_reason(v, "%s %s, %.1f %% of its time", what, units_print_time(time, ns),
			   100 * (double)ns / (double)of_ns);
}

static void judge_open(struct verdict *v, const struct run_facts *f)
{
	double share = verdict_not_open(f);

	if (share > (100 - v->percent) / 100)
		add_reason(v,
			   "it was not open-loop for %.1f %% of the time: requests waited for a "
			   "connection",
			   100 * share);
}

void verdict_judge(const struct load_summary *s, const struct run_facts *f, double percent,
		   struct verdict *ret)
{
	uint64_t threads_ns = known(f->threads) && known(f->duration_ns)
				      ? f->threads * f->duration_ns
				      : SCHEDULE_UNKNOWN;

	memset(ret, 0, sizeof(*ret));
	ret->percent = percent;
	ret->at_ns = hdr_percentile_of(&s->response, percent, s->nr_unanswered);
	ret->on_time_ns = hdr_percentile_of(&s->on_time, percent, s->nr_unanswered);
	judge_samples(ret, s);
	judge_lateness(ret, s);
	judge_missing(ret, f);
	judge_stolen(ret, f, f->run_queue_ns, threads_ns, "it waited for a CPU for");
	judge_stolen(ret, f, f->throttled_ns, f->duration_ns,
		     "its cgroup's CPU quota stopped it for");
	judge_open(ret, f);
	ret->good = ret->nr_reasons == 0;
}
