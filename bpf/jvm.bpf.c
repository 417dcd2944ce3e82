/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * HotSpot's own USDT probes around stop-the-world pauses, as raw events. Attached to the target's
 * libjvm alone, so that only its process has the breakpoints.
 */
#include "vmlinux.h"

#include "bpf/counters.bpf.h"
#include "bpf/usdt.h"

struct hit {
	int slot;
	__u32 tid;
	__u64 now_ns;
};

/* Whose probe was hit; false for a process that is no target (a forked child that shares the page).
 */
static __always_inline bool take_hit(enum program program, struct hit *ret)
{
	__u64 id = bpf_get_current_pid_tgid();

	count_run(program);
	ret->slot = target_slot(id >> 32);
	if (ret->slot < 0)
		return false;
	count_hit(program);
	ret->tid = (__u32)id;
	ret->now_ns = bpf_ktime_get_ns();
	return true;
}

static __always_inline struct event_jvm *reserve_jvm(__u16 kind, const struct hit *hit)
{
	struct event_jvm *event = ring_reserve(kind, sizeof(*event), hit->tid, hit->now_ns);

	if (!event)
		return NULL;
	event->tgid = targets[hit->slot & (TARGETS_MAX - 1)].tgid;
	event->mode = 0;
	event->id = 0;
	__builtin_memset(event->name, 0, sizeof(event->name));
	return event;
}

/* The argument in word @index of the probe's cookie. */
static __always_inline __s64 read_argument(struct pt_regs *ctx, __u32 index)
{
	__u32 word = usdt_word(bpf_get_attach_cookie(ctx), index);
	__u64 bytes = 0, address;

	if (usdt_kind(word) == USDT_NOTHING)
		return 0;
	if (usdt_kind(word) == USDT_CONSTANT)
		return usdt_number(word);
	bpf_probe_read_kernel(&bytes, sizeof(bytes), (void *)ctx + 8 * usdt_register(word));
	if (usdt_kind(word) == USDT_MEMORY) {
		address = bytes + usdt_number(word);
		bytes = 0;
		bpf_probe_read_user(&bytes, sizeof(bytes), (void *)address);
	}
	return usdt_narrow(word, bytes);
}

/* The JVM's names come with a length and no end; one longer than ours is cut. */
static __always_inline void read_name(char *ret, long address, long length)
{
	__u32 bytes = length < 0 ? 0 : length >= EVENT_NAME_BYTES ? EVENT_NAME_BYTES - 1 : length;

	bpf_probe_read_user(ret, bytes & (EVENT_NAME_BYTES - 1), (void *)address);
}

SEC("?uprobe")
int on_safepoint_begin(struct pt_regs *ctx)
{
	struct event_jvm *event;
	struct hit hit;

	if (!take_hit(PROGRAM_SAFEPOINT_BEGIN, &hit))
		return 0;
	emit_counters(hit.slot, hit.tid, hit.now_ns);
	event = reserve_jvm(EVENT_SAFEPOINT_BEGIN, &hit);
	if (event)
		ring_submit(event);
	return 0;
}

SEC("?uprobe")
int on_safepoint_end(struct pt_regs *ctx)
{
	struct event_jvm *event;
	struct hit hit;

	if (!take_hit(PROGRAM_SAFEPOINT_END, &hit))
		return 0;
	emit_counters(hit.slot, hit.tid, hit.now_ns);
	event = reserve_jvm(EVENT_SAFEPOINT_END, &hit);
	if (event)
		ring_submit(event);
	return 0;
}

static __always_inline int emit_operation(__u16 kind, const struct hit *hit, struct pt_regs *ctx)
{
	struct event_jvm *event = reserve_jvm(kind, hit);

	if (!event)
		return 0;
	read_name(event->name, read_argument(ctx, 0), read_argument(ctx, 1));
	event->mode = read_argument(ctx, 2);
	ring_submit(event);
	return 0;
}

SEC("?uprobe")
int on_vmop_request(struct pt_regs *ctx)
{
	struct hit hit;

	if (!take_hit(PROGRAM_VMOP_REQUEST, &hit))
		return 0;
	return emit_operation(EVENT_VMOP_REQUEST, &hit, ctx);
}

SEC("?uprobe")
int on_vmop_begin(struct pt_regs *ctx)
{
	struct hit hit;

	if (!take_hit(PROGRAM_VMOP_BEGIN, &hit))
		return 0;
	return emit_operation(EVENT_VMOP_BEGIN, &hit, ctx);
}

SEC("?uprobe")
int on_vmop_end(struct pt_regs *ctx)
{
	struct hit hit;

	if (!take_hit(PROGRAM_VMOP_END, &hit))
		return 0;
	return emit_operation(EVENT_VMOP_END, &hit, ctx);
}

SEC("?uprobe")
int on_gc_begin(struct pt_regs *ctx)
{
	struct event_jvm *event;
	struct hit hit;

	if (!take_hit(PROGRAM_GC_BEGIN, &hit))
		return 0;
	event = reserve_jvm(EVENT_GC_BEGIN, &hit);
	if (!event)
		return 0;
	event->mode = read_argument(ctx, 0) != 0; /* a full one */
	ring_submit(event);
	return 0;
}

SEC("?uprobe")
int on_gc_end(struct pt_regs *ctx)
{
	struct event_jvm *event;
	struct hit hit;

	if (!take_hit(PROGRAM_GC_END, &hit))
		return 0;
	event = reserve_jvm(EVENT_GC_END, &hit);
	if (event)
		ring_submit(event);
	return 0;
}

static __always_inline int emit_thread(__u16 kind, const struct hit *hit, struct pt_regs *ctx)
{
	struct event_jvm *event = reserve_jvm(kind, hit);

	if (!event)
		return 0;
	read_name(event->name, read_argument(ctx, 0), read_argument(ctx, 1));
	event->id = read_argument(ctx, 2);
	ring_submit(event);
	return 0;
}

SEC("?uprobe")
int on_thread_start(struct pt_regs *ctx)
{
	struct hit hit;

	if (!take_hit(PROGRAM_THREAD_START, &hit))
		return 0;
	return emit_thread(EVENT_JAVA_THREAD_START, &hit, ctx);
}

SEC("?uprobe")
int on_thread_stop(struct pt_regs *ctx)
{
	struct hit hit;

	if (!take_hit(PROGRAM_THREAD_STOP, &hit))
		return 0;
	return emit_thread(EVENT_JAVA_THREAD_STOP, &hit, ctx);
}
