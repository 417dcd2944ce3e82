/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loaded probes: targets in, records of the ring out. Chooses what the kernel has (by BTF,
 * never by version), loads, attaches, hands out records, counts what was lost and what it cost.
 * With user/attach/probe*.c the only place that knows libbpf. Nothing is printed here; what went
 * wrong is in struct probe_problem.
 */
#ifndef STANDSTILL_ATTACH_PROBE_H
#define STANDSTILL_ATTACH_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/event.h"
#include "user/recording/record.h"

struct jvm;
struct probes;

#define PROBE_TARGETS_MAX 8

enum target_role { TARGET_SERVER, TARGET_CLIENT };

struct probe_target {
	uint32_t tgid;
	enum target_role role;
	const struct jvm *jvm; /* NULL: a process whose threads are recorded, but no pauses */
};

enum pause_probes { PAUSE_PROBES_AUTO, PAUSE_PROBES_USDT, PAUSE_PROBES_FUTEX, PAUSE_PROBES_NONE };

struct probe_options {
	uint64_t ring_bytes; /* 0: 8 MiB; rounded up to a power of two of pages */
	enum pause_probes pauses;
	bool no_sockets; /* leave out what happens at the targets' sockets */
	/* The ways for kernels that lack something, taken on any: tests compare. */
	bool refuse_all;   /* the first load, of everything, fails */
	bool usdt_by_perf; /* an event of perf for each USDT probe */
};

struct probe_problem {
	char what[256]; /* one sentence without a full stop: what failed, on what, why, what to try
			 */
};

/*
 * Load and attach. On 0 the probes record into the ring, and every thread of the targets has a
 * task-storage slot and a first EVENT_THREAD in it, every open
 * connection and listener its EVENT_CONN_OPEN or LISTEN. Errors, with @problem filled: -EPERM (a
 * right is missing), -EOPNOTSUPP (the kernel lacks something required), -ESRCH (a target ended),
 * -ENOENT (pause probes were asked for that the JVM has not), others as they come.
 */
int probes_attach(const struct probe_target *targets, size_t nr,
		  const struct probe_options *options, struct probes **ret,
		  struct probe_problem *problem);

/* Which pause probes a target has got; PAUSE_PROBES_NONE: none, its pauses are not recorded. */
enum pause_probes probes_pauses_of(const struct probes *p, size_t target);

/* A line for each optional feature left out and what is lost with it; fn may be called never. */
typedef void probe_missing_fn(void *arg, const char *feature, const char *loss);
void probes_missing(const struct probes *p, probe_missing_fn *fn, void *arg);

typedef int probe_record_fn(void *arg, const struct event_hdr *event); /* <0 stops the drain */

/* Hand every record waiting in the ring to @fn, in the ring's order. Returns their number, or what
 * @fn returned. */
int probes_drain(struct probes *p, probe_record_fn *fn, void *arg);

/* Put an EVENT_THREAD of every live thread of the targets into the ring, and an EVENT_CONN_OPEN or
 * LISTEN of every socket. 0 or -errno. */
int probes_snapshot(struct probes *p);

/* Call @fn for each kind of loss that grew since the last call: nr records of kind lost for cause.
 */
typedef void probe_loss_fn(void *arg, uint32_t kind, enum lost_cause cause, uint64_t nr);
void probes_losses(struct probes *p, probe_loss_fn *fn, void *arg);

/* Runs and time of each program since attach. */
typedef void probe_cost_fn(void *arg, const struct record_probe *cost);
void probes_costs(struct probes *p, probe_cost_fn *fn, void *arg);

/* Measure the programs' bodies for a moment (the kernel's BPF statistics are switched on until the
 * next call with false). */
int probes_measure(struct probes *p, bool on);

uint64_t probes_ring_bytes(const struct probes *p);

/* Hand libbpf's own messages to @fn (NULL: to nobody, which is how it begins). For the whole
 * process. */
typedef void probe_message_fn(const char *line);
void probes_listen(probe_message_fn *fn);

/* Detach and free. Nothing of the probes remains. */
void probes_detach(struct probes *p);

#endif
