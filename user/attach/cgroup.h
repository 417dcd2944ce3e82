/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cgroups of a process and the limits they put on it: v1, v2 and both at once. /proc/PID/cgroup
 * and mountinfo in, directories and limits out. The tightest limit of a group and all above it is
 * the one that holds.
 */
#ifndef STANDSTILL_ATTACH_CGROUP_H
#define STANDSTILL_ATTACH_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The path of a process' group in the hierarchy that has @controller ("cpu", ...; "" for v2) out of
 * the text of /proc/PID/cgroup. malloc'ed; NULL: it is in no such hierarchy.
 */
char *cgroup_path(const char *cgroups, const char *controller);

/*
 * Where the files of group @path are, out of the text of /proc/self/mountinfo: a directory below a
 * mount of the hierarchy that has
 * @controller ("" for v2). malloc'ed; NULL: the hierarchy is not mounted here, or the group is
 * outside of what is. *ret_mount_bytes is the length of the part that is the mount point.
 */
char *cgroup_directory(const char *mounts, const char *controller, const char *path,
		       size_t *ret_mount_bytes);

struct cgroup_quota {
	bool limited;
	uint64_t quota_us, period_us; /* of the tightest group */
	char *group;		      /* whose it is; malloc'ed, NULL when not limited */
};

/* The tightest CPU quota from @directory up to the mount point (its first @mount_bytes). v1 and v2.
 * 0 or -ENOMEM. */
int cgroup_cpu_quota(const char *directory, size_t mount_bytes, struct cgroup_quota *ret);

/* The tightest memory limit, likewise; UINT64_MAX: none. */
uint64_t cgroup_memory_limit(const char *directory, size_t mount_bytes);

/* The first line of the file @name in @directory, cut to @bytes. False: there is none. */
bool cgroup_read(const char *directory, const char *name, char *buffer, size_t bytes);

#endif
