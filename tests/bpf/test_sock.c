/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/bpf/conns.h"

#define NR_REQUESTS 23
#define REQUEST	    37 /* bytes */
#define ANSWER	    53
#define NR_EARLY    5 /* requests before the probes come */

enum { SERVER, CLIENT };
enum { FACT_CLIENT_PORT, FACT_SERVER_PORT, FACT_FD };

TestSuite(bpf_sock, .init = capture_or_skip, .timeout = 30);

static struct wire wire; /* of the subject: what its first body leaves to the second */

static void tell_ports(struct shared *shared, const struct wire *of)
{
	shared->threads[0].fact[FACT_CLIENT_PORT] = of->client_port;
	shared->threads[0].fact[FACT_SERVER_PORT] = of->server_port;
}

static void open_wire(struct shared *shared)
{
	wire_open(&wire, wire_listen(AF_INET, 0, WIRE_BACKLOG), AF_INET);
	tell_ports(shared, &wire);
}

struct both {
	const struct event_conn *client, *server;
};

/* Both ends of the subject's wire. */
static struct both both_ends(const struct capture *capture, const struct shared *shared)
{
	uint16_t client = (uint16_t)shared->threads[0].fact[FACT_CLIENT_PORT];
	uint16_t server = (uint16_t)shared->threads[0].fact[FACT_SERVER_PORT];
	struct both both = {
		.client = conns_get(capture, EVENT_CONN_OPEN, client, server),
		.server = conns_get(capture, EVENT_CONN_OPEN, server, client),
	};

	expect_ends(both.client, both.server);
	cr_expect(eq(u16, both.client->role, CONN_CONNECTED));
	cr_expect(eq(u16, both.server->role, CONN_ACCEPTED));
	return both;
}

/* Run @first, attach, run @then. */
static void record(struct capture *capture, struct subject *subject, subject_fn *first,
		   subject_fn *then)
{
	subject_start(subject, first, then);
	capture_begin(capture, (const struct subject *[]){subject}, 1, 0);
	subject_run(subject);
	capture_end(capture);
	cr_expect(eq(u64, capture->nr_lost, 0));
}

static void *serve(void *arg)
{
	struct account *account = arg;

	account->tid = this_tid();
	for (int i = 0; i < NR_REQUESTS; i++) {
		wire_read(wire.server, REQUEST);
		wire_write(wire.server, ANSWER);
	}
	return NULL;
}

static void talk_in_two_threads(struct shared *shared)
{
	pthread_t server;

	open_wire(shared);
	shared->threads[CLIENT].tid = this_tid();
	pthread_create(&server, NULL, serve, &shared->threads[SERVER]);
	for (int i = 0; i < NR_REQUESTS; i++) {
		wire_write(wire.client, REQUEST);
		wire_read(wire.client, ANSWER);
	}
	pthread_join(server, NULL);
}

/* The steps of both ends when @nr requests are answered, @before of which were before we came. */
static void expect_talk(const struct capture *capture, const struct both *both, uint32_t client_tid,
			uint32_t server_tid, size_t before, size_t nr)
{
	uint64_t asked = before * REQUEST, answered = before * ANSWER;
	uint32_t client = both->client->conn, server = both->server->conn;

	expect_steps(capture, EVENT_SOCK_WRITE, client,
		     &(struct steps){answered, ANSWER, asked + REQUEST, REQUEST, REQUEST,
				     client_tid, nr});
	expect_steps(capture, EVENT_SOCK_ARRIVE, server,
		     &(struct steps){asked + REQUEST, REQUEST, answered, ANSWER, 0, 0, nr});
	expect_steps(capture, EVENT_SOCK_READ, server,
		     &(struct steps){asked + REQUEST, REQUEST, answered, ANSWER, REQUEST,
				     server_tid, nr});
	expect_steps(capture, EVENT_SOCK_WRITE, server,
		     &(struct steps){asked + REQUEST, REQUEST, answered + ANSWER, ANSWER, ANSWER,
				     server_tid, nr});
	expect_steps(
		capture, EVENT_SOCK_ARRIVE, client,
		&(struct steps){answered + ANSWER, ANSWER, asked + REQUEST, REQUEST, 0, 0, nr});
	expect_steps(capture, EVENT_SOCK_READ, client,
		     &(struct steps){answered + ANSWER, ANSWER, asked + REQUEST, REQUEST, ANSWER,
				     client_tid, nr});
}

