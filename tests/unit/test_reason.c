/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>
#include <sys/syscall.h>

#include "user/base/cleanup.h"
#include "user/timeline/reason.h"

struct block {
	const char *what;
	uint32_t state, flags;
	int nr;
	enum reason reason;
};

static struct block blocks[] = {
	{"futex", 1, 0, SYS_futex, REASON_PARKED},
	{"epoll", 1, 0, SYS_epoll_pwait, REASON_EPOLL},
	{"poll by its old name", 1, 0, SYS_ppoll, REASON_EPOLL},
	{"read", 1, 0, SYS_read, REASON_SOCKET_READ},
	{"recvfrom", 1, 0, SYS_recvfrom, REASON_SOCKET_READ},
	{"sendto", 1, 0, SYS_sendto, REASON_SOCKET_WRITE},
	{"accept4", 1, 0, SYS_accept4, REASON_ACCEPT},
	{"connect", 1, 0, SYS_connect, REASON_CONNECT},
	{"nanosleep", 1, 0, SYS_nanosleep, REASON_SLEEP},
	{"clock_nanosleep", 1, 0, SYS_clock_nanosleep, REASON_SLEEP},
	{"a syscall of no interest", 1, 0, SYS_wait4, REASON_OTHER},
	{"a syscall not known at all", 1, 0, 9999, REASON_OTHER},
	{"no syscall", 1, 0, -1, REASON_OTHER},
	{"a page that has to be read", 0x102, OFFCPU_IOWAIT, -1, REASON_PAGE_FAULT},
	{"a read from disk", 2, OFFCPU_IOWAIT, SYS_pread64, REASON_FILE_IO},
	{"mmap_lock in a fault", 2, 0, -1, REASON_KERNEL_LOCK},
	{"mmap_lock in a call", 0x102, 0, SYS_munmap, REASON_KERNEL_LOCK},
	{"reclaim", 2, OFFCPU_MEMSTALL, -1, REASON_MEMORY},
	{"a page that had been thrown out", 0x102, OFFCPU_MEMSTALL | OFFCPU_IOWAIT, -1,
	 REASON_MEMORY},
	{"SIGSTOP, which sets the frozen bit too", 0x104, OFFCPU_FROZEN, SYS_futex, REASON_STOPPED},
	{"ptrace", 0x8, 0, -1, REASON_TRACED},
	{"ptrace before 5.19", 0x108, OFFCPU_FROZEN, SYS_futex, REASON_TRACED},
	{"cgroup v2 freezer", 1, OFFCPU_FROZEN, -1, REASON_FROZEN},
	{"cgroup v1 freezer, on its way to user mode", 0x8000, 0, SYS_futex, REASON_FROZEN},
	{"frozen while it slept", 1, OFFCPU_FROZEN_ASLEEP, SYS_epoll_pwait, REASON_EPOLL},
};

ParameterizedTestParameters(reason, a_block_is_told_by_its_state_and_syscall)
{
	return cr_make_param_array(struct block, blocks, ARRAY_SIZE(blocks));
}

ParameterizedTest(struct block *row, reason, a_block_is_told_by_its_state_and_syscall)
{
	struct event_offcpu off = {.state = row->state, .flags = row->flags, .nr = (__s16)row->nr};

	cr_expect(eq(int, (int)reason_of_block(&off), (int)row->reason), "%s is %s", row->what,
		  reason_name(reason_of_block(&off)));
}

Test(reason, every_reason_has_a_name_of_its_own)
{
	for (int a = 0; a < NR_REASONS; a++) {
		cr_assert(ne(ptr, (void *)reason_name((enum reason)a), NULL));
		for (int b = 0; b < a; b++)
			cr_expect(ne(str, (char *)reason_name((enum reason)a),
				     (char *)reason_name((enum reason)b)));
	}
	cr_expect(eq(str, (char *)reason_name(NR_REASONS), "?"));
}

Test(reason, syscalls_that_block_have_names)
{
	cr_expect(eq(str, (char *)reason_syscall_name(SYS_futex), "futex"));
	cr_expect(eq(ptr, (void *)reason_syscall_name(9999), NULL));
	cr_expect(eq(ptr, (void *)reason_syscall_name(-1), NULL));
}
