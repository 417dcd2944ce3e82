/* SPDX-License-Identifier: BSD-2-Clause */
/* Records out of the ring, and what never got into it. */
#include <errno.h>

#include "user/attach/probe_internal.h"

int probes_drain(struct probes *p, probe_record_fn *fn, void *arg)
{
	p->record = fn;
	p->record_arg = arg;
	probe_sockets_follow(p);
	return ring_buffer__consume(p->ring);
}

uint64_t probes_ring_bytes(const struct probes *p)
{
	return p->ring_bytes;
}

static uint64_t recursion_misses(const struct probes *p)
{
	uint64_t nr = 0;

	for (enum program i = 0; i < NR_PROGRAMS; i++) {
		struct bpf_prog_info info = {0};
		__u32 bytes = sizeof(info);
		int fd = bpf_program__fd(probe_program(p, i));

		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &bytes) == 0)
			nr += info.recursion_misses;
	}
	return nr;
}

static void report(uint64_t now, uint64_t *seen, uint32_t kind, enum lost_cause cause,
		   probe_loss_fn *fn, void *arg)
{
	if (now == *seen)
		return;
	fn(arg, kind, cause, now - *seen);
	*seen = now;
}

void probes_losses(struct probes *p, probe_loss_fn *fn, void *arg)
{
	for (uint32_t kind = 0; kind < NR_EVENT_KINDS; kind++) {
		uint64_t now =
			__atomic_load_n(&p->skel->bss->lost_ring_full[kind], __ATOMIC_RELAXED);

		report(now, &p->seen_ring_full[kind], kind, LOST_RING_FULL, fn, arg);
	}
	report(__atomic_load_n(&p->skel->bss->lost_no_storage, __ATOMIC_RELAXED),
	       &p->seen_no_storage, EVENT_OFFCPU, LOST_NO_STORAGE, fn, arg);
	report(__atomic_load_n(&p->skel->bss->lost_unseen, __ATOMIC_RELAXED), &p->seen_unseen,
	       EVENT_OFFCPU, LOST_UNSEEN, fn, arg);
	report(recursion_misses(p), &p->seen_recursion, EVENT_NONE, LOST_RECURSION, fn, arg);
}
