/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* The JVM's own counters, read in its memory in the context of its VM Thread. A few times a pause.
 */
#ifndef STANDSTILL_COUNTERS_BPF_H
#define STANDSTILL_COUNTERS_BPF_H

#include "bpf/ring.bpf.h"

static __always_inline __u32 read_counter(__u64 *ret, __u64 address, __u32 flag)
{
	*ret = 0;
	if (!address || bpf_probe_read_user(ret, sizeof(*ret), (void *)address))
		return 0;
	return flag;
}

static __always_inline __u32 read_gc_invocations(__u64 *ret, const volatile __u64 *addresses)
{
	__u32 valid = 0;
	__u64 one;

	*ret = 0;
#pragma unroll
	for (int i = 0; i < GC_COLLECTORS_MAX; i++) {
		valid |= read_counter(&one, addresses[i], JVM_COUNTER_GC);
		*ret += one;
	}
	return valid;
}

static __always_inline __u32 read_cause(char *ret, __u64 address, __u32 flag)
{
	__builtin_memset(ret, 0, EVENT_CAUSE_BYTES);
	if (!address || bpf_probe_read_user_str(ret, EVENT_CAUSE_BYTES, (void *)address) < 0)
		return 0;
	return flag;
}

static __always_inline void emit_counters(int slot, __u32 tid, __u64 now_ns)
{
	const volatile struct counter_addresses *at = &targets[slot & (TARGETS_MAX - 1)].counters;
	struct event_jvm_counters *event =
		ring_reserve(EVENT_JVM_COUNTERS, sizeof(*event), tid, now_ns);
	__u64 value;
	__u32 valid;

	if (!event)
		return;
	event->tgid = targets[slot & (TARGETS_MAX - 1)].tgid;
	valid = read_counter(&value, at->safepoints, JVM_COUNTER_SAFEPOINTS);
	event->safepoints = value;
	valid |= read_counter(&value, at->sync, JVM_COUNTER_SYNC);
	event->sync_ns = value;
	valid |= read_counter(&value, at->safepoint_time, JVM_COUNTER_SAFEPOINT_TIME);
	event->safepoint_time_ns = value;
	valid |= read_counter(&value, at->application, JVM_COUNTER_APPLICATION);
	event->application_ns = value;
	valid |= read_gc_invocations(&value, at->gc_invocations);
	event->gc_invocations = value;
	valid |= read_cause(event->cause, at->cause, JVM_COUNTER_CAUSE);
	valid |= read_cause(event->last_cause, at->last_cause, JVM_COUNTER_LAST_CAUSE);
	event->valid = valid;
	ring_submit(event);
}

#endif
