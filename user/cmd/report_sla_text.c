/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/attribution/ranking.h"
#include "user/cmd/report.h"
#include "user/output/label.h"

#define BREACH_ROWS_MAX 5
#define BREACH_CAUSES	3

static double seconds(const struct report_run *run, uint64_t ns)
{
	return ((double)ns - (double)run->requests.replay->account.start_ns) / 1e9;
}

/* "81 % backlog of a pause, 12 % ..." of the time of the requests over the limit. */
static void print_causes(const struct sla_cause *cause)
{
	struct ranked ranked = {0};
	enum cause order[NR_CAUSES];
	uint64_t total_ns = split_total_ns(&cause->split);
	char share[32];
	uint32_t nr;

	if (!cause->nr) {
		printf("    none of its requests is in the recording: the causes are not known\n");
		return;
	}
	memcpy(ranked.ns, cause->split.ns, sizeof(ranked.ns));
	nr = ranked_order(&ranked, order);
	printf("    of the time of %" PRIu64 " requests over it:", cause->nr);
	for (uint32_t i = 0; i < nr && i < BREACH_CAUSES; i++)
		printf("%s %s %s", i ? "," : "",
		       label_share(share, cause->split.ns[order[i]], total_ns),
		       cause_words(order[i]));
	printf("; the worst: %s\n", cause->worst_id);
}

static void print_breach(const struct report_run *run, const struct sla_cause *cause)
{
	const struct sla_breach *b = &cause->breach;
	char time[2][UNITS_BYTES];

	if (seconds(run, b->first_over_ns) < 0)
		printf("  broken from %.3f s before the recording began",
		       -seconds(run, b->first_over_ns));
	else
		printf("  broken from %.3f s", seconds(run, b->first_over_ns));
	if (b->normal_ns == SLA_UNKNOWN)
		printf(", not back to normal in this run");
	else
		printf(", back to normal after %s",
		       units_print_time(time[0], b->normal_ns - b->first_over_ns));
	if (b->worst.value_ns == SLA_UNKNOWN)
		printf("; at worst not even answered");
	else
		printf("; at worst %s, %s over", units_print_time(time[0], b->worst.value_ns),
		       units_print_time(time[1], b->worst.over_ns));
	printf(" (%" PRIu64 " of %" PRIu64 " requests, %" PRIu64 " may be)\n", b->worst.nr_over,
	       b->worst.nr, b->worst.nr_allowed);
	print_causes(cause);
}

static void print_one(const struct report_run *run, const struct report_sla *s)
{
	const struct sla_summary *sum = &s->summary;
	size_t nr = s->nr_breaches < BREACH_ROWS_MAX ? s->nr_breaches : BREACH_ROWS_MAX;

	printf("%s: ", s->word);
	if (sum->nr_windows == sum->nr_empty)
		printf("no requests to judge\n");
	else if (!sum->nr_broken)
		printf("held\n");
	else if (s->sla.window_ns)
		printf("BROKEN in %" PRIu64 " of %" PRIu64 " windows\n", sum->nr_broken,
		       sum->nr_windows - sum->nr_empty);
	else
		printf("BROKEN\n");
	for (size_t i = 0; i < nr; i++)
		print_breach(run, &s->breaches[i]);
	if (sum->nr_breaches > nr)
		printf("  and %" PRIu64 " more times\n", sum->nr_breaches - nr);
	if (s->nr_over)
		printf("  over the limit: %" PRIu64 " of %" PRIu64
		       " requests in the recording; without pauses %" PRIu64 " would be\n",
		       s->nr_over, s->nr_split, s->nr_over_without_pauses);
}

void report_sla_text(const struct report_run *run)
{
	for (size_t i = 0; i < run->options->nr_slas; i++) {
		printf("\n");
		print_one(run, &run->options->slas[i]);
	}
}
