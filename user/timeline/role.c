/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/timeline/role.h"

static const char *const role_names[NR_ROLES] = {
	[ROLE_APPLICATION] = "application", [ROLE_VM_THREAD] = "vm thread", [ROLE_GC] = "gc",
	[ROLE_COMPILER] = "compiler",	    [ROLE_JVM_OTHER] = "jvm",
};

struct role_row {
	const char *start; /* of the name; the whole name if it ends in '\n' here */
	enum thread_role role;
};

/*
 * As the kernel shows them, 15 characters at most, in JDK 8 to 27. 27 keeps seven characters, "..",
 * and the last six of longer names. A full name starts like its short one, so these serve for both.
 */
static const struct role_row roles[] = {
	{"VM Thread\n", ROLE_VM_THREAD},
	/* Parallel, G1, CMS */
	{"GC Thread#", ROLE_GC},
	{"GC task thread#", ROLE_GC},
	{"ParGC Thread#", ROLE_GC},
	{"Gang worker#", ROLE_GC},
	{"G1 Main Marker\n", ROLE_GC},
	{"G1 Main Concurr", ROLE_GC},
	{"G1 Conc#", ROLE_GC},
	{"G1 Concurrent R", ROLE_GC},
	{"G1 Refine#", ROLE_GC},
	{"G1 Refi..", ROLE_GC},
	{"G1 Refinement", ROLE_GC},
	{"G1 Young RemSet", ROLE_GC},
	{"G1 Service\n", ROLE_GC},
	{"Concurrent Mark", ROLE_GC},
	{"CMS Main Thread", ROLE_GC},
	/* ZGC; X in JDK 21, where the old one was kept beside the generational one */
	{"ZDirector\n", ROLE_GC},
	{"ZDriver\n", ROLE_GC},
	{"ZDriverMinor\n", ROLE_GC},
	{"ZDriverMajor\n", ROLE_GC},
	{"ZStat\n", ROLE_GC},
	{"ZWorker#", ROLE_GC},
	{"ZWorkerYoung#", ROLE_GC},
	{"ZWorkerOld#", ROLE_GC},
	{"ZUncommitter\n", ROLE_GC},
	{"ZUncommitter#", ROLE_GC},
	{"ZUnmapper\n", ROLE_GC},
	{"RuntimeWorker#", ROLE_GC},
	{"XDirector\n", ROLE_GC},
	{"XDriver\n", ROLE_GC},
	{"XStat\n", ROLE_GC},
	{"XWorker#", ROLE_GC},
	{"XUncommitter\n", ROLE_GC},
	{"XUnmapper\n", ROLE_GC},
	/* Shenandoah: control thread, workers */
	{"Shenandoah Cont", ROLE_GC},
	{"Shenandoah GC T", ROLE_GC},
	{"Shenandoah Unco", ROLE_GC},
	{"Shenandoah Regu", ROLE_GC},
	{"Shenand..", ROLE_GC},
	{"C1 CompilerThre", ROLE_COMPILER},
	{"C2 CompilerThre", ROLE_COMPILER},
	{"C1 Comp..hread", ROLE_COMPILER},
	{"C2 Comp..hread", ROLE_COMPILER},
	{"JVMCI CompilerT", ROLE_COMPILER},
	{"JVMCI C..hread", ROLE_COMPILER},
	{"VM Periodic Tas", ROLE_JVM_OTHER},
	{"VM Peri..Thread", ROLE_JVM_OTHER},
	{"Signal Dispatch", ROLE_JVM_OTHER},
	{"Signal ..atcher", ROLE_JVM_OTHER},
	{"Reference Handl", ROLE_JVM_OTHER},
	{"Referen..andler", ROLE_JVM_OTHER},
	{"Finalizer\n", ROLE_JVM_OTHER},
	{"Common-Cleaner\n", ROLE_JVM_OTHER},
	{"Service Thread\n", ROLE_JVM_OTHER},
	{"Monitor Deflati", ROLE_JVM_OTHER},
	{"Monitor..Thread", ROLE_JVM_OTHER},
	{"Notification Th", ROLE_JVM_OTHER},
	{"Notific..Thread", ROLE_JVM_OTHER},
	{"Sweeper thread\n", ROLE_JVM_OTHER},
	{"Attach Listener", ROLE_JVM_OTHER},
	{"DestroyJavaVM\n", ROLE_JVM_OTHER},
	{"JFR Recorder Th", ROLE_JVM_OTHER},
	{"JFR Rec..Thread", ROLE_JVM_OTHER},
	{"JFR Sampler Thr", ROLE_JVM_OTHER},
	{"JFR Thread Samp", ROLE_JVM_OTHER},
	{"JFR Periodic Ta", ROLE_JVM_OTHER},
};

static bool row_matches(const struct role_row *row, const char *comm)
{
	size_t bytes = strcspn(row->start, "\n");

	return !strncmp(comm, row->start, bytes) && (!row->start[bytes] || !comm[bytes]);
}

const char *role_name(enum thread_role role)
{
	return (unsigned int)role < NR_ROLES ? role_names[role] : "?";
}

enum thread_role role_of_comm(const char *comm)
{
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (row_matches(&roles[i], comm))
			return roles[i].role;
	return ROLE_APPLICATION;
}
