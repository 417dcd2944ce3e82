/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Promises on response times within a report: when each was broken, and by what. With schedules
 * what counts is the client's view of every request, those never answered too, found in a pass over
 * the schedules alone; without, the server's from arrival. Causes come from the requests over the
 * limit in the broken windows, as they are split.
 */
#ifndef STANDSTILL_CMD_REPORT_SLA_H
#define STANDSTILL_CMD_REPORT_SLA_H

#include "user/attribution/sla.h"
#include "user/attribution/split.h"
#include "user/cmd/requests.h"
#include "user/import/schedule.h"

#define SLAS_MAX	 16
#define SLA_BREACHES_MAX 1000 /* with causes; more are counted */

struct sla_cause { /* of one breach */
	struct sla_breach breach;
	uint64_t nr;	    /* requests over the limit that are split */
	struct split split; /* their sum */
	uint64_t worst_ns;
	char worst_id[REQUEST_ID_BYTES];
};

struct report_sla {
	struct sla sla;
	const char *word; /* as typed */
	struct sla_watch *watch;
	struct sla_summary summary;
	struct sla_cause *breaches;
	size_t nr_breaches;
	struct sla_cause window; /* without a schedule: of the window under way */
	struct sla_cause run;	 /* the same of the breach under way */
	uint64_t nr_over, nr_over_without_pauses, nr_split;
	uint64_t from_ns, window_nr; /* without a schedule: of the first window; under way */
	bool has_schedule, ended;
	bool out_of_memory;
};

/* 0, or -EINVAL with *ret_wrong saying what is wrong with @word. */
int report_sla_init(struct report_sla *s, const char *word, const char **ret_wrong);

/* The pass over the schedules: breaches are known then. 0 or -errno of the file. */
int report_sla_schedules(struct report_sla *s, const char *const *paths, size_t nr,
			 int64_t offset_ns);

/* A split request; @without_ns: its response had there been no pauses. 0 or -errno. */
int report_sla_add(struct report_sla *s, const struct request_row *row, uint64_t begin_ns,
		   uint64_t response_ns, uint64_t without_ns, const struct split *split);

void report_sla_end(struct report_sla *s);
bool report_sla_broken(const struct report_sla *s);
void report_sla_free(struct report_sla *s);

#endif
