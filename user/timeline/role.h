/* SPDX-License-Identifier: BSD-2-Clause */
/* What a JVM's thread is for, told by the name HotSpot gives it (8 to 27, truncated or shortened as
 * each does). */
#ifndef STANDSTILL_TIMELINE_ROLE_H
#define STANDSTILL_TIMELINE_ROLE_H

enum thread_role {
	ROLE_APPLICATION,
	ROLE_VM_THREAD,
	ROLE_GC,
	ROLE_COMPILER,
	ROLE_JVM_OTHER,
	NR_ROLES
};

const char *role_name(enum thread_role role);
enum thread_role role_of_comm(const char *comm);

#endif
