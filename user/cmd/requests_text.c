/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/cmd/facts.h"
#include "user/cmd/requests.h"
#include "user/output/label.h"

char *requests_print_signed(char buffer[UNITS_BYTES + 1], int64_t ns)
{
	if (ns >= 0)
		return units_print_time(buffer, (uint64_t)ns);
	buffer[0] = '-';
	units_print_time(buffer + 1, (uint64_t)-ns);
	return buffer;
}

static const char *span_or_dot(char buffer[UNITS_BYTES + 1], const struct request *request,
			       enum request_span span)
{
	if (!request->has_spans)
		return "-";
	return request->span_ns[span] ? requests_print_signed(buffer, request->span_ns[span]) : ".";
}

void requests_text_columns(void)
{
	printf("%-12s %9s %8s %8s %8s %8s %8s %8s %8s %8s  %-22s %s\n", "request", "when (s)",
	       "response", "arriving", "in sock.", "service", "write", "held", "return", "pauses",
	       "read by, answered by", "what");
}

static void print_threads(const struct request_row *row)
{
	char reader[LABEL_BYTES], answerer[LABEL_BYTES], both[2 * LABEL_BYTES];

	if (row->request.reader_tid == row->request.answerer_tid || !row->request.answerer_tid)
		snprintf(both, sizeof(both), "%s", *row->reader ? row->reader : row->answerer);
	else
		snprintf(both, sizeof(both), "%s, %s",
			 label_fit(reader, *row->reader ? row->reader : "?", 10),
			 label_fit(answerer, row->answerer, 10));
	printf("  %s", label_column(reader, *both ? both : "-", 22));
}

void requests_text_row(const struct account *account, const struct request_row *row)
{
	const struct request *r = &row->request;
	char times[8][UNITS_BYTES + 1], label[LABEL_BYTES];

	printf("%-12s %9.4f %8s", *row->id ? row->id : "-",
	       ((double)r->begin_ns - (double)account->start_ns) / 1e9,
	       r->state == REQUEST_WHOLE ? units_print_time(times[0], r->end_ns - r->begin_ns)
					 : "-");
	for (int i = 0; i < NR_REQUEST_SPANS; i++)
		printf(" %8s", span_or_dot(times[i + 1], r, (enum request_span)i));
	printf(" %8s", r->pauses.nr ? units_print_time(times[7], r->pauses.ns) : ".");
	print_threads(row);
	printf(" %s", label_fit(label, row->label, 40));
	if (r->state != REQUEST_WHOLE)
		printf(" (%s)", request_state_name(r->state));
	else if (r->flags & REQUEST_LOSS)
		printf(" (records lost meanwhile)");
	printf("\n");
}

/* ---- the summary ---- */

static void print_percentiles(const char *what, struct histogram *h, uint64_t nr_crossed)
{
	char times[5][UNITS_BYTES], label[LABEL_BYTES];

	if (!h->nr)
		return;
	printf("%s %8" PRIu64 " %9s %9s %9s %9s %9s", label_column(label, what, 24), h->nr,
	       units_print_time(times[0], histogram_percentile(h, 50)),
	       units_print_time(times[1], histogram_percentile(h, 90)),
	       units_print_time(times[2], histogram_percentile(h, 99)),
	       units_print_time(times[3], histogram_percentile(h, 99.9)),
	       units_print_time(times[4], h->max));
	if (nr_crossed)
		printf("  and %" PRIu64 " crossed", nr_crossed);
	printf("\n");
}

static void print_spans(struct requests_summary *s, bool both)
{
	struct request like = {.flags = both ? REQUEST_BOTH : 0};

	printf("\n%-24s %8s %9s %9s %9s %9s %9s\n", "", "requests", "p50", "p90", "p99", "p99.9",
	       "max");
	print_percentiles("response", &s->all.response, 0);
	for (int i = 0; i < NR_REQUEST_SPANS; i++) {
		char name[32];

		if (!s->all.span[i].max && !s->all.nr_crossed[i])
			continue;
		snprintf(name, sizeof(name), "  %s%s",
			 request_span_name(&like, (enum request_span)i),
			 both && i == SPAN_ARRIVING ? " or arriving" : "");
		print_percentiles(name, &s->all.span[i], s->all.nr_crossed[i]);
	}
	print_percentiles("    handed over (if so)", &s->handoff, 0);
}

static void print_groups(const char *title, struct request_group *const *groups, size_t nr)
{
	if (!nr)
		return;
	printf("\n%s\n", title);
	for (size_t i = 0; i < nr; i++)
		print_percentiles(groups[i]->name, &groups[i]->response, 0);
}

