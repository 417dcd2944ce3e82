/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A running HotSpot JVM seen from outside: a pid in, a struct of facts out. Only reads /proc/PID
 * and the memory of the process (process_vm_readv); the JVM is never stopped, signalled or written
 * to. Knows nothing of BPF. Everything read from the target is foreign input and checked.
 */
#ifndef STANDSTILL_ATTACH_JVM_H
#define STANDSTILL_ATTACH_JVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/attach/vmstructs.h"

#define JVM_COLLECTORS_MAX 4   /* sun.gc.collector.0 to .3 in hsperfdata */
#define JVM_OPERATIONS_MAX 256 /* more than any HotSpot has; 97 in JDK 17 */
#define JVM_TEXT_BYTES	   256 /* versions, vendors: cut if longer */

enum jvm_collector {
	JVM_COLLECTOR_UNKNOWN,
	JVM_COLLECTOR_SERIAL,
	JVM_COLLECTOR_PARALLEL,
	JVM_COLLECTOR_G1,
	JVM_COLLECTOR_CMS,
	JVM_COLLECTOR_ZGC,
	JVM_COLLECTOR_SHENANDOAH,
	JVM_COLLECTOR_EPSILON,
};

/* Something in the target's memory; address 0: it has none. */
struct jvm_location {
	uint64_t address; /* in the target's address space */
	uint32_t bytes;	  /* 8 for a number; the length of the array, NUL included, for a text */
};

/* The JVM's own counters, live in its memory. Numbers are jlong; times are ns where
 * sun.os.hrt.frequency is 1e9 (checked). */
struct jvm_counter_map {
	struct jvm_location safepoints;	      /* sun.rt.safepoints */
	struct jvm_location sync_time;	      /* sun.rt.safepointSyncTime */
	struct jvm_location safepoint_time;   /* sun.rt.safepointTime */
	struct jvm_location application_time; /* sun.rt.applicationTime */
	struct jvm_location
		gc_invocations[JVM_COLLECTORS_MAX]; /* sun.gc.collector.N.invocations, no gaps */
	uint32_t nr_gc_invocations;
	struct jvm_location cause;	/* sun.gc.cause: bytes of text */
	struct jvm_location last_cause; /* sun.gc.lastCause */
};

/* One place in libjvm's code with a USDT probe of provider hotspot or hs_private; several may share
 * a name. */
struct jvm_usdt {
	const char *provider, *name, *arguments; /* arguments as in the note: "8@%rax 4@$1" */
	uint64_t address;			 /* in libjvm, before the load bias */
	uint64_t file_offset;			 /* what a uprobe wants */
	uint64_t semaphore;			 /* 0: none, always on */
};

/* Data of libjvm that .symtab names; addresses in the target, 0: not found (stripped, or another
 * JDK). */
struct jvm_symbols {
	uint64_t safepoint_state;   /* SafepointSynchronize::_state: int, 0 not, 1 synchronizing, 2
				       synchronized */
	uint64_t safepoint_counter; /* SafepointSynchronize::_safepoint_counter: uint64, odd while
				       one is active */
	uint64_t barrier_word; /* the futex word that stopped threads wait on: WaitBarrier's, JDK 13
				  and later */
	uint64_t vmop_lock; /* the object VMOperation_lock points at: a Monitor; its futex words lie
			       inside */
	uint64_t current_type; /* SafepointTracing::_current_type: int, index into operations[] */
	uint64_t initial_time; /* initial_time_count: int64, javaTimeNanos() at uptime 0 */
	/* Ints that hold the offset of a field in its objects: */
	uint64_t thread_name;		   /* java.lang.Thread.name */
	uint64_t thread_eetop;		   /* java.lang.Thread.eetop */
	uint64_t string_value;		   /* java.lang.String.value */
	uint64_t string_coder;		   /* java.lang.String.coder */
	uint64_t z_young, z_old;	   /* ZGeneration::_young, ::_old: pointers */
	uint64_t z_young_mask, z_old_mask; /* ZPointerRemappedYoungMask, ZPointerRemappedOldMask */
};

