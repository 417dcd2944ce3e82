/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the loaded probes share; nobody else includes it. */
#ifndef STANDSTILL_ATTACH_PROBE_INTERNAL_H
#define STANDSTILL_ATTACH_PROBE_INTERNAL_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/shared.h" /* before the skeleton, which uses its types */
#include "skel/standstill.skel.h"
#include "user/attach/probe.h"

#define PROBE_PLACES_MAX  32 /* of one probe; HotSpot has one or two */
#define PROBE_LINKS_MAX	  (NR_PROGRAMS + PROBE_TARGETS_MAX * PROBE_PLACES_MAX)
#define PROBE_MULTIS_MAX  (NR_PROGRAMS * PROBE_TARGETS_MAX)
#define PROBE_MISSING_MAX (NR_PROGRAMS + PROBE_TARGETS_MAX)

struct probe_missing {
	const char *feature, *loss;
};

/* Where in a file the probes of one name are, and what tells their program what to read there. */
struct probe_places {
	unsigned long offsets[PROBE_PLACES_MAX];
	uint64_t cookies[PROBE_PLACES_MAX];
	size_t nr;
};

struct probes {
	struct standstill_bpf *skel;
	struct ring_buffer *ring;
	struct bpf_link *links[PROBE_LINKS_MAX];
	size_t nr_links;
	struct bpf_link *snapshots[PROBE_TARGETS_MAX];	    /* one iterator a target */
	struct bpf_link *sock_snapshots[PROBE_TARGETS_MAX]; /* and one over its sockets */
	struct bpf_link *sock_tcp, *sock_unix;		    /* and over those of the machine */
	bool sockets;					    /* are recorded */
	bool segments;					    /* tcp_probe is attached */
	int multis[PROBE_MULTIS_MAX];			    /* links that libbpf does not know */
	size_t nr_multis;
	bool multi; /* the USDT programs are for such links, else for perf's */
	struct probe_target targets[PROBE_TARGETS_MAX];
	enum pause_probes pauses[PROBE_TARGETS_MAX];
	size_t nr_targets;
	struct probe_missing missing[PROBE_MISSING_MAX];
	size_t nr_missing;
	uint64_t ring_bytes;
	uint64_t seen_ring_full[LOST_KINDS], seen_no_storage, seen_unseen,
		seen_recursion;	 /* reported so far */
	int stats_fd;		 /* switches the kernel's BPF statistics on while open; -1: off */
	probe_record_fn *record; /* of the drain under way */
	void *record_arg;
};

/* Fill @problem and return @error. */
int probe_fail(struct probe_problem *problem, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* probe_feature.c: switch on everything, or what this kernel has: -EOPNOTSUPP when it lacks what is
 * required. */
void probe_features_choose_all(struct probes *p);
int probe_features_choose(struct probes *p, struct probe_problem *problem);
int probe_features_attach(struct probes *p, struct probe_problem *problem);
struct bpf_program *probe_program(const struct probes *p, enum program program);
const char *probe_program_name(enum program program);
uint64_t probe_dispatch_ns(const struct probes *p, enum program program);

/* probe_multi.c: uprobes of which one link has many. works: whether this kernel has such; expect:
 * before load. */
bool probe_multi_works(void);
void probe_multi_expect(struct bpf_program *program);
int probe_multi_attach(struct probes *p, const struct bpf_program *program, const struct jvm *jvm,
		       const struct probe_places *places);
void probe_multi_detach(struct probes *p);

/* probe_pause.c: the pause probes of each target. choose: before load; attach: after. */
int probe_pauses_choose(struct probes *p, const struct probe_options *options,
			struct probe_problem *problem);
int probe_pauses_attach(struct probes *p, struct probe_problem *problem);

/* probe_sock.c: the sockets of the targets, when p->sockets says so. choose: before load, after
 * the features were chosen; attach: after the probes of the features. */
void probe_sockets_choose(struct probes *p);
int probe_sockets_attach(struct probes *p, struct probe_problem *problem);
int probe_sockets_snapshot(struct probes *p);
/* Attach what is only worth its cost once something was seen. Called now and then. */
void probe_sockets_follow(struct probes *p);

/* probe_netns.c: call @fn once in each network namespace that a target is in. @nr_refused: those
 * that must not be entered. 0, -errno, or what @fn returned. */
typedef int probe_netns_fn(struct probes *p);
int probe_each_netns(struct probes *p, probe_netns_fn *fn, size_t *nr_refused);

/* probe_right.c: say why @error was given by the kernel, by looking at what this process may do. */
int probe_explain_refusal(struct probe_problem *problem, int error, const char *what);

/* probe_tracefs.c: see to it that classic tracepoints can be found, in a mount namespace of our own
 * if need be. */
int probe_tracefs_mount(void);

/* Read an iterator to its end, which runs its program for everything it walks. */
int probe_run_iterator(struct bpf_link *link);

int probe_keep_link(struct probes *p, struct bpf_link *link);
void probe_note_missing(struct probes *p, const char *feature, const char *loss);

#endif
