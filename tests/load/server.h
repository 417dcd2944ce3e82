/* SPDX-License-Identifier: BSD-2-Clause */
/* The server of the load tests: what its options come to. server_main.c says what it does. */
#ifndef STANDSTILL_TESTS_SERVER_H
#define STANDSTILL_TESTS_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STOPS_MAX 1024

enum misbehaviour {
	GOOD,
	RESET,
	CLOSE,
	SHORT,
	MALFORMED,
	STATUS,
	SILENT,
	LAST,
	CHUNKED,
	SLOW,
	NR_MISBEHAVIOURS
};

struct connection;
struct answer_stamp;

struct server {
	/* What it is to do. */
	bool http;
	uint32_t prefix, in_bytes, out_bytes;
	enum misbehaviour misbehave;
	uint64_t first_stop_ns, stop_every_ns, stop_for_ns, nr_stops;
	bool stops_from_request; /* the first stop is counted from the first request */
	uint64_t service_ns;	 /* of CPU, for each answer */
	uint64_t seconds;	 /* 0: until SIGTERM */
	const char *log, *port_file;

	/* Its own. */
	int epoll, listener;
	uint64_t next_stop_ns, stops[STOPS_MAX][2], nr_stopped, end_ns;
	struct connection *connections; /* by fd */
	struct answer_stamp *stamps;
	size_t nr_stamps, max_stamps;
	uint64_t nr_requests;
	char *buffer, *answer;
	size_t answer_bytes;
};

/* Until SIGTERM, SIGINT or its time is over; ends the program when something is wrong. */
void server_run(struct server *s);

#endif
