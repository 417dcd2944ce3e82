/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/cmd/report_sla.h"

int report_sla_init(struct report_sla *s, const char *word, const char **ret_wrong)
{
	*s = (struct report_sla){.word = word};
	return sla_parse(word, &s->sla, ret_wrong);
}

static void add_cause(struct sla_cause *sum, const struct sla_cause *part)
{
	sum->nr += part->nr;
	split_add(&sum->split, &part->split);
	if (part->worst_ns > sum->worst_ns) {
		sum->worst_ns = part->worst_ns;
		memcpy(sum->worst_id, part->worst_id, sizeof(sum->worst_id));
	}
}

/* ---- what the watch says ---- */

static void on_window(void *context, const struct sla_window *window)
{
	struct report_sla *s = context;

	(void)window;
	if (s->has_schedule)
		return;
	add_cause(&s->run, &s->window);
	s->window = (struct sla_cause){0};
}

static void on_breach(void *context, const struct sla_breach *breach)
{
	struct report_sla *s = context;

	if (s->nr_breaches == SLA_BREACHES_MAX)
		return;
	if (!s->breaches)
		s->breaches = calloc(SLA_BREACHES_MAX, sizeof(*s->breaches));
	if (!s->breaches) {
		s->out_of_memory = true;
		return;
	}
	s->run.breach = *breach;
	s->breaches[s->nr_breaches++] = s->run;
	s->run = (struct sla_cause){0};
}

static int watch_from(struct report_sla *s, uint64_t from_ns)
{
	s->from_ns = from_ns;
	return sla_watch_new(&s->sla, from_ns, UINT64_MAX, on_window, on_breach, s, &s->watch);
}

/* ---- the schedules ---- */

struct due { /* the next request of one schedule */
	struct schedule_reader *reader;
	struct schedule_request request;
	bool has;
	uint64_t measured_from_ns; /* after the warm-up */
};

static bool counts(const struct report_sla *s, const struct due *due)
{
	const struct schedule_request *r = &due->request;

	if (r->intended_ns == SCHEDULE_UNKNOWN || r->flags & SCHEDULE_AGGREGATE ||
	    r->intended_ns < due->measured_from_ns)
		return false;
	return !*s->sla.label || !strcmp(schedule_label(due->reader, r->label), s->sla.label);
}

static int next_due(const struct report_sla *s, struct due *due)
{
	int got;

	do {
		uint64_t start_ns, warmup_ns;

		got = schedule_next(due->reader, &due->request);
		start_ns = schedule_meta_number(due->reader, "start_ns");
		warmup_ns = schedule_meta_number(due->reader, "warmup_ns");
		if (start_ns != SCHEDULE_UNKNOWN && warmup_ns != SCHEDULE_UNKNOWN)
			due->measured_from_ns = start_ns + warmup_ns;
	} while (got == 1 && !counts(s, due));
	due->has = got == 1;
	return got < 0 ? got : 0;
}

static struct due *earliest(struct due *dues, size_t nr)
{
	struct due *first = NULL;

	for (size_t i = 0; i < nr; i++)
		if (dues[i].has &&
		    (!first || dues[i].request.intended_ns < first->request.intended_ns))
			first = &dues[i];
	return first;
}

static int watch_due(struct report_sla *s, const struct schedule_request *r, int64_t offset_ns)
{
	uint64_t due_ns = r->intended_ns + (uint64_t)offset_ns;
	bool answered = r->received_ns != SCHEDULE_UNKNOWN && r->received_ns >= r->intended_ns &&
			r->failure == FAILURE_NONE;
	int error = s->watch ? 0 : watch_from(s, due_ns);

	if (error)
		return error;
	/* a request out of order belongs to a window that has been judged: -EINVAL */
	error = sla_watch_add(s->watch, due_ns,
			      answered ? r->received_ns - r->intended_ns : SLA_UNKNOWN);
	return error == -EINVAL ? 0 : error;
}

static int watch_schedules(struct report_sla *s, struct due *dues, size_t nr, int64_t offset_ns)
{
	struct due *due;
	int error = 0;

	for (size_t i = 0; !error && i < nr; i++)
		error = next_due(s, &dues[i]);
	while (!error && (due = earliest(dues, nr))) {
		error = watch_due(s, &due->request, offset_ns);
		if (!error)
			error = next_due(s, due);
	}
	return error;
}

int report_sla_schedules(struct report_sla *s, const char *const *paths, size_t nr,
			 int64_t offset_ns)
{
	struct due *dues = calloc(nr, sizeof(*dues));
	int error = dues ? 0 : -ENOMEM;

	s->has_schedule = true;
	for (size_t i = 0; !error && i < nr; i++)
		error = schedule_open(paths[i], &dues[i].reader);
	if (!error)
		error = watch_schedules(s, dues, nr, offset_ns);
	if (!error && s->watch)
		sla_watch_end(s->watch, &s->summary);
	s->ended = true;
	for (size_t i = 0; dues && i < nr; i++)
		schedule_reader_free(dues[i].reader);
	free(dues);
	return error;
}

/* ---- the requests ---- */

static struct sla_cause *breach_at(struct report_sla *s, uint64_t begin_ns)
{
	for (size_t i = 0; i < s->nr_breaches; i++)
		if (begin_ns >= s->breaches[i].breach.from_ns &&
		    begin_ns < s->breaches[i].breach.to_ns)
			return &s->breaches[i];
	return NULL;
}

/* The watch says which windows broke only once the next one begins: then what was gathered of one
 * that held is dropped. */
static int watch_arrival(struct report_sla *s, uint64_t begin_ns, uint64_t response_ns)
{
	int error = s->watch ? 0 : watch_from(s, begin_ns);
	uint64_t window_nr;

	if (error || begin_ns < s->from_ns)
		return error;
	window_nr = s->sla.window_ns ? (begin_ns - s->from_ns) / s->sla.window_ns : 0;
	error = sla_watch_add(s->watch, begin_ns, response_ns);
	if (window_nr > s->window_nr) {
		s->window = (struct sla_cause){0};
		s->window_nr = window_nr;
	}
	return error == -EINVAL ? 0 : error;
}

int report_sla_add(struct report_sla *s, const struct request_row *row, uint64_t begin_ns,
		   uint64_t response_ns, uint64_t without_ns, const struct split *split)
{
	struct sla_cause one = {.nr = 1, .worst_ns = response_ns, .split = *split};
	struct sla_cause *sum;
	int error = 0;

	if (*s->sla.label && !s->has_schedule && strcmp(row->label, s->sla.label))
		return 0;
	if (!s->has_schedule)
		error = watch_arrival(s, begin_ns, response_ns);
	s->nr_split++;
	s->nr_over += response_ns >= s->sla.limit_ns;
	s->nr_over_without_pauses += without_ns >= s->sla.limit_ns;
	sum = s->has_schedule ? breach_at(s, begin_ns) : &s->window;
	if (!error && sum && response_ns >= s->sla.limit_ns) {
		memcpy(one.worst_id, row->id, sizeof(one.worst_id));
		add_cause(sum, &one);
	}
	return error;
}

void report_sla_end(struct report_sla *s)
{
	if (s->watch && !s->ended)
		sla_watch_end(s->watch, &s->summary);
	s->ended = true;
}

bool report_sla_broken(const struct report_sla *s)
{
	return s->summary.nr_broken > 0;
}

void report_sla_free(struct report_sla *s)
{
	sla_watch_free(s->watch);
	free(s->breaches);
}
