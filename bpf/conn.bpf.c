/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* Connections of the targets, and the sockets they listen on: those that were there before us, and
 * how others come and go. */
#include "vmlinux.h"

#include "bpf/conn.bpf.h"

#define OWNERS_MAX 131072 /* of sockets open at once, all targets together */
#define E2BIG	   7	  /* of the kernel: the map is full */

struct sock_owner {
	u32 tgid;
	u16 port; /* of the other end, to know a socket again */
	u16 reserved;
};

/* By address of the socket: who has it open, between the two walks of a snapshot. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, OWNERS_MAX);
	__type(key, struct sock *);
	__type(value, struct sock_owner);
} sock_owners SEC(".maps");

/* @sk begins to listen or to connect, in the context of its owner. Which port a connection leaves
 * from is not chosen yet. */
static __always_inline void begin(struct sock *sk, u32 new, u64 id)
{
	struct conn_step step = {.kind = EVENT_CONN_LISTEN, .tid = id, .state = new};
	struct sock_state *state = sock_state_make(sk);

	if (!state)
		return;
	count_hit(PROGRAM_SOCK_STATE);
	state->tgid = id >> 32;
	state->conn = next_conn();
	state->flags = 0;
	state->first_in = state->first_out = 0;
	if (new == STATE_SYN_SENT) {
		state->role = CONN_CONNECTED;
		state->phase = SOCK_CONNECTING;
		return;
	}
	state->role = CONN_LISTENER;
	state->phase = SOCK_LISTENING;
	step.now_ns = bpf_ktime_get_ns();
	emit_conn(&step, sk, state);
}

/* The handshake is over, in anybody's context. */
static __always_inline void establish(struct sock *sk, struct tcp_sock *tp,
				      struct sock_state *state)
{
	struct conn_step step = {.kind = EVENT_CONN_OPEN, .state = STATE_ESTABLISHED};

	if (state->phase != SOCK_LISTENING && state->phase != SOCK_CONNECTING)
		return;
	count_hit(PROGRAM_SOCK_STATE);
	step.now_ns = bpf_ktime_get_ns();
	conn_begin(sk, tp, state, state->tgid,
		   state->phase == SOCK_LISTENING ? CONN_ACCEPTED : CONN_CONNECTED, &step);
}

#define STATES_ENDED_WELL (1 << STATE_FIN_WAIT2 | 1 << STATE_CLOSING | 1 << STATE_LAST_ACK)

/* @sk stops: a listener, an attempt to connect, or a connection, whose socket may live on. */
static __always_inline void stop(struct sock *sk, struct sock_state *state, u32 old)
{
	struct conn_step step = {.state = STATE_CLOSE};

	count_hit(PROGRAM_SOCK_STATE);
	if (state->phase == SOCK_OPEN) {
		state->fin_sent = state_is_of(old, STATES_FIN_SENT);
		if (sk->sk_err || !state_is_of(old, STATES_ENDED_WELL))
			state->flags |= SOCK_RESET;
		return;
	}
	if (state->phase == SOCK_LISTENING && old == STATE_LISTEN)
		step.kind = EVENT_CONN_CLOSE;
	else if (state->phase == SOCK_CONNECTING)
		step.kind = EVENT_CONN_REFUSED;
	if (step.kind) {
		step.now_ns = bpf_ktime_get_ns();
		emit_conn(&step, sk, state);
	}
	state->phase = SOCK_NEW;
}

SEC("?tp_btf/inet_sock_set_state")
int BPF_PROG(on_sock_state, struct sock *sk, int old, int new)
{
	struct tcp_sock *tp = (void *)bpf_skc_to_tcp_sock(sk);
	u64 id = bpf_get_current_pid_tgid();
	struct sock_state *state;

	count_run(PROGRAM_SOCK_STATE);
	if (!tp)
		return 0;
	if (new == STATE_LISTEN || new == STATE_SYN_SENT) {
		if (is_target(id >> 32))
			begin(sk, new, id);
		return 0;
	}
	if (new != STATE_ESTABLISHED &&new != STATE_CLOSE)
		return 0;
	state = sock_state_get(sk);
	if (state && new == STATE_ESTABLISHED)
		establish(sk, tp, state);
	else if (state)
		stop(sk, state, old);
	return 0;
}

SEC("?tp_btf/tcp_destroy_sock")
int BPF_PROG(on_sock_destroy, struct sock *sk)
{
	struct conn_step step = {.kind = EVENT_CONN_CLOSE, .state = STATE_CLOSE};
	struct sock_state *state;

	count_run(PROGRAM_SOCK_DESTROY);
	state = sock_state_get(sk);
	if (!state || state->phase != SOCK_OPEN)
		return 0;
	count_hit(PROGRAM_SOCK_DESTROY);
	step.now_ns = bpf_ktime_get_ns();
	emit_conn(&step, sk, state);
	state->phase = SOCK_NEW;
	return 0;
}

/* Also told with what is no whole socket, which has no storage that could be looked at, and with
 * none. */
SEC("?tp_btf/tcp_send_reset")
int BPF_PROG(on_sock_reset, struct sock *sk)
{
	struct conn_step step = {.kind = EVENT_CONN_REFUSED, .flags = SOCK_RESET};
	struct sock_state *state;

	count_run(PROGRAM_SOCK_RESET);
	if (!sk)
		return 0;
	step.state = sk->__sk_common.skc_state;
	if (step.state == STATE_TIME_WAIT || step.state == STATE_NEW_SYN_RECV)
		return 0;
	state = sock_state_get(sk);
	if (!state || state->phase == SOCK_NEW)
		return 0;
	count_hit(PROGRAM_SOCK_RESET);
	step.now_ns = bpf_ktime_get_ns();
	emit_conn(&step, sk, state);
	return 0;
}

