/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What all probes share: which processes are recorded, the ring, and the counts of what was run and
 * lost. Included by every file here; defined in ring.bpf.c.
 */
#ifndef STANDSTILL_RING_BPF_H
#define STANDSTILL_RING_BPF_H

#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/shared.h"

struct ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
};

extern struct ring_map ring SEC(".maps");

extern const volatile struct target targets[TARGETS_MAX];
extern struct run_count run_counts[RUN_COUNT_CPUS];
extern __u64 lost_ring_full[LOST_KINDS];
extern __u64 lost_no_storage;
extern __u64 lost_unseen;

/* The slot of process @tgid in the table of targets, or -1. The empty slots hold 0, which is the
 * idle task's. */
static __always_inline int target_slot(__u32 tgid)
{
	if (!tgid)
		return -1;
#pragma unroll
	for (int i = 0; i < TARGETS_MAX; i++)
		if (targets[i].tgid == tgid)
			return i;
	return -1;
}

static __always_inline bool is_target(__u32 tgid)
{
	return target_slot(tgid) >= 0;
}

/* Two CPUs share a slot only on machines with more than RUN_COUNT_CPUS; counts may then miss a few.
 */
static __always_inline void count_run(enum program program)
{
	run_counts[bpf_get_smp_processor_id() & (RUN_COUNT_CPUS - 1)].runs[program]++;
}

static __always_inline void count_hit(enum program program)
{
	run_counts[bpf_get_smp_processor_id() & (RUN_COUNT_CPUS - 1)].hits[program]++;
}

static __always_inline void count_lost(__u16 kind)
{
	__sync_fetch_and_add(&lost_ring_full[kind & (LOST_KINDS - 1)], 1);
}

/* A record of @kind about @tid in the ring, its header filled, the rest not; NULL when it is full,
 * which is counted. */
static __always_inline void *ring_reserve(__u16 kind, __u16 size, __u32 tid, __u64 ts_ns)
{
	struct event_hdr *hdr = bpf_ringbuf_reserve(&ring, size, 0);

	if (!hdr) {
		count_lost(kind);
		return NULL;
	}
	hdr->kind = kind;
	hdr->size = size;
	hdr->tid = tid;
	hdr->ts_ns = ts_ns;
	return hdr;
}

/* The reader polls on a timer: waking it for a record would cost more than all the rest. */
static __always_inline void ring_submit(void *record)
{
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

#endif