/* Each write began before its bytes were at the other end, and returned after it began. */
static void expect_order(const struct capture *capture, uint32_t from, uint32_t to)
{
	const struct event_sock *write = NULL, *arrive = NULL, *read = NULL;

	while ((write = conns_next(capture, EVENT_SOCK_WRITE, from, write))) {
		arrive = conns_next(capture, EVENT_SOCK_ARRIVE, to, arrive);
		read = conns_next(capture, EVENT_SOCK_READ, to, read);
		cr_assert(arrive != NULL && read != NULL);
		cr_expect(eq(u32, write->flags & SOCK_START_SEEN, SOCK_START_SEEN));
		cr_expect(gt(u64, write->took_ns, 0));
		cr_expect(lt(u64, write->hdr.ts_ns - write->took_ns, arrive->hdr.ts_ns));
		cr_expect(lt(u64, arrive->hdr.ts_ns, read->hdr.ts_ns));
	}
}

Test(bpf_sock, a_request_is_one_arrival_one_read_and_one_write_at_the_same_position_of_both_ends)
{
	struct subject subject;
	struct capture capture;
	struct both both;

	record(&capture, &subject, NULL, talk_in_two_threads);

	both = both_ends(&capture, subject.shared);
	expect_talk(&capture, &both, subject.shared->threads[CLIENT].tid,
		    subject.shared->threads[SERVER].tid, 0, NR_REQUESTS);
	expect_order(&capture, both.client->conn, both.server->conn);
	expect_order(&capture, both.server->conn, both.client->conn);
	cr_expect(eq(u32, both.client->flags | both.server->flags, 0));
	subject_stop(&subject);
	capture_free(&capture);
}

static int early_backlog = WIRE_BACKLOG;

static void talk_early(struct shared *shared)
{
	wire_open(&wire, wire_listen(AF_INET, 0, early_backlog), AF_INET);
	tell_ports(shared, &wire);
	wire_talk(&wire, NR_EARLY, REQUEST, ANSWER);
}

static void talk_on(struct shared *shared)
{
	shared->threads[0].tid = this_tid();
	wire_talk(&wire, NR_REQUESTS, REQUEST, ANSWER);
}

static void record_mid_life(int backlog)
{
	struct subject subject;
	struct capture capture;
	struct both both;

	early_backlog = backlog;
	record(&capture, &subject, talk_early, talk_on);

	both = both_ends(&capture, subject.shared);
	cr_expect(eq(u32, both.client->flags, SOCK_BEFORE_ATTACH));
	cr_expect(eq(u32, both.server->flags, SOCK_BEFORE_ATTACH));
	cr_expect(eq(u64, both.server->in_bytes, NR_EARLY * REQUEST));
	cr_expect(eq(u64, both.server->read_bytes, NR_EARLY * REQUEST));
	cr_expect(eq(u64, both.server->out_bytes, NR_EARLY * ANSWER));
	cr_expect(eq(u64, both.client->in_bytes, NR_EARLY * ANSWER));
	cr_expect(eq(u64, both.client->out_bytes, NR_EARLY * REQUEST));
	expect_talk(&capture, &both, subject.tgid, subject.tgid, NR_EARLY, NR_REQUESTS);
	subject_stop(&subject);
	capture_free(&capture);
}

Test(bpf_sock, positions_of_a_connection_opened_before_count_from_its_own_start)
{
	record_mid_life(WIRE_BACKLOG);
}

Test(bpf_sock, a_listener_without_a_backlog_has_accepted_what_was_open_before)
{
	record_mid_life(0);
}

#define NR_PIPELINED 4

static void pipeline(struct shared *shared)
{
	char some[REQUEST];

	open_wire(shared);
	for (int i = 0; i < NR_PIPELINED; i++)
		wire_write(wire.client, REQUEST);
	if (recv(wire.server, some, sizeof(some), MSG_PEEK) != sizeof(some))
		_exit(1);
	wire_read(wire.server, NR_PIPELINED * REQUEST);
	if (recv(wire.server, some, sizeof(some), MSG_DONTWAIT) >= 0)
		_exit(1);
	wire_write(wire.server, ANSWER);
}

Test(bpf_sock, pipelined_requests_arrive_one_by_one_and_are_read_in_one)
{
	struct subject subject;
	struct capture capture;
	struct both both;

	record(&capture, &subject, NULL, pipeline);

	both = both_ends(&capture, subject.shared);
	expect_steps(&capture, EVENT_SOCK_ARRIVE, both.server->conn,
		     &(struct steps){REQUEST, REQUEST, 0, 0, 0, 0, NR_PIPELINED});
	expect_steps(&capture, EVENT_SOCK_READ, both.server->conn,
		     &(struct steps){NR_PIPELINED * REQUEST, 0, 0, 0, NR_PIPELINED * REQUEST,
				     subject.tgid, 1});
	cr_expect(eq(sz, conns_count(&capture, EVENT_SOCK_WRITE, both.server->conn), 1));
	subject_stop(&subject);
	capture_free(&capture);
}