static __always_inline void see_listener(struct sock *sk, u32 tgid)
{
	struct conn_step step = {.kind = EVENT_CONN_LISTEN, .state = STATE_LISTEN};
	struct sock_state *state = sock_state_make(sk);

	if (!state)
		return;
	step.now_ns = bpf_ktime_get_ns();
	if (state->phase == SOCK_LISTENING) {
		step.flags = SOCK_SNAPSHOT;
	} else {
		state->tgid = tgid;
		state->role = CONN_LISTENER;
		state->flags = sockets_seen ? 0 : SOCK_BEFORE_ATTACH;
		state->conn = next_conn();
		barrier();
		state->phase = SOCK_LISTENING;
	}
	emit_conn(&step, sk, state);
}

static __always_inline void see_connecting(struct sock *sk, u32 tgid)
{
	struct sock_state *state = sock_state_make(sk);

	if (!state || state->phase != SOCK_NEW)
		return;
	state->tgid = tgid;
	state->role = CONN_CONNECTED;
	state->conn = next_conn();
	barrier();
	state->phase = SOCK_CONNECTING;
}

static __always_inline void see_conn(struct sock *sk, u32 tgid)
{
	struct conn_step step = {.kind = EVENT_CONN_OPEN, .flags = SOCK_SNAPSHOT};
	struct sock_state *state = sock_state_get(sk);

	step.now_ns = bpf_ktime_get_ns();
	step.state = sk->__sk_common.skc_state;
	if (state && state->phase == SOCK_OPEN)
		emit_conn(&step, sk, state);
	else
		conn_seen(sk, tgid, step.now_ns);
}

/*
 * One look at every socket that the targets have open, in two walks: the first one makes those
 * known that were there before us. Who has a socket open is seen by walking files, but the pointer
 * found that way may only be read through, not be given to helpers (the verifier since 6.18.44);
 * the second walk, over the sockets of a network namespace, has pointers that may.
 */
static __always_inline bool is_stream(struct sock *sk)
{
	u16 family = sk->__sk_common.skc_family;

	if (family == FAMILY_UNIX)
		return sk->sk_type == TYPE_STREAM;
	return (family == FAMILY_INET || family == FAMILY_INET6) && sk->sk_type == TYPE_STREAM;
}

SEC("?iter/task_file")
int sock_snapshot(struct bpf_iter__task_file *context)
{
	struct task_struct *task = context->task;
	struct file *file = context->file;
	struct sock_owner owner = {};
	struct socket *socket;
	struct sock *sk;

	if (!task || !file || !is_target(task->tgid))
		return 0;
	count_run(PROGRAM_SOCK_SNAPSHOT);
	socket = (void *)bpf_sock_from_file(file);
	sk = socket ? socket->sk : NULL;
	if (!sk || !is_stream(sk))
		return 0;
	count_hit(PROGRAM_SOCK_SNAPSHOT);
	owner.tgid = task->tgid;
	owner.port = sk->__sk_common.skc_dport;
	if (bpf_map_update_elem(&sock_owners, &sk, &owner, BPF_NOEXIST) == -E2BIG)
		__sync_fetch_and_add(&lost_no_storage, 1);
	return 0;
}

/* Whose @sk is, once; 0: nobody's that is a target. */
static __always_inline u32 take_owner(struct sock_common *sk)
{
	struct sock_owner *owner = bpf_map_lookup_elem(&sock_owners, &sk);
	u32 tgid;

	if (!owner || owner->port != sk->skc_dport) /* closed since, its memory another's now */
		return 0;
	tgid = owner->tgid;
	bpf_map_delete_elem(&sock_owners, &sk);
	return tgid;
}

SEC("?iter/tcp")
int sock_snapshot_tcp(struct bpf_iter__tcp *context)
{
	struct sock_common *common = context->sk_common;
	struct sock *sk;
	u32 tgid, state;

	if (!common)
		return 0;
	count_run(PROGRAM_SOCK_SNAPSHOT_TCP);
	tgid = take_owner(common);
	sk = tgid ? (void *)bpf_skc_to_tcp_sock(common) : NULL;
	if (!sk)
		return 0;
	count_hit(PROGRAM_SOCK_SNAPSHOT_TCP);
	state = common->skc_state;
	if (state_is_of(state, STATES_OPEN))
		see_conn(sk, tgid);
	else if (state == STATE_LISTEN)
		see_listener(sk, tgid);
	else if (state == STATE_SYN_SENT)
		see_connecting(sk, tgid);
	return 0;
}

SEC("?iter/unix")
int sock_snapshot_unix(struct bpf_iter__unix *context)
{
	struct sock *sk = (void *)context->unix_sk;
	u32 tgid;

	if (!sk)
		return 0;
	count_run(PROGRAM_SOCK_SNAPSHOT_UNIX);
	tgid = take_owner((void *)sk);
	if (!tgid)
		return 0;
	count_hit(PROGRAM_SOCK_SNAPSHOT_UNIX);
	see_conn(sk, tgid);
	return 0;
}
