/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/cmd/facts.h"
#include "user/cmd/report.h"
#include "user/output/label.h"

#define CAUSE_ROWS_MAX 14
#define PAUSE_ROWS_MAX 8

static const double percents[] = {50, 90, 99, 99.9, 100};
static const char *const percent_names[] = {"p50", "p90", "p99", "p99.9", "max"};
#define NR_PERCENTS ARRAY_SIZE(percents)

static double seconds(const struct report_run *run, uint64_t ns)
{
	return ((double)ns - (double)run->requests.replay->account.start_ns) / 1e9;
}

/* "14:02:07.311" where the wall clock is known, else seconds since the recording began. */
static const char *when(const struct report_run *run, uint64_t ns, char buffer[CLOCK_BYTES])
{
	uint64_t wall_ns;

	if (!clock_wall(&run->requests.replay->account.clock, ns, &wall_ns)) {
		snprintf(buffer, CLOCK_BYTES, "%.3f s", seconds(run, ns));
		return buffer;
	}
	clock_print(buffer, wall_ns);
	buffer[23] = '\0'; /* without " UTC" */
	return buffer + 11;
}

/* The highest percentile that ten requests are beyond. */
static size_t telling_percent(const struct report_run *run)
{
	size_t best = 0;

	for (size_t i = 1; i < NR_PERCENTS - 1; i++)
		if ((double)run->sums.response.nr * (100 - percents[i]) / 100 >= 10)
			best = i;
	return best;
}

static void print_pause(const struct report_run *run, const struct report_pause *row)
{
	const struct pause *p = &row->pause;
	char times[2][UNITS_BYTES], clock[CLOCK_BYTES], label[LABEL_BYTES];

	printf("%s", *p->operation ? label_fit(label, p->operation, 30) : "a pause");
	if (*p->cause)
		printf(" (%s)", label_fit(label, p->cause, 30));
	printf(" at %s", when(run, p->begin_ns, clock));
	if (p->begin_ns && p->release_ns)
		printf(", %s", units_print_time(times[0], p->release_ns - p->begin_ns));
	if (p->begin_ns && p->sync_ns > p->begin_ns + NS_PER_MS)
		printf(", %s of it until all threads had stopped",
		       units_print_time(times[1], p->sync_ns - p->begin_ns));
}

/* ---- the answer ---- */

static void print_answer(struct report_run *run)
{
	struct report_sums *s = &run->sums;
	size_t at = telling_percent(run);
	struct ranked tail = ranking_beyond(&s->ranking, percents[at]);
	uint64_t groups[NR_CAUSE_GROUPS] = {0};
	enum cause_group top = 0;
	const struct report_pause *dearest;
	char time[UNITS_BYTES], share[32];

	for (enum cause cause = 0; cause < NR_CAUSES; cause++)
		groups[cause_group(cause)] += tail.ns[cause];
	for (enum cause_group group = 0; group < NR_CAUSE_GROUPS; group++)
		if (groups[group] > groups[top])
			top = group;
	printf("%s = %s. Of the time of the %" PRIu64 " slowest requests %s is %s.",
	       percent_names[at],
	       units_print_time(time, histogram_percentile(&s->response, percents[at])), tail.nr,
	       label_share(share, groups[top], tail.total_ns), cause_group_words(top));
	if (top == GROUP_PAUSE && report_bill_dearest(&s->bill, &dearest, 1)) {
		printf("\nThe dearest pause: ");
		print_pause(run, dearest);
		printf(": %" PRIu64 " requests lost %s.", dearest->nr_direct + dearest->nr_backlog,
		       units_print_time(time, dearest->ns));
	}
	printf("\n");
}

/* ---- tables ---- */

static void print_percentiles(const char *what, struct histogram *h)
{
	char time[UNITS_BYTES];

	if (!h->nr)
		return;
	printf("%-36s", what);
	for (size_t i = 0; i < NR_PERCENTS; i++)
		printf(" %10s", units_print_time(time, histogram_percentile(h, percents[i])));
	printf("\n");
}

static void print_header(const char *what)
{
	printf("\n%-36s", what);
	for (size_t i = 0; i < NR_PERCENTS; i++)
		printf(" %10s", percent_names[i]);
	printf("\n");
}

static void print_times(struct report_run *run)
{
	struct report_sums *s = &run->sums;
	char title[64];

	snprintf(title, sizeof(title), "%" PRIu64 " requests", s->response.nr);
	print_header(title);
	print_percentiles(run->options->nr_schedules ? "response time, from intended send"
						     : "response time, from arrival",
			  &s->response);
	print_percentiles("service time, from actual send", &s->service);
	print_percentiles("response time without pauses", &s->without_pauses);
}

