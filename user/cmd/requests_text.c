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

/*
 * The table is ROW_COLUMNS wide: a time takes 6 columns and its sign one, what is left is for the
 * label, which is cut.
 */
#define ROW_COLUMNS    100
#define ID_COLUMNS     9
#define THREAD_COLUMNS 12
#define TIMES_COLUMNS  (7 * (NR_REQUEST_SPANS + 1))
#define LABEL_COLUMNS  8 /* at least */

/* "8.00us" */
static const char *short_time(char buffer[UNITS_BYTES + 1], int64_t ns)
{
	char *blank;

	requests_print_signed(buffer, ns);
	blank = strchr(buffer, ' ');
	if (blank)
		memmove(blank, blank + 1, strlen(blank));
	return buffer;
}

static const char *span_or_dot(char buffer[UNITS_BYTES + 1], const struct request *request,
			       enum request_span span)
{
	if (!request->has_spans)
		return "-";
	return request->span_ns[span] ? short_time(buffer, request->span_ns[span]) : ".";
}

void requests_text_columns(void)
{
	printf("%-*s %7s %6s %6s %6s %6s %6s %6s %6s %6s %-*s %s\n", ID_COLUMNS, "request",
	       "when(s)", "resp.", "arrive", "socket", "serve", "write", "held", "return", "pauses",
	       THREAD_COLUMNS, "threads", "what");
}

/* The reader, and the answerer when it is another. */
static void print_threads(const struct request_row *row)
{
	const char *reader = *row->reader ? row->reader : "?";
	char name[LABEL_BYTES], other[LABEL_BYTES], both[2 * LABEL_BYTES];

	if (row->request.reader_tid == row->request.answerer_tid || !row->request.answerer_tid)
		snprintf(both, sizeof(both), "%s", *row->reader ? row->reader : row->answerer);
	else
		snprintf(both, sizeof(both), "%s,%s", label_fit(name, reader, 5),
			 label_fit(other, row->answerer, 6));
	printf(" %s", label_column(name, *both ? both : "-", THREAD_COLUMNS));
}

/* Response time and its parts; what became of the request where there are none. Returns columns. */
static int print_times(const struct request *r)
{
	char time[UNITS_BYTES + 1];
	int columns;

	if (r->state != REQUEST_WHOLE)
		return printf(" %-*s", TIMES_COLUMNS - 1, request_state_name(r->state));
	columns = printf("%7s", short_time(time, (int64_t)(r->end_ns - r->begin_ns)));
	for (int i = 0; i < NR_REQUEST_SPANS; i++)
		columns += printf("%7s", span_or_dot(time, r, (enum request_span)i));
	return columns;
}

static void print_label(const struct request_row *row, int columns)
{
	bool loss = row->request.state == REQUEST_WHOLE && row->request.flags & REQUEST_LOSS;
	static const char turn[] = "turn at ";
	const char *text = row->label;
	char label[LABEL_BYTES];

	if (loss)
		columns -= (int)strlen(" (loss)");
	if (!strncmp(text, turn, sizeof(turn) - 1))
		text += sizeof(turn) - 1;
	printf(" %s%s\n",
	       label_fit(label, text, columns > LABEL_COLUMNS ? (size_t)columns : LABEL_COLUMNS),
	       loss ? " (loss)" : "");
}

void requests_text_row(const struct account *account, const struct request_row *row)
{
	const struct request *r = &row->request;
	char time[UNITS_BYTES + 1];
	int columns;

	columns = printf("%-*s %7.3f", ID_COLUMNS, *row->id ? row->id : "-",
			 ((double)r->begin_ns - (double)account->start_ns) / 1e9);
	columns += print_times(r);
	columns += printf("%7s", r->pauses.nr ? short_time(time, (int64_t)r->pauses.ns) : ".");
	print_threads(row);
	print_label(row, ROW_COLUMNS - columns - 2 - THREAD_COLUMNS);
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
