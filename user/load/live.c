/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/units.h"
#include "user/import/schedule.h"
#include "user/load/handover.h"
#include "user/load/live.h"
#include "user/load/summary.h"
#include "user/output/hdr.h"

struct live {
	bool lines, shown;
	uint64_t last_ns;
	uint64_t nr_failed, nr_late; /* since the start */
	struct hdr response;	     /* since the last line */
};

struct live *live_new(bool lines)
{
	struct live *l = calloc(1, sizeof(*l));

	if (l)
		l->lines = lines;
	return l;
}

void live_add(struct live *l, const struct schedule_request *request)
{
	uint64_t lateness_ns;

	if (request->received_ns == SCHEDULE_UNKNOWN)
		l->nr_failed++;
	else
		hdr_add(&l->response, request->received_ns - request->intended_ns);
	if (load_summary_lateness(request, &lateness_ns) && lateness_ns > SUMMARY_LATE_NS)
		l->nr_late++;
}

void live_print(struct live *l, const struct handover *h, uint64_t at_ns)
{
	char p50[UNITS_BYTES], p99[UNITS_BYTES], max[UNITS_BYTES];
	double seconds = l->last_ns ? (double)(at_ns - l->last_ns) / NS_PER_S : 1;
	uint64_t planned = handover_total(h, COUNT_PLANNED);

	fprintf(stderr,
		"%s%4.0f s  %8.0f answers/s  p50 %s  p99 %s  max %s  late %llu  failed %llu  of "
		"%llu%s",
		l->lines ? "" : "\r", (double)(at_ns - h->start_ns) / NS_PER_S,
		(double)l->response.nr / seconds,
		units_print_time(p50, hdr_percentile(&l->response, 50)),
		units_print_time(p99, hdr_percentile(&l->response, 99)),
		units_print_time(max, l->response.max), (unsigned long long)l->nr_late,
		(unsigned long long)l->nr_failed, (unsigned long long)planned,
		l->lines ? "\n" : "\033[K");
	l->last_ns = at_ns;
	l->shown = true;
	memset(&l->response, 0, sizeof(l->response));
}

void live_end(struct live *l)
{
	if (l && l->shown && !l->lines)
		fputs("\r\033[K", stderr);
	free(l);
}
