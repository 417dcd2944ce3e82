/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/bpf/conns.h"

#define NR_REQUESTS 7
#define REQUEST	    37 /* bytes */
#define ANSWER	    53

enum { FACT_CLIENT_PORT, FACT_SERVER_PORT };

TestSuite(bpf_conn_end, .init = capture_or_skip, .timeout = 30);

static struct wire open_wire(struct shared *shared)
{
	int listener = wire_listen(AF_INET, 0, WIRE_BACKLOG);
	struct wire wire;

	wire_open(&wire, listener, AF_INET);
	shared->threads[0].fact[FACT_CLIENT_PORT] = wire.client_port;
	shared->threads[0].fact[FACT_SERVER_PORT] = wire.server_port;
	return wire;
}

static uint16_t port_of(const struct subject *subject, int fact)
{
	return (uint16_t)subject->shared->threads[0].fact[fact];
}

static void record(struct capture *capture, struct subject *subject, subject_fn *body)
{
	subject_start(subject, NULL, body);
	capture_begin(capture, (const struct subject *[]){subject}, 1, 0);
	subject_run(subject);
	sleep_us(20000); /* what is closed last may take the other end along a moment later */
	capture_end(capture);
	cr_expect(eq(u64, capture->nr_lost, 0));
}

struct both {
	const struct event_conn *client, *server;
};

static struct both both_of_kind(const struct capture *capture, const struct subject *subject,
				uint16_t kind)
{
	uint16_t client = port_of(subject, FACT_CLIENT_PORT);
	uint16_t server = port_of(subject, FACT_SERVER_PORT);

	return (struct both){conns_get(capture, kind, client, server),
			     conns_get(capture, kind, server, client)};
}

static void end_well(struct shared *shared)
{
	struct wire wire = open_wire(shared);

	wire_talk(&wire, NR_REQUESTS, REQUEST, ANSWER);
	shutdown(wire.client, SHUT_WR);
	wire_read(wire.server, 0);
	wire_write(wire.server, ANSWER);
	wire_read(wire.client, ANSWER);
	close(wire.server);
	wire_read(wire.client, 0);
	close(wire.client);
}

Test(bpf_conn_end, a_fin_is_no_byte_of_either_direction)
{
	struct subject subject;
	struct capture capture;
	const struct event_sock *arrive = NULL, *last = NULL, *write = NULL;
	struct both ends;

	record(&capture, &subject, end_well);

	ends = both_of_kind(&capture, &subject, EVENT_CONN_CLOSE);
	expect_ends(ends.client, ends.server);
	cr_expect(eq(u64, ends.server->in_bytes, NR_REQUESTS * REQUEST));
	cr_expect(eq(u64, ends.server->read_bytes, NR_REQUESTS * REQUEST));
	cr_expect(eq(u64, ends.server->out_bytes, (NR_REQUESTS + 1) * ANSWER));
	cr_expect(eq(u64, ends.client->in_bytes, ends.server->out_bytes));
	cr_expect(eq(u64, ends.client->read_bytes, ends.server->out_bytes));
	cr_expect(eq(u64, ends.client->out_bytes, ends.server->in_bytes));
	cr_expect(eq(u32, ends.client->flags, SOCK_PEER_DONE));
	cr_expect(eq(u32, ends.server->flags, SOCK_PEER_DONE));
	cr_expect(eq(u16, ends.client->error, 0));
	while ((arrive = conns_next(&capture, EVENT_SOCK_ARRIVE, ends.server->conn, arrive)))
		last = arrive;
	cr_assert(last != NULL);
	cr_expect(eq(u32, last->flags & SOCK_PEER_DONE, SOCK_PEER_DONE));
	cr_expect(eq(u64, last->in_bytes, NR_REQUESTS * REQUEST));
	while ((write = conns_next(&capture, EVENT_SOCK_WRITE, ends.server->conn, write)))
		last = write;
	cr_expect(eq(u64, last->out_bytes, (NR_REQUESTS + 1) * ANSWER), "after the peer's FIN");
	subject_stop(&subject);
	capture_free(&capture);
}

/* The last bytes and the FIN are one segment. */
static void end_with_bytes(struct shared *shared)
{
	struct wire wire = open_wire(shared);
	char some[REQUEST] = {0};

	if (send(wire.client, some, sizeof(some), MSG_MORE) != sizeof(some))
		_exit(1);
	shutdown(wire.client, SHUT_WR);
	wire_read(wire.server, REQUEST);
	wire_read(wire.server, 0);
	close(wire.server);
	close(wire.client);
}

