/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/import/schedule.h"
#include "user/load/intervals.h"
#include "user/output/hdr.h"
#include "user/output/hlog.h"

#define INTERVAL_NS 1000000000ull

struct interval {
	struct hdr response, service;
};

struct intervals {
	FILE *to;
	uint64_t start_ns;
	uint64_t number;	 /* of the older open one */
	struct interval open[2]; /* by number, modulo 2 */
};

struct intervals *intervals_new(FILE *to, uint64_t start_ns)
{
	struct intervals *i = calloc(1, sizeof(*i));

	if (!i)
		return NULL;
	i->to = to;
	i->start_ns = start_ns;
	return i;
}

static int close_older(struct intervals *i)
{
	struct interval *older = &i->open[i->number % 2];
	uint64_t from_ns = i->number * INTERVAL_NS;
	int error = 0;

	if (older->response.nr)
		error = hlog_interval(i->to, "response", from_ns, INTERVAL_NS, &older->response);
	if (!error && older->service.nr)
		error = hlog_interval(i->to, "service", from_ns, INTERVAL_NS, &older->service);
	memset(older, 0, sizeof(*older));
	i->number++;
	return error;
}

int intervals_add(struct intervals *i, const struct schedule_request *r)
{
	uint64_t number;
	struct interval *open;

	if (r->received_ns == SCHEDULE_UNKNOWN || r->received_ns < i->start_ns)
		return 0;
	number = (r->received_ns - i->start_ns) / INTERVAL_NS;
	if (number > i->number + 1) {
		/* Both close; seconds without any answer are passed over. */
		if (close_older(i) || (number > i->number + 1 && close_older(i)))
			return -ENOMEM;
		if (number > i->number + 1)
			i->number = number - 1;
	}
	open = &i->open[(number < i->number ? i->number : number) % 2];
	if (r->intended_ns <= r->received_ns)
		hdr_add(&open->response, r->received_ns - r->intended_ns);
	if (r->sent_ns <= r->received_ns)
		hdr_add(&open->service, r->received_ns - r->sent_ns);
	return 0;
}

int intervals_end(struct intervals *i)
{
	int error;

	if (!i)
		return 0;
	error = close_older(i);
	if (!error)
		error = close_older(i);
	free(i);
	return error;
}
