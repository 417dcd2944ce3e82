/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Every interval a target's thread spends off the CPU: why it left, who woke it, who ran before it.
 * Two tracepoints; what a blocked thread was doing is read from its saved user registers, so no
 * syscall pays for being traced.
 */
#include "vmlinux.h"

#include "bpf/thread.bpf.h"

#define TASK_DEAD_STATE 0x80

const volatile __u64 thread_size =
	16384; /* the kernel's THREAD_SIZE: how large a task's stack is */
__u64 context_scratch[RUN_COUNT_CPUS] = {};

static __always_inline __u64 throttled_so_far(struct throttle_clock clock)
{
	__u64 open_ns =
		clock.since_ns && clock.rq_ns > clock.since_ns ? clock.rq_ns - clock.since_ns : 0;

	return clock.total_ns + open_ns;
}

/* Remember @task's throttle clock, to be read again when it is back on a CPU. */
static __always_inline void start_throttle(struct thread_state *thread, struct task_struct *task,
					   __u32 flag)
{
	struct cfs_rq *cfs = BPF_CORE_READ(task, se.cfs_rq);
	struct throttle_clock clock = throttle_clock_read(cfs);

	thread->flags |= flag;
	if (!clock.known)
		thread->flags |= OFFCPU_THROTTLE_UNSURE;
	thread->cfs = (__u64)cfs;
	thread->throttled_before_ns = throttled_so_far(clock);
	thread->throttled_since_ns = 0;
}

/*
 * The same at a wake-up, where the run queue's clock is stale: nobody has had to bring it up to
 * date. How far into a stretch of throttling the wake-up came is found when the clock is fresh.
 */
static __always_inline void start_throttle_woken(struct thread_state *thread,
						 struct task_struct *task)
{
	struct throttle_clock clock = throttle_clock_read(BPF_CORE_READ(task, se.cfs_rq));

	start_throttle(thread, task, OFFCPU_THROTTLED_WAKE);
	thread->throttled_before_ns = clock.total_ns;
	thread->throttled_since_ns = clock.since_ns;
}

/* Of a stretch of throttling, what had passed when @thread was woken; @task is put on a CPU now. */
static __always_inline __u64 passed_at_wake_ns(const struct thread_state *thread,
					       struct task_struct *task, __u64 now_ns)
{
	__u64 woken_ns = BPF_CORE_READ(task, se.cfs_rq, rq, clock) - (now_ns - thread->wake_ns);

	if (!thread->throttled_since_ns || woken_ns < thread->throttled_since_ns)
		return 0;
	return woken_ns - thread->throttled_since_ns;
}

/*
 * How long the thread could have run before it did. A wake-up on another CPU can be seen just
 * before the switch-out it answers: the kernel takes the thread off its run queue first and reports
 * the switch last.
 */
static __always_inline __u64 runnable_ns(const struct thread_state *thread, __u64 now_ns)
{
	if (thread->state == 0)
		return now_ns - thread->off_ns;
	if (!thread->wake_ns)
		return 0;
	return now_ns - (thread->wake_ns < thread->off_ns ? thread->off_ns : thread->wake_ns);
}

static __always_inline __u64 throttled_ns(const struct thread_state *thread,
					  struct task_struct *task, __u64 now_ns)
{
	struct throttle_clock clock;

	if (!thread->cfs || thread->flags & OFFCPU_THROTTLE_UNSURE)
		return 0;
	clock = throttle_clock_read((struct cfs_rq *)thread->cfs);
	return throttled_so_far(clock) - thread->throttled_before_ns -
	       passed_at_wake_ns(thread, task, now_ns);
}

static __always_inline void emit_interval(struct task_struct *task, struct thread_state *thread,
					  struct task_struct *ahead, __u64 now_ns)
{
	struct event_offcpu *off = ring_reserve(EVENT_OFFCPU, sizeof(*off), task->pid, now_ns);
	bool woken = thread->wake_ns != 0 && thread->state != 0;

	if (!off)
		return;
	off->off_ns = now_ns - thread->off_ns;
	off->runq_ns = runnable_ns(thread, now_ns);
	off->throttled_ns = throttled_ns(thread, task, now_ns);
	off->arg0 = thread->arg0;
	off->waker_arg0 = woken ? thread->waker_arg0 : 0;
	off->tgid = task->tgid;
	off->seq = thread->seq;
	off->arg1 = thread->arg1;
	off->arg2 = thread->arg2;
	off->state = thread->state;
	off->waker_tid = woken ? thread->waker_tid : 0;
	off->waker_tgid = woken ? thread->waker_tgid : 0;
	off->ahead_tid = ahead ? ahead->pid : 0;
	off->ahead_tgid = ahead ? ahead->tgid : 0;
	off->flags = thread->flags | (woken ? OFFCPU_WOKEN : 0) |
		     (woken && thread->waker_in_irq ? OFFCPU_WOKEN_BY_IRQ : 0);
	off->nr = thread->nr;
	off->waker_nr = woken ? thread->waker_nr : -1;
	off->cpu = bpf_get_smp_processor_id();
	off->reserved = 0;
	ring_submit(off);
}

