/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests of requests: records as text in, what requests.h makes of them out, as text. Every
 * request is checked on its way: its spans add up to its response time.
 */
#ifndef STANDSTILL_TESTS_REQUEST_TALE_H
#define STANDSTILL_TESTS_REQUEST_TALE_H

#include "user/timeline/requests.h"

#define REQUEST_TALE_MAX 20000

struct request_tale {
	struct threads *threads;
	struct pauses *pauses;
	struct requests *requests;
	struct request *found;
	size_t nr;
};

struct request_tale *request_tale_new(void);
void request_tale_free(struct request_tale *tale);

/* Lines separated by newlines. A line that cannot be read fails the test. */
void request_tale_tell(struct request_tale *tale, const char *lines);
void request_tale_event(struct request_tale *tale, const struct event_hdr *event);
void request_tale_end(struct request_tale *tale, uint64_t end_ns);

/*
 * A request a line: "IN-IN>OUT-OUT STATE spans rREADER aANSWERER FLAGS"; spans as
 * arriving+wait+service+write+held+return. Valid until the next call.
 */
const char *request_tale_text(const struct request_tale *tale);

#endif
