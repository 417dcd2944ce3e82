/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* Records of whole connections, and how a socket becomes one that is known. */
#ifndef STANDSTILL_CONN_BPF_H
#define STANDSTILL_CONN_BPF_H

#include <bpf/bpf_endian.h>

#include "bpf/sock.bpf.h"

static __always_inline void fill_unix(struct event_conn *event, struct sock *sk)
{
	struct unix_sock *unix_sk = (void *)bpf_skc_to_unix_sock(sk);

	event->local_high = event->remote_high = event->remote_low = 0;
	event->local_low = BPF_CORE_READ(sk, sk_socket, file, f_inode, i_ino);
	if (unix_sk)
		event->remote_low = BPF_CORE_READ(unix_sk, peer, sk_socket, file, f_inode, i_ino);
	event->local_port = event->remote_port = 0;
}

static __always_inline void fill_inet(struct event_conn *event, struct sock *sk)
{
	struct sock_common *common = &sk->__sk_common;
	struct inet_sock *inet = (void *)sk;
	struct in6_addr local, remote;

	/* A closed socket has given its port back. */
	event->local_port =
		common->skc_num ? common->skc_num : bpf_ntohs(BPF_CORE_READ(inet, inet_sport));
	event->remote_port = bpf_ntohs(common->skc_dport);
	if (common->skc_family == FAMILY_INET) {
		event->local_high = event->remote_high = 0;
		event->local_low = MAPPED_PREFIX | (u64)common->skc_rcv_saddr << 32;
		event->remote_low = MAPPED_PREFIX | (u64)common->skc_daddr << 32;
		return;
	}
	local = common->skc_v6_rcv_saddr;
	remote = common->skc_v6_daddr;
	__builtin_memcpy(&event->local_high, &local.in6_u.u6_addr32[0], 8);
	__builtin_memcpy(&event->local_low, &local.in6_u.u6_addr32[2], 8);
	__builtin_memcpy(&event->remote_high, &remote.in6_u.u6_addr32[0], 8);
	__builtin_memcpy(&event->remote_low, &remote.in6_u.u6_addr32[2], 8);
	if (!event->remote_high && (u32)event->remote_low == MAPPED_PREFIX)
		event->family = FAMILY_INET; /* an IPv4 connection of a socket that takes both */
}

struct conn_step {
	u16 kind;
	u32 tid;
	u32 flags;
	u32 state; /* of TCP, once the step is made */
	u64 now_ns;
};

static __always_inline void emit_conn(const struct conn_step *step, struct sock *sk,
				      const struct sock_state *state)
{
	struct event_conn *event;
	struct positions at = {};

	if (state->phase == SOCK_OPEN)
		sock_positions(sk, state, &at);
	event = ring_reserve(step->kind, sizeof(*event), step->tid, step->now_ns);
	if (!event)
		return;
	event->in_bytes = at.in;
	event->out_bytes = at.out;
	event->read_bytes = at.read;
	event->conn = state->conn;
	event->tgid = state->tgid;
	event->netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	event->first_in = state->first_in;
	event->first_out = state->first_out;
	event->flags = at.flags | state->flags | step->flags;
	event->backlog = state->phase == SOCK_LISTENING ? sk->sk_ack_backlog : 0;
	event->backlog_max = state->phase == SOCK_LISTENING ? sk->sk_max_ack_backlog : 0;
	event->family = sk->__sk_common.skc_family;
	event->role = state->role;
	event->state = step->state;
	event->error = sk->sk_err;
	event->reserved[0] = event->reserved[1] = 0;
	if (event->family == FAMILY_UNIX)
		fill_unix(event, sk);
	else
		fill_inet(event, sk);
	ring_submit(event);
}

static __always_inline u32 next_conn(void)
{
	return __sync_fetch_and_add(&nr_conns, 1) + 1;
}

/*
 * The sequence numbers of the first byte of each direction, by the counts the kernel keeps. A count
 * and its number change together but not at once, and the lock may be another CPU's: two readings
 * have to agree.
 */