/* The requests seen, and what became of each: the parts add up. */
static void print_match(const struct requests_totals *t)
{
	uint64_t seen = t->nr[REQUEST_SERVED] + t->nr[REQUEST_SENT];
	uint64_t cut = t->nr_state[REQUEST_CUT_BEGIN] + t->nr_state[REQUEST_CUT_END];
	uint64_t whole = t->nr_state[REQUEST_WHOLE];

	printf("requests: %" PRIu64 " seen = %" PRIu64 " whole + %" PRIu64
	       " cut off at the edges of the recording + %" PRIu64 " unmatched\n",
	       seen, whole, cut, seen - whole - cut);
	if (cut)
		printf("  cut off: %" PRIu64 " at its begin, %" PRIu64 " at its end\n",
		       t->nr_state[REQUEST_CUT_BEGIN], t->nr_state[REQUEST_CUT_END]);
	if (seen - whole - cut)
		printf("  unmatched:");
	for (int state = REQUEST_LOST; state < NR_REQUEST_STATES; state++)
		if (t->nr_state[state])
			printf(" %" PRIu64 " %s%s", t->nr_state[state],
			       request_state_name((enum request_state)state), ";");
	if (seen - whole - cut)
		printf("\n");
}

static void print_unanswered(const struct requests_summary *s, const struct account *account)
{
	char time[UNITS_BYTES];
	uint64_t end_ns = account_end(account);

	if (s->nr_unanswered && end_ns > s->unanswered_since_ns)
		printf("not answered when the recording ended: %" PRIu64
		       "; %s had waited longest, %s\n",
		       s->nr_unanswered, s->unanswered_id,
		       units_print_time(time, end_ns - s->unanswered_since_ns));
}

static void print_crossings(const struct requests_totals *t)
{
	char time[UNITS_BYTES];

	if (!t->nr_crossed)
		return;
	printf("crossed: in %" PRIu64 " requests a step is stamped before the one it follows, by "
	       "%s at most\n",
	       t->nr_crossed, units_print_time(time, t->crossed_max_ns));
	if (t->nr_crossed_far)
		printf("  ERROR: in %" PRIu64
		       " of them by more than two probes can differ (20 us): do not trust their "
		       "spans\n",
		       t->nr_crossed_far);
}

static void print_connections(const struct requests_totals *t)
{
	printf("connections: %" PRIu64 ", %" PRIu64
	       " of them accepted before the recording; of %" PRIu64
	       " both ends are recorded; %" PRIu64 " refused or reset\n",
	       t->nr_connections, t->nr_accepted_before, t->nr_linked, t->nr_refused);
	if (t->nr_unplaced)
		printf("  %" PRIu64 " of %" PRIu64
		       " socket records are of connections whose opening is not in the "
		       "recording: left out\n",
		       t->nr_unplaced, t->nr_steps);
	if (t->nr_fallen)
		printf("  %" PRIu64 " of %" PRIu64
		       " socket records fell back behind an earlier position: left out\n",
		       t->nr_fallen, t->nr_steps);
	if (t->nr_continued)
		printf("  %" PRIu64 " times something was written long after an answer had seemed "
		       "over: in no response time\n",
		       t->nr_continued);
	if (t->nr_rushed)
		printf("  %" PRIu64 " requests were given out before all their pauses were "
		       "known\n",
		       t->nr_rushed);
}

static void print_labels(const struct requests_totals *t)
{
	if (t->nr[REQUEST_SERVED] && !t->nr_http)
		printf("requests are turns of a connection: no protocol was looked at, so that "
		       "requests sent without\n  waiting for the answer before are one "
		       "(`record --http` tells those of HTTP/1 apart)\n");
}

void requests_text_summary(struct requests_summary *s, const struct requests_totals *totals,
			   const struct account *account)
{
	facts_text_footer(account);
	if (!totals->nr_steps && !totals->nr_connections) {
		printf("\nno sockets in this recording: it was made with --no-sockets, by an older "
		       "standstill, or nothing was sent\n");
		return;
	}
	printf("\n");
	print_match(totals);
	print_unanswered(s, account);
	print_connections(totals);
	print_crossings(totals);
	print_labels(totals);
	if (s->all.response.nr < totals->nr_state[REQUEST_WHOLE])
		printf("what follows is of the %" PRIu64 " whole ones that fit the options\n",
		       s->all.response.nr);
	print_spans(s, totals->nr_both > 0);
	if (s->nr_labels > 1 || totals->nr_http)
		print_groups("response by label", s->labels, s->nr_labels);
	print_groups("waiting for others (downstream), by peer", s->downstream, s->nr_downstream);
}
