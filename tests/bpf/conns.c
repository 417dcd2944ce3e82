/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <sys/socket.h>

#include "tests/bpf/conns.h"

static bool is_conn(uint16_t kind)
{
	return kind >= EVENT_CONN_OPEN && kind <= EVENT_CONN_REFUSED;
}

const struct event_conn *conns_find(const struct capture *capture, uint16_t kind,
				    uint16_t local_port, uint16_t remote_port)
{
	const struct event_hdr *event = NULL;

	cr_assert(is_conn(kind));
	while ((event = capture_next(capture, event))) {
		const struct event_conn *conn = (const void *)event;

		if (event->kind == kind && conn->local_port == local_port &&
		    conn->remote_port == remote_port)
			return conn;
	}
	return NULL;
}

size_t conns_count_tcp(const struct capture *capture, uint16_t kind)
{
	const struct event_hdr *event = NULL;
	size_t nr = 0;

	while ((event = capture_next(capture, event)))
		nr += event->kind == kind && ((const struct event_conn *)event)->family != AF_UNIX;
	return nr;
}

void expect_nobody_else(const struct capture *capture, uint32_t tgid)
{
	const struct event_hdr *event = NULL;

	while ((event = capture_next(capture, event))) {
		if (event->kind >= EVENT_SOCK_ARRIVE && event->kind <= EVENT_SOCK_RETRANSMIT)
			cr_expect(eq(u32, ((const struct event_sock *)event)->tgid, tgid));
		if (is_conn(event->kind))
			cr_expect(eq(u32, ((const struct event_conn *)event)->tgid, tgid));
	}
}

const struct event_conn *conns_get(const struct capture *capture, uint16_t kind,
				   uint16_t local_port, uint16_t remote_port)
{
	const struct event_conn *conn = conns_find(capture, kind, local_port, remote_port);

	cr_assert(conn != NULL, "a record of kind %u of port %u to port %u", kind, local_port,
		  remote_port);
	return conn;
}

const struct event_sock *conns_next(const struct capture *capture, uint16_t kind, uint32_t conn,
				    const struct event_sock *after)
{
	const struct event_hdr *event = after ? &after->hdr : NULL;

	while ((event = capture_next(capture, event))) {
		const struct event_sock *sock = (const void *)event;

		if (event->kind == kind && sock->conn == conn)
			return sock;
	}
	return NULL;
}

size_t conns_count(const struct capture *capture, uint16_t kind, uint32_t conn)
{
	const struct event_sock *sock = NULL;
	size_t nr = 0;

	while ((sock = conns_next(capture, kind, conn, sock)))
		nr++;
	return nr;
}

void expect_steps(const struct capture *capture, uint16_t kind, uint32_t conn,
		  const struct steps *steps)
{
	const struct event_sock *sock = NULL;
	size_t i = 0;

	while ((sock = conns_next(capture, kind, conn, sock))) {
		cr_expect(eq(u64, sock->in_bytes, steps->in_from + i * steps->in_each),
			  "in, kind %u, step %zu", kind, i);
		cr_expect(eq(u64, sock->out_bytes, steps->out_from + i * steps->out_each),
			  "out, kind %u, step %zu", kind, i);
		cr_expect(eq(u32, sock->bytes, steps->bytes), "kind %u", kind);
		cr_expect(eq(u32, sock->hdr.tid, steps->tid), "kind %u", kind);
		cr_expect(eq(u32, sock->unsent, 0), "kind %u", kind);
		cr_expect(eq(u32, sock->flags & (SOCK_LOCKED | SOCK_UNSURE), 0));
		i++;
	}
	cr_expect(eq(sz, i, steps->nr), "steps of kind %u", kind);
}

void expect_ends(const struct event_conn *one, const struct event_conn *other)
{
	cr_expect(eq(u32, one->first_in, other->first_out));
	cr_expect(eq(u32, one->first_out, other->first_in));
	cr_expect(eq(u64, one->local_high, other->remote_high));
	cr_expect(eq(u64, one->local_low, other->remote_low));
	cr_expect(eq(u64, one->remote_high, other->local_high));
	cr_expect(eq(u64, one->remote_low, other->local_low));
	cr_expect(eq(u32, one->netns, other->netns));
	cr_expect(eq(u16, one->family, other->family));
	cr_expect(ne(u32, one->conn, other->conn));
}
