/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "user/cmd/facts.h"
#include "user/cmd/request.h"
#include "user/output/json.h"

static void json_span(struct json *json, const struct story_span *span)
{
	const struct event_offcpu *off = &span->off;

	json_open(json, NULL, '{');
	json_number(json, "from_ns", span->from_ns);
	json_number(json, "to_ns", span->to_ns);
	json_text(json, "reason", reason_name(span->reason));
	json_text(json, "syscall",
		  span->has_off && off->nr >= 0 ? reason_syscall_name(off->nr) : NULL);
	json_known(json, "waker_tid", off->waker_tid, off->waker_tid);
	json_text(json, "waker_name", *span->waker ? span->waker : NULL);
	json_bool(json, "waker_in_irq", (off->flags & OFFCPU_WOKEN_BY_IRQ) != 0);
	json_known(json, "ahead_tid", off->ahead_tid, off->ahead_tid);
	json_text(json, "ahead_name", *span->ahead ? span->ahead : NULL);
	json_close(json, '}');
}

static void json_stage(struct json *json, const struct request_story *story, size_t i)
{
	const struct stage *stage = &story->stages[i];

	json_open(json, NULL, '{');
	json_text(json, "stage", request_stage_name(&story->row.request, stage->kind));
	json_number(json, "from_ns", stage->from_ns);
	json_number(json, "to_ns", stage->to_ns);
	json_known(json, "tid", stage->tid, stage->tid);
	json_text(json, "name", *stage->thread ? stage->thread : NULL);
	json_open(json, "spans", '[');
	for (size_t at = 0; at < story->nr_spans; at++)
		if (story->spans[at].stage == i)
			json_span(json, &story->spans[at]);
	json_close(json, ']');
	json_close(json, '}');
}

void request_story_json(const struct request_story *story)
{
	struct json json = {.to = stdout};

	json_open(&json, NULL, '{');
	requests_json_members(&json, &story->row);
	json_open(&json, "stages", '[');
	for (size_t i = 0; i < story->nr_stages; i++)
		json_stage(&json, story, i);
	json_close(&json, ']');
	json_open(&json, "pauses_touched", '[');
	for (size_t i = 0; i < story->nr_pauses; i++) {
		const struct story_pause *pause = &story->pauses[i];

		json_open(&json, NULL, '{');
		json_number(&json, "nr", pause->nr);
		json_number(&json, "begin_ns", pause->begin_ns);
		json_known(&json, "release_ns", pause->release_ns, pause->release_ns);
		json_text(&json, "operation", *pause->operation ? pause->operation : NULL);
		json_text(&json, "cause", *pause->cause ? pause->cause : NULL);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_open(&json, "recording", '{');
	facts_json(&json, &story->account);
	json_close(&json, '}');
	json_close(&json, '}');
	json_end_line(&json);
}
