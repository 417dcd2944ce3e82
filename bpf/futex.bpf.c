/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Pauses without USDT: every return of a VM Thread from futex(2). From JDK 13 on one of them ends
 * each safepoint. The arguments are still in the saved registers when the call returns, so one hook
 * does; it costs every futex call of the machine, and is attached only when this source is used.
 */
#include "vmlinux.h"

#include "bpf/counters.bpf.h"

#define FUTEX_WAKE_PRIVATE 129
#define EVERYBODY	   0x7fffffff

SEC("?tracepoint/syscalls/sys_exit_futex")
int on_futex_exit(struct syscall_exit_args *args)
{
	__u64 id = bpf_get_current_pid_tgid(), now_ns;
	struct event_vm_futex *event;
	struct pt_regs *regs;
	__u32 word = 0, word_read;
	int slot;

	count_run(PROGRAM_FUTEX);
	slot = target_slot(id >> 32);
	if (slot < 0 || targets[slot & (TARGETS_MAX - 1)].vm_tid != (__u32)id)
		return 0;
	count_hit(PROGRAM_FUTEX);
	now_ns = bpf_ktime_get_ns();
	regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	word_read = bpf_probe_read_user(&word, sizeof(word), (void *)regs->di) == 0;
	if ((__u32)regs->si == FUTEX_WAKE_PRIVATE && (__u32)regs->dx == EVERYBODY && word_read &&
	    !word)
		emit_counters(slot, (__u32)id, now_ns);
	event = ring_reserve(EVENT_VM_FUTEX, sizeof(*event), (__u32)id, now_ns);
	if (!event)
		return 0;
	event->uaddr = regs->di;
	event->tgid = id >> 32;
	event->op = regs->si;
	event->val = regs->dx;
	event->word = word;
	event->ret = args->ret;
	event->word_read = word_read;
	ring_submit(event);
	return 0;
}
