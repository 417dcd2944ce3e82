/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every span as a row. A row waits in a short queue while it is not known yet which pause it was
 * spent in: that can be some records later (pauses.h, pauses_nr_of).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/cmd/cmd.h"
#include "user/cmd/threads.h"
#include "user/output/csv.h"
#include "user/output/json.h"
#include "user/output/label.h"

#define QUEUE_MAX   4096
#define WAIT_MAX_NS NS_PER_S

struct queued {
	struct span span; /* its off points to off */
	bool has_off;
	struct event_offcpu off;
	uint64_t known_ns;
	uint64_t pause_nr;
	bool later; /* pause_nr is not known yet */
	char name[EVENT_NAME_BYTES];
};

struct span_list {
	const struct threads_options *options;
	struct replay *replay;
	struct queued *queue; /* a ring */
	size_t from, nr;
	uint64_t now_ns;
	bool begun;
	uint32_t tid; /* of options->thread, when it is a number */
};

static const char *const columns[] = {
	"from_ns",	"to_ns",     "duration_ns", "tgid",	"tid",	     "name",
	"reason",	"open",	     "syscall",	    "arg0",	"waker_tid", "waker_name",
	"waker_in_irq", "ahead_tid", "ahead_name",  "in_pause", NULL};

/* ---- one row ---- */

static const char *syscall_of(char buffer[32], const struct queued *row)
{
	const char *name;

	if (!row->has_off || row->off.nr < 0)
		return NULL;
	name = reason_syscall_name(row->off.nr);
	if (name)
		return name;
	snprintf(buffer, 32, "%d", row->off.nr);
	return buffer;
}

static const char *name_of(const struct span_list *list, uint32_t tid)
{
	return tid ? threads_name(list->replay->threads, tid) : NULL;
}

static void print_csv(const struct span_list *list, const struct queued *row)
{
	struct csv csv = {.to = stdout};
	const struct event_offcpu *off = &row->off; /* all 0 when there is none */
	char number[32];

	csv_number(&csv, row->span.from_ns);
	csv_number(&csv, row->span.to_ns);
	csv_number(&csv, row->span.to_ns - row->span.from_ns);
	csv_number(&csv, row->span.tgid);
	csv_number(&csv, row->span.tid);
	csv_text(&csv, row->name);
	csv_text(&csv, reason_name(row->span.reason));
	csv_number(&csv, row->span.open);
	csv_text(&csv, syscall_of(number, row));
	csv_known(&csv, row->has_off && off->nr >= 0, off->arg0);
	csv_known(&csv, off->waker_tid, off->waker_tid);
	csv_text(&csv, name_of(list, off->waker_tid));
	csv_known(&csv, off->flags & OFFCPU_WOKEN, (off->flags & OFFCPU_WOKEN_BY_IRQ) != 0);
	csv_known(&csv, off->ahead_tid, off->ahead_tid);
	csv_text(&csv, name_of(list, off->ahead_tid));
	csv_known(&csv, row->pause_nr, row->pause_nr);
	csv_end_row(&csv);
}

static void print_json(const struct span_list *list, const struct queued *row)
{
	struct json json = {.to = stdout};
	const struct event_offcpu *off = &row->off;
	char number[32];

	json_open(&json, NULL, '{');
	json_number(&json, "from_ns", row->span.from_ns);
	json_number(&json, "to_ns", row->span.to_ns);
	json_number(&json, "duration_ns", row->span.to_ns - row->span.from_ns);
	json_number(&json, "tgid", row->span.tgid);
	json_number(&json, "tid", row->span.tid);
	json_text(&json, "name", row->name);
	json_text(&json, "reason", reason_name(row->span.reason));
	json_bool(&json, "open", row->span.open);
	json_text(&json, "syscall", syscall_of(number, row));
	json_known(&json, "arg0", row->has_off && off->nr >= 0, off->arg0);
	json_known(&json, "waker_tid", off->waker_tid, off->waker_tid);
	json_text(&json, "waker_name", name_of(list, off->waker_tid));
	if (off->flags & OFFCPU_WOKEN)
		json_bool(&json, "waker_in_irq", (off->flags & OFFCPU_WOKEN_BY_IRQ) != 0);
	else
		json_text(&json, "waker_in_irq", NULL);
	json_known(&json, "ahead_tid", off->ahead_tid, off->ahead_tid);
	json_text(&json, "ahead_name", name_of(list, off->ahead_tid));
	json_known(&json, "in_pause", row->pause_nr, row->pause_nr);
	json_close(&json, '}');
	json_end_line(&json);
}

static void print_waker(const struct span_list *list, const struct event_offcpu *off)
{
	const char *waker = name_of(list, off->waker_tid);
	char label[LABEL_BYTES];

	if (off->flags & OFFCPU_WOKEN_BY_IRQ)
		printf(" woken by an interrupt");
	else if (waker)
		printf(" woken by %s", label_fit(label, waker, 15));
	else if (off->waker_tid)
		printf(" woken by tid %u", off->waker_tid);
}