/* An interval whose begin or end no probe was shown. Its number is used up, which makes a gap. */
static __always_inline void lose_interval(struct thread_state *thread)
{
	thread->seq++;
	__sync_fetch_and_add(&lost_unseen, 1);
}

/* When @task, which leaves its CPU now, was put there, by the scheduler's own stamp; 0: not known.
 */
static __always_inline __u64 arrival_ns(struct task_struct *task, __u64 now_ns)
{
	__u64 rq_ns = BPF_CORE_READ(task, se.cfs_rq, rq, clock), arrived;

	if (!bpf_core_field_exists(task->sched_info.last_arrival))
		return 0;
	arrived = task->sched_info.last_arrival;
	return arrived && arrived < rq_ns ? now_ns - (rq_ns - arrived) : 0;
}

/*
 * @task leaves a CPU that no probe saw it come back to: some kernels trace no switch away from
 * threads they protect, whoever comes next. The scheduler knows when it was.
 */
static __always_inline void recover_interval(struct task_struct *task, struct thread_state *thread,
					     __u64 now_ns)
{
	__u64 back_ns = arrival_ns(task, now_ns);

	if (back_ns <= thread->off_ns)
		return lose_interval(thread);
	if (thread->wake_ns > back_ns)
		thread->wake_ns = back_ns; /* two clocks, or a second wake-up while it ran */
	thread->flags |= OFFCPU_END_UNSEEN;
	if (thread->cfs && thread->throttled_since_ns)
		thread->flags |= OFFCPU_THROTTLE_UNSURE; /* the clock is of now, not of then */
	thread->seq++;
	emit_interval(task, thread, NULL, back_ns);
	thread->wake_ns = 0;
}

static __always_inline void leave_cpu(struct task_struct *task, bool preempt, __u32 state,
				      __u64 now_ns)
{
	bool dead = state & TASK_DEAD_STATE;
	struct thread_state *thread =
		dead ? bpf_task_storage_get(&threads, task, 0, 0) : thread_state_make(task);

	if (!thread)
		return;
	if (thread->off_ns)
		recover_interval(task, thread, now_ns);
	if (dead)
		return;
	thread->off_ns = now_ns;
	thread->state = state;
	thread->cfs = 0;
	thread->flags = preempt ? OFFCPU_PREEMPTED : 0;
	thread_read_syscall(thread, task);
	if (state == 0) {
		if (task_throttled(task))
			start_throttle(thread, task, OFFCPU_THROTTLED);
		return;
	}
	if (BPF_CORE_READ_BITFIELD(task, frozen))
		thread->flags |= OFFCPU_FROZEN;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		thread->flags |= OFFCPU_IOWAIT;
	if (BPF_CORE_READ_BITFIELD(task, in_memstall))
		thread->flags |= OFFCPU_MEMSTALL;
}

static __always_inline void enter_cpu(struct task_struct *task, struct task_struct *ahead,
				      __u64 now_ns)
{
	struct thread_state *thread = bpf_task_storage_get(&threads, task, 0, 0);

	if (!thread)
		return;
	if (thread->off_ns) {
		thread->seq++;
		emit_interval(task, thread, ahead, now_ns);
	} else {
		lose_interval(thread);
	}
	thread->off_ns = 0;
	thread->wake_ns = 0;
	thread->cfs = 0;
}

SEC("?tp_btf/sched_switch")
int BPF_PROG(on_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	bool leaves = is_target(prev->tgid), enters = is_target(next->tgid);
	__u64 now_ns;

	count_run(PROGRAM_SWITCH);
	if (!leaves && !enters)
		return 0;
	count_hit(PROGRAM_SWITCH);
	now_ns = bpf_ktime_get_ns();
	if (leaves)
		leave_cpu(prev, preempt, prev_state, now_ns);
	if (enters)
		enter_cpu(next, prev, now_ns);
	return 0;
}

/*
 * Whether the program runs on the stack of @current, that is not in an interrupt: its context lies
 * on the stack the kernel runs on. A context pointer cannot be computed with; read back from memory
 * it is a number.
 */
