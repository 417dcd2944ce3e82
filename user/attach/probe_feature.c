/* SPDX-License-Identifier: BSD-2-Clause */
/* Which probes this kernel can have: a row each. What is there is found in its BTF, never by its
 * version. */
#include <bpf/btf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/probe_internal.h"
#include "user/base/cleanup.h"

/* Getting into a program and back, as measured by `make bench` on one machine: an assumption
 * anywhere else. */
#define DISPATCH_TP_BTF_NS     75
#define DISPATCH_TRACEPOINT_NS 122
#define DISPATCH_UPROBE_NS     585
#define DISPATCH_MULTI_NS      468

struct feature {
	enum program program;
	const char *tracepoint;	   /* NULL: no kernel tracepoint, probe_pause.c attaches it */
	unsigned int nr_arguments; /* that it must have at least */
	bool required;
	const char *loss; /* of one that is not required */
};

static const struct feature features[] = {
	{PROGRAM_SWITCH, "sched_switch", 4, true, NULL},
	{PROGRAM_WAKING, "sched_waking", 1, true, NULL},
	{PROGRAM_NEWTASK, "task_newtask", 1, false, "the first wait of new threads"},
	{PROGRAM_EXIT, "sched_process_exit", 1, false, "when threads end"},
	{PROGRAM_RENAME, "task_rename", 2, false, "new names of threads"},
	{PROGRAM_EXEC, "sched_process_exec", 2, false, "that a target becomes another program"},
	{PROGRAM_SOCK_ARRIVE, "sk_data_ready", 1, false,
	 "sockets: when requests arrive; Linux 6.3 has it"},
	{PROGRAM_SOCK_READ, "sock_recv_length", 3, false,
	 "sockets: when requests are read; Linux 6.3 has it"},
	{PROGRAM_SOCK_WRITE, "sock_send_length", 3, false,
	 "sockets: when answers are written; Linux 6.3 has it"},
	{PROGRAM_SOCK_WRITE_BEGIN, "tcp_sendmsg_locked", 1, false,
	 "how long writes to sockets take"},
	{PROGRAM_SOCK_SEGMENT, "tcp_probe", 1, false, "what ends it when answers are held back"},
	{PROGRAM_SOCK_RETRANSMIT, "tcp_retransmit_skb", 2, false, "segments sent once more"},
	{PROGRAM_SOCK_STATE, "inet_sock_set_state", 3, false, "sockets: new connections"},
	{PROGRAM_SOCK_DESTROY, "tcp_destroy_sock", 1, false, "when connections are gone"},
	{PROGRAM_SOCK_RESET, "tcp_send_reset", 1, false, "resets that are sent"},
};

/* How many arguments tracepoint @name has in @btf; 0: it is not there. */
static unsigned int nr_arguments(const struct btf *btf, const char *name)
{
	const struct btf_type *type;
	char full[64];
	int id;

	snprintf(full, sizeof(full), "btf_trace_%s", name);
	id = btf__find_by_name_kind(btf, full, BTF_KIND_TYPEDEF);
	if (id < 0)
		return 0;
	type = btf__type_by_id(
		btf, btf__type_by_id(btf, (__u32)id)->type);   /* typedef of a pointer ... */
	type = type ? btf__type_by_id(btf, type->type) : NULL; /* ... to a function */
	if (!type || !btf_is_func_proto(type) || btf_vlen(type) == 0)
		return 0;
	return btf_vlen(type) - 1U; /* the first is the hidden context */
}

static void btf_freep(struct btf **btf)
{
	btf__free(*btf);
}

void probe_features_choose_all(struct probes *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		bpf_program__set_autoload(probe_program(p, features[i].program), true);
	bpf_program__set_autoload(p->skel->progs.snapshot, true);
}

int probe_features_choose(struct probes *p, struct probe_problem *problem)
{
	struct btf *btf CLEANUP(btf_freep) = btf__load_vmlinux_btf();

	if (!btf)
		return probe_fail(problem, -EOPNOTSUPP,
				  "this kernel has no type information in /sys/kernel/btf/vmlinux; "
				  "it must be "
				  "5.8 or later, built with CONFIG_DEBUG_INFO_BTF");
	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		const struct feature *f = &features[i];

		if (f->program >= PROGRAM_SOCK_ARRIVE && !p->sockets)
			continue;
		if (nr_arguments(btf, f->tracepoint) >= f->nr_arguments)
			bpf_program__set_autoload(probe_program(p, f->program), true);
		else if (f->required)
			return probe_fail(problem, -EOPNOTSUPP,
					  "this kernel's tracepoint %s is missing or too old (%u "
					  "arguments are "
					  "needed); Linux 5.18 or later has it",
					  f->tracepoint, f->nr_arguments);
		else
			probe_note_missing(p, f->tracepoint, f->loss);
	}
	bpf_program__set_autoload(p->skel->progs.snapshot, true);
	return 0;
}

