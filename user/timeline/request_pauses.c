/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/timeline/request_pauses.h"

int request_pauses_put(struct request_pauses *recent, const struct pause *pause)
{
	struct recent_pause *kept;

	if (!pause->begin_ns)
		return 0; /* begun before the recording: its stretch is not known */
	if (!recent->ring)
		recent->ring = calloc(REQUEST_PAUSES_KEPT, sizeof(recent->ring[0]));
	if (!recent->ring)
		return -ENOMEM;
	kept = &recent->ring[recent->nr++ % REQUEST_PAUSES_KEPT];
	kept->nr = pause->nr;
	kept->tgid = pause->tgid;
	kept->begin_ns = pause->begin_ns;
	kept->release_ns = pause->release_ns ? pause->release_ns : UINT64_MAX;
	memcpy(kept->operation, pause->operation, sizeof(kept->operation));
	memcpy(kept->cause, pause->cause, sizeof(kept->cause));
	return 0;
}

static void add(struct request *request, const struct recent_pause *pause)
{
	uint64_t from_ns =
		pause->begin_ns > request->begin_ns ? pause->begin_ns : request->begin_ns;
	uint64_t to_ns = pause->release_ns < request->end_ns ? pause->release_ns : request->end_ns;

	if (pause->tgid != request->conn.tgid || from_ns >= to_ns)
		return;
	request->pauses.nr++;
	request->pauses.ns += to_ns - from_ns;
	if (to_ns - from_ns <= request->pauses.longest_ns)
		return;
	request->pauses.longest_ns = to_ns - from_ns;
	request->pauses.longest_nr = pause->nr;
	memcpy(request->pauses.operation, pause->operation, sizeof(pause->operation));
	memcpy(request->pauses.cause, pause->cause, sizeof(pause->cause));
}

/* Pauses come by their begin, and those of a JVM follow each other: newest first, until one that
 * had ended before. */
void request_pauses_add(const struct request_pauses *recent, struct request *request)
{
	uint64_t first = recent->nr > REQUEST_PAUSES_KEPT ? recent->nr - REQUEST_PAUSES_KEPT : 0;
	uint64_t nr = recent->nr;

	memset(&request->pauses, 0, sizeof(request->pauses));
	while (nr > first) {
		const struct recent_pause *pause = &recent->ring[--nr % REQUEST_PAUSES_KEPT];

		if (pause->tgid == request->conn.tgid && pause->release_ns <= request->begin_ns)
			return;
		add(request, pause);
	}
	if (first)
		request->flags |= REQUEST_PAUSES_UNSURE; /* the oldest may be overwritten */
}

void request_pauses_free(struct request_pauses *recent)
{
	free(recent->ring);
	*recent = (struct request_pauses){0};
}
