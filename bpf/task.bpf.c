/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* Threads of the targets that begin, end, or change their name or program. All rare. */
#include "vmlinux.h"

#include "bpf/thread.bpf.h"

static __always_inline struct event_task *reserve_task(__u16 kind, struct task_struct *task,
						       __u64 now_ns)
{
	struct event_task *event = ring_reserve(kind, sizeof(*event), task->pid, now_ns);

	if (!event)
		return NULL;
	event->tgid = task->tgid;
	event->parent_tid = 0;
	event->group_dead = 0;
	event->exit_code = 0;
	event->exec_ns = task->se.sum_exec_runtime;
	__builtin_memcpy(event->comm, task->comm, sizeof(event->comm));
	return event;
}

/* A new thread waits in a run queue from here to its first switch-in. */
SEC("?tp_btf/task_newtask")
int BPF_PROG(on_task_newtask, struct task_struct *task)
{
	struct thread_state *thread;
	struct event_task *event;
	__u64 now_ns;

	count_run(PROGRAM_NEWTASK);
	if (!is_target(task->tgid))
		return 0;
	count_hit(PROGRAM_NEWTASK);
	now_ns = bpf_ktime_get_ns();
	thread = thread_state_make(task);
	if (thread) {
		thread->off_ns = now_ns;
		thread->flags = OFFCPU_NEW_THREAD;
		thread->nr = -1;
	}
	event = reserve_task(EVENT_TASK_NEW, task, now_ns);
	if (!event)
		return 0;
	event->parent_tid = bpf_get_current_task_btf()->pid;
	ring_submit(event);
	return 0;
}

SEC("?tp_btf/sched_process_exit")
int BPF_PROG(on_sched_process_exit, struct task_struct *task)
{
	struct event_task *event;

	count_run(PROGRAM_EXIT);
	if (!is_target(task->tgid))
		return 0;
	count_hit(PROGRAM_EXIT);
	event = reserve_task(EVENT_TASK_EXIT, task, bpf_ktime_get_ns());
	if (!event)
		return 0;
	event->exit_code = task->exit_code;
	event->group_dead = BPF_CORE_READ(task, signal, live.counter) == 0;
	ring_submit(event);
	return 0;
}

SEC("?tp_btf/task_rename")
int BPF_PROG(on_task_rename, struct task_struct *task, const char *comm)
{
	struct event_task *event;

	count_run(PROGRAM_RENAME);
	if (!is_target(task->tgid))
		return 0;
	count_hit(PROGRAM_RENAME);
	event = reserve_task(EVENT_TASK_RENAME, task, bpf_ktime_get_ns());
	if (!event)
		return 0;
	__builtin_memset(event->comm, 0, sizeof(event->comm));
	bpf_probe_read_kernel_str(event->comm, sizeof(event->comm), comm);
	ring_submit(event);
	return 0;
}

SEC("?tp_btf/sched_process_exec")
int BPF_PROG(on_sched_process_exec, struct task_struct *task, int old_pid)
{
	struct event_task *event;

	count_run(PROGRAM_EXEC);
	if (!is_target(task->tgid))
		return 0;
	count_hit(PROGRAM_EXEC);
	event = reserve_task(EVENT_TASK_EXEC, task, bpf_ktime_get_ns());
	if (!event)
		return 0;
	event->parent_tid = old_pid;
	ring_submit(event);
	return 0;
}