static void print_ahead(const struct span_list *list, const struct event_offcpu *off)
{
	const char *ahead = name_of(list, off->ahead_tid);
	char label[LABEL_BYTES];

	if (ahead)
		printf(" behind %s", label_fit(label, ahead, 15));
	else if (off->ahead_tid)
		printf(" behind tid %u", off->ahead_tid);
}

static void print_text(const struct span_list *list, const struct queued *row)
{
	char label[LABEL_BYTES], time[UNITS_BYTES], number[32];
	double start_ns = (double)list->replay->account.start_ns;
	const char *syscall = syscall_of(number, row);

	printf("%11.6f %8s %s %-11s", ((double)row->span.from_ns - start_ns) / 1e9,
	       units_print_time(time, row->span.to_ns - row->span.from_ns),
	       label_column(label, row->name, 20), reason_name(row->span.reason));
	if (syscall && row->span.reason >= REASON_PARKED)
		printf(" %s", syscall);
	if (row->has_off && row->span.reason == REASON_RUN_QUEUE)
		print_ahead(list, &row->off);
	else if (row->has_off && row->span.reason >= REASON_PARKED)
		print_waker(list, &row->off);
	if (row->span.open)
		printf(" (still so at the end)");
	if (row->pause_nr)
		printf(" (pause %llu)", (unsigned long long)row->pause_nr);
	printf("\n");
}

static void begin(struct span_list *list)
{
	struct csv csv = {.to = stdout};

	if (list->begun)
		return;
	list->begun = true;
	if (list->options->reader.format == FORMAT_TEXT) {
		printf("%11s %8s %-20s %-11s\n", "from (s)", "length", "thread", "what");
	} else if (list->options->reader.format == FORMAT_CSV) {
		for (const char *const *column = columns; *column; column++)
			csv_text(&csv, *column);
		csv_end_row(&csv);
	}
}

static void print(struct span_list *list, const struct queued *row)
{
	begin(list);
	switch (list->options->reader.format) {
	case FORMAT_TEXT:
		print_text(list, row);
		break;
	case FORMAT_CSV:
		print_csv(list, row);
		break;
	case FORMAT_JSON:
		print_json(list, row);
		break;
	}
}

/* ---- the queue ---- */

static void find_pause(const struct span_list *list, struct queued *row)
{
	const struct pause *pause = pauses_of(list->replay->pauses, &row->off, &row->later);

	row->pause_nr = pause ? pause->nr : 0;
}

static void drain(struct span_list *list, bool all)
{
	while (list->nr) {
		struct queued *row = &list->queue[list->from];
		bool waited = list->nr == QUEUE_MAX || list->now_ns > row->known_ns + WAIT_MAX_NS;

		if (row->later)
			find_pause(list, row);
		if (row->later && !waited && !all)
			return;
		print(list, row);
		list->from = (list->from + 1) % QUEUE_MAX;
		list->nr--;
	}
}

static bool is_wanted(const struct span_list *list, const struct thread *thread,
		      const struct span *span)
{
	const struct threads_options *options = list->options;
	uint64_t from_ns, to_ns;

	replay_bounds(list->replay, &from_ns, &to_ns);
	if (span->to_ns <= from_ns || span->from_ns >= to_ns ||
	    span->to_ns - span->from_ns < options->min_ns)
		return false;
	if (options->has_reason && span->reason != options->reason)
		return false;
	return !options->thread ||
	       (list->tid ? span->tid == list->tid : !strcmp(thread->name, options->thread));
}

static void on_span(void *arg, const struct thread *thread, const struct span *span)
{
	struct span_list *list = arg;
	struct queued *row;

	if (!is_wanted(list, thread, span))
		return;
	if (list->nr == QUEUE_MAX)
		drain(list, false);
	row = &list->queue[(list->from + list->nr++) % QUEUE_MAX];
	*row = (struct queued){.span = *span, .known_ns = list->now_ns};
	memcpy(row->name, thread->name, sizeof(row->name));
	if (span->off) {
		row->has_off = true;
		row->off = *span->off;
		row->span.off = NULL; /* the record itself is gone by the time it is printed */
		find_pause(list, row);
	}
	drain(list, false);
}

static void on_record(void *arg, const struct event_hdr *event)
{
	struct span_list *list = arg;

	list->now_ns = event->ts_ns;
	drain(list, false);
}

static void span_list_free(struct span_list *list)
{
	free(list->queue);
	replay_free(list->replay);
}

static int out_of_memory(void)
{
	complain("out of memory");
	return EXIT_FAILED;
}

int threads_list_spans(const struct threads_options *options)
{
	struct span_list list CLEANUP(span_list_free) = {.options = options};
	struct replay_hooks hooks = {.span = on_span, .record = on_record, .arg = &list};
	uint64_t tid;
	int code;

	list.queue = calloc(QUEUE_MAX, sizeof(list.queue[0]));
	if (!list.queue || replay_new(&hooks, &options->reader.window, &list.replay))
		return out_of_memory();
	if (options->thread && !units_parse_number(options->thread, 1, UINT32_MAX, &tid))
		list.tid = (uint32_t)tid;
	code = replay_file(list.replay, options->reader.path);
	if (code == EXIT_OK || code == EXIT_DAMAGED) {
		drain(&list, true);
		begin(&list);
	}
	return code;
}
