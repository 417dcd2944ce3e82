/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/story.h"
#include "user/recording/text.h"

static void check_thread(const struct thread *thread)
{
	uint64_t sum_ns = 0;

	for (int reason = 0; reason < NR_REASONS; reason++)
		sum_ns += thread->in_ns[reason];
	cr_assert(eq(u64, sum_ns, thread->last_ns - thread->first_ns),
		  "thread %u: its parts are not its wall time", thread->tid);
}

/* The newest span of the same life of the thread, or NULL. */
static const struct span *span_before(const struct story *story, const struct thread *thread)
{
	for (size_t i = story->nr_spans; i-- > 0;) {
		const struct span *span = &story->spans[i].span;

		if (span->tid == thread->tid)
			return span->to_ns ? span : NULL;
	}
	return NULL;
}

static void on_span(void *arg, const struct thread *thread, const struct span *span)
{
	struct story *story = arg;
	const struct span *before = span_before(story, thread);
	uint64_t expected_ns = before ? before->to_ns : thread->first_ns;

	cr_assert(lt(u64, span->from_ns, span->to_ns), "thread %u: an empty span", span->tid);
	cr_assert(eq(u64, span->from_ns, expected_ns), "thread %u: a gap or an overlap", span->tid);
	cr_assert(eq(u64, span->to_ns, thread->last_ns));
	check_thread(thread);
	cr_assert(zero(int, pauses_span(story->pauses, thread, span)));
	cr_assert(lt(sz, story->nr_spans, STORY_SPANS));
	story->spans[story->nr_spans++] = (struct story_span){*span, thread->role};
}

static void on_gone(void *arg, const struct thread *thread)
{
	struct story *story = arg;

	check_thread(thread);
	story->gone = reallocarray(story->gone, story->nr_gone + 1, sizeof(*thread));
	story->gone[story->nr_gone++] = *thread;
	cr_assert(lt(sz, story->nr_spans, STORY_SPANS));
	story->spans[story->nr_spans++].span =
		(struct span){.tid = thread->tid}; /* a mark: it ended here */
}

static void on_pause(void *arg, const struct pause *pause)
{
	struct story *story = arg;
	struct story_pause *found = &story->found[story->nr_found++];

	cr_assert(le(sz, story->nr_found, STORY_PAUSES));
	found->pause = *pause;
	for (size_t i = 0; i < pause->nr_stopped && i < 16; i++)
		found->stopped[i] = pause->stopped[i];
	found->pause.stopped = found->stopped;
}

struct story *story_new(void)
{
	struct story *story = calloc(1, sizeof(*story));

	story->spans = calloc(STORY_SPANS, sizeof(story->spans[0]));
	story->found = calloc(STORY_PAUSES, sizeof(story->found[0]));
	story->threads = threads_new(on_span, on_gone, story);
	story->pauses = pauses_new(on_pause, story);
	cr_assert(ne(ptr, story->threads, NULL));
	cr_assert(ne(ptr, story->pauses, NULL));
	return story;
}

void story_free(struct story *story)
{
	threads_free(story->threads);
	pauses_free(story->pauses);
	free(story->spans);
	free(story->found);
	free(story->gone);
	free(story);
}

void story_event(struct story *story, const struct event_hdr *event)
{
	story->last_ns = event->ts_ns;
	cr_assert(zero(int, pauses_event(story->pauses, event)));
	cr_assert(zero(int, threads_event(story->threads, event)));
}

static void tell(struct story *story, const char *line)
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
	story_event(story, &record.hdr);
}

void story_tell(struct story *story, const char *lines)
{
	char line[TEXT_LINE_MAX];

	while (*lines) {
		size_t bytes = strcspn(lines, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)bytes, lines);
		tell(story, line);
		lines += bytes + (lines[bytes] == '\n');
	}
}

void story_tell_line(struct story *story, const char *format, ...)
{
	char line[TEXT_LINE_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	tell(story, line);
}

void story_end(struct story *story, uint64_t end_ns)
{
	cr_assert(zero(int, threads_end(story->threads, end_ns)));
	cr_assert(zero(int, pauses_end(story->pauses, end_ns)));
}

const char *story_spans(const struct story *story, uint32_t tid)
{
	static char text[8192];
	size_t nr = 0;

	text[0] = '\0';
	for (size_t i = 0; i < story->nr_spans && nr < sizeof(text) - 64; i++) {
		const struct span *span = &story->spans[i].span;

		if (span->tid == tid && span->to_ns)
			nr += (size_t)snprintf(text + nr, sizeof(text) - nr, "%s%s %" PRIu64 "%s",
					       nr ? ", " : "", reason_name(span->reason),
					       span->to_ns - span->from_ns,
					       span->open ? " open" : "");
	}
	return text;
}

const struct thread *story_thread(const struct story *story, uint32_t tid)
{
	const struct thread *thread = threads_find(story->threads, tid);

	for (size_t i = story->nr_gone; i-- > 0 && !thread;)
		if (story->gone[i].tid == tid)
			thread = &story->gone[i];
	cr_assert(ne(ptr, (void *)thread, NULL), "there is no thread %u", tid);
	return thread;
}
