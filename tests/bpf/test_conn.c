/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bpf/conns.h"

#define NR_REQUESTS 7
#define REQUEST	    37 /* bytes */
#define ANSWER	    53

enum { FACT_CLIENT_PORT, FACT_SERVER_PORT };

TestSuite(bpf_conn, .init = capture_or_skip, .timeout = 30);

static int family = AF_INET, listener_family = AF_INET; /* of the next wire of a subject */
static uint16_t fixed_port;

static struct wire open_wire(struct shared *shared)
{
	int listener = wire_listen(listener_family, fixed_port, WIRE_BACKLOG);
	struct wire wire;

	wire_open(&wire, listener, family);
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

static int server_fd;

static void listen_only(struct shared *shared)
{
	server_fd = wire_listen(AF_INET, 0, WIRE_BACKLOG);
	shared->threads[0].fact[FACT_SERVER_PORT] = wire_port(server_fd);
}

static void serve_once(struct shared *shared)
{
	int fd;

	if (!server_fd) {
		listen_only(shared);
		return;
	}
	fd = accept(server_fd, NULL, NULL);
	wire_read(fd, REQUEST);
	wire_write(fd, ANSWER);
	close(fd);
}

/* This process, a stranger to the probes, sends the subject one request. */
static void ask_once(struct subject *subject)
{
	int fd = wire_connect(AF_INET, port_of(subject, FACT_SERVER_PORT));

	wire_write(fd, REQUEST);
	subject_run(subject);
	wire_read(fd, ANSWER);
	close(fd);
}

static void expect_one_request(const struct capture *capture, const struct subject *subject,
			       uint32_t listen_flags)
{
	uint16_t port = port_of(subject, FACT_SERVER_PORT);
	const struct event_conn *listener = conns_get(capture, EVENT_CONN_LISTEN, port, 0);
	const struct event_hdr *event = NULL;
	const struct event_conn *open = NULL;

	cr_expect(eq(u32, listener->flags, listen_flags));
	cr_expect(eq(u16, listener->role, CONN_LISTENER));
	cr_expect(eq(u32, listener->backlog_max, WIRE_BACKLOG));
	while ((event = capture_next(capture, event))) {
		const struct event_conn *conn = (const void *)event;

		if (event->kind == EVENT_CONN_OPEN && conn->family != AF_UNIX)
			open = conn;
	}
	expect_nobody_else(capture, subject->tgid);
	cr_expect(eq(sz, conns_count_tcp(capture, EVENT_CONN_OPEN), 1));
	cr_assert(open != NULL);
	cr_expect(eq(u16, open->role, CONN_ACCEPTED));
	cr_expect(eq(u32, open->flags, 0));
	cr_expect(eq(sz, conns_count(capture, EVENT_SOCK_READ, open->conn), 1));
	cr_expect(eq(sz, conns_count(capture, EVENT_SOCK_WRITE, open->conn), 1));
	cr_expect(ge(sz, conns_count(capture, EVENT_SOCK_ARRIVE, open->conn), 1));
}

Test(bpf_conn, a_listener_that_comes_later_is_noticed)
{
	struct subject subject;
	struct capture capture;

	subject_start(&subject, NULL, serve_once);
	capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
	subject_run(&subject);
	ask_once(&subject);
	capture_end(&capture);

	expect_one_request(&capture, &subject, 0);
	subject_stop(&subject);
	capture_free(&capture);
}

Test(bpf_conn, a_listener_of_before_is_found_and_what_waits_in_it_is_not_missed)
{
	struct subject subject;
	struct capture capture;

	subject_start(&subject, listen_only, serve_once);
	capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
	ask_once(&subject);
	capture_end(&capture);

	expect_one_request(&capture, &subject, SOCK_BEFORE_ATTACH);
	subject_stop(&subject);
	capture_free(&capture);
}

static void accept_and_read(struct shared *shared)
{
	(void)shared;
	wire_read(accept(server_fd, NULL, NULL), REQUEST);
}

Test(bpf_conn, what_waited_to_be_accepted_before_is_known_once_it_is_read)
{
	struct subject subject;
	struct capture capture;
	const struct event_conn *open;
	uint16_t port;
	int fd;

	subject_start(&subject, listen_only, accept_and_read);
	port = port_of(&subject, FACT_SERVER_PORT);
	fd = wire_connect(AF_INET, port);
	wire_write(fd, REQUEST);
	capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
	subject_run(&subject);
	capture_end(&capture);

	open = conns_get(&capture, EVENT_CONN_OPEN, port, wire_port(fd));
	cr_expect(eq(u32, open->flags, SOCK_BEFORE_ATTACH));
	cr_expect(eq(u16, open->role, CONN_ACCEPTED));
	cr_expect(eq(u64, open->in_bytes, REQUEST));
	cr_expect(eq(sz, conns_count(&capture, EVENT_SOCK_ARRIVE, open->conn), 0));
	expect_steps(&capture, EVENT_SOCK_READ, open->conn,
		     &(struct steps){REQUEST, 0, 0, 0, REQUEST, subject.tgid, 1});
	close(fd);
	subject_stop(&subject);
	capture_free(&capture);
}

static void ask_stranger(struct shared *shared)
{
	int fd = wire_connect(AF_INET, (uint16_t)shared->threads[0].fact[FACT_SERVER_PORT]);

	shared->threads[0].fact[FACT_CLIENT_PORT] = wire_port(fd);
	wire_write(fd, REQUEST);
	wire_read(fd, ANSWER);
	close(fd);
}

Test(bpf_conn, a_connection_to_a_stranger_is_the_targets_own_and_the_strangers_end_is_not)
{
	struct subject subject;
	struct capture capture;
	const struct event_conn *open;
	int listener, fd;

	subject_start(&subject, NULL, ask_stranger);
	listener = wire_listen(AF_INET, 0, WIRE_BACKLOG); /* which it does not inherit */
	subject.shared->threads[0].fact[FACT_SERVER_PORT] = wire_port(listener);
	capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
	subject_begin(&subject);
	fd = accept(listener, NULL, NULL);
	wire_read(fd, REQUEST);
	wire_write(fd, ANSWER);
	subject_wait(&subject);
	close(fd);
	close(listener);
	capture_end(&capture);

	cr_expect(eq(sz, conns_count_tcp(&capture, EVENT_CONN_OPEN), 1));
	open = conns_get(&capture, EVENT_CONN_OPEN, port_of(&subject, FACT_CLIENT_PORT),
			 port_of(&subject, FACT_SERVER_PORT));
	cr_expect(eq(u16, open->role, CONN_CONNECTED));
	cr_expect(eq(u32, open->tgid, subject.tgid));
	expect_steps(&capture, EVENT_SOCK_READ, open->conn,
		     &(struct steps){ANSWER, 0, REQUEST, 0, ANSWER, subject.tgid, 1});
	cr_expect(eq(sz, capture_count(&capture, EVENT_SOCK_READ, 0), 1));
	cr_expect(eq(sz, conns_count_tcp(&capture, EVENT_CONN_LISTEN), 0));
	subject_stop(&subject);
	capture_free(&capture);
}

static void talk(struct shared *shared)
{
	struct wire wire = open_wire(shared);

	wire_talk(&wire, NR_REQUESTS, REQUEST, ANSWER);
	wire_close(&wire);
}

static void record_families(uint16_t expected, uint64_t high, uint64_t low)
{
	struct subject subject;
	struct capture capture;
	struct both ends;

	listener_family = AF_INET6;
	record(&capture, &subject, talk);

	ends = both_of_kind(&capture, &subject, EVENT_CONN_OPEN);
	expect_ends(ends.client, ends.server);
	cr_expect(eq(u16, ends.server->family, expected));
	cr_expect(eq(u64, ends.server->local_high, high));
	cr_expect(eq(u64, ends.server->local_low, low));
	expect_steps(
		&capture, EVENT_SOCK_READ, ends.server->conn,
		&(struct steps){REQUEST, REQUEST, 0, ANSWER, REQUEST, subject.tgid, NR_REQUESTS});
	subject_stop(&subject);
	capture_free(&capture);
}

static uint64_t address_low(const char *text)
{
	struct in6_addr address;
	uint64_t low;

	inet_pton(AF_INET6, text, &address);
	memcpy(&low, &address.s6_addr[8], sizeof(low));
	return low;
}

Test(bpf_conn, ipv6_has_its_addresses)
{
	family = AF_INET6;
	record_families(AF_INET6, 0, address_low("::1"));
}

Test(bpf_conn, ipv4_of_a_listener_that_takes_both_is_ipv4_at_both_ends)
{
	family = AF_INET;
	record_families(AF_INET, 0, address_low("::ffff:127.0.0.1"));
}

static void leave_and_talk(struct shared *shared)
{
	struct stat network;

	wire_leave_network();
	if (stat("/proc/self/ns/net", &network))
		_exit(1);
	shared->threads[0].fact[2] = network.st_ino;
	talk(shared);
}

#define PORT_OF_TWO 18999

Test(bpf_conn, the_same_port_in_another_network_namespace_is_another)
{
	struct subject inside, outside;
	struct capture capture;
	struct both ends;

	fixed_port = PORT_OF_TWO;
	subject_start(&inside, NULL, leave_and_talk);
	subject_start(&outside, NULL, talk);
	capture_begin(&capture, (const struct subject *[]){&inside}, 1, 0);
	subject_run(&inside);
	subject_run(&outside);
	capture_end(&capture);

	ends = both_of_kind(&capture, &inside, EVENT_CONN_OPEN);
	cr_expect(eq(u32, ends.server->netns, inside.shared->threads[0].fact[2]));
	expect_nobody_else(&capture, inside.tgid);
	cr_expect(eq(sz, conns_count_tcp(&capture, EVENT_CONN_OPEN), 2));
	cr_expect(eq(sz, capture_count(&capture, EVENT_SOCK_READ, 0), 2 * NR_REQUESTS));
	subject_stop(&inside);
	subject_stop(&outside);
	capture_free(&capture);
}

static void open_and_keep(struct shared *shared)
{
	struct wire wire = open_wire(shared);

	wire_talk(&wire, NR_REQUESTS, REQUEST, ANSWER);
}

Test(bpf_conn, a_snapshot_has_every_socket_once_more_and_says_so)
{
	struct subject subject;
	struct capture capture;
	const struct event_hdr *event = NULL;
	size_t nr = 0;

	subject_start(&subject, NULL, open_and_keep);
	capture_begin(&capture, (const struct subject *[]){&subject}, 1, 0);
	subject_run(&subject);
	cr_assert(eq(int, probes_snapshot(capture.probes), 0));
	capture_end(&capture);

	while ((event = capture_next(&capture, event))) {
		const struct event_conn *conn = (const void *)event;
		bool is_listener = event->kind == EVENT_CONN_LISTEN;

		if ((event->kind != EVENT_CONN_OPEN && !is_listener) ||
		    !(conn->flags & SOCK_SNAPSHOT) || conn->family == AF_UNIX)
			continue;
		nr++;
		cr_expect(eq(u32, conn->flags, SOCK_SNAPSHOT));
		cr_expect(eq(u64, conn->in_bytes + conn->out_bytes,
			     is_listener ? 0 : NR_REQUESTS * (REQUEST + ANSWER)));
	}
	cr_expect(eq(sz, nr, 3));
	subject_stop(&subject);
	capture_free(&capture);
}

Test(bpf_conn, who_does_not_want_sockets_gets_none)
{
	struct subject subject;
	struct probe_problem problem = {};
	struct probe_options options = {.pauses = PAUSE_PROBES_NONE, .no_sockets = true};
	struct probe_target target = {};
	struct capture capture = {};

	subject_start(&subject, NULL, talk);
	target.tgid = subject.tgid;
	cr_assert(eq(int, probes_attach(&target, 1, &options, &capture.probes, &problem), 0), "%s",
		  problem.what);
	subject_run(&subject);
	capture_end(&capture);

	cr_expect(gt(sz, capture_count(&capture, EVENT_THREAD, 0), 0));
	for (uint16_t kind = EVENT_SOCK_ARRIVE; kind <= EVENT_CONN_REFUSED; kind++)
		cr_expect(eq(sz, capture_count(&capture, kind, 0), 0), "kind %u", kind);
	subject_stop(&subject);
	capture_free(&capture);
}