static __always_inline bool on_task_stack(void *context, struct task_struct *current)
{
	__u32 cpu = bpf_get_smp_processor_id() & (RUN_COUNT_CPUS - 1);

	context_scratch[cpu] = (__u64)context;
	barrier();
	return *(volatile __u64 *)&context_scratch[cpu] - (__u64)current->stack < thread_size;
}

#define PF_KTHREAD 0x00200000

static __always_inline void note_irq(struct thread_state *thread)
{
	thread->waker_in_irq = 1;
	thread->waker_tid = 0;
	thread->waker_tgid = 0;
	thread->waker_nr = -1;
	thread->waker_arg0 = 0;
}

/*
 * x86 handles an interrupt that hits user mode on the stack of the thread it hit
 * (run_irq_on_irqstack_cond), where it cannot be told from a wake-up by that thread's own page
 * fault; interrupts are the many. So only a thread in a syscall, or one of the kernel's, is named.
 */
static __always_inline void note_waker(struct thread_state *thread, void *context)
{
	struct task_struct *current = bpf_get_current_task_btf();
	bool has_syscalls = current->pid != 0 && !(current->flags & PF_KTHREAD);
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(current);
	s64 nr = has_syscalls ? (s64)regs->orig_ax : -1; /* garbage in the others */

	if (!on_task_stack(context, current) || (has_syscalls && nr < 0))
		return note_irq(thread);
	thread->waker_in_irq = 0;
	thread->waker_tid = current->pid;
	thread->waker_tgid = current->tgid;
	thread->waker_nr = nr > 0x7fff ? -1 : nr;
	thread->waker_arg0 = has_syscalls ? regs->di : 0;
}

SEC("?tp_btf/sched_waking")
int BPF_PROG(on_sched_waking, struct task_struct *task)
{
	struct thread_state *thread;

	count_run(PROGRAM_WAKING);
	if (!is_target(task->tgid))
		return 0;
	count_hit(PROGRAM_WAKING);
	thread = bpf_task_storage_get(&threads, task, 0, 0);
	if (!thread)
		return 0;
	thread->wake_ns = bpf_ktime_get_ns();
	if (task->__state & TASK_FROZEN_STATE)
		thread->flags |= OFFCPU_FROZEN_ASLEEP;
	if (thread->off_ns && !thread->cfs && task->se.cfs_rq->throttle_count > 0)
		start_throttle_woken(thread, task);
	note_waker(thread, ctx);
	return 0;
}

/*
 * One look at every thread, in process context: the first one gives each its storage, and tells
 * those that are off a CPU already when we came; later ones make a segment of the recording
 * complete in itself.
 */
SEC("?iter/task")
int snapshot(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct thread_state *thread;
	struct event_thread *seen;
	__u64 now_ns = bpf_ktime_get_ns();

	if (!task || !is_target(task->tgid))
		return 0;
	count_run(PROGRAM_SNAPSHOT);
	count_hit(PROGRAM_SNAPSHOT);
	thread = thread_state_make(task);
	if (!thread)
		return 0;
	if (!thread->seq && !thread->off_ns && !task->on_cpu) {
		thread_read_syscall(thread, task);
		thread->state = task->__state;
		thread->flags = OFFCPU_BEFORE_ATTACH;
		thread->off_ns = now_ns;
	}
	seen = ring_reserve(EVENT_THREAD, sizeof(*seen), task->pid, now_ns);
	if (!seen)
		return 0;
	seen->off_since_ns = thread->off_ns;
	seen->start_ns = task->start_time;
	seen->exec_ns = task->se.sum_exec_runtime;
	seen->run_delay_ns =
		bpf_core_field_exists(task->sched_info.run_delay) ? task->sched_info.run_delay : 0;
	seen->tgid = task->tgid;
	seen->seq = thread->seq;
	seen->arg0 = thread->off_ns ? thread->arg0 : 0;
	seen->arg1 = thread->off_ns ? thread->arg1 : 0;
	seen->arg2 = thread->off_ns ? thread->arg2 : 0;
	seen->state = thread->off_ns ? thread->state : THREAD_STATE_ON_CPU;
	seen->flags = thread->off_ns ? thread->flags : 0;
	seen->nr = thread->off_ns ? thread->nr : -1;
	__builtin_memset(seen->reserved, 0, sizeof(seen->reserved));
	__builtin_memcpy(seen->comm, task->comm, sizeof(seen->comm));
	ring_submit(seen);
	return 0;
}