static __always_inline bool read_bases(struct sock_state *state, struct tcp_sock *tp)
{
	u32 syn =
		state->role == CONN_CONNECTED; /* which the count of acknowledged bytes has in it */
	u32 in = 0, out = 0;

#pragma unroll
	for (int i = 0; i < 4; i++) {
		u32 in_again = tp->rcv_nxt - (u32)tp->bytes_received;
		u32 out_again = tp->snd_una - (u32)tp->bytes_acked + syn;

		if (i && in_again == in && out_again == out) {
			state->first_in = in;
			state->first_out = out;
			return true;
		}
		in = in_again;
		out = out_again;
		barrier();
	}
	state->first_in = in;
	state->first_out = out;
	return false;
}

/* @sk of process @tgid is an open connection from here on; says so. */
static __always_inline void conn_begin(struct sock *sk, struct tcp_sock *tp,
				       struct sock_state *state, u32 tgid, u32 role,
				       struct conn_step *step)
{
	if (state->phase != SOCK_CONNECTING)
		state->conn = next_conn();
	state->tgid = tgid;
	state->role = role;
	state->flags = step->flags & SOCK_BEFORE_ATTACH;
	if (!tp)
		state->flags |= SOCK_COUNTED;
	else if (!read_bases(state, tp))
		step->flags |= SOCK_UNSURE;
	state->write_ns = 0;
	state->held = state->fin_sent = 0;
	barrier();
	state->phase = SOCK_OPEN;
	sock_ports[sk->__sk_common.skc_num] = 1; /* 0: Unix sockets */
	emit_conn(step, sk, state);
}

/*
 * A socket that was accepted has its listener's backlog, which one that connected has not. A
 * listener without a backlog leaves the SYN, which is counted as acknowledged where it was sent,
 * and never as a byte sent.
 */
static __always_inline u32 role_seen(struct sock *sk, struct tcp_sock *tp)
{
	bool fin_sent = state_is_of(sk->__sk_common.skc_state, STATES_FIN_SENT);
	u32 acknowledged, sent;

	if (!tp)
		return CONN_UNKNOWN;
	if (sk->sk_max_ack_backlog)
		return CONN_ACCEPTED;
	acknowledged = tp->snd_una - (u32)tp->bytes_acked;
	sent = tp->snd_nxt - fin_sent - (u32)(tp->bytes_sent - tp->bytes_retrans);
	return sent == acknowledged ? CONN_ACCEPTED : CONN_CONNECTED;
}

#define STATES_OPEN                                                                                \
	(1 << STATE_ESTABLISHED | 1 << STATE_FIN_WAIT1 | 1 << STATE_FIN_WAIT2 |                    \
	 1 << STATE_CLOSE_WAIT | 1 << STATE_LAST_ACK | 1 << STATE_CLOSING)

/* A stream socket whose begin no probe saw: older than they are, from another process, or Unix. */
static __noinline struct sock_state *conn_seen(struct sock *sk, u32 tgid, u64 now_ns)
{
	struct conn_step step = {.kind = EVENT_CONN_OPEN, .now_ns = now_ns};
	struct tcp_sock *tp = (void *)bpf_skc_to_tcp_sock(sk);
	struct sock_state *state;

	if (!tp && !(sk->__sk_common.skc_family == FAMILY_UNIX && sk->sk_type == TYPE_STREAM))
		return NULL;
	step.state = sk->__sk_common.skc_state;
	if (!state_is_of(step.state, STATES_OPEN))
		return NULL;
	state = sock_state_make(sk);
	if (!state)
		return NULL;
	if (tp || !sockets_seen) /* of TCP every begin is seen */
		step.flags = SOCK_BEFORE_ATTACH;
	conn_begin(sk, tp, state, tgid, role_seen(sk, tp), &step);
	return state;
}

/* The connection that a thread of process @tgid has just used; NULL: none of those recorded. */
static __always_inline struct sock_state *conn_of(struct sock *sk, u32 tgid, u64 now_ns)
{
	struct sock_state *state = sock_state_get(sk);

	if (state && state->phase == SOCK_OPEN)
		return state;
	return conn_seen(sk, tgid, now_ns);
}

#endif
