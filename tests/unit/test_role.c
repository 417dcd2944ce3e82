/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include "user/base/cleanup.h"
#include "user/timeline/role.h"

struct comm {
	char name[32];
	enum thread_role role;
};

/* As seen in /proc of JDK 8, 11, 17, 21, 25 and 27. */
static struct comm comms[] = {
	{"VM Thread", ROLE_VM_THREAD},
	{"GC Thread#0", ROLE_GC},
	{"GC task thread#", ROLE_GC},
	{"ParGC Thread#1", ROLE_GC},
	{"Gang worker#0", ROLE_GC},
	{"G1 Main Marker", ROLE_GC},
	{"G1 Main Concurr", ROLE_GC},
	{"G1 Conc#0", ROLE_GC},
	{"G1 Refine#0", ROLE_GC},
	{"G1 Refi..kers#0", ROLE_GC},
	{"G1 Refi..ontrol", ROLE_GC},
	{"G1 Young RemSet", ROLE_GC},
	{"G1 Service", ROLE_GC},
	{"Concurrent Mark", ROLE_GC},
	{"CMS Main Thread", ROLE_GC},
	{"ZDirector", ROLE_GC},
	{"ZDriver", ROLE_GC},
	{"ZDriverMinor", ROLE_GC},
	{"ZWorker#0", ROLE_GC},
	{"ZWorkerYoung#0", ROLE_GC},
	{"ZWorkerOld#1", ROLE_GC},
	{"ZUncommitter#0", ROLE_GC},
	{"RuntimeWorker#0", ROLE_GC},
	{"XDriver", ROLE_GC},
	{"XWorker#0", ROLE_GC},
	{"Shenandoah Cont", ROLE_GC},
	{"Shenandoah GC T", ROLE_GC},
	{"Shenand..eads#0", ROLE_GC},
	{"C1 CompilerThre", ROLE_COMPILER},
	{"C2 CompilerThread0", ROLE_COMPILER},
	{"C1 Comp..hread0", ROLE_COMPILER},
	{"VM Periodic Tas", ROLE_JVM_OTHER},
	{"Signal Dispatch", ROLE_JVM_OTHER},
	{"Reference Handl", ROLE_JVM_OTHER},
	{"Finalizer", ROLE_JVM_OTHER},
	{"Common-Cleaner", ROLE_JVM_OTHER},
	{"Monitor Deflati", ROLE_JVM_OTHER},
	{"Monitor..Thread", ROLE_JVM_OTHER},
	{"Notification Th", ROLE_JVM_OTHER},
	{"Service Thread", ROLE_JVM_OTHER},
	{"Sweeper thread", ROLE_JVM_OTHER},
	{"java", ROLE_APPLICATION},
	{"main", ROLE_APPLICATION},
	{"http-nio-8080-e", ROLE_APPLICATION},
	{"VM Thread 2", ROLE_APPLICATION},
	{"Finalizers", ROLE_APPLICATION},
	{"ZDriverless", ROLE_APPLICATION},
	{"", ROLE_APPLICATION},
};

ParameterizedTestParameters(role, a_thread_is_what_hotspot_calls_it)
{
	return cr_make_param_array(struct comm, comms, ARRAY_SIZE(comms));
}

ParameterizedTest(struct comm *row, role, a_thread_is_what_hotspot_calls_it)
{
	cr_expect(eq(int, (int)role_of_comm(row->name), (int)row->role), "%s is %s", row->name,
		  role_name(role_of_comm(row->name)));
}
