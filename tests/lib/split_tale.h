/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of attribution: records as text in, splits out. Of every request it is checked that its
 * segments cover its response time once, and that the sums are theirs. */
#ifndef STANDSTILL_TESTS_SPLIT_TALE_H
#define STANDSTILL_TESTS_SPLIT_TALE_H

#include "user/attribution/splitter.h"
#include "user/timeline/requests.h"

#define SPLIT_TALE_MAX 20000

struct told_split {
	struct request request;
	struct split split;
	uint64_t begin_ns, end_ns;
	char text[600]; /* a segment each: "100 on_cpu 11, 30 pause 11 #3", in ns */
};

struct split_tale {
	struct threads *threads;
	struct pauses *pauses;
	struct requests *requests;
	struct splitter *splitter;
	struct told_split *found;
	size_t nr;
	/* of the requests told, by the number they are given out in; NULL: no schedule */
	const struct schedule_request *schedule;
	size_t nr_pushed;
};

struct split_tale *split_tale_new(void);
void split_tale_free(struct split_tale *tale);

/* printf, a line each. A line that cannot be read fails the test. */
void split_tale_tell(struct split_tale *tale, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void split_tale_end(struct split_tale *tale, uint64_t end_ns);

/* The sum of @cause over all. */
uint64_t split_tale_sum(const struct split_tale *tale, enum cause cause);

#endif
