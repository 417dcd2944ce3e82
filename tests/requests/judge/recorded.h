/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording says of its TCP connections, read from the text that `standstill dump` prints.
 * Unix sockets, which have no positions, are left out.
 */
#ifndef STANDSTILL_TESTS_RECORDED_H
#define STANDSTILL_TESTS_RECORDED_H

#include <stdio.h>

#include "tests/requests/judge/capture.h"
#include "tests/requests/judge/clocks.h"
#include "tests/requests/judge/stream.h"

struct recorded_conn {
	uint32_t conn, tgid;
	struct address local, remote;
	uint32_t first_in, first_out;
	uint64_t in_bytes, out_bytes; /* when it was first looked at */
	struct marks arrived, written, taken;
	struct stream in, out;	/* the same two directions as the capture has them */
	uint64_t nr_base_wrong; /* SYNs whose number is not just before the first byte's */
};

struct recorded {
	struct recorded_conn *conns;
	size_t nr, size;
	struct clocks clocks;
	uint64_t from_ns, to_ns; /* of all records */
	uint64_t nr_lost;	 /* records */
	uint64_t nr_unknown;	 /* events of connections that were never opened */
};

/* 0, or -errno with *ret_line the line that is wrong. What was read stays in @ret. */
int recorded_read(FILE *file, struct recorded *ret, size_t *ret_line);

#endif
