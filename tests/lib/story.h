/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests of the timeline: records as text in (user/recording/text.h), what threads and pauses
 * make of them out. Every span is checked on its way: those of a thread follow one another without
 * gap or overlap, and add up to its wall time.
 */
#ifndef STANDSTILL_TESTS_STORY_H
#define STANDSTILL_TESTS_STORY_H

#include "user/timeline/pauses.h"
#include "user/timeline/threads.h"

#define STORY_SPANS  100000
#define STORY_PAUSES 4096

struct story_span {
	struct span span; /* off is set or NULL, but points to nothing any more */
	enum thread_role role;
};

struct story_pause {
	struct pause pause; /* its list of stopped threads: stopped[] */
	struct pause_stopped stopped[16];
};

struct story {
	struct threads *threads;
	struct pauses *pauses;
	struct story_span *spans;
	size_t nr_spans;
	struct story_pause *found;
	size_t nr_found;
	struct thread *gone; /* threads that ended */
	size_t nr_gone;
	uint64_t last_ns;
};

struct story *story_new(void);
void story_free(struct story *story);

/* Tell lines, separated by newlines. A line that cannot be read fails the test. */
void story_tell(struct story *story, const char *lines);
void story_tell_line(struct story *story, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void story_event(struct story *story, const struct event_hdr *event);

/* The recording ends at @end_ns. */
void story_end(struct story *story, uint64_t end_ns);

/* The spans of @tid as text, "running 5, parked 10 open", lengths in ns. Valid until the next call.
 */
const char *story_spans(const struct story *story, uint32_t tid);

/* The thread, alive or gone. Fails the test when there is none. */
const struct thread *story_thread(const struct story *story, uint32_t tid);

#endif
