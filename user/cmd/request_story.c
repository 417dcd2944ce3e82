/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/cmd/cmd.h"
#include "user/cmd/request.h"

const char *request_stage_name(const struct request *request, enum stage_kind kind)
{
	static const char *const names[NR_STAGES] = {
		[STAGE_ARRIVING] = "arriving",
		[STAGE_SOCKET_WAIT] = "socket wait",
		[STAGE_READER] = "service",
		[STAGE_HANDOFF] = "service, handed over",
		[STAGE_ANSWERER] = "service, answerer",
		[STAGE_WRITE] = "write",
		[STAGE_HELD] = "held",
		[STAGE_RETURN] = "return",
	};

	if (kind == STAGE_ARRIVING && request->flags & REQUEST_BOTH)
		return "network";
	return names[kind];
}

/* ---- stages ---- */

static void add_stage(struct request_story *story, enum stage_kind kind, const uint64_t at_ns[2],
		      uint32_t tid)
{
	struct stage *stage;

	if (!at_ns[0] || at_ns[1] <= at_ns[0])
		return; /* not known, empty or crossed: the table of steps says so */
	stage = &story->stages[story->nr_stages++];
	*stage = (struct stage){.kind = kind, .from_ns = at_ns[0], .to_ns = at_ns[1], .tid = tid};
}

/* Who served, from the read of the last byte to the first one out. */
static void add_service(struct request_story *story, const struct request *r)
{
	uint64_t from_ns = r->read_ns, to_ns = r->first_out_ns;
	uint64_t until_ns = r->reader_until_ns ? r->reader_until_ns : from_ns;
	uint64_t since_ns = r->answerer_since_ns ? r->answerer_since_ns : to_ns;

	if (r->reader_tid == r->answerer_tid && until_ns >= to_ns) {
		add_stage(story, STAGE_READER, (uint64_t[]){from_ns, to_ns}, r->reader_tid);
		return;
	}
	if (since_ns < from_ns)
		since_ns = from_ns;
	if (until_ns > since_ns) /* it handed over before it went on */
		until_ns = since_ns;
	add_stage(story, STAGE_READER, (uint64_t[]){from_ns, until_ns}, r->reader_tid);
	add_stage(story, STAGE_HANDOFF, (uint64_t[]){until_ns, since_ns}, 0);
	add_stage(story, STAGE_ANSWERER, (uint64_t[]){since_ns, to_ns}, r->answerer_tid);
}

/* Nobody has answered it: who had it is what there is to see. */
static void add_unanswered(struct request_story *story)
{
	const struct request *r = &story->row.request;
	uint64_t from_ns = r->read_ns ? r->read_ns : r->arrived_ns;

	add_stage(story, r->read_ns ? STAGE_READER : STAGE_SOCKET_WAIT,
		  (uint64_t[]){from_ns, r->end_ns}, r->reader_tid);
}

static void add_stages(struct request_story *story)
{
	const struct request *r = &story->row.request;
	bool both = r->flags & REQUEST_BOTH;

	add_stage(story, STAGE_ARRIVING, (uint64_t[]){r->begin_ns, r->arrived_ns}, 0);
	add_stage(story, STAGE_SOCKET_WAIT, (uint64_t[]){r->arrived_ns, r->read_ns}, r->reader_tid);
	if (r->read_ns && r->first_out_ns)
		add_service(story, r);
	else if (r->state == REQUEST_CUT_END && (r->read_ns || r->arrived_ns))
		add_unanswered(story);
	add_stage(story, STAGE_WRITE, (uint64_t[]){r->first_out_ns, r->last_out_ns},
		  r->answerer_tid);
	add_stage(story, STAGE_HELD, (uint64_t[]){r->last_out_ns, r->released_ns}, 0);
	if (both)
		add_stage(story, STAGE_RETURN, (uint64_t[]){r->released_ns, r->received_ns},
			  r->receiver_tid);
}

/* ---- the second time through the recording ---- */

struct collector {
	struct request_story *story;
	struct replay *replay;
};

