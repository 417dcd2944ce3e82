/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What is remembered of each stream socket of a target, in its socket storage, and what follows
 * from it: positions, and records of whole connections. A socket without storage is nobody's. A
 * connection that is accepted inherits the storage of its listener, so it is known whose it is
 * before anybody has seen it; one that is connected is marked by who connects it.
 */
#ifndef STANDSTILL_SOCK_BPF_H
#define STANDSTILL_SOCK_BPF_H

#include "bpf/compat.bpf.h"

enum sock_phase {
	SOCK_NEW,	 /* nothing was said of it yet */
	SOCK_LISTENING,	 /* a listener, or the copy of one in a connection not yet open */
	SOCK_CONNECTING, /* a SYN was sent */
	SOCK_OPEN,	 /* EVENT_CONN_OPEN was said of it */
};

struct sock_state {
	u64 write_ns; /* when the first write since the last EVENT_SOCK_WRITE began; 0: none */
	u64 counted_read, counted_out; /* of a Unix socket, by what its calls returned */
	u32 conn;
	u32 tgid;
	u32 first_in, first_out; /* sequence numbers of the first byte of each direction */
	u16 flags;		 /* enum sock_flag that holds for the whole connection */
	u8 phase;		 /* enum sock_phase */
	u8 role;		 /* enum conn_role */
	u8 held;		 /* bytes were written that were not transmitted at once */
	u8 fin_sent;		 /* of a closed one: write_seq counts a FIN */
};

struct sock_map {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, struct sock_state);
};

extern struct sock_map socks SEC(".maps");

/*
 * By local port: 1 when a socket of a target has, or had, it. The first test of what the network
 * does, in whose name it runs being nobody's business. A port stays set when its connection ends:
 * one that the kernel hands to a stranger later costs him a look at his storage.
 */
extern __u8 sock_ports[PORTS_MAX];
extern __u32 nr_conns;	   /* so far */
extern __u32 nr_held;	   /* writes so far that left something behind */
extern __u32 sockets_seen; /* user space: the sockets that were there before us have been seen */

#define FAMILY_UNIX	 1
#define FAMILY_INET	 2
#define FAMILY_INET6	 10
#define TYPE_STREAM	 1
#define KERNEL_SOCK_DONE (1ul << 1) /* enum sock_flags SOCK_DONE: a FIN was received */
#define MAPPED_PREFIX	 ((u64)bpf_htonl(0xffff)) /* ::ffff:a.b.c.d, the low half's first word */

enum {
	STATE_ESTABLISHED = 1,
	STATE_SYN_SENT,
	STATE_SYN_RECV,
	STATE_FIN_WAIT1,
	STATE_FIN_WAIT2,
	STATE_TIME_WAIT,
	STATE_CLOSE,
	STATE_CLOSE_WAIT,
	STATE_LAST_ACK,
	STATE_LISTEN,
	STATE_CLOSING,
	STATE_NEW_SYN_RECV,
};

#define STATES_FIN_SENT                                                                            \
	(1 << STATE_FIN_WAIT1 | 1 << STATE_FIN_WAIT2 | 1 << STATE_LAST_ACK | 1 << STATE_CLOSING)

static __always_inline bool state_is_of(u32 state, u32 states)
{
	return (1u << (state & 31)) & states;
}

static __always_inline struct sock_state *sock_state_get(struct sock *sk)
{
	return bpf_sk_storage_get(&socks, sk, 0, 0);
}

/* The state of @sk, made when it has none yet; NULL when that fails, which is counted. */
static __always_inline struct sock_state *sock_state_make(struct sock *sk)
{
	struct sock_state *state = bpf_sk_storage_get(&socks, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);

	if (!state)
		__sync_fetch_and_add(&lost_no_storage, 1);
	return state;
}

struct positions {
	u64 in, read, out;
	u32 unsent;
	u32 flags; /* enum sock_flag */
};

/*
 * Where each direction of a TCP connection is. Nobody's lock is held in half of the hooks, so no
 * two members that change together are combined: each sequence number is extended by a count of 64
 * bits that is never more than 4 GiB away from it, and read in the order that keeps the difference
 * positive. A FIN takes a number in both directions, and is not a byte.
 */
static __always_inline void tcp_positions(struct sock *sk, struct tcp_sock *tp,
					  const struct sock_state *state, struct positions *ret)
{
	u32 tcp_state = sk->__sk_common.skc_state;
	bool peer_done = sk->__sk_common.skc_flags & KERNEL_SOCK_DONE;
	bool fin_sent = tcp_state == STATE_CLOSE ? state->fin_sent
						 : state_is_of(tcp_state, STATES_FIN_SENT);
	u32 read_seq = tp->copied_seq, sent_seq = tp->snd_nxt, write_seq;
	u64 received, acked = tp->bytes_acked - (state->role == CONN_CONNECTED);

	barrier();
	received = tp->bytes_received;
	write_seq = tp->write_seq;
	ret->in = received - peer_done;
	ret->read = received - (u32)((u32)received - (read_seq - state->first_in));
	if (ret->read > ret->in)
		ret->read = ret->in; /* the reader has taken the FIN, too */
	ret->out = acked + (u32)(write_seq - state->first_out - (u32)acked) - fin_sent;
	ret->unsent = write_seq - sent_seq;
	ret->flags = state->flags | (peer_done ? SOCK_PEER_DONE : 0);
}

static __always_inline void unix_positions(struct sock *sk, const struct sock_state *state,
					   struct positions *ret)
{
	struct unix_sock *unix_sk = (void *)bpf_skc_to_unix_sock(sk);
	s64 queued = unix_sk ? unix_queued(unix_sk) : 0;

	ret->read = state->counted_read;
	ret->in = state->counted_read + (queued > 0 ? queued : 0);
	ret->out = state->counted_out;
	ret->unsent = 0;
	ret->flags = state->flags | SOCK_COUNTED;
}

static __always_inline void sock_positions(struct sock *sk, const struct sock_state *state,
					   struct positions *ret)
{
	struct tcp_sock *tp = (void *)bpf_skc_to_tcp_sock(sk);

	if (tp)
		tcp_positions(sk, tp, state, ret);
	else
		unix_positions(sk, state, ret);
}

#endif
