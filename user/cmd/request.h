/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `standstill request` share; nobody else includes it. */
#ifndef STANDSTILL_CMD_REQUEST_H
#define STANDSTILL_CMD_REQUEST_H

#include "user/cmd/requests.h"

struct request_options {
	const char *path, *id;
	bool json, ascii;
	int width; /* 0: the terminal's */
};

/* ---- request_story.c: what the threads that matter did while the request lasted ---- */

enum stage_kind { /* the spans of the request, the service by who was at it */
		  STAGE_ARRIVING,
		  STAGE_SOCKET_WAIT,
		  STAGE_READER,
		  STAGE_HANDOFF,
		  STAGE_ANSWERER,
		  STAGE_WRITE,
		  STAGE_HELD,
		  STAGE_RETURN,
		  NR_STAGES
};

struct stage {
	enum stage_kind kind;
	uint64_t from_ns, to_ns;
	uint32_t tid; /* whose thread matters; 0: nobody's, or not known */
	char thread[EVENT_NAME_BYTES];
};

struct story_span { /* of the thread that matters, cut to the stage */
	size_t stage;
	uint64_t from_ns, to_ns;
	enum reason reason;
	bool has_off;
	struct event_offcpu off;
	char waker[EVENT_NAME_BYTES], ahead[EVENT_NAME_BYTES];
};

struct story_pause {
	uint64_t nr, begin_ns, release_ns;
	char operation[EVENT_NAME_BYTES], cause[EVENT_CAUSE_BYTES];
};

struct request_story {
	struct request_row row;
	struct account account;
	struct stage stages[NR_STAGES];
	size_t nr_stages;
	struct story_span *spans; /* by stage, then time */
	size_t nr_spans, spans_room;
	struct story_pause *pauses;
	size_t nr_pauses, pauses_room;
	bool out_of_memory;
};

/* The stages of @story->row, and the spans and pauses of @path within. An exit code; what is wrong
 * has been said. */
int request_story_read(struct request_story *story, const char *path);
void request_story_free(struct request_story *story);

const char *request_stage_name(const struct request *request, enum stage_kind kind);

/* ---- printing ---- */

void request_story_text(const struct request_story *story, const struct request_options *options);
void request_story_json(const struct request_story *story);

#endif
