/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/omitted.h"
#include "user/base/histogram.h"

/* A gap between neighbours that meets a pause. At the run's edges one neighbour is missing. */
struct gap {
	uint64_t from_ns, to_ns;
	bool first, last;
};

struct walk {
	const struct omitted_span *at;
	size_t nr, next; /* those before next are over */
};

struct omitted_finder {
	struct omitted_run run;
	struct walk of_gaps, of_dues, of_responses;
	struct gap *gaps;
	size_t nr_gaps, room;
	uint64_t nr_requests, last_ns;
	uint64_t nr_present;	   /* due while the generator was not paused */
	uint64_t nr_even, even_ns; /* gaps that meet no pause, and their sum */
	double squares;		   /* of them; squares of ns exceed 64 bits */
	struct histogram calm;	   /* responses that met no pause of the server */
	uint64_t *hits; /* for each pause of the server: requests it was the longest for */
};

static uint64_t length(const struct omitted_span *span)
{
	return span->to_ns - span->from_ns;
}

/* Pass over what is over at @from_ns, which never decreases; whether the rest begins before @to_ns.
 */
static bool meets(struct walk *w, uint64_t from_ns, uint64_t to_ns)
{
	while (w->next < w->nr && w->at[w->next].to_ns <= from_ns)
		w->next++;
	return w->next < w->nr && w->at[w->next].from_ns < to_ns;
}

int omitted_finder_new(const struct omitted_run *run, struct omitted_finder **ret)
{
	struct omitted_finder *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->hits = calloc(run->nr_server + 1, sizeof(f->hits[0]));
	if (!f->hits) {
		free(f);
		return -ENOMEM;
	}
	f->run = *run;
	f->of_gaps = f->of_dues = (struct walk){run->generator, run->nr_generator, 0};
	f->of_responses = (struct walk){run->server, run->nr_server, 0};
	f->last_ns = run->from_ns;
	*ret = f;
	return 0;
}

void omitted_finder_free(struct omitted_finder *f)
{
	if (!f)
		return;
	free(f->gaps);
	free(f->hits);
	free(f);
}

static int add_gap(struct omitted_finder *f, const struct gap *gap)
{
	size_t room = f->room ? 2 * f->room : 64;
	struct gap *gaps;

	if (!meets(&f->of_gaps, gap->from_ns, gap->to_ns)) {
		uint64_t ns = gap->first || gap->last ? 0 : gap->to_ns - gap->from_ns;

		f->nr_even += !gap->first && !gap->last;
		f->even_ns += ns;
		f->squares += (double)ns * (double)ns;
		return 0;
	}
	if (gap->to_ns - gap->from_ns <= OMITTED_MIN_NS)
		return 0;
	if (f->nr_gaps == f->room) {
		gaps = realloc(f->gaps, room * sizeof(*gaps));
		if (!gaps)
			return -ENOMEM;
		f->gaps = gaps;
		f->room = room;
	}
	f->gaps[f->nr_gaps++] = *gap;
	return 0;
}

static void add_response(struct omitted_finder *f, uint64_t due_ns, uint64_t response_ns)
{
	struct walk *w = &f->of_responses;
	uint64_t longest_ns = 0;
	size_t longest = 0;

	if (!meets(w, due_ns, due_ns + response_ns)) {
		histogram_add(&f->calm, response_ns);
		return;
	}
	for (size_t i = w->next; i < w->nr && w->at[i].from_ns < due_ns + response_ns; i++) {
		if (length(&w->at[i]) <= longest_ns)
			continue;
		longest_ns = length(&w->at[i]);
		longest = i;
	}
	f->hits[longest]++;
}

int omitted_finder_add(struct omitted_finder *f, uint64_t due_ns, uint64_t response_ns)
{
	struct gap gap = {f->last_ns, due_ns, !f->nr_requests, false};
	int err;

	if (due_ns < f->last_ns || due_ns >= f->run.to_ns)
		return -EINVAL;
	err = add_gap(f, &gap);
	if (err)
		return err;
	f->nr_present += !meets(&f->of_dues, due_ns, due_ns + 1);
	if (response_ns != OMITTED_UNKNOWN)
		add_response(f, due_ns, response_ns);
	f->last_ns = due_ns;
	f->nr_requests++;
	return 0;
}

/* How much of @spans lies in the run, of those longer than @limit_ns. */
static uint64_t total(const struct omitted_run *run, const struct omitted_span *spans, size_t nr,
		      uint64_t limit_ns, uint64_t *ret_nr)
{
	uint64_t sum = 0;

	*ret_nr = 0;
	for (size_t i = 0; i < nr; i++) {
		uint64_t from = spans[i].from_ns > run->from_ns ? spans[i].from_ns : run->from_ns;
		uint64_t to = spans[i].to_ns < run->to_ns ? spans[i].to_ns : run->to_ns;

		if (from >= to || length(&spans[i]) <= limit_ns)
			continue;
		sum += to - from;
		(*ret_nr)++;
	}
	return sum;
}

/* The hole in @gap, if a pause of more than @limit_ns left one of more than that. */
static bool find_hole(struct omitted_finder *f, const struct gap *gap, uint64_t limit_ns,
		      struct omitted_stretch *ret)
{
	const struct omitted_run *run = &f->run;
	uint64_t from_ns = 0, end_ns = 0;