static void print_cause(const char *name, const struct ranked *columns, const bool *causes)
{
	char time[UNITS_BYTES];

	printf("%-36s", name);
	for (size_t i = 0; i < NR_PERCENTS; i++) {
		uint64_t ns = 0;

		for (size_t cause = 0; cause < NR_CAUSES; cause++)
			ns += causes[cause] ? columns[i].ns[cause] : 0;
		ns = columns[i].nr ? ns / columns[i].nr : 0;
		printf(" %10s", ns ? units_print_time(time, ns) : ".");
	}
	printf("\n");
}

/* The causes that are most of what is beyond the telling percentile, then all others as one. */
static void print_causes(struct report_run *run)
{
	struct ranked columns[NR_PERCENTS], all = {0};
	enum cause order[NR_CAUSES];
	bool rest[NR_CAUSES] = {false};
	uint32_t nr;

	for (size_t i = 0; i < NR_PERCENTS; i++) {
		columns[i] = ranking_at(&run->sums.ranking, percents[i]);
		for (size_t cause = 0; cause < NR_CAUSES; cause++)
			all.ns[cause] += columns[i].nr ? columns[i].ns[cause] / columns[i].nr : 0;
	}
	nr = ranked_order(&all, order);
	print_header("causes, mean of the requests at");
	for (uint32_t i = 0; i < nr; i++) {
		bool one[NR_CAUSES] = {false};

		one[order[i]] = true;
		if (i < CAUSE_ROWS_MAX)
			print_cause(cause_words(order[i]), columns, one);
		else
			rest[order[i]] = true;
	}
	if (nr > CAUSE_ROWS_MAX)
		print_cause("all others", columns, rest);
}

static void print_bill(const struct report_run *run)
{
	const struct report_pause *rows[PAUSE_ROWS_MAX];
	size_t nr = report_bill_dearest(&run->sums.bill, rows, PAUSE_ROWS_MAX);
	char times[2][UNITS_BYTES], clock[CLOCK_BYTES];

	if (!nr)
		return;
	printf("\nwhat pauses cost, the dearest of %" PRIu64 "\n", run->sums.bill.nr);
	printf("%-13s %10s %9s %9s %11s %10s  %s\n", "when", "length", "hit", "behind", "time lost",
	       "worst", "operation");
	for (size_t i = 0; i < nr; i++) {
		const struct pause *p = &rows[i]->pause;
		char label[LABEL_BYTES];

		printf("%-13s %10s %9" PRIu64 " %9" PRIu64, when(run, p->begin_ns, clock),
		       p->begin_ns && p->release_ns
			       ? units_print_time(times[0], p->release_ns - p->begin_ns)
			       : "-",
		       rows[i]->nr_direct, rows[i]->nr_backlog);
		printf(" %11s", units_print_time(times[0], rows[i]->ns));
		printf(" %10s  %s\n", units_print_time(times[1], rows[i]->worst_ns),
		       label_fit(label, *p->operation ? p->operation : "unknown", 26));
	}
}

static void print_split(const struct split *split)
{
	struct ranked ranked = {0};
	enum cause order[NR_CAUSES];
	char time[UNITS_BYTES];
	uint32_t nr;

	memcpy(ranked.ns, split->ns, sizeof(ranked.ns));
	nr = ranked_order(&ranked, order);
	for (uint32_t i = 0; i < nr && i < 3; i++)
		printf("%s%s %s", i ? ", " : "", units_print_time(time, split->ns[order[i]]),
		       cause_words(order[i]));
	if (nr > 3)
		printf(", ...");
}

static void print_worst(const struct report_run *run)
{
	char time[UNITS_BYTES];

	if (!run->sums.nr_worst)
		return;
	printf("\nthe slowest requests (`standstill request %s ID` shows one step by step)\n",
	       run->options->reader.path);
	printf("%-14s %9s %9s  %s\n", "ID", "when (s)", "response", "of which");
	for (size_t i = 0; i < run->sums.nr_worst; i++) {
		const struct report_worst *w = &run->sums.worst[i];

		printf("%-14s %9.4f %9s  ", w->id, seconds(run, w->begin_ns),
		       units_print_time(time, w->response_ns));
		print_split(&w->split);
		printf("\n");
	}
}

/* ---- how far to trust it ---- */