Test(bpf_conn_end, a_fin_that_comes_with_the_last_bytes_is_no_byte)
{
	struct subject subject;
	struct capture capture;
	struct both ends;

	record(&capture, &subject, end_with_bytes);

	ends = both_of_kind(&capture, &subject, EVENT_CONN_OPEN);
	expect_steps(&capture, EVENT_SOCK_ARRIVE, ends.server->conn,
		     &(struct steps){.in_from = REQUEST, .nr = 1});
	expect_steps(&capture, EVENT_SOCK_READ, ends.server->conn,
		     &(struct steps){
			     .in_from = REQUEST, .bytes = REQUEST, .tid = subject.tgid, .nr = 1});
	cr_expect(eq(u32, conns_next(&capture, EVENT_SOCK_ARRIVE, ends.server->conn, NULL)->flags,
		     SOCK_PEER_DONE));
	subject_stop(&subject);
	capture_free(&capture);
}

/* What is closed before everything was read is reset. */
static void reset(struct shared *shared)
{
	struct wire wire = open_wire(shared);

	wire_talk(&wire, NR_REQUESTS, REQUEST, ANSWER);
	wire_write(wire.client, REQUEST);
	close(wire.server);
	close(wire.client);
}

Test(bpf_conn_end, a_reset_is_told_at_both_ends)
{
	struct subject subject;
	struct capture capture;
	const struct event_conn *sent;
	struct both ends;

	record(&capture, &subject, reset);

	ends = both_of_kind(&capture, &subject, EVENT_CONN_CLOSE);
	cr_expect(eq(u32, ends.client->flags, SOCK_RESET));
	cr_expect(eq(u32, ends.server->flags, SOCK_RESET));
	cr_expect(eq(u16, ends.client->error, ECONNRESET));
	cr_expect(eq(u64, ends.server->in_bytes, (NR_REQUESTS + 1) * REQUEST));
	cr_expect(eq(u64, ends.server->read_bytes, NR_REQUESTS * REQUEST));
	cr_expect(eq(u64, ends.client->out_bytes, (NR_REQUESTS + 1) * REQUEST));
	cr_expect(eq(u64, ends.server->out_bytes, NR_REQUESTS * ANSWER));
	sent = conns_get(&capture, EVENT_CONN_REFUSED, ends.server->local_port,
			 ends.server->remote_port);
	cr_expect(eq(u32, sent->conn, ends.server->conn), "who sent it");
	subject_stop(&subject);
	capture_free(&capture);
}

/* A port that somebody has, who does not listen. */
static void be_refused(struct shared *shared)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	int idle = socket(AF_INET, SOCK_STREAM, 0), fd;

	if (bind(idle, (void *)&address, sizeof(address)))
		_exit(1);
	shared->threads[0].fact[FACT_SERVER_PORT] = wire_port(idle);
	if (wire_try(AF_INET, wire_port(idle), &fd) != ECONNREFUSED)
		_exit(1);
	close(fd);
	close(idle);
}

Test(bpf_conn_end, a_connection_that_is_refused_says_so_and_is_none)
{
	struct subject subject;
	struct capture capture;
	const struct event_hdr *event = NULL;
	const struct event_conn *refused = NULL;

	record(&capture, &subject, be_refused);

	while ((event = capture_next(&capture, event)))
		if (event->kind == EVENT_CONN_REFUSED)
			refused = (const void *)event;
	cr_assert(refused != NULL);
	cr_expect(eq(u16, refused->error, ECONNREFUSED));
	cr_expect(eq(u16, refused->role, CONN_CONNECTED));
	cr_expect(eq(u16, refused->remote_port, port_of(&subject, FACT_SERVER_PORT)));
	cr_expect(eq(u32, refused->tgid, subject.tgid));
	cr_expect(eq(sz, conns_count_tcp(&capture, EVENT_CONN_REFUSED), 1));
	cr_expect(eq(sz, conns_count_tcp(&capture, EVENT_CONN_OPEN), 0));
	cr_expect(eq(sz, conns_count_tcp(&capture, EVENT_CONN_CLOSE), 0));
	subject_stop(&subject);
	capture_free(&capture);
}
