/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records that the recorder itself adds to those of the ring (bpf/event.h), in the same stream,
 * in the same order of time. Same rules: header first, fixed width, no hidden padding, append only.
 */
#ifndef STANDSTILL_RECORDING_RECORD_H
#define STANDSTILL_RECORDING_RECORD_H

#include "bpf/event.h"

enum record_kind {
	RECORD_INFO = 64, /* struct record_info: one fact about machine, kernel, target or probes */
	RECORD_CLOCK = 65, /* struct record_clock: one bracketed reading of two clocks */
	RECORD_LOST = 66,  /* struct record_lost: records that never reached the file */
	RECORD_COST = 67,  /* struct record_cost: what standstill itself has used so far */
	RECORD_NAME = 68, /* struct record_name: a better name for a thread, or a stranger's name */
	RECORD_COUNTERS = 69, /* struct record_counters: the JVM's counters read by the recorder */
	RECORD_END = 70,      /* struct record_end: why the recording ended; absent after a crash */
	RECORD_PROBE = 71,    /* struct record_probe: what one BPF program has cost so far */
	RECORD_HTTP = 72, /* struct record_http: an HTTP/1.x request in the bytes read (--http) */
	NR_RECORD_KINDS,
};

#define RECORD_KEY_BYTES   48
#define RECORD_VALUE_BYTES 256

/* "kernel.release" = "6.18.1", "jvm.collector" = "G1", ... scope: tgid it is about, 0 for the
 * machine. The keys in use are listed in docs/recording.md. */
struct record_info {
	struct event_hdr hdr; /* tid: scope again */
	char key[RECORD_KEY_BYTES];
	char value[RECORD_VALUE_BYTES];
};
_Static_assert(sizeof(struct record_info) == 320, "record ABI");

/* CLOCK_MONOTONIC before, CLOCK_REALTIME, CLOCK_MONOTONIC after; hdr.ts_ns is monotonic_after_ns.
 */
struct record_clock {
	struct event_hdr hdr;
	__u64 monotonic_before_ns;
	__u64 realtime_ns;
	__u64 monotonic_after_ns;
};
_Static_assert(sizeof(struct record_clock) == 40, "record ABI");

enum lost_cause {
	LOST_NONE = 0,
	LOST_RING_FULL = 1,  /* bpf_ringbuf_reserve failed */
	LOST_NO_STORAGE = 2, /* no task storage could be made for a thread */
	LOST_RECURSION = 3,  /* a program was skipped since it was already running on that CPU */
	LOST_DISORDER = 4,   /* came too late to be put in order; kept, but out of order */
	LOST_WRITE = 5,	     /* could not be written to the file (disk full) */
	LOST_DAMAGED = 6,    /* said by the reader, never in a file: in damaged parts of it */
	LOST_UNSEEN = 7, /* a switch that the kernel showed to no probe, found by what follows it */
	NR_LOST_CAUSES,
};

/* nr records of kind were lost in (from_ns, hdr.ts_ns]. */
struct record_lost {
	struct event_hdr hdr;
	__u64 from_ns;
	__u64 nr;
	__u32 lost_kind; /* enum event_kind; 0: of several or unknown kinds */
	__u32 cause;	 /* enum lost_cause */
};
_Static_assert(sizeof(struct record_lost) == 40, "record ABI");

/* All sums since the recording began. */
struct record_cost {
	struct event_hdr hdr;
	__u64 since_ns;	       /* when the recording began */
	__u64 cpu_ns;	       /* CPU time of the recorder, user and system */
	__u64 rss_bytes;       /* resident memory of the recorder now */
	__u64 nr_events;       /* records taken from the ring */
	__u64 ring_bytes;      /* their size in the ring */
	__u64 file_bytes;      /* bytes written so far */
	__u64 bpf_runs;	       /* runs of all programs, strangers' events included */
	__u64 bpf_ns;	       /* their estimated time, dispatch included */
	__u64 ring_size_bytes; /* size of the ring */
	__u64 ring_peak_bytes; /* most that ever waited in it when it was drained */
};
_Static_assert(sizeof(struct record_cost) == 96, "record ABI");

struct record_probe {
	struct event_hdr hdr;
	__u64 runs;
	__u64 hits;	   /* runs that were about a target */
	__u64 ns_per_run;  /* measured in the program's body; 0: not measured */
	__u64 dispatch_ns; /* assumed cost of getting there and back */
	char name[EVENT_COMM_BYTES * 2];
};
_Static_assert(sizeof(struct record_probe) == 80, "record ABI");

enum name_source {
	NAME_NONE = 0,
	NAME_COMM = 1, /* /proc/PID/task/TID/comm: at most 15 characters */
	NAME_JAVA = 2, /* java.lang.Thread.name, in full */
};

struct record_name {
	struct event_hdr hdr; /* tid: whose name */
	__u32 tgid;
	__u32 source; /* enum name_source */
	char name[EVENT_NAME_BYTES];
};
_Static_assert(sizeof(struct record_name) == 88, "record ABI");

/* Read by the recorder between monotonic before_ns and hdr.ts_ns; edge: 0 at attach, 1 at the end,
 * 2 between. */
struct record_counters {
	struct event_hdr hdr;
	__u64 before_ns;
	__u64 safepoints;
	__u64 sync_ns;
	__u64 safepoint_time_ns;
	__u64 gc_invocations;
	__u32 tgid;
	__u32 valid; /* enum jvm_counter_flag */
	__u32 edge;
	__u32 reserved;
};
_Static_assert(sizeof(struct record_counters) == 72, "record ABI");

enum end_reason {
	END_NONE = 0,
	END_INTERRUPTED = 1, /* Ctrl-C or SIGTERM */
	END_DEADLINE = 2,    /* -d reached */
	END_TARGET_EXIT = 3, /* the last target ended */
	END_WRITE_ERROR = 4, /* the file could not be written further */
	END_TARGET_EXEC = 5, /* the last target became another program */
};

struct record_end {
	struct event_hdr hdr;
	__u32 reason;  /* enum end_reason */
	__u32 error;   /* errno of END_WRITE_ERROR */
	__u64 nr_lost; /* sum of all RECORD_LOST */
};
_Static_assert(sizeof(struct record_end) == 32, "record ABI");

#define RECORD_METHOD_BYTES   16
#define RECORD_PATH_BYTES     128
#define RECORD_HTTP_KEY_BYTES 64

/* Bytes [in_from, in_to) of a connection are one request; in_to 0: its end is not known. */
struct record_http {
	struct event_hdr hdr; /* tid: who read its head; ts_ns: when */
	__u64 in_from;
	__u64 in_to;
	__u32 conn;
	__u32 tgid;
	char method[RECORD_METHOD_BYTES];
	char path[RECORD_PATH_BYTES];	 /* without the query; cut if longer */
	char key[RECORD_HTTP_KEY_BYTES]; /* value of the header that names requests; may be empty */
};
_Static_assert(sizeof(struct record_http) == 248, "record ABI");

#endif
