/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recording's moments against the capture's, paired by byte position alone. Differences are
 * recording less capture, in ns, on the recording's clock.
 */
#ifndef STANDSTILL_TESTS_COMPARE_H
#define STANDSTILL_TESTS_COMPARE_H

#include "tests/requests/judge/recorded.h"

struct differences {
	int64_t *ns;
	size_t nr, size;
};

struct comparison {
	uint64_t from_ns,
		to_ns; /* only what the capture has in [from, to), of the recording's clock */
	struct differences paired;
	uint64_t nr_recorded;	   /* marks of the recording that are no repetition */
	uint64_t nr_captured;	   /* marks of the capture in that time */
	uint64_t nr_recorded_only; /* at positions where no segment ends */
	uint64_t nr_captured_only; /* bytes that the recording never has */
	uint64_t nr_coalesced; /* in the recording with later bytes: it has no time of their own */
	uint64_t nr_before;    /* of the capture: before the connection was first looked at */
	uint64_t nr_after;     /* of the capture: after the last record */
};

/* Each 0 or -ENOMEM; they add up over connections. */
int compare_arrivals(const struct recorded *recorded, const struct recorded_conn *conn,
		     struct comparison *ret);

/*
 * When the recording says a write began, for writes not held back: paired is that less when the
 * capture has the last of its bytes, so it is negative where all is well. With @held instead the
 * held ones, and when the write ended.
 */
int compare_writes(const struct recorded *recorded, const struct recorded_conn *conn, bool held,
		   struct comparison *ret);

/* How long bytes lay before the read that took the last of them: paired is that by the recording
 * less that by the capture; @longest_ns the longest by the capture. */
int compare_waits(const struct recorded *recorded, const struct recorded_conn *conn,
		  struct comparison *ret, uint64_t *longest_ns);

/* Sorts them; 0 where there is none. */
int64_t differences_percentile(struct differences *differences, double percentile);

#endif
