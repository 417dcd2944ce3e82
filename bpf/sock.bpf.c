/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The life of requests at the sockets of the targets: bytes arrive, are read, are answered; and
 * what holds an answer back. Hooks of the whole machine's traffic: strangers are told by their
 * process where there is one, else by a table of ports.
 */
#include "vmlinux.h"

#include "bpf/conn.bpf.h"

#define FLAG_PEEK	 2
#define FLAG_ERROR_QUEUE 0x2000

struct step {
	u16 kind;
	u32 tid, tgid;
	u32 bytes;
	u64 took_ns, now_ns;
	u32 flags, window;
};

static __always_inline void emit_step(const struct step *step, const struct sock_state *state,
				      const struct positions *at)
{
	struct event_sock *event =
		ring_reserve(step->kind, sizeof(*event), step->tid, step->now_ns);

	if (!event)
		return;
	event->in_bytes = step->kind == EVENT_SOCK_READ ? at->read : at->in;
	event->out_bytes = at->out;
	event->took_ns = step->took_ns;
	event->conn = state->conn;
	event->tgid = step->tgid;
	event->bytes = step->bytes;
	event->unsent = at->unsent;
	event->flags = at->flags | step->flags;
	event->window = step->window;
	ring_submit(event);
}

/* The state of @sk when its port is a target's, it is the target's, and open. */
static __always_inline struct sock_state *state_by_port(struct sock *sk)
{
	struct sock_state *state;

	if (!sock_ports[sk->__sk_common.skc_num])
		return NULL;
	state = sock_state_get(sk);
	return state && state->phase == SOCK_OPEN ? state : NULL;
}

/* Once a segment was queued, in the context of whoever was interrupted, or of the peer. */
SEC("?tp_btf/sk_data_ready")
int BPF_PROG(on_sock_arrive, struct sock *sk)
{
	struct sock_state *state;
	struct positions at;
	struct step step = {.kind = EVENT_SOCK_ARRIVE};

	count_run(PROGRAM_SOCK_ARRIVE);
	state = state_by_port(sk);
	if (!state)
		return 0;
	count_hit(PROGRAM_SOCK_ARRIVE);
	step.now_ns = bpf_ktime_get_ns();
	step.tgid = state->tgid;
	sock_positions(sk, state, &at);
	if (sk->sk_lock.owned && !(at.flags & SOCK_COUNTED))
		step.flags = SOCK_LOCKED;
	emit_step(&step, state, &at);
	return 0;
}

/* After the socket's lock was dropped, in the reader's context. */
SEC("?tp_btf/sock_recv_length")
int BPF_PROG(on_sock_read, struct sock *sk, int ret, int flags)
{
	u64 id = bpf_get_current_pid_tgid();
	struct step step = {.kind = EVENT_SOCK_READ, .tid = id, .tgid = id >> 32, .bytes = ret};
	struct sock_state *state;
	struct positions at;

	count_run(PROGRAM_SOCK_READ);
	if (!is_target(step.tgid) || ret <= 0 || flags & (FLAG_PEEK | FLAG_ERROR_QUEUE))
		return 0;
	count_hit(PROGRAM_SOCK_READ);
	step.now_ns = bpf_ktime_get_ns();
	state = conn_of(sk, step.tgid, step.now_ns);
	if (!state)
		return 0;
	if (state->flags & SOCK_COUNTED)
		__sync_fetch_and_add(&state->counted_read, ret);
	sock_positions(sk, state, &at);
	emit_step(&step, state, &at);
	return 0;
}

/* The same of the writer. On loopback the peer may have answered by now. */
SEC("?tp_btf/sock_send_length")
int BPF_PROG(on_sock_write, struct sock *sk, int ret, int flags)
{
	u64 id = bpf_get_current_pid_tgid();
	struct step step = {.kind = EVENT_SOCK_WRITE, .tid = id, .tgid = id >> 32, .bytes = ret};
	struct sock_state *state;
	struct positions at;

	count_run(PROGRAM_SOCK_WRITE);
	if (!is_target(step.tgid) || ret <= 0)
		return 0;
	count_hit(PROGRAM_SOCK_WRITE);
	step.now_ns = bpf_ktime_get_ns();
	state = conn_of(sk, step.tgid, step.now_ns);
	if (!state)
		return 0;
	if (state->flags & SOCK_COUNTED)
		__sync_fetch_and_add(&state->counted_out, ret);
	if (state->write_ns) {
		step.took_ns = step.now_ns - state->write_ns;
		step.flags = SOCK_START_SEEN;
		state->write_ns = 0;
	}
	sock_positions(sk, state, &at);
	state->held = at.unsent > 0;
	if (state->held)
		__sync_fetch_and_add(&nr_held, 1);
	emit_step(&step, state, &at);
	return 0;
}

/* Before anything of a write is copied, once for each of its segments. */
SEC("?tp_btf/tcp_sendmsg_locked")
int BPF_PROG(on_sock_write_begin, struct sock *sk)
{
	struct sock_state *state;

	count_run(PROGRAM_SOCK_WRITE_BEGIN);
	if (!is_target(bpf_get_current_pid_tgid() >> 32))
		return 0;
	count_hit(PROGRAM_SOCK_WRITE_BEGIN);
	state = sock_state_get(sk);
	if (state && !state->write_ns)
		state->write_ns = bpf_ktime_get_ns();
	return 0;
}

/* Bytes the peer's window has room for, beyond those on their way to it. */
static __always_inline u32 window_left(struct sock *sk)
{
	struct tcp_sock *tp = (void *)bpf_skc_to_tcp_sock(sk);
	s32 left = tp ? (s32)(tp->snd_una + tp->snd_wnd - tp->snd_nxt) : 0;

	return left > 0 ? left : 0; /* a window can shrink below what was sent */
}

/*
 * A segment is about to be handled: what is held back now may leave with it. A hook on every
 * segment of the machine, so user space attaches it only once something was held back.
 */
SEC("?tp_btf/tcp_probe")
int BPF_PROG(on_sock_segment, struct sock *sk)
{
	struct step step = {.kind = EVENT_SOCK_ACK};
	struct sock_state *state;
	struct positions at;

	count_run(PROGRAM_SOCK_SEGMENT);
	state = state_by_port(sk);
	if (!state || !state->held)
		return 0;
	count_hit(PROGRAM_SOCK_SEGMENT);
	sock_positions(sk, state, &at);
	if (!at.unsent) {
		state->held = 0;
		return 0;
	}
	step.now_ns = bpf_ktime_get_ns();
	step.tgid = state->tgid;
	step.window = window_left(sk);
	emit_step(&step, state, &at);
	return 0;
}

SEC("?tp_btf/tcp_retransmit_skb")
int BPF_PROG(on_sock_retransmit, struct sock *sk, struct sk_buff *skb)
{
	struct step step = {.kind = EVENT_SOCK_RETRANSMIT};
	struct sock_state *state;
	struct positions at;

	count_run(PROGRAM_SOCK_RETRANSMIT);
	state = state_by_port(sk);
	if (!state)
		return 0;
	count_hit(PROGRAM_SOCK_RETRANSMIT);
	step.now_ns = bpf_ktime_get_ns();
	step.tgid = state->tgid;
	step.bytes = skb->len;
	sock_positions(sk, state, &at);
	emit_step(&step, state, &at);
	return 0;
}