static void print_join(const struct report_run *run)
{
	const struct join_tally *t;
	char share[32], time[UNITS_BYTES];

	if (!run->join)
		return;
	t = join_tally(run->join);
	printf("schedule: %" PRIu64 " entries, %" PRIu64 " (%s) found at the server", t->nr_entries,
	       t->nr_matched, label_share(share, t->nr_matched, t->nr_entries));
	for (enum join_key key = JOIN_VALUE; key < NR_JOIN_KEYS; key++)
		if (t->by_key[key])
			printf(", %" PRIu64 " %s", t->by_key[key], join_key_words(key));
	printf("\n");
	for (enum join_reason reason = UNMATCHED_NOT_SENT; reason < NR_JOIN_REASONS; reason++)
		if (t->unmatched[reason])
			printf("  not found: %" PRIu64 ", %s\n", t->unmatched[reason],
			       join_reason_words(reason));
	if (t->nr_requests_alone)
		printf("  the server had %" PRIu64 " more, in no schedule: left out\n",
		       t->nr_requests_alone);
	if (run->nr_same_turn)
		printf("  %" PRIu64 " were in a turn with others: left out\n", run->nr_same_turn);
	if (t->nr_ambiguous)
		printf("  for %" PRIu64 " more than one request could have been it\n",
		       t->nr_ambiguous);
	if (t->nr_impossible)
		printf("  ERROR: %" PRIu64 " arrived before they were sent, or were received "
		       "before they were answered, by up to %s\n",
		       t->nr_impossible, units_print_time(time, t->worst_impossible_ns));
}

static void print_clock(const struct report_run *run)
{
	char time[2][UNITS_BYTES];
	int64_t offset_ns = run->clock.offset_ns;

	if (!run->join)
		return;
	printf("clocks: the schedule's is %s", run->clock.name);
	if (offset_ns)
		printf(", moved by %s%s, known to %s", offset_ns < 0 ? "-" : "",
		       units_print_time(time[0],
					(uint64_t)(offset_ns < 0 ? -offset_ns : offset_ns)),
		       units_print_time(time[1], run->clock.error_ns));
	else
		printf(", the recording's own");
	printf("\n");
}

/* A generator that stops with the server cannot plan meanwhile: the worst requests never exist. */
static void print_generator(struct report_run *run)
{
	const struct account_target *target =
		account_target(&run->requests.replay->account, (uint32_t)run->generator_tgid);
	struct histogram *late = &run->sums.lateness;
	char times[3][UNITS_BYTES];

	if (!run->join)
		return;
	if (target && strcmp(target->role, "client"))
		printf("WARNING: the generator is in the recorded server's own process: it stops "
		       "when "
		       "the server does, and what\n  it did not plan meanwhile is missing here: "
		       "the true percentiles are higher\n");
	if (late->nr)
		printf("generator: sent late by p50 %s, p99 %s, max %s\n",
		       units_print_time(times[0], histogram_percentile(late, 50)),
		       units_print_time(times[1], histogram_percentile(late, 99)),
		       units_print_time(times[2], late->max));
	if (run->sums.nr_early)
		printf("  %" PRIu64 " were sent before they were due\n", run->sums.nr_early);
}

static void print_trust(struct report_run *run)
{
	const struct splitter_totals *t = &run->split_totals;
	const struct split *all = &run->sums.all;
	uint64_t unknown_ns =
		all->ns[CAUSE_UNKNOWN] + all->ns[CAUSE_LOST] + all->ns[CAUSE_NO_THREAD];
	char share[32], time[UNITS_BYTES];

	printf("\nhow far to trust this\n");
	print_join(run);
	print_clock(run);
	print_generator(run);
	printf("unknown: %s of all time (%s lost records, %s no thread)\n",
	       label_share(share, unknown_ns, split_total_ns(all)),
	       units_print_time(time, all->ns[CAUSE_LOST]),
	       units_print_time((char[UNITS_BYTES]){0}, all->ns[CAUSE_NO_THREAD]));
	if (all->misfit_ns)
		printf("the replay of the queues contradicts the recording by %s%s in all\n",
		       all->misfit_ns < 0 ? "-" : "",
		       units_print_time(time, (uint64_t)(all->misfit_ns < 0 ? -all->misfit_ns
									    : all->misfit_ns)));
	if (t->nr_unsplit || t->nr_rushed || t->nr_late)
		printf("not split: %" PRIu64 "; split early for want of room: %" PRIu64
		       "; replayed out of order: %" PRIu64 "\n",
		       t->nr_unsplit, t->nr_rushed, t->nr_late);
	if (t->nr_crossed)
		printf("ERROR: in %" PRIu64 " requests two stamps cross by more than 20 us\n",
		       t->nr_crossed);
	facts_text_footer(&run->requests.replay->account);
}

void report_text(struct report_run *run)
{
	const struct account *account = &run->requests.replay->account;

	facts_text_header(account);
	printf("\n");
	if (run->clock.why_not)
		printf("the schedule cannot be used: %s (its clock: %s)\n", run->clock.why_not,
		       run->clock.name);
	else if (!run->totals.nr_steps)
		printf("no sockets in this recording: it was made with --no-sockets, or nothing "
		       "was sent\n");
	else if (!run->sums.response.nr)
		printf("no request of the %s could be found in the recording\n",
		       run->options->nr_schedules ? "schedule" : "server");
	if (run->sums.response.nr) {
		print_answer(run);
		report_sla_text(run);
		print_times(run);
		print_causes(run);
		print_bill(run);
		print_worst(run);
	}
	print_trust(run);
}
