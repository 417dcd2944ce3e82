/* SPDX-License-Identifier: BSD-2-Clause */
/* The probes at the targets' sockets: all of those without which nothing can be said of a request,
 * or none. */
#include <errno.h>

#include "user/attach/probe_internal.h"
#include "user/base/cleanup.h"

static const enum program needed[] = {PROGRAM_SOCK_ARRIVE, PROGRAM_SOCK_READ, PROGRAM_SOCK_WRITE,
				      PROGRAM_SOCK_STATE};

static bool has_needed(const struct probes *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!bpf_program__autoload(probe_program(p, needed[i])))
			return false;
	return true;
}

void probe_sockets_choose(struct probes *p)
{
	if (p->sockets && has_needed(p)) {
		for (enum program i = PROGRAM_SOCK_SNAPSHOT; i < NR_PROGRAMS; i++)
			bpf_program__set_autoload(probe_program(p, i), true);
		return;
	}
	p->sockets = false;
	for (enum program i = PROGRAM_SOCK_ARRIVE; i < NR_PROGRAMS; i++)
		bpf_program__set_autoload(probe_program(p, i), false);
	bpf_map__set_autocreate(p->skel->maps.socks, false);
	bpf_map__set_autocreate(p->skel->maps.sock_owners, false);
}

/* Walks the files of one process only, where the kernel can (6.1). */
static int attach_snapshot(struct probes *p, size_t target)
{
	union bpf_iter_link_info info = {.task.pid = p->targets[target].tgid};
	LIBBPF_OPTS(bpf_iter_attach_opts, options, .link_info = &info,
		    .link_info_len = sizeof(info));

	p->sock_snapshots[target] =
		bpf_program__attach_iter(p->skel->progs.sock_snapshot, &options);
	return p->sock_snapshots[target] ? 0 : -errno;
}

static int attach_walk(const struct bpf_program *program, struct bpf_link **ret)
{
	*ret = bpf_program__attach_iter(program, NULL);
	return *ret ? 0 : -errno;
}

static int attach_walks(struct probes *p)
{
	int error = attach_walk(p->skel->progs.sock_snapshot_tcp, &p->sock_tcp);

	if (!error)
		error = attach_walk(p->skel->progs.sock_snapshot_unix, &p->sock_unix);
	for (size_t i = 0; !error && i < p->nr_targets; i++)
		error = attach_snapshot(p, i);
	return error;
}

int probe_sockets_attach(struct probes *p, struct probe_problem *problem)
{
	int error = p->sockets ? attach_walks(p) : 0;

	return error ? probe_explain_refusal(problem, error, "look at the sockets of the target")
		     : 0;
}

/* The sockets of the network namespace that this thread is in. */
static int walk_netns(struct probes *p)
{
	int error = probe_run_iterator(p->sock_tcp);

	return error ? error : probe_run_iterator(p->sock_unix);
}

/* Owners of sockets that closed meanwhile, or are in a namespace that nobody walked: their
 * addresses will be those of others. */
static void forget_owners(struct probes *p)
{
	int fd = bpf_map__fd(p->skel->maps.sock_owners);
	uint64_t address;

	while (bpf_map_get_next_key(fd, NULL, &address) == 0)
		if (bpf_map_delete_elem(fd, &address))
			return;
}

int probe_sockets_snapshot(struct probes *p)
{
	size_t nr_refused = 0;
	int error;

	if (!p->sockets)
		return 0;
	for (size_t i = 0; i < p->nr_targets; i++) {
		error = probe_run_iterator(p->sock_snapshots[i]);
		if (error && error != -ESRCH) /* the target has just ended: nothing to see */
			return error;
	}
	error = probe_each_netns(p, walk_netns, &nr_refused);
	if (error)
		return error;
	forget_owners(p);
	if (nr_refused && !p->skel->bss->sockets_seen)
		probe_note_missing(p, "setns",
				   "idle connections older than the recording, of a target in "
				   "another network namespace: each is known from its next use on");
	p->skel->bss->sockets_seen = 1; /* any other is new */
	return 0;
}

/*
 * Every segment of the machine costs a run of this program, and most servers never hold anything
 * back. What freed the very first bytes that were held is not told: they were before.
 */
void probe_sockets_follow(struct probes *p)
{
	struct bpf_program *program = probe_program(p, PROGRAM_SOCK_SEGMENT);

	if (!p->sockets || p->segments || !p->skel->bss->nr_held || !bpf_program__autoload(program))
		return;
	p->segments = true;
	if (probe_keep_link(p, bpf_program__attach_trace(program)))
		probe_note_missing(p, probe_program_name(PROGRAM_SOCK_SEGMENT),
				   "what ends it when answers are held back");
}