/* Nagle's rule keeps the second write back until the first is acknowledged, which its receiver puts
 * off. */
static void write_twice(struct shared *shared)
{
	int off = 0;

	(void)shared;
	setsockopt(wire.client, IPPROTO_TCP, TCP_NODELAY, &off, sizeof(off));
	wire_talk(&wire, NR_EARLY, REQUEST, ANSWER);
	setsockopt(wire.server, IPPROTO_TCP, TCP_QUICKACK, &off, sizeof(off));
	wire_write(wire.client, REQUEST);
	wire_write(wire.client, ANSWER);
	wire_read(wire.server, REQUEST);
	wire_read(wire.server, ANSWER);
}

Test(bpf_sock, what_nagle_holds_back_is_told_with_the_segment_that_frees_it)
{
	struct subject subject;
	struct capture capture;
	const struct event_sock *write = NULL, *ack, *arrive = NULL;
	struct both both;

	subject_start(&subject, open_wire, write_twice);
	capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
	subject_run(&subject);
	capture_drain(&capture); /* now it is known that something is held at all */
	subject_run(&subject);
	capture_end(&capture);

	both = both_ends(&capture, subject.shared);
	for (int i = 0; i < 2 * (NR_EARLY + 2); i++) {
		write = conns_next(&capture, EVENT_SOCK_WRITE, both.client->conn, write);
		arrive = conns_next(&capture, EVENT_SOCK_ARRIVE, both.server->conn, arrive);
		cr_assert(write != NULL && arrive != NULL);
		cr_expect(eq(u32, write->unsent, i % (NR_EARLY + 2) == NR_EARLY + 1 ? ANSWER : 0),
			  "write %d", i);
	}
	cr_assert(eq(sz, conns_count(&capture, EVENT_SOCK_ACK, both.client->conn), 1));
	ack = conns_next(&capture, EVENT_SOCK_ACK, both.client->conn, NULL);
	cr_expect(eq(u32, ack->unsent, ANSWER));
	cr_expect(gt(u32, ack->window, ANSWER), "it is not the window that holds it");
	cr_expect(gt(u64, ack->hdr.ts_ns, write->hdr.ts_ns + 1000000), "a delayed one");
	cr_expect(lt(u64, ack->hdr.ts_ns, arrive->hdr.ts_ns));
	cr_expect(
		lt(u64, arrive->hdr.ts_ns - ack->hdr.ts_ns, arrive->hdr.ts_ns - write->hdr.ts_ns));
	subject_stop(&subject);
	capture_free(&capture);
}

static void make_pair(struct shared *shared)
{
	int pair[2];

	(void)shared;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		_exit(1);
	wire.client = pair[0];
	wire.server = pair[1];
	wire_talk(&wire, NR_EARLY, REQUEST, ANSWER);
}

/* Which of two Unix sockets it is shows in what is written to it. */
static const struct event_conn *unix_end(const struct capture *capture, uint32_t bytes)
{
	const struct event_hdr *event = NULL;

	while ((event = capture_next(capture, event))) {
		const struct event_conn *conn = (const void *)event;
		const struct event_sock *write;

		if (event->kind != EVENT_CONN_OPEN || conn->family != AF_UNIX)
			continue;
		write = conns_next(capture, EVENT_SOCK_WRITE, conn->conn, NULL);
		if (write && write->bytes == bytes)
			return conn;
	}
	cr_fatal("no Unix socket to which %u bytes were written", bytes);
}

Test(bpf_sock, bytes_of_unix_sockets_are_counted_from_when_they_were_first_seen)
{
	struct subject subject;
	struct capture capture;
	struct both both;

	record(&capture, &subject, make_pair, talk_on);

	both.client = unix_end(&capture, REQUEST);
	both.server = unix_end(&capture, ANSWER);
	expect_ends(both.client, both.server);
	cr_expect(eq(u32, both.client->flags, SOCK_COUNTED | SOCK_BEFORE_ATTACH));
	cr_expect(ne(u64, both.client->local_low, 0), "its inode");
	expect_talk(&capture, &both, subject.tgid, subject.tgid, 0, NR_REQUESTS);
	subject_stop(&subject);
	capture_free(&capture);
}
