/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording says of arrivals and writes against what the network carried:
 *
 *   standstill dump FILE | judge CAPTURE - [FROM_NS TO_NS]
 *
 * CAPTURE: of tcpdump with nanoseconds, of the whole recording. One line of KEY=N each for the
 * clocks, the connections, arrivals, writes, held writes and waits; times in ns, differences
 * recording less capture. With FROM and TO only arrivals and waits that the capture has in that
 * time, of CLOCK_MONOTONIC. It judges nothing: limits are the caller's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/requests/judge/compare.h"

struct joining {
	struct recorded recorded;
	uint64_t nr_strange; /* segments with data of connections the recording has not */
	uint64_t nr_segments;
	uint64_t nr_syn; /* that the recording has the connection of */
};

static bool same(const struct address *a, const struct address *b)
{
	return a->high == b->high && a->low == b->low && a->port == b->port;
}

/* Of the connections with these addresses, one after the other, the one whose bytes begin nearest
 * before @seq. */
static struct recorded_conn *find(struct recorded *recorded, const struct address *local,
				  const struct address *remote, uint32_t seq, bool in)
{
	struct recorded_conn *best = NULL;
	uint32_t nearest = UINT32_MAX;

	for (size_t i = 0; i < recorded->nr; i++) {
		struct recorded_conn *conn = &recorded->conns[i];
		uint32_t far;

		if (conn->local.port != local->port || !same(&conn->local, local) ||
		    !same(&conn->remote, remote))
			continue;
		far = seq - (in ? conn->first_in : conn->first_out);
		if (!best || far < nearest) {
			best = conn;
			nearest = far;
		}
	}
	return best;
}

static int take(struct joining *joining, const struct segment *segment, struct recorded_conn *conn,
		bool in)
{
	uint32_t first = in ? conn->first_in : conn->first_out;

	if (segment->syn) {
		joining->nr_syn++;
		conn->nr_base_wrong += segment->seq + 1 != first;
		return 0;
	}
	return stream_add(in ? &conn->in : &conn->out, segment->seq, segment->bytes,
			  segment->at_ns);
}

static int join(void *arg, const struct segment *segment)
{
	struct joining *joining = arg;
	uint32_t seq = segment->seq + segment->syn;
	struct recorded_conn *in, *out;
	int error;

	joining->nr_segments++;
	in = find(&joining->recorded, &segment->to, &segment->from, seq, true);
	out = find(&joining->recorded, &segment->from, &segment->to, seq, false);
	if (!in && !out && segment->bytes)
		joining->nr_strange++;
	error = in ? take(joining, segment, in, true) : 0;
	return error || !out ? error : take(joining, segment, out, false);
}

static void print(const char *what, struct comparison *c)
{
	struct differences *d = &c->paired;

	printf("%s paired=%zu p1=%" PRId64 " p50=%" PRId64 " p99=%" PRId64 " min=%" PRId64
	       " max=%" PRId64 " recorded=%" PRIu64 " captured=%" PRIu64 " recorded_only=%" PRIu64
	       " captured_only=%" PRIu64 " coalesced=%" PRIu64 " before=%" PRIu64 " after=%" PRIu64,
	       what, d->nr, differences_percentile(d, 1), differences_percentile(d, 50),
	       differences_percentile(d, 99), differences_percentile(d, 0),
	       differences_percentile(d, 100), c->nr_recorded, c->nr_captured, c->nr_recorded_only,
	       c->nr_captured_only, c->nr_coalesced, c->nr_before, c->nr_after);
}

static void print_joining(const struct joining *joining)
{
	const struct recorded *recorded = &joining->recorded;
	uint64_t wrong = 0, again = 0;

	for (size_t i = 0; i < recorded->nr; i++) {
		wrong += recorded->conns[i].nr_base_wrong;
		again += recorded->conns[i].in.nr_again + recorded->conns[i].out.nr_again;
	}
	printf("clocks readings=%zu error_ns=%" PRIu64 " step_ns=%" PRIu64 "\n",
	       recorded->clocks.nr, clocks_error(&recorded->clocks),
	       clocks_step(&recorded->clocks));
	printf("connections recorded=%zu base_seen=%" PRIu64 " base_wrong=%" PRIu64
	       " segments=%" PRIu64 " sent_again=%" PRIu64 " strange=%" PRIu64 " lost=%" PRIu64
	       " unknown=%" PRIu64 "\n",
	       recorded->nr, joining->nr_syn, wrong, joining->nr_segments, again,
	       joining->nr_strange, recorded->nr_lost, recorded->nr_unknown);
}

static int compare(const struct recorded *recorded, uint64_t from_ns, uint64_t to_ns)
{
	struct comparison arrivals = {.from_ns = from_ns, .to_ns = to_ns};
	struct comparison writes = arrivals, held = arrivals, waits = arrivals;
	uint64_t longest_ns = 0;
	int error = 0;

	for (size_t i = 0; i < recorded->nr && !error; i++) {
		const struct recorded_conn *conn = &recorded->conns[i];

		error = compare_arrivals(recorded, conn, &arrivals);
		error = error ? error : compare_writes(recorded, conn, false, &writes);
		error = error ? error : compare_writes(recorded, conn, true, &held);
		error = error ? error : compare_waits(recorded, conn, &waits, &longest_ns);
	}
	if (error)
		return error;
	print("arrivals", &arrivals);
	print("\nwrites", &writes);
	print("\nheld", &held);
	print("\nwaits", &waits);
	printf(" longest=%" PRIu64 "\n", longest_ns);
	return 0;
}

static int fail(const char *what, int error)
{
	fprintf(stderr, "judge: %s: %s\n", what,
		error == -EPROTO ? "no capture with nanoseconds, of loopback or Ethernet"
				 : strerror(-error));
	return 2;
}

int main(int argc, char **argv)
{
	struct joining joining = {0};
	uint64_t from_ns = 0, to_ns = UINT64_MAX;
	size_t line;
	int error;

	if (argc != 3 && argc != 5) {
		fprintf(stderr, "usage: standstill dump FILE | judge CAPTURE - [FROM_NS TO_NS]\n");
		return 2;
	}
	if (argc == 5) {
		from_ns = strtoull(argv[3], NULL, 10);
		to_ns = strtoull(argv[4], NULL, 10);
	}
	error = recorded_read(stdin, &joining.recorded, &line);
	if (error) {
		fprintf(stderr, "judge: line %zu: %s\n", line, strerror(-error));
		return 2;
	}
	if (!joining.recorded.clocks.nr)
		return fail("the recording has no clock record", -ENODATA);
	error = capture_read(argv[1], join, &joining);
	if (error)
		return fail(argv[1], error);
	print_joining(&joining);
	error = compare(&joining.recorded, from_ns, to_ns);
	return error ? fail("comparing", error) : 0;
}
