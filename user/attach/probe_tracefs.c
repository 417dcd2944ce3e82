/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "user/attach/probe_internal.h"

#define TRACEFS	     "/sys/kernel/tracing"
#define TRACEFS_TEST TRACEFS "/events/syscalls/sys_exit_futex/id"

/*
 * Where nobody has mounted tracefs, mount it in a mount namespace of our own: the machine is left
 * as it was found, whatever happens to us. What must not spread from there is a mount below /sys;
 * / need not be a mount point, and in a chroot is none.
 */
int probe_tracefs_mount(void)
{
	if (access(TRACEFS_TEST, R_OK) == 0 ||
	    access("/sys/kernel/debug/tracing/events/syscalls/sys_exit_futex/id", R_OK) == 0)
		return 0;
	if (unshare(CLONE_NEWNS) || mount(NULL, "/sys", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tracefs", TRACEFS, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return -errno;
	return access(TRACEFS_TEST, R_OK) ? -errno : 0;
}
