/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "user/cmd/facts.h"
#include "user/cmd/request.h"
#include "user/output/label.h"

#define WIDTH_DEFAULT 100
#define LEFT_COLUMNS  40 /* when, length, what */
#define BAR_MIN	      12
#define ROWS_SHOWN    60 /* of one stage; the rest in one line */
#define SHARE_SHOWN                                                                                \
	200 /* of the response: a shorter interval goes into that line when there are              \
	       many */

struct paper {
	const struct request_story *story;
	int bar; /* columns */
	bool ascii;
};

static int terminal_width(void)
{
	struct winsize size = {0};

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 60)
		return WIDTH_DEFAULT;
	return size.ws_col;
}

static bool is_utf8(void)
{
	setlocale(LC_CTYPE, "");
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Where in the response time it lies; something short is one column wide. */
static void print_bar(const struct paper *paper, uint64_t from_ns, uint64_t to_ns,
		      const char *const marks[2])
{
	const struct request *r = &paper->story->row.request;
	double scale = (double)paper->bar / (double)(r->end_ns - r->begin_ns);
	int from = from_ns > r->begin_ns ? (int)((double)(from_ns - r->begin_ns) * scale) : 0;
	int to =
		to_ns < r->end_ns ? (int)((double)(to_ns - r->begin_ns) * scale + 0.5) : paper->bar;

	if (from >= paper->bar)
		from = paper->bar - 1;
	if (to <= from)
		to = from + 1;
	putchar('|');
	for (int i = 0; i < paper->bar; i++)
		fputs(i < from || i >= to ? " " : marks[paper->ascii], stdout);
	putchar('|');
}

static void print_left(const struct paper *paper, uint64_t from_ns, uint64_t to_ns,
		       const char *what)
{
	char time[UNITS_BYTES], at[UNITS_BYTES], label[LABEL_BYTES];
	uint64_t begin_ns = paper->story->row.request.begin_ns;

	printf("%9s %8s %s ",
	       from_ns >= begin_ns ? units_print_time(at, from_ns - begin_ns) : "before",
	       units_print_time(time, to_ns - from_ns), label_column(label, what, 20));
}

static void print_why(const struct story_span *span)
{
	const struct event_offcpu *off = &span->off;
	const char *syscall = span->has_off && off->nr >= 0 ? reason_syscall_name(off->nr) : NULL;
	char label[LABEL_BYTES];

	if (!span->has_off)
		return;
	if (span->reason == REASON_RUN_QUEUE) {
		if (*span->ahead)
			printf(" behind %s", label_fit(label, span->ahead, 24));
		return;
	}
	if (span->reason < REASON_PARKED)
		return;
	if (pauses_is_barrier_wait(off))
		printf(" at a safepoint");
	else if (syscall)
		printf(" in %s", syscall);
	if (off->flags & OFFCPU_WOKEN_BY_IRQ)
		printf(", woken by an interrupt");
	else if (*span->waker)
		printf(", woken by %s", label_fit(label, span->waker, 24));
}

static void print_span(const struct paper *paper, const struct story_span *span)
{
	static const char *const running[2] = {"█", "#"}, *const waiting[2] = {"░", "."};
	char what[48];

	snprintf(what, sizeof(what), "    %s", reason_name(span->reason));
	print_left(paper, span->from_ns, span->to_ns, what);
	print_bar(paper, span->from_ns, span->to_ns,
		  span->reason == REASON_RUNNING ? running : waiting);
	print_why(span);
	printf("\n");
}

static void print_spans(const struct paper *paper, size_t stage)
{
	const struct request_story *story = paper->story;
	uint64_t least_ns = (story->row.request.end_ns - story->row.request.begin_ns) / SHARE_SHOWN;
	uint64_t nr = 0, nr_shown = 0, nr_left = 0, left_ns = 0;
	char time[UNITS_BYTES];

	for (size_t i = 0; i < story->nr_spans; i++)
		nr += story->spans[i].stage == stage;
	for (size_t i = 0; i < story->nr_spans; i++) {
		const struct story_span *span = &story->spans[i];
		uint64_t length_ns = span->to_ns - span->from_ns;

		if (span->stage != stage)
			continue;
		if (nr <= ROWS_SHOWN || (length_ns >= least_ns && nr_shown < ROWS_SHOWN)) {
			print_span(paper, span);
			nr_shown++;
		} else {
			nr_left++;
			left_ns += length_ns;
		}
	}
	if (nr_left)
		printf("%39s and %" PRIu64 " short ones, %s together; --json has them all\n", "",
		       nr_left, units_print_time(time, left_ns));
	if (!nr && story->stages[stage].tid)
		printf("%39s what it did is not in the recording\n", "");
}

static void print_stage(const struct paper *paper, size_t i)
{
	static const char *const marks[2] = {"▬", "="};
	const struct request_story *story = paper->story;
	const struct stage *stage = &story->stages[i];
	char label[LABEL_BYTES];

	print_left(paper, stage->from_ns, stage->to_ns,
		   request_stage_name(&story->row.request, stage->kind));
	print_bar(paper, stage->from_ns, stage->to_ns, marks);
	if (*stage->thread)
		printf(" %s (tid %" PRIu32 ")", label_fit(label, stage->thread, 30), stage->tid);
	else if (stage->tid)
		printf(" tid %" PRIu32, stage->tid);
	else if (stage->kind == STAGE_SOCKET_WAIT)
		printf(" nobody has read it");
	else if (stage->kind == STAGE_HANDOFF)
		printf(" no thread known to be at it");
	else if (stage->kind == STAGE_HELD)
		printf(" %s", story->row.request.flags & REQUEST_WINDOW
				      ? "the peer took no more"
				      : "written, but not sent: waiting for the peer's ACK");
	printf("\n");
	print_spans(paper, i);
}

static void print_pauses(const struct paper *paper)
{
	static const char *const marks[2] = {"▒", "x"};
	const struct request_story *story = paper->story;
	char what[64], label[LABEL_BYTES];

	for (size_t i = 0; i < story->nr_pauses; i++) {
		const struct story_pause *pause = &story->pauses[i];
		uint64_t to_ns = pause->release_ns ? pause->release_ns : story->row.request.end_ns;

		snprintf(what, sizeof(what), "pause %" PRIu64, pause->nr);
		print_left(paper, pause->begin_ns, to_ns, what);
		print_bar(paper, pause->begin_ns, to_ns, marks);
		printf(" %s",
		       label_fit(label, *pause->operation ? pause->operation : "unknown", 30));
		if (*pause->cause)
			printf(" (%s)", label_fit(label, pause->cause, 30));
		printf("\n");
	}
}

static void print_doubts(const struct request *r)
{
	char time[UNITS_BYTES];
	static const struct {
		uint32_t flag;
		const char *text;
	} doubts[] = {
		{REQUEST_LOSS, "records were lost while it lasted: steps may be missing"},
		{REQUEST_LOCKED, "a thread held the socket's lock when it arrived: it may have "
				 "come a little earlier"},
		{REQUEST_SHARED_READ, "one read took bytes of another request, too"},
		{REQUEST_SHARED_WRITE, "one write carries several answers: where one ends is not "
				       "known, its times are those of them all"},
		{REQUEST_ASSUMED, "pipelined: the writes were dealt out evenly to the requests"},
		{REQUEST_HELD_UNSURE, "bytes were held back, and when they left was not seen"},
		{REQUEST_RETRANSMIT, "segments of the connection were sent once more meanwhile"},
		{REQUEST_PAUSES_UNSURE, "pauses may be missing"},
		{REQUEST_WRITE_LATE, "received before its write returned: written then at the "
				     "latest"},
		{REQUEST_UNSURE, "a position was read while another CPU changed it"},
	};

	for (size_t i = 0; i < sizeof(doubts) / sizeof(doubts[0]); i++)
		if (r->flags & doubts[i].flag)
			printf("note: %s\n", doubts[i].text);
	if (r->first_out_ns && !(r->flags & REQUEST_START_SEEN))
		printf("note: the first byte out is stamped at the end of its write: this kernel "
		       "does not show the begin\n");
	if (r->crossed_ns)
		printf("%s: two of its steps are stamped the wrong way round, by %s\n",
		       r->crossed_ns > CROSSING_MAX_NS ? "ERROR" : "note",
		       units_print_time(time, r->crossed_ns));
}

static void print_head(const struct request_story *story)
{
	const struct request *r = &story->row.request;
	char peer[CONNECTION_PEER_BYTES], label[LABEL_BYTES], time[UNITS_BYTES];

	facts_text_header(&story->account);
	printf("\nrequest %s: %s, from %s to port %u of pid %" PRIu32 "\n", story->row.id,
	       label_fit(label, story->row.label, 80), connection_print_peer(peer, &r->conn),
	       r->conn.local_port, r->conn.tgid);
	if (*r->key)
		printf("key: %s\n", label_fit(label, r->key, 64));
	printf("%" PRIu64 " bytes asked, %" PRIu64 " answered, at %.6f s; ", r->in_to - r->in_from,
	       r->out_to - r->out_from,
	       ((double)r->begin_ns - (double)story->account.start_ns) / 1e9);
	if (r->state == REQUEST_WHOLE)
		printf("response time %s%s\n", units_print_time(time, r->end_ns - r->begin_ns),
		       r->flags & REQUEST_BOTH ? ", as the client saw it"
					       : ", from its first byte here to its last one out");
	else
		printf("no response time: %s\n", request_state_name(r->state));
	if (r->queue_listener)
		printf("when it arrived, %" PRIu64
		       " requests to this port had not been read, %" PRIu64
		       " of them on its connection\n",
		       r->queue_listener, r->queue_conn);
}

void request_story_text(const struct request_story *story, const struct request_options *options)
{
	int width = options->width ? options->width : terminal_width();
	struct paper paper = {.story = story, .ascii = options->ascii || !is_utf8()};
	const struct request *r = &story->row.request;

	paper.bar = width / 2 - LEFT_COLUMNS / 2 > BAR_MIN ? width / 2 - LEFT_COLUMNS / 2 : BAR_MIN;
	print_head(story);
	print_doubts(r);
	if (r->end_ns > r->begin_ns) {
		printf("\n%9s %8s %-20s\n", "from", "length", "what");
		print_pauses(&paper);
		for (size_t i = 0; i < story->nr_stages; i++)
			print_stage(&paper, i);
	}
	printf("\n");
	facts_text_footer(&story->account);
}
