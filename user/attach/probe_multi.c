/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uprobes by the dozen: one link for all places of a program, where the kernel has such links (6.6:
 * 89ae89f53d20) and their filter means the process and not one of its threads (6.10: 46ba0e49b642).
 * libbpf 1.1 knows nothing of them, nor do the headers of kernels that old.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/attach/jvm.h"
#include "user/attach/probe_internal.h"
#include "user/base/cleanup.h"

#define TRACE_UPROBE_MULTI 48 /* of enum bpf_attach_type */

/* The part of union bpf_attr that BPF_LINK_CREATE reads. */
struct multi_attr {
	__u32 prog_fd;
	__u32 target_fd;
	__u32 attach_type;
	__u32 link_flags;
	__aligned_u64 path;
	__aligned_u64 offsets;
	__aligned_u64 ref_ctr_offsets;
	__aligned_u64 cookies;
	__u32 cnt;
	__u32 flags;
	__u32 pid; /* of a process, 0: any */
	__u32 unused;
};
_Static_assert(sizeof(struct multi_attr) == 64, "kernel ABI");

/* A descriptor of the link, or -errno. */
static int create_link(int program, uint32_t pid, const char *path,
		       const struct probe_places *places)
{
	struct multi_attr attr = {
		.prog_fd = (__u32)program,
		.attach_type = TRACE_UPROBE_MULTI,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)places->offsets,
		.cookies = (uintptr_t)places->cookies,
		.cnt = (__u32)places->nr,
		.pid = pid,
	};
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/* Told by what the kernel says to places in a folder: it looks at the filter before the path, if it
 * takes it for a process. */
bool probe_multi_works(void)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	static const struct probe_places one = {.nr = 1};
	LIBBPF_OPTS(bpf_prog_load_opts, options,
		    .expected_attach_type = (enum bpf_attach_type)TRACE_UPROBE_MULTI);
	int program CLEANUP(closep) = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "standstill", "GPL",
						    nothing, ARRAY_SIZE(nothing), &options);

	return program >= 0 && create_link(program, 0, "/", &one) == -EBADF &&
	       create_link(program, UINT32_MAX, "/", &one) == -EINVAL;
}

void probe_multi_expect(struct bpf_program *program)
{
	bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)TRACE_UPROBE_MULTI);
}

int probe_multi_attach(struct probes *p, const struct bpf_program *program, const struct jvm *jvm,
		       const struct probe_places *places)
{
	int fd;

	if (p->nr_multis == ARRAY_SIZE(p->multis))
		return -ENOSPC;
	fd = create_link(bpf_program__fd(program), jvm->tgid, jvm->libjvm_file, places);
	if (fd < 0)
		return fd;
	p->multis[p->nr_multis++] = fd;
	return 0;
}

static void *close_one(void *arg)
{
	close(*(int *)arg);
	return NULL;
}

/* To close a link is to wait until no CPU can be in its program: all are waited for at once. */
void probe_multi_detach(struct probes *p)
{
	pthread_t threads[ARRAY_SIZE(p->multis)];
	bool begun[ARRAY_SIZE(p->multis)];

	for (size_t i = 0; i < p->nr_multis; i++) {
		begun[i] = !pthread_create(&threads[i], NULL, close_one, &p->multis[i]);
		if (!begun[i])
			close_one(&p->multis[i]);
	}
	for (size_t i = 0; i < p->nr_multis; i++)
		if (begun[i])
			pthread_join(threads[i], NULL);
	p->nr_multis = 0;
}
