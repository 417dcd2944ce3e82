/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of the probes: open, choose, load, attach, look once, detach. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/attach/jvm.h"
#include "user/attach/probe_internal.h"
#include "user/base/cleanup.h"

#define RING_BYTES_DEFAULT (8ull << 20)

int probe_fail(struct probe_problem *problem, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem->what, sizeof(problem->what), format, arguments);
	va_end(arguments);
	return error;
}

void probe_note_missing(struct probes *p, const char *feature, const char *loss)
{
	if (p->nr_missing < ARRAY_SIZE(p->missing))
		p->missing[p->nr_missing++] = (struct probe_missing){feature, loss};
}

int probe_keep_link(struct probes *p, struct bpf_link *link)
{
	if (!link)
		return -errno;
	if (p->nr_links == ARRAY_SIZE(p->links)) {
		bpf_link__destroy(link);
		return -ENOSPC;
	}
	p->links[p->nr_links++] = link;
	return 0;
}

static probe_message_fn *listener; /* libbpf knows one for the whole process, and so do we */

static int on_message(enum libbpf_print_level level, const char *format, va_list arguments)
{
	char line[1024];

	if (!listener || level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(line, sizeof(line), format, arguments);
	listener(line);
	return 0;
}

void probes_listen(probe_message_fn *fn)
{
	listener = fn;
	libbpf_set_print(on_message);
}

/* A power of two of pages, as the kernel wants it. */
static uint64_t ring_size(uint64_t asked)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	if (!asked)
		asked = RING_BYTES_DEFAULT;
	while (bytes < asked && bytes < 1ull << 31)
		bytes <<= 1;
	return bytes;
}

static void fill_counters(struct counter_addresses *ret, const struct jvm_counter_map *from)
{
	ret->safepoints = from->safepoints.address;
	ret->sync = from->sync_time.address;
	ret->safepoint_time = from->safepoint_time.address;
	ret->application = from->application_time.address;
	ret->cause = from->cause.address;
	ret->last_cause = from->last_cause.address;
	for (size_t i = 0; i < from->nr_gc_invocations && i < GC_COLLECTORS_MAX; i++)
		ret->gc_invocations[i] = from->gc_invocations[i].address;
}

static void fill_targets(struct probes *p)
{
	for (size_t i = 0; i < p->nr_targets; i++) {
		const struct probe_target *target = &p->targets[i];

		p->skel->rodata->targets[i].tgid = target->tgid;
		if (!target->jvm)
			continue;
		p->skel->rodata->targets[i].vm_tid = target->jvm->vm_tid;
		fill_counters(&p->skel->rodata->targets[i].counters, &target->jvm->counters);
	}
}

/* An iterator that walks the threads of one process only, where the kernel can (6.1). */
static int attach_snapshot(struct probes *p, size_t target)
{
	union bpf_iter_link_info info = {.task.pid = p->targets[target].tgid};
	LIBBPF_OPTS(bpf_iter_attach_opts, options, .link_info = &info,
		    .link_info_len = sizeof(info));

	p->snapshots[target] = bpf_program__attach_iter(p->skel->progs.snapshot, &options);
	return p->snapshots[target] ? 0 : -errno;
}

/* Open, and choose what does not depend on the kernel. */
static int prepare(struct probes *p, const struct probe_options *options,
		   struct probe_problem *problem)
{
	p->nr_missing = 0;
	p->skel = standstill_bpf__open();
	if (!p->skel)
		return probe_fail(problem, -errno,
				  "cannot open the probes built into this program: %s",
				  strerror(errno));
	bpf_map__set_max_entries(p->skel->maps.ring, (uint32_t)p->ring_bytes);
	fill_targets(p);
	return probe_pauses_choose(p, options, problem);
}

/* Only what the kernel's type information has. */
static int load_known(struct probes *p, const struct probe_options *options,
		      struct probe_problem *problem)
{
	int error = prepare(p, options, problem);

	if (!error)
		error = probe_features_choose(p, problem);
	if (error)
		return error;
	probe_sockets_choose(p);
	error = standstill_bpf__load(p->skel);
	return error ? probe_explain_refusal(problem, error, "load its probes") : 0;
}

/*
 * Looking up what the kernel has costs as much as half of the load, as both parse all its types: so
 * first all is loaded, and only a kernel that refuses it is asked what it has.
 */
static int load(struct probes *p, const struct probe_options *options,
		struct probe_problem *problem)
{
	int error = prepare(p, options, problem);

	if (error)
		return error;
	probe_features_choose_all(p);
	probe_sockets_choose(p);
	if (options->refuse_all) /* no ring has this size */
		bpf_map__set_max_entries(p->skel->maps.ring, 1);
	if (!standstill_bpf__load(p->skel))
		return 0;
	standstill_bpf__destroy(p->skel); /* one that failed cannot be loaded again */
	return load_known(p, options, problem);
}