static void *grow(void *items, size_t nr, size_t *room, size_t size)
{
	if (nr < *room)
		return items;
	*room = *room ? *room * 2 : 64;
	return reallocarray(items, *room, size);
}

static void copy_name(char name[EVENT_NAME_BYTES], const struct replay *replay, uint32_t tid)
{
	const char *known = tid ? threads_name(replay->threads, tid) : NULL;

	if (known)
		snprintf(name, EVENT_NAME_BYTES, "%s", known);
	else if (tid)
		snprintf(name, EVENT_NAME_BYTES, "tid %u", tid);
}

static void keep_span(struct collector *collector, size_t stage, const struct span *span)
{
	struct request_story *story = collector->story;
	const struct stage *of = &story->stages[stage];
	struct story_span *spans =
		grow(story->spans, story->nr_spans, &story->spans_room, sizeof(spans[0]));
	struct story_span *kept;

	if (!spans) {
		story->out_of_memory = true;
		return;
	}
	story->spans = spans;
	kept = &spans[story->nr_spans++];
	*kept = (struct story_span){
		.stage = stage,
		.from_ns = span->from_ns > of->from_ns ? span->from_ns : of->from_ns,
		.to_ns = span->to_ns < of->to_ns ? span->to_ns : of->to_ns,
		.reason = span->reason,
	};
	if (!span->off)
		return;
	kept->has_off = true;
	kept->off = *span->off;
	copy_name(kept->waker, collector->replay, span->off->waker_tid);
	copy_name(kept->ahead, collector->replay, span->off->ahead_tid);
}

static void on_span(void *arg, const struct thread *thread, const struct span *span)
{
	struct collector *collector = arg;
	struct request_story *story = collector->story;

	for (size_t i = 0; i < story->nr_stages; i++) {
		struct stage *stage = &story->stages[i];

		if (span->tid != stage->tid || span->to_ns <= stage->from_ns ||
		    span->from_ns >= stage->to_ns)
			continue;
		memcpy(stage->thread, thread->name, sizeof(stage->thread));
		keep_span(collector, i, span);
	}
}

static void on_pause(void *arg, const struct pause *pause)
{
	struct collector *collector = arg;
	struct request_story *story = collector->story;
	const struct request *r = &story->row.request;
	struct story_pause *pauses, *kept;

	if (pause->tgid != r->conn.tgid || !pause->begin_ns || pause->begin_ns >= r->end_ns ||
	    (pause->release_ns && pause->release_ns <= r->begin_ns))
		return;
	pauses = grow(story->pauses, story->nr_pauses, &story->pauses_room, sizeof(pauses[0]));
	if (!pauses) {
		story->out_of_memory = true;
		return;
	}
	story->pauses = pauses;
	kept = &pauses[story->nr_pauses++];
	*kept = (struct story_pause){pause->nr, pause->begin_ns, pause->release_ns, "", ""};
	memcpy(kept->operation, pause->operation, sizeof(kept->operation));
	memcpy(kept->cause, pause->cause, sizeof(kept->cause));
}

static int compare_spans(const void *left, const void *right)
{
	const struct story_span *a = left, *b = right;

	if (a->stage != b->stage)
		return a->stage > b->stage ? 1 : -1;
	return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

static void replayp(struct replay **r)
{
	replay_free(*r);
}

int request_story_read(struct request_story *story, const char *path)
{
	static const struct replay_window whole = {false, 0, UINT64_MAX};
	struct replay *replay CLEANUP(replayp) = NULL;
	struct collector collector = {.story = story};
	struct replay_hooks hooks = {.span = on_span, .pause = on_pause, .arg = &collector};
	int code;

	add_stages(story);
	if (replay_new(&hooks, &whole, &replay)) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	collector.replay = replay;
	code = replay_file(replay, path);
	if (story->out_of_memory) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	story->account = replay->account;
	if (story->nr_spans)
		qsort(story->spans, story->nr_spans, sizeof(story->spans[0]), compare_spans);
	return code;
}

void request_story_free(struct request_story *story)
{
	free(story->spans);
	free(story->pauses);
}
