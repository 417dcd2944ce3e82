/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/split_tale.h"
#include "user/recording/text.h"

static void print(char *text, size_t bytes, const struct split_result *result)
{
	FILE *to = fmemopen(text, bytes, "w");

	for (size_t i = 0; i < result->nr; i++) {
		const struct segment *s = &result->segments[i];

		fprintf(to, "%s%" PRIu64 " %s", i ? ", " : "", s->to_ns - s->from_ns,
			cause_name(s->cause));
		if (s->tid)
			fprintf(to, " %" PRIu32, s->tid);
		if (s->pause_nr)
			fprintf(to, " #%" PRIu64, s->pause_nr);
	}
	fclose(to);
}

static void check(const struct split_result *result)
{
	uint64_t now_ns = result->begin_ns, sum_ns[NR_CAUSES] = {0};

	for (size_t i = 0; i < result->nr; i++) {
		const struct segment *s = &result->segments[i];

		cr_assert(eq(u64, s->from_ns, now_ns));
		cr_assert(gt(u64, s->to_ns, s->from_ns));
		sum_ns[s->cause] += s->to_ns - s->from_ns;
		now_ns = s->to_ns;
	}
	cr_assert(eq(u64, now_ns, result->end_ns));
	for (int i = 0; i < NR_CAUSES; i++)
		cr_assert(eq(u64, sum_ns[i], result->split.ns[i]));
}

static void on_row(void *arg, const struct splitter_row *row)
{
	struct split_tale *tale = arg;
	struct told_split *told = &tale->found[tale->nr++];

	cr_assert(le(sz, tale->nr, SPLIT_TALE_MAX));
	check(row->result);
	told->request = *row->request;
	told->split = row->result->split;
	told->begin_ns = row->result->begin_ns;
	told->end_ns = row->result->end_ns;
	print(told->text, sizeof(told->text), row->result);
}

static void on_request(void *arg, const struct request *request)
{
	struct split_tale *tale = arg;
	const struct schedule_request *schedule =
		tale->schedule ? &tale->schedule[tale->nr_pushed] : NULL;

	tale->nr_pushed++;
	cr_assert(zero(int, splitter_push(tale->splitter, request, schedule)));
}

static void on_span(void *arg, const struct thread *thread, const struct span *span)
{
	struct split_tale *tale = arg;

	cr_assert(zero(int, pauses_span(tale->pauses, thread, span)));
	cr_assert(zero(int, requests_span(tale->requests, span)));
	cr_assert(zero(int, splitter_span(tale->splitter, thread, span)));
}

static void on_pause(void *arg, const struct pause *pause)
{
	struct split_tale *tale = arg;

	cr_assert(zero(int, requests_pause(tale->requests, pause)));
	cr_assert(zero(int, splitter_pause(tale->splitter, pause)));
}

static void on_gone(void *arg, const struct thread *thread)
{
	struct split_tale *tale = arg;

	requests_gone(tale->requests, thread->tid);
	splitter_gone(tale->splitter, thread->tid);
}

struct split_tale *split_tale_new(void)
{
	struct split_tale *tale = calloc(1, sizeof(*tale));

	tale->found = calloc(SPLIT_TALE_MAX, sizeof(tale->found[0]));
	tale->threads = threads_new(on_span, on_gone, tale);
	tale->pauses = pauses_new(on_pause, tale);
	tale->requests = requests_new(on_request, tale, tale->pauses);
	tale->splitter = splitter_new(on_row, tale);
	cr_assert(ne(ptr, tale->splitter, NULL));
	return tale;
}

void split_tale_free(struct split_tale *tale)
{
	requests_free(tale->requests);
	splitter_free(tale->splitter);
	threads_free(tale->threads);
	pauses_free(tale->pauses);
	free(tale->found);
	free(tale);
}

static void take(struct split_tale *tale, const struct event_hdr *event)
{
	cr_assert(zero(int, splitter_event(tale->splitter, event)));
	cr_assert(zero(int, requests_event(tale->requests, event)));
	cr_assert(zero(int, pauses_event(tale->pauses, event)));
	cr_assert(zero(int, threads_event(tale->threads, event)));
}

static void tell(struct split_tale *tale, const char *line)
{
	union {
		struct event_hdr hdr;
		char bytes[EVENT_BYTES_MAX];
	} record;
	const char *error = "";
	int err = text_parse(line, &record.hdr, &error);

	if (err == -ENOENT)
		return;
	cr_assert(zero(int, err), "%s: %s", line, error);
	take(tale, &record.hdr);
}

void split_tale_tell(struct split_tale *tale, const char *format, ...)
{
	char lines[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(lines, sizeof(lines), format, arguments);
	va_end(arguments);
	for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
		tell(tale, line);
}

void split_tale_end(struct split_tale *tale, uint64_t end_ns)
{
	cr_assert(zero(int, threads_end(tale->threads, end_ns)));
	cr_assert(zero(int, pauses_end(tale->pauses, end_ns)));
	cr_assert(zero(int, requests_end(tale->requests)));
	cr_assert(zero(int, splitter_end(tale->splitter)));
}

uint64_t split_tale_sum(const struct split_tale *tale, enum cause cause)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < tale->nr; i++)
		sum_ns += tale->found[i].split.ns[cause];
	return sum_ns;
}
