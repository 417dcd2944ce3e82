/* SPDX-License-Identifier: BSD-2-Clause */
/* The connections in a capture, and what was recorded of one. */
#ifndef TESTS_BPF_CONNS_H
#define TESTS_BPF_CONNS_H

#include "tests/bpf/capture.h"
#include "tests/bpf/wire.h"

/* The first record of @kind (EVENT_CONN_...) of a socket on @local_port, whose peer is on
 * @remote_port; NULL: none. */
const struct event_conn *conns_find(const struct capture *capture, uint16_t kind,
				    uint16_t local_port, uint16_t remote_port);

/* The same, which must be there. */
const struct event_conn *conns_get(const struct capture *capture, uint16_t kind,
				   uint16_t local_port, uint16_t remote_port);

/* How many records of @kind (EVENT_CONN_...) there are, without Unix sockets: the test's own
 * machinery has some. */
size_t conns_count_tcp(const struct capture *capture, uint16_t kind);

/* No record of a socket is of another process than @tgid. */
void expect_nobody_else(const struct capture *capture, uint32_t tgid);

/* The record of @kind (EVENT_SOCK_...) of connection @conn after @after; NULL: none. */
const struct event_sock *conns_next(const struct capture *capture, uint16_t kind, uint32_t conn,
				    const struct event_sock *after);
size_t conns_count(const struct capture *capture, uint16_t kind, uint32_t conn);

/* A stretch of equal steps of one connection. */
struct steps {
	uint64_t in_from, in_each, out_from,
		out_each; /* positions at the first one, and more each */
	uint32_t bytes;	  /* of each */
	uint32_t tid;	  /* who; 0: nobody */
	size_t nr;
};

/* Connection @conn has exactly these steps of @kind, in this order; nothing was held back, and the
 * lock was nobody's. */
void expect_steps(const struct capture *capture, uint16_t kind, uint32_t conn,
		  const struct steps *steps);

/* The two records are of the two ends of one connection. */
void expect_ends(const struct event_conn *one, const struct event_conn *other);

#endif
