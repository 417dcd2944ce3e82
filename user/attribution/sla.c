/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/attribution/sla.h"
#include "user/base/histogram.h"

struct sla_watch {
	struct sla sla;
	uint64_t from_ns, to_ns;
	void (*take_window)(void *context, const struct sla_window *);
	void (*take_breach)(void *context, const struct sla_breach *);
	void *context;
	struct histogram answered;
	struct sla_window window;
	uint64_t first_under_ns,
		normal_ns; /* in the window: under at all, and after the last over */
	bool in_breach;
	struct sla_breach breach;
	struct sla_summary summary;
};

static void open_window(struct sla_watch *w, uint64_t from_ns)
{
	uint64_t left_ns = w->to_ns - from_ns;

	w->window = (struct sla_window){
		.from_ns = from_ns,
		.to_ns = !w->sla.window_ns || w->sla.window_ns > left_ns
				 ? w->to_ns
				 : from_ns + w->sla.window_ns,
		.first_over_ns = SLA_UNKNOWN,
		.last_over_ns = SLA_UNKNOWN,
	};
	w->first_under_ns = w->normal_ns = SLA_UNKNOWN;
	memset(&w->answered, 0, sizeof(w->answered));
}

int sla_watch_new(const struct sla *sla, uint64_t from_ns, uint64_t to_ns,
		  void (*take_window)(void *context, const struct sla_window *),
		  void (*take_breach)(void *context, const struct sla_breach *), void *context,
		  struct sla_watch **ret)
{
	struct sla_watch *w;

	if (from_ns >= to_ns)
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->sla = *sla;
	w->from_ns = from_ns;
	w->to_ns = to_ns;
	w->take_window = take_window;
	w->take_breach = take_breach;
	w->context = context;
	open_window(w, from_ns);
	*ret = w;
	return 0;
}

void sla_watch_free(struct sla_watch *w)
{
	free(w);
}

/* Nearest rank, in whole numbers. */
static uint64_t rank_of(const struct sla_watch *w)
{
	const uint64_t whole = 100 * (uint64_t)SLA_PERCENT;

	return (uint64_t)(((unsigned __int128)w->window.nr * w->sla.percent + whole - 1) / whole);
}

/* By how much a broken window is broken. */
static void measure(struct sla_watch *w)
{
	struct sla_window *window = &w->window;
	uint64_t rank = window->nr - window->nr_allowed, value_ns;

	window->value_ns = window->over_ns = SLA_UNKNOWN;
	if (rank > w->answered.nr)
		return;
	value_ns = histogram_percentile(&w->answered, 100 * (double)rank / (double)w->answered.nr);
	if (value_ns < w->sla.limit_ns)
		value_ns = w->sla.limit_ns; /* the middle of the bucket that holds both */
	window->value_ns = value_ns;
	window->over_ns = value_ns - w->sla.limit_ns;
}

static void end_breach(struct sla_watch *w)
{
	if (!w->in_breach)
		return;
	w->in_breach = false;
	w->summary.nr_breaches++;
	if (w->take_breach)
		w->take_breach(w->context, &w->breach);
}

static void broken(struct sla_watch *w)
{
	const struct sla_window *window = &w->window;
	struct sla_breach *b = &w->breach;

	w->summary.nr_broken++;
	if (!w->in_breach)
		*b = (struct sla_breach){.from_ns = window->from_ns,
					 .first_over_ns = window->first_over_ns};
	w->in_breach = true;
	if (!b->nr_windows++ || window->over_ns > b->worst.over_ns)
		b->worst = *window;
	b->to_ns = window->to_ns;
	b->normal_ns = w->normal_ns;
	if (w->take_window)
		w->take_window(w->context, window);
}

static void close_window(struct sla_watch *w)
{
	w->summary.nr_windows++;
	if (!w->window.nr) {
		w->summary.nr_empty++;
		return;
	}
	w->window.nr_allowed = w->window.nr - rank_of(w);
	if (w->window.nr_over > w->window.nr_allowed) {
		measure(w);
		broken(w);
		return;
	}
	if (w->in_breach && w->breach.normal_ns == SLA_UNKNOWN)
		w->breach.normal_ns = w->first_under_ns;
	end_breach(w);
}

/* Empty windows in between are counted, however many. */
static void go_to(struct sla_watch *w, uint64_t ns)
{
	uint64_t nr;

	close_window(w);
	nr = (ns - w->window.to_ns) / w->sla.window_ns;
	w->summary.nr_windows += nr;
	w->summary.nr_empty += nr;
	open_window(w, w->window.to_ns + nr * w->sla.window_ns);
}

int sla_watch_add(struct sla_watch *w, uint64_t intended_ns, uint64_t response_ns)
{
	struct sla_window *window = &w->window;

	if (intended_ns < window->from_ns || intended_ns >= w->to_ns)
		return -EINVAL;
	if (intended_ns >= window->to_ns)
		go_to(w, intended_ns);
	window->nr++;
	if (response_ns == SLA_UNKNOWN)
		window->nr_unanswered++;
	else
		histogram_add(&w->answered, response_ns);
	if (response_ns < w->sla.limit_ns) {
		if (w->first_under_ns == SLA_UNKNOWN)
			w->first_under_ns = intended_ns;
		if (w->normal_ns == SLA_UNKNOWN)
			w->normal_ns = intended_ns;
		return 0;
	}
	window->nr_over++;
	if (window->first_over_ns == SLA_UNKNOWN)
		window->first_over_ns = intended_ns;
	window->last_over_ns = intended_ns;
	w->normal_ns = SLA_UNKNOWN;
	return 0;
}

void sla_watch_end(struct sla_watch *w, struct sla_summary *ret)
{
	if (w->window.to_ns < w->to_ns)
		go_to(w, w->to_ns - 1);
	close_window(w);
	end_breach(w);
	*ret = w->summary;
}
