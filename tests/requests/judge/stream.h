/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One direction of a connection as the network carried it: up to which byte, and when. Segments go
 * in as they were seen; out come the moments at which the bytes without a gap became more. What is
 * sent again is no arrival, and what comes before its turn counts when the gap is filled.
 */
#ifndef STANDSTILL_TESTS_STREAM_H
#define STANDSTILL_TESTS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mark {
	uint64_t position; /* bytes from the connection's start up to here */
	uint64_t at_ns;
	uint64_t took_ns; /* of a write: since it began; else 0 */
	uint32_t unsent;  /* of a write: of its bytes, not yet transmitted */
	bool again;	  /* of an arrival: no byte more than the one before (a FIN) */
};

struct marks {
	struct mark *marks;
	size_t nr, size;
};

struct range {
	uint64_t from, to;
};

#define STREAM_EARLY_MAX 64

struct stream {
	uint32_t first_seq; /* of its first byte */
	bool any;
	uint64_t next; /* position up to which all has been seen; meaningful once @any */
	struct marks marks;
	struct range early[STREAM_EARLY_MAX]; /* seen before its turn */
	size_t nr_early;
	uint64_t nr_again; /* segments with nothing new */
};

/* 0 or -ENOMEM. */
int marks_add(struct marks *marks, const struct mark *mark);

/*
 * @bytes from @seq on were seen at @at_ns. The first ones seen may lie anywhere after the start: a
 * capture can begin late. 0, -ENOMEM, or -EOVERFLOW: too much came before its turn.
 */
int stream_add(struct stream *stream, uint32_t seq, uint32_t bytes, uint64_t at_ns);

#endif
