/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `standstill record` share; nobody else includes it. */
#ifndef STANDSTILL_CMD_RECORD_H
#define STANDSTILL_CMD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/attach/jvm.h"
#include "user/attach/probe.h"
#include "user/recording/writer.h"

struct record_options {
	uint32_t tgids[PROBE_TARGETS_MAX];
	enum target_role roles[PROBE_TARGETS_MAX];
	size_t nr_tgids;
	uint64_t duration_ns; /* 0: until interrupted */
	const char *output;   /* NULL: a name made of the pid and the time */
	struct recording_options file;
	struct probe_options probes;
	bool verbose, quiet;
};

struct record_names;

struct session {
	const struct record_options *options;
	struct jvm *jvms[PROBE_TARGETS_MAX]; /* NULL: a client that is none */
	int pidfds[PROBE_TARGETS_MAX];	     /* -1: it has ended */
	size_t nr_targets;
	char path[4096];
	struct probes *probes;
	struct recording_writer *file;
	struct record_names *names;
	int file_error;	     /* first -errno of the file; the recording ends then */
	uint64_t start_ns;   /* attached since */
	uint64_t attach_ns;  /* how long attaching took */
	uint64_t drained_ns; /* everything before this has been taken from the ring */
	uint64_t nr_events, event_bytes, peak_bytes, nr_offcpu, nr_pauses, nr_reads, nr_lost;
	uint64_t losses_ns;	 /* when the counts of losses were last looked at */
	uint64_t cpu_before_ns;	 /* CPU time this process had used when the recording began */
	struct record_cost cost; /* as last put */
	uint64_t status_ns, status_events, status_reads; /* of the last live line */
	uint64_t file_bytes;				 /* of the closed file */
	uint64_t nr_ticks;
	bool exec_seen;
	uint32_t end_reason; /* enum end_reason; END_NONE while it goes on */
	bool interactive;    /* standard error is a terminal */
};

/* record_target.c: look at the processes and attach to them. An exit code; what is wrong has been
 * said. */
int record_open_targets(struct session *s);
int record_attach(struct session *s);
void record_close_targets(struct session *s);

/* record_put.c: records into the file. */
void record_put(struct session *s, const struct event_hdr *event);
void record_put_lost(struct session *s);
void record_put_cost(struct session *s);
void record_put_counters(struct session *s, uint32_t edge);
void record_put_end(struct session *s);
int record_drain(struct session *s);

/* record_segment.c: what makes a segment complete in itself. */
void record_begin_segment(struct session *s);

/* record_names.c: names of Java threads, and of strangers met as wakers or ahead in a run queue. */
struct record_names *record_names_new(void);
void record_names_free(struct record_names *n);
void record_names_event(struct session *s, const struct event_hdr *event);
void record_names_look_up(
	struct session *s); /* put the names asked for since the last call, a bounded number */
void record_names_begin_segment(struct session *s);
void record_names_read(struct session *s); /* of Java threads: put those that are new or changed */

/* record_status.c: the live line and the summary. */
void status_begin(const struct session *s);
void status_line(struct session *s);
void status_end(const struct session *s);

uint64_t monotonic_ns(void);

#endif