	meets(&f->of_gaps, gap->from_ns, gap->to_ns);
	for (size_t i = f->of_gaps.next; i < run->nr_generator; i++) {
		const struct omitted_span *pause = &run->generator[i];

		if (pause->from_ns >= gap->to_ns)
			break;
		if (length(pause) <= limit_ns)
			continue;
		from_ns = end_ns ? from_ns : pause->from_ns;
		end_ns = pause->to_ns;
	}
	if (!end_ns)
		return false;
	from_ns = from_ns > gap->from_ns ? from_ns : gap->from_ns;
	/* Until the first send planned after it: that is when the planner itself was back. */
	end_ns = gap->last && end_ns < gap->to_ns ? end_ns : gap->to_ns;
	*ret = (struct omitted_stretch){.from_ns = from_ns, .to_ns = end_ns};
	return end_ns - from_ns > limit_ns;
}

/* The mean interval while the generator ran, times OMITTED_MIN_GAPS. */
static uint64_t find_limit(const struct omitted_finder *f)
{
	const struct omitted_run *run = &f->run;
	uint64_t nr, limit_ns = 0;
	uint64_t paused_ns = total(run, run->generator, run->nr_generator, 0, &nr);
	uint64_t present_ns = run->to_ns - run->from_ns - paused_ns;

	if (f->nr_present)
		limit_ns = OMITTED_MIN_GAPS * present_ns / f->nr_present;
	return limit_ns > OMITTED_MIN_NS ? limit_ns : OMITTED_MIN_NS;
}

/* Even arrivals go on from the last one planned; Poisson ones have no memory. */
static void fill(const struct omitted_finder *f, const struct omitted_found *found,
		 const struct gap *gap, struct omitted_stretch *s)
{
	bool grid = found->regular && !gap->first;
	uint64_t nr = found->nr_outside, ns = found->outside_ns, span_ns;

	s->base_ns = grid ? gap->from_ns : s->from_ns;
	span_ns = s->to_ns - s->base_ns;
	if (grid && gap->last) {
		s->nr = (uint64_t)((unsigned __int128)(span_ns - 1) * f->nr_even / f->even_ns);
		s->span_ns = f->even_ns;
		s->parts = f->nr_even;
		return;
	}
	s->nr = (uint64_t)(((unsigned __int128)span_ns * nr + ns / 2) / ns);
	s->nr -= s->nr && !gap->last; /* the one at to_ns is there */
	s->span_ns = span_ns;
	s->parts = s->nr + 1;
}

static int find_holes(struct omitted_finder *f, struct omitted_found *found)
{
	struct gap *gaps = f->gaps;
	size_t nr = 0;

	found->stretches = calloc(f->nr_gaps + 1, sizeof(found->stretches[0]));
	if (!found->stretches)
		return -ENOMEM;
	f->of_gaps.next = 0;
	for (size_t i = 0; i < f->nr_gaps; i++) {
		struct omitted_stretch *s = &found->stretches[nr];

		if (!find_hole(f, &gaps[i], found->limit_ns, s))
			continue;
		found->outside_ns -= s->to_ns - s->from_ns;
		/* Half-open: the neighbour at its begin lies in it. */
		found->nr_outside -= s->from_ns == gaps[i].from_ns && !gaps[i].first;
		gaps[nr++] = gaps[i];
	}
	found->nr = nr;
	if (!found->nr_outside || !found->outside_ns)
		return nr ? -ENODATA : 0;
	for (size_t i = 0; i < nr; i++) {
		fill(f, found, &gaps[i], &found->stretches[i]);
		found->nr_restored += found->stretches[i].nr;
	}
	return 0;
}

static bool is_regular(const struct omitted_finder *f)
{
	double mean = f->nr_even ? (double)f->even_ns / (double)f->nr_even : 0;

	return f->nr_even && f->squares / (double)f->nr_even - mean * mean < mean * mean / 4;
}

int omitted_finder_end(struct omitted_finder *f, struct omitted_found *ret)
{
	const struct omitted_run *run = &f->run;
	struct gap gap = {f->last_ns, run->to_ns, !f->nr_requests, true};
	int err;

	if (!f->nr_requests || run->to_ns <= run->from_ns)
		return -ENODATA;
	err = add_gap(f, &gap);
	if (err)
		return err;
	*ret = (struct omitted_found){
		.limit_ns = find_limit(f),
		.nr_requests = f->nr_requests,
		.nr_outside = f->nr_requests,
		.outside_ns = run->to_ns - run->from_ns,
		.regular = is_regular(f),
		.base_ns = f->calm.nr ? histogram_percentile(&f->calm, 50) : OMITTED_UNKNOWN,
	};
	ret->pause_ns = total(run, run->server, run->nr_server, ret->limit_ns, &ret->nr_pauses);
	for (size_t i = 0; i < run->nr_server; i++)
		ret->nr_hit += length(&run->server[i]) > ret->limit_ns ? f->hits[i] : 0;
	err = find_holes(f, ret);
	if (err)
		omitted_found_free(ret);
	return err;
}

void omitted_found_free(struct omitted_found *found)
{
	free(found->stretches);
	*found = (struct omitted_found){0};
}
