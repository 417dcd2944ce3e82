/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/request_tale.h"
#include "user/recording/text.h"

static void check(const struct request *request)
{
	int64_t sum_ns = 0;

	if (!request->has_spans)
		return;
	for (int i = 0; i < NR_REQUEST_SPANS; i++)
		sum_ns += request->span_ns[i];
	cr_assert(eq(i64, sum_ns, (int64_t)(request->end_ns - request->begin_ns)),
		  "spans are not the response time");
}

static void on_request(void *arg, const struct request *request)
{
	struct request_tale *tale = arg;

	check(request);
	cr_assert(lt(sz, tale->nr, REQUEST_TALE_MAX));
	tale->found[tale->nr++] = *request;
}

static void on_span(void *arg, const struct thread *thread, const struct span *span)
{
	struct request_tale *tale = arg;

	cr_assert(zero(int, pauses_span(tale->pauses, thread, span)));
	cr_assert(zero(int, requests_span(tale->requests, span)));
}

static void on_pause(void *arg, const struct pause *pause)
{
	struct request_tale *tale = arg;

	cr_assert(zero(int, requests_pause(tale->requests, pause)));
}

static void on_gone(void *arg, const struct thread *thread)
{
	struct request_tale *tale = arg;

	requests_gone(tale->requests, thread->tid);
}

struct request_tale *request_tale_new(void)
{
	struct request_tale *tale = calloc(1, sizeof(*tale));

	tale->found = calloc(REQUEST_TALE_MAX, sizeof(tale->found[0]));
	tale->threads = threads_new(on_span, on_gone, tale);
	tale->pauses = pauses_new(on_pause, tale);
	tale->requests = requests_new(on_request, tale, tale->pauses);
	cr_assert(ne(ptr, tale->requests, NULL));
	return tale;
}

void request_tale_free(struct request_tale *tale)
{
	requests_free(tale->requests);
	threads_free(tale->threads);
	pauses_free(tale->pauses);
	free(tale->found);
	free(tale);
}

void request_tale_event(struct request_tale *tale, const struct event_hdr *event)
{
	cr_assert(zero(int, requests_event(tale->requests, event)));
	cr_assert(zero(int, pauses_event(tale->pauses, event)));
	cr_assert(zero(int, threads_event(tale->threads, event)));
}

static void tell(struct request_tale *tale, const char *line)
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
	request_tale_event(tale, &record.hdr);
}

void request_tale_tell(struct request_tale *tale, const char *lines)
{
	char line[TEXT_LINE_MAX];

	while (*lines) {
		size_t bytes = strcspn(lines, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)bytes, lines);
		tell(tale, line);
		lines += bytes + (lines[bytes] == '\n');
	}
}

void request_tale_end(struct request_tale *tale, uint64_t end_ns)
{
	cr_assert(zero(int, threads_end(tale->threads, end_ns)));
	cr_assert(zero(int, pauses_end(tale->pauses, end_ns)));
	cr_assert(zero(int, requests_end(tale->requests)));
}

static void print(FILE *to, const struct request *r)
{
	static const char *const flags[] = {"",
					    " locked",
					    " shared-read",
					    " shared-write",
					    " assumed",
					    "",
					    " window",
					    " held-unsure",
					    " retransmit",
					    " loss",
					    " both",
					    " unsure",
					    " crossed",
					    "",
					    " write-late"};

	fprintf(to, "%" PRIu64 "-%" PRIu64 ">%" PRIu64 "-%" PRIu64 " %s", r->in_from, r->in_to,
		r->out_from, r->out_to, request_state_name(r->state));
	for (int i = 0; r->has_spans && i < NR_REQUEST_SPANS; i++)
		fprintf(to, "%s%" PRId64, i ? "+" : " ", r->span_ns[i]);
	if (r->reader_tid)
		fprintf(to, " r%" PRIu32, r->reader_tid);
	if (r->answerer_tid)
		fprintf(to, " a%" PRIu32, r->answerer_tid);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (r->flags & 1u << i)
			fputs(flags[i], to);
	if (*r->method)
		fprintf(to, " %s %s", r->method, r->path);
	fputc('\n', to);
}

const char *request_tale_text(const struct request_tale *tale)
{
	static char text[8192];
	FILE *to = fmemopen(text, sizeof(text), "w");

	for (size_t i = 0; i < tale->nr; i++)
		print(to, &tale->found[i]);
	fclose(to);
	if (!tale->nr)
		text[0] = '\0';
	return text;
}
