/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server of the load tests: one thread, HTTP or frames, that stops itself at stated times and
 * logs what it did and when.
 *
 *   load-server --port-file FILE [--log FILE] [--stop-every MS --stop-for MS --stops N] [--http |
 * --frame fixed:IN/OUT | --frame prefix:N]
 *          [--first-stop MS] [--stops-from-request] [--misbehave WHAT] [--service-us N]
 *          [--seconds N]
 *
 * Its port is chosen by the kernel and written into the port file. The log, written at the end
 * (SIGTERM or --seconds): lines stop FROM TO                  it did nothing in [FROM, TO),
 * CLOCK_MONOTONIC ns answer PORT N AT              the N-th answer, from 0, on the connection from
 * client port PORT, stamped before its write
 *
 * The first stop comes --first-stop after the start, or after the first request.
 *
 * --misbehave: reset (closes with RST instead of answering), close (closes), short (half an
 * answer), malformed, status (500), silent (never answers), last (Connection: close) or chunked, in
 * place of every 10th answer; slow: all bytes of an answer one by one.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/load/server.h"

static const char *const misbehaviours[NR_MISBEHAVIOURS] = {
	"good",	  "reset",  "close", "short",	"malformed",
	"status", "silent", "last",  "chunked", "slow"};

static enum misbehaviour parse_misbehaviour(const char *word)
{
	for (size_t i = 0; i < sizeof(misbehaviours) / sizeof(misbehaviours[0]); i++)
		if (!strcmp(word, misbehaviours[i]))
			return (enum misbehaviour)i;
	fprintf(stderr, "server: no misbehaviour %s\n", word);
	exit(2);
}

static void parse_frame(struct server *s, const char *word)
{
	s->http = false;
	if (sscanf(word, "fixed:%u/%u", &s->in_bytes, &s->out_bytes) == 2)
		return;
	if (sscanf(word, "prefix:%u/%u/%u", &s->prefix, &s->in_bytes, &s->out_bytes) == 3)
		return;
	fprintf(stderr, "server: --frame fixed:IN/OUT or prefix:N/IN/OUT\n");
	exit(2);
}

static const struct option options[] = {
	{"port-file", 1, NULL, 'p'},
	{"log", 1, NULL, 'l'},
	{"first-stop", 1, NULL, 'a'},
	{"stop-every", 1, NULL, 'e'},
	{"stop-for", 1, NULL, 'f'},
	{"stops", 1, NULL, 'n'},
	{"http", 0, NULL, 'h'},
	{"frame", 1, NULL, 'F'},
	{"misbehave", 1, NULL, 'm'},
	{"service-us", 1, NULL, 'u'},
	{"seconds", 1, NULL, 's'},
	{"stops-from-request", 0, NULL, 'r'},
	{0},
};

static void parse(struct server *s, int argc, char **argv)
{
	int key;

	while ((key = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (key) {
		case 'p':
			s->port_file = optarg;
			break;
		case 'l':
			s->log = optarg;
			break;
		case 'a':
			s->first_stop_ns = strtoull(optarg, NULL, 10) * 1000000;
			break;
		case 'e':
			s->stop_every_ns = strtoull(optarg, NULL, 10) * 1000000;
			break;
		case 'f':
			s->stop_for_ns = strtoull(optarg, NULL, 10) * 1000000;
			break;
		case 'n':
			s->nr_stops = strtoull(optarg, NULL, 10);
			break;
		case 'F':
			parse_frame(s, optarg);
			break;
		case 'm':
			s->misbehave = parse_misbehaviour(optarg);
			break;
		case 'u':
			s->service_ns = strtoull(optarg, NULL, 10) * 1000;
			break;
		case 's':
			s->seconds = strtoull(optarg, NULL, 10);
			break;
		case 'r':
			s->stops_from_request = true;
			break;
		case 'h':
			break;
		default:
			exit(2);
		}
	}
	if (!s->port_file || s->nr_stops > STOPS_MAX) {
		fprintf(stderr, "server: --port-file FILE is needed, and at most 1024 --stops\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct server s = {.http = true};

	parse(&s, argc, argv);
	server_run(&s);
	return 0;
}
