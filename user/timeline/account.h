/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording says of itself: records in; when, of what, by which probes, what is missing,
 * what was lost and when, what it cost. Whatever is reported from the recording is to be read with
 * this beside it. Fixed memory.
 */
#ifndef STANDSTILL_TIMELINE_ACCOUNT_H
#define STANDSTILL_TIMELINE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/base/clock.h"
#include "user/recording/record.h"

#define ACCOUNT_TARGETS_MAX 16
#define ACCOUNT_MISSING_MAX 32
#define ACCOUNT_LOSSES_MAX  16
#define ACCOUNT_PROBES_MAX  48

struct account_target {
	uint32_t tgid;
	char version[64], collector[32], name[96], command[RECORD_VALUE_BYTES];
	char role[16]; /* "server", "client"; "": not said */
	char comm[EVENT_COMM_BYTES];
	char pauses[16]; /* "usdt", "futex", "none" */
	/* sun.rt.safepoints as the recorder read it: the first and the last time */
	bool has_first, has_last;
	uint64_t first_count, first_ns; /* at the latest then */
	uint64_t last_count, last_ns;	/* at the earliest then */
};

struct account_missing {
	char feature[RECORD_KEY_BYTES];
	char loss[RECORD_VALUE_BYTES];
};

struct account {
	uint64_t start_ns; /* when the recorder had attached; the first record's time when it does
			      not say */
	uint64_t first_ns, last_ns; /* of all records */
	uint64_t last_probe_ns;	    /* of those that came from probes */
	bool started;		    /* start_ns is the recorder's */
	uint64_t nr_records;
	struct clock clock;
	struct account_target targets[ACCOUNT_TARGETS_MAX];
	size_t nr_targets;
	struct account_missing missing[ACCOUNT_MISSING_MAX];
	size_t nr_missing;
	uint64_t nr_lost, lost_by_cause[NR_LOST_CAUSES], lost_by_kind[NR_EVENT_KINDS];
	struct record_lost losses[ACCOUNT_LOSSES_MAX]; /* the first ones */
	size_t nr_losses;			       /* all */
	struct record_cost cost;		       /* the newest */
	bool has_cost;
	struct record_probe probes[ACCOUNT_PROBES_MAX];
	size_t nr_probes;
	struct record_end end; /* reason END_NONE: the recorder died */
	char host[RECORD_VALUE_BYTES], kernel[RECORD_VALUE_BYTES], cpus[16];
};

void account_event(struct account *a, const struct event_hdr *event);

/* The recording's end: as far as the probes have seen when it ended in good order, else the last
 * record. */
uint64_t account_end(const struct account *a);

/* NULL: no such target. */
const struct account_target *account_target(const struct account *a, uint32_t tgid);

const char *lost_cause_name(uint32_t cause);

#endif