static int attach(struct probes *p, struct probe_problem *problem)
{
	int error = probe_features_attach(p, problem);

	if (!error)
		error = probe_pauses_attach(p, problem);
	for (size_t i = 0; !error && i < p->nr_targets; i++) {
		error = attach_snapshot(p, i);
		if (error)
			return probe_explain_refusal(problem, error,
						     "look at the threads of the target");
	}
	if (!error)
		error = probe_sockets_attach(p, problem);
	if (error)
		return error;
	error = probes_snapshot(p);
	if (error)
		return probe_fail(problem, error,
				  "cannot look at the threads and sockets of the target: %s",
				  strerror(-error));
	return 0;
}

static int on_record(void *context, void *data, size_t bytes)
{
	struct probes *p = context;
	const struct event_hdr *event = data;

	if (bytes < sizeof(*event) || event->size > bytes)
		return -EBADMSG;
	return p->record(p->record_arg, event);
}

static int open_ring(struct probes *p, struct probe_problem *problem)
{
	p->ring = ring_buffer__new(bpf_map__fd(p->skel->maps.ring), on_record, p, NULL);
	if (!p->ring)
		return probe_fail(problem, -errno, "cannot map the ring of records: %s",
				  strerror(errno));
	return 0;
}

/* The tracepoints do not mind a target that is not there; the caller does. */
static int check_targets(const struct probes *p, struct probe_problem *problem)
{
	for (size_t i = 0; i < p->nr_targets; i++)
		if (kill((pid_t)p->targets[i].tgid, 0) && errno == ESRCH)
			return probe_fail(problem, -ESRCH,
					  "process %u ended before it could be attached to",
					  p->targets[i].tgid);
	return 0;
}

int probes_attach(const struct probe_target *targets, size_t nr,
		  const struct probe_options *options, struct probes **ret,
		  struct probe_problem *problem)
{
	struct probes *p;
	int error;

	if (nr == 0 || nr > PROBE_TARGETS_MAX)
		return probe_fail(problem, -E2BIG,
				  "between 1 and %d processes can be recorded at once",
				  PROBE_TARGETS_MAX);
	p = calloc(1, sizeof(*p));
	if (!p)
		return probe_fail(problem, -ENOMEM, "out of memory");
	p->stats_fd = -1;
	p->nr_targets = nr;
	p->sockets = !options->no_sockets;
	p->ring_bytes = ring_size(options->ring_bytes);
	memcpy(p->targets, targets, nr * sizeof(*targets));
	error = load(p, options, problem);
	if (!error)
		error = open_ring(p, problem);
	if (!error)
		error = attach(p, problem);
	if (!error)
		error = check_targets(p, problem);
	if (error) {
		probes_detach(p);
		return error;
	}
	*ret = p;
	return 0;
}

enum pause_probes probes_pauses_of(const struct probes *p, size_t target)
{
	return target < p->nr_targets ? p->pauses[target] : PAUSE_PROBES_NONE;
}

void probes_missing(const struct probes *p, probe_missing_fn *fn, void *arg)
{
	for (size_t i = 0; i < p->nr_missing; i++)
		fn(arg, p->missing[i].feature, p->missing[i].loss);
}

int probe_run_iterator(struct bpf_link *link)
{
	int fd CLEANUP(closep) = bpf_iter_create(bpf_link__fd(link));
	char nothing[64];
	ssize_t nr;

	if (fd < 0)
		return -errno;
	do
		nr = read(fd, nothing, sizeof(nothing));
	while (nr > 0 || (nr < 0 && errno == EINTR));
	return nr < 0 ? -errno : 0;
}

int probes_snapshot(struct probes *p)
{
	for (size_t i = 0; i < p->nr_targets; i++) {
		int error = probe_run_iterator(p->snapshots[i]);

		if (error && error != -ESRCH) /* the target has just ended: nothing to see */
			return error;
	}
	return probe_sockets_snapshot(p);
}

void probes_detach(struct probes *p)
{
	if (!p)
		return;
	probe_multi_detach(p);
	for (size_t i = 0; i < p->nr_links; i++)
		bpf_link__destroy(p->links[i]);
	for (size_t i = 0; i < p->nr_targets; i++) {
		bpf_link__destroy(p->snapshots[i]);
		bpf_link__destroy(p->sock_snapshots[i]);
	}
	bpf_link__destroy(p->sock_tcp);
	bpf_link__destroy(p->sock_unix);
	if (p->stats_fd >= 0)
		close(p->stats_fd);
	ring_buffer__free(p->ring);
	standstill_bpf__destroy(p->skel);
	free(p);
}
