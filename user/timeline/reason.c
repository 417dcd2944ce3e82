/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <sys/syscall.h>

#include "user/base/cleanup.h"
#include "user/timeline/reason.h"

/* prev_state of sched_switch, include/linux/sched.h; the same since 4.14 */
#define STATE_UNINTERRUPTIBLE 0x0002u
#define STATE_STOPPED	      0x0004u
#define STATE_TRACED	      0x0008u
#define STATE_FROZEN	      0x8000u /* since 6.1 */

static const char *const reason_names[NR_REASONS] = {
	[REASON_RUNNING] = "running",	    [REASON_RUN_QUEUE] = "run queue",
	[REASON_THROTTLED] = "throttled",   [REASON_PARKED] = "parked",
	[REASON_EPOLL] = "epoll",	    [REASON_SOCKET_READ] = "read",
	[REASON_SOCKET_WRITE] = "write",    [REASON_ACCEPT] = "accept",
	[REASON_CONNECT] = "connect",	    [REASON_SLEEP] = "sleep",
	[REASON_PAGE_FAULT] = "page fault", [REASON_FILE_IO] = "file io",
	[REASON_MEMORY] = "memory",	    [REASON_KERNEL_LOCK] = "kernel lock",
	[REASON_STOPPED] = "stopped",	    [REASON_TRACED] = "traced",
	[REASON_FROZEN] = "frozen",	    [REASON_OTHER] = "other",
	[REASON_UNKNOWN] = "unknown",
};

struct syscall_row {
	int nr;
	const char *name;
	enum reason reason; /* of an interruptible sleep in it */
};

static const struct syscall_row syscalls[] = {
#ifdef SYS_poll /* the old calls that arm64 never had */
	{SYS_poll, "poll", REASON_EPOLL},
	{SYS_select, "select", REASON_EPOLL},
	{SYS_epoll_wait, "epoll_wait", REASON_EPOLL},
	{SYS_pause, "pause", REASON_OTHER},
#endif
	{SYS_futex, "futex", REASON_PARKED},
	{SYS_epoll_pwait, "epoll_pwait", REASON_EPOLL},
	{SYS_epoll_pwait2, "epoll_pwait2", REASON_EPOLL},
	{SYS_ppoll, "ppoll", REASON_EPOLL},
	{SYS_pselect6, "pselect6", REASON_EPOLL},
	{SYS_read, "read", REASON_SOCKET_READ},
	{SYS_readv, "readv", REASON_SOCKET_READ},
	{SYS_recvfrom, "recvfrom", REASON_SOCKET_READ},
	{SYS_recvmsg, "recvmsg", REASON_SOCKET_READ},
	{SYS_recvmmsg, "recvmmsg", REASON_SOCKET_READ},
	{SYS_write, "write", REASON_SOCKET_WRITE},
	{SYS_writev, "writev", REASON_SOCKET_WRITE},
	{SYS_sendto, "sendto", REASON_SOCKET_WRITE},
	{SYS_sendmsg, "sendmsg", REASON_SOCKET_WRITE},
	{SYS_sendmmsg, "sendmmsg", REASON_SOCKET_WRITE},
	{SYS_sendfile, "sendfile", REASON_SOCKET_WRITE},
	{SYS_accept, "accept", REASON_ACCEPT},
	{SYS_accept4, "accept4", REASON_ACCEPT},
	{SYS_connect, "connect", REASON_CONNECT},
	{SYS_nanosleep, "nanosleep", REASON_SLEEP},
	{SYS_clock_nanosleep, "clock_nanosleep", REASON_SLEEP},
	{SYS_wait4, "wait4", REASON_OTHER},
	{SYS_waitid, "waitid", REASON_OTHER},
	{SYS_rt_sigtimedwait, "rt_sigtimedwait", REASON_OTHER},
	{SYS_rt_sigsuspend, "rt_sigsuspend", REASON_OTHER},
	{SYS_io_uring_enter, "io_uring_enter", REASON_OTHER},
	{SYS_sched_yield, "sched_yield", REASON_OTHER},
	{SYS_pread64, "pread64", REASON_OTHER},
	{SYS_pwrite64, "pwrite64", REASON_OTHER},
	{SYS_fsync, "fsync", REASON_OTHER},
	{SYS_fdatasync, "fdatasync", REASON_OTHER},
	{SYS_openat, "openat", REASON_OTHER},
	{SYS_close, "close", REASON_OTHER},
	{SYS_mmap, "mmap", REASON_OTHER},
	{SYS_munmap, "munmap", REASON_OTHER},
	{SYS_mprotect, "mprotect", REASON_OTHER},
	{SYS_madvise, "madvise", REASON_OTHER},
	{SYS_membarrier, "membarrier", REASON_OTHER},
	{SYS_clone, "clone", REASON_OTHER},
	{SYS_clone3, "clone3", REASON_OTHER},
	{SYS_exit, "exit", REASON_OTHER},
	{SYS_exit_group, "exit_group", REASON_OTHER},
	{SYS_flock, "flock", REASON_OTHER},
	{SYS_restart_syscall, "restart_syscall", REASON_OTHER},
};

static const struct syscall_row *find_syscall(int nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(syscalls); i++)
		if (syscalls[i].nr == nr)
			return &syscalls[i];
	return NULL;
}

const char *reason_name(enum reason reason)
{
	return (unsigned int)reason < NR_REASONS ? reason_names[reason] : "?";
}

const char *reason_syscall_name(int nr)
{
	const struct syscall_row *row = find_syscall(nr);

	return row ? row->name : NULL;
}

enum reason reason_of_block(const struct event_offcpu *off)
{
	const struct syscall_row *row;

	/* A stop sets the frozen bit of the v2 freezer too, and a traced thread may carry the
	 * stopped bit: in this order. */
	if (off->state & STATE_TRACED)
		return REASON_TRACED;
	if (off->state & STATE_STOPPED)
		return REASON_STOPPED;
	if (off->state & STATE_FROZEN || off->flags & OFFCPU_FROZEN)
		return REASON_FROZEN;
	if (off->flags & OFFCPU_MEMSTALL)
		return REASON_MEMORY;
	if (off->state & STATE_UNINTERRUPTIBLE) {
		if (!(off->flags & OFFCPU_IOWAIT))
			return REASON_KERNEL_LOCK;
		return off->nr < 0 ? REASON_PAGE_FAULT : REASON_FILE_IO;
	}
	row = find_syscall(off->nr);
	return row ? row->reason : REASON_OTHER;
}