int probe_features_attach(struct probes *p, struct probe_problem *problem)
{
	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		struct bpf_program *program = probe_program(p, features[i].program);
		int error;

		if (!bpf_program__autoload(program) || features[i].program == PROGRAM_SOCK_SEGMENT)
			continue; /* that one comes when it is needed */
		error = probe_keep_link(p, bpf_program__attach_trace(program));
		if (error)
			return probe_explain_refusal(problem, error,
						     "attach to a kernel tracepoint");
	}
	return 0;
}

#define AT(member) offsetof(struct standstill_bpf, progs.member)

static const struct {
	const char *name;
	size_t at; /* of its pointer in the skeleton */
} programs[NR_PROGRAMS] = {
	[PROGRAM_SWITCH] = {"sched_switch", AT(on_sched_switch)},
	[PROGRAM_WAKING] = {"sched_waking", AT(on_sched_waking)},
	[PROGRAM_NEWTASK] = {"task_newtask", AT(on_task_newtask)},
	[PROGRAM_EXIT] = {"sched_process_exit", AT(on_sched_process_exit)},
	[PROGRAM_RENAME] = {"task_rename", AT(on_task_rename)},
	[PROGRAM_EXEC] = {"sched_process_exec", AT(on_sched_process_exec)},
	[PROGRAM_FUTEX] = {"sys_exit_futex", AT(on_futex_exit)},
	[PROGRAM_SAFEPOINT_BEGIN] = {"safepoint__begin", AT(on_safepoint_begin)},
	[PROGRAM_SAFEPOINT_END] = {"safepoint__end", AT(on_safepoint_end)},
	[PROGRAM_VMOP_REQUEST] = {"vmops__request", AT(on_vmop_request)},
	[PROGRAM_VMOP_BEGIN] = {"vmops__begin", AT(on_vmop_begin)},
	[PROGRAM_VMOP_END] = {"vmops__end", AT(on_vmop_end)},
	[PROGRAM_GC_BEGIN] = {"gc__begin", AT(on_gc_begin)},
	[PROGRAM_GC_END] = {"gc__end", AT(on_gc_end)},
	[PROGRAM_THREAD_START] = {"thread__start", AT(on_thread_start)},
	[PROGRAM_THREAD_STOP] = {"thread__stop", AT(on_thread_stop)},
	[PROGRAM_SNAPSHOT] = {"snapshot", AT(snapshot)},
	[PROGRAM_SOCK_ARRIVE] = {"sk_data_ready", AT(on_sock_arrive)},
	[PROGRAM_SOCK_READ] = {"sock_recv_length", AT(on_sock_read)},
	[PROGRAM_SOCK_WRITE] = {"sock_send_length", AT(on_sock_write)},
	[PROGRAM_SOCK_WRITE_BEGIN] = {"tcp_sendmsg_locked", AT(on_sock_write_begin)},
	[PROGRAM_SOCK_SEGMENT] = {"tcp_probe", AT(on_sock_segment)},
	[PROGRAM_SOCK_RETRANSMIT] = {"tcp_retransmit_skb", AT(on_sock_retransmit)},
	[PROGRAM_SOCK_STATE] = {"inet_sock_set_state", AT(on_sock_state)},
	[PROGRAM_SOCK_DESTROY] = {"tcp_destroy_sock", AT(on_sock_destroy)},
	[PROGRAM_SOCK_RESET] = {"tcp_send_reset", AT(on_sock_reset)},
	[PROGRAM_SOCK_SNAPSHOT] = {"sockets", AT(sock_snapshot)},
	[PROGRAM_SOCK_SNAPSHOT_TCP] = {"sockets_tcp", AT(sock_snapshot_tcp)},
	[PROGRAM_SOCK_SNAPSHOT_UNIX] = {"sockets_unix", AT(sock_snapshot_unix)},
};

struct bpf_program *probe_program(const struct probes *p, enum program program)
{
	return *(struct bpf_program **)((char *)p->skel + programs[program].at);
}

const char *probe_program_name(enum program program)
{
	return programs[program].name;
}

uint64_t probe_dispatch_ns(const struct probes *p, enum program program)
{
	if (program == PROGRAM_FUTEX)
		return DISPATCH_TRACEPOINT_NS;
	if (program >= PROGRAM_SAFEPOINT_BEGIN && program <= PROGRAM_THREAD_STOP)
		return p->multi ? DISPATCH_MULTI_NS : DISPATCH_UPROBE_NS;
	return program == PROGRAM_SNAPSHOT || program >= PROGRAM_SOCK_SNAPSHOT ? 0
									       : DISPATCH_TP_BTF_NS;
}
