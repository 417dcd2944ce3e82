/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A schedule in numbers: requests in, distributions and counts out. Response time counts from the
 * intended send, service time from the actual one. A request without an answer has neither; it
 * ranks behind all that have. Fixed memory.
 */
#ifndef STANDSTILL_LOAD_SUMMARY_H
#define STANDSTILL_LOAD_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "user/import/schedule.h"
#include "user/output/hdr.h"

#define SUMMARY_LATE_NS 1000000ull /* sent later than this is counted as late */

struct load_summary {
	uint64_t start_ns, warmup_ns; /* requests intended before both are counted in nr_warmup
					 only; 0: none */
	struct hdr response, service;
	struct hdr lateness; /* of sending: actual send minus the later of intended and connection
				free */
	struct hdr on_time;  /* response time less lateness: had each been sent on time, and nothing
				else changed */
	struct hdr conn_wait;
	uint64_t nr;
	uint64_t nr_warmup;
	uint64_t nr_answered;	/* whole answers, whatever their status */
	uint64_t nr_unanswered; /* sent or not, and nobody answered */
	uint64_t nr_skipped;	/* never sent by the generator's choice */
	uint64_t nr_failures[NR_SCHEDULE_FAILURES];
	uint64_t nr_late;
	uint64_t latest_at_ns;	 /* when the latest one should have been sent */
	uint64_t nr_no_intended; /* without an intended time: response time is not known */
	uint64_t nr_negative;	 /* a later stamp lies before an earlier one: in no distribution */
	uint64_t first_intended_ns, last_intended_ns, last_ns;
};

/* How late @r was sent by the generator's own doing. False: not sent, or not known. */
bool load_summary_lateness(const struct schedule_request *r, uint64_t *ret_ns);

/* @r belongs to the warm-up. */
bool load_summary_is_warmup(const struct load_summary *s, const struct schedule_request *r);

void load_summary_add(struct load_summary *s, const struct schedule_request *r);

/* Requests a second, as planned, over the time from the first to the last intended one. 0: fewer
 * than two. */
double load_summary_rate(const struct load_summary *s);

#endif