struct jvm {
	uint32_t tgid;
	uint32_t ns_tgid; /* the target's own idea of its pid (last of NSpid) */
	uint32_t vm_tid;  /* the thread called "VM Thread"; 0: not (yet) there */
	uint32_t uid;
	uint64_t start_ticks; /* /proc/PID/stat field 22: with tgid it names one process for ever */
	uint64_t start_ns;    /* the same as CLOCK_MONOTONIC, to 10 ms */
	uint64_t pid_namespace;	     /* inode of /proc/PID/ns/pid */
	int64_t monotonic_offset_ns; /* the target's CLOCK_MONOTONIC minus ours (time namespace) */

	char *exe;	   /* as the target sees it; "" : unknown */
	char *libjvm;	   /* as the target sees it */
	char *libjvm_file; /* the same file, where we can open it: checked to be what is mapped */
	uint64_t libjvm_start; /* of its first mapping, with the ELF header */
	uint64_t libjvm_bias;  /* address in the target = address in the file + this */

	int feature;		      /* 8, 11, 17, 21, 25...; 0: unknown */
	char version[JVM_TEXT_BYTES]; /* "17.0.15+6-Debian-1deb12u1"; "" : unknown, as all below */
	char vm_name[JVM_TEXT_BYTES]; /* "OpenJDK 64-Bit Server VM" */
	char vendor[JVM_TEXT_BYTES];  /* "Debian" */
	const char *version_source;   /* "hsperfdata", "vmstructs", "release file", "" */
	enum jvm_collector collector;
	const char *collector_source; /* "hsperfdata", "thread names", "arguments", "" */
	char *java_command;	      /* main class or jar, and its arguments; "" : unknown */
	char *vm_arguments;	      /* "" : unknown */

	bool has_symtab;       /* function symbols of HotSpot, for uprobes without USDT */
	bool has_vmstructs;    /* gHotSpotVMStructs: true of every HotSpot */
	struct jvm_usdt *usdt; /* sorted by provider, name, address */
	size_t nr_usdt;

	char *perfdata_path; /* as the target sees it; "" : none (PerfDisableSharedMem), counters
				may still be there */
	uint64_t perfdata_address; /* in the target; 0: no counters at all */
	uint32_t perfdata_bytes;
	struct jvm_counter_map counters;

	uint64_t vmstructs[NR_VMSTRUCTS_SYMBOLS]; /* for vmstructs_read */
	struct jvm_symbols symbols;
	char *operations[JVM_OPERATIONS_MAX]; /* VM_Operation::_names; NULL beyond nr_operations */
	uint32_t nr_operations;		      /* 0: unknown */
};

/*
 * Look at @tgid. 0 and *ret set, to be given to jvm_free; else -ESRCH (no such process, or it ended
 * meanwhile; a thread's id is none), -EACCES (a right is missing: CAP_SYS_PTRACE and the like),
 * -ENOEXEC (no JVM: no libjvm.so is mapped), -EOPNOTSUPP (a JVM, but not HotSpot: OpenJ9, Zing),
 * -ENOENT (its libjvm.so was replaced on disk and the mapped one cannot be reached), -EBADMSG
 * (libjvm.so or its tables make no sense), -ENOMEM.
 */
int jvm_inspect(uint32_t tgid, struct jvm **ret);
void jvm_free(struct jvm *jvm);

const char *jvm_collector_name(enum jvm_collector collector); /* "G1", "ZGC", "unknown" */

/* The first location of probe @provider:@name, and how many follow each other from there; NULL and
 * 0: none. */
const struct jvm_usdt *jvm_find_usdt(const struct jvm *jvm, const char *provider, const char *name,
				     size_t *ret_nr);

/* Whether @jvm is still the process that was looked at: not gone, not another with the same pid,
 * not another program by exec. */
bool jvm_is_alive(const struct jvm *jvm);

#endif
