/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "tests/live/agree/verdict.h"
#include "user/base/cleanup.h"

#define LABEL_COLUMNS 46

/* The numbers. */
enum limit {
	EDGE_P50_NS = 15000,  /* begin, release */
	EDGE_P90_NS = 100000, /* begin, release */
	REACHING_P50_NS = 20000,
	LATE_NAMED_OF_TEN = 9,
};

void verdict_header(void)
{
	printf("%-*s | %5s %5s %6s %8s | %6s %7s | %-13s | %-13s %-15s %-6s | %8s | %-7s | %4s |\n",
	       LABEL_COLUMNS, "collector jdk workload source", "log", "found", "missed", "invented",
	       "names:", "names:", "begin us", "release us", "less VM Thread", "held", "reaching",
	       "late", "inc.");
	printf("%-*s | %5s %5s %6s %8s | %6s %7s | %-13s | %-13s %-15s %-6s | %8s | %-7s | %4s |\n",
	       LABEL_COLUMNS, "", "", "", "", "", "differ", "unknown", "p50/p90", "p50/p90",
	       "off CPU", "to", "p50 us", "named", "");
}

static void print_error(const struct error *error, int width)
{
	char text[32] = "-";

	if (error->nr)
		snprintf(text, sizeof(text), "%.1f/%.1f", (double)error->p50_ns / 1000,
			 (double)error->p90_ns / 1000);
	printf("%-*s ", width, text);
}

static const char *held_against(const struct match *match, const struct agreement *is)
{
	if (is->nr_leaves == match->nr_pairs)
		return "leave";
	return is->nr_leaves ? "both" : "end";
}

static void print_numbers(const char *label, const struct match *match, const struct agreement *is)
{
	char late[32] = "-", reaching[32] = "-";

	if (is->nr_late)
		snprintf(late, sizeof(late), "%zu/%zu", is->nr_late_named, is->nr_late);
	if (is->reaching.nr)
		snprintf(reaching, sizeof(reaching), "%.1f", (double)is->reaching.p50_ns / 1000);
	printf("%-*s | %5zu %5zu %6zu %8zu | %6zu %7zu | ", LABEL_COLUMNS, label, match->nr_logged,
	       match->nr_pairs, match->nr_missed, match->nr_invented, is->nr_names_differ,
	       is->nr_names_unknown);
	print_error(&is->begin, 13);
	printf("| ");
	print_error(&is->release, 13);
	print_error(&is->release_explained, 15);
	printf("%-6s | %8s | %-7s | %4zu |", held_against(match, is), reaching, late,
	       is->nr_incomplete);
}

static bool edge_holds(const struct error *error)
{
	return error->nr && error->p50_ns <= EDGE_P50_NS && error->p90_ns <= EDGE_P90_NS;
}

struct check {
	bool holds;
	const char *broken;
};

static bool print_checks(const struct check *checks, size_t nr)
{
	bool all = true;

	for (size_t i = 0; i < nr; i++) {
		if (checks[i].holds)
			continue;
		printf(" BROKEN: %s;", checks[i].broken);
		all = false;
	}
	return all;
}

static bool times_hold(const struct match *match, const struct agreement *is)
{
	const struct check checks[] = {
		{match->nr_logged > 0, "no pause to compare"},
		{edge_holds(&is->begin), "begin"},
		{edge_holds(&is->release) || edge_holds(&is->release_explained), "release"},
		{is->reaching.nr && is->reaching.p50_ns <= REACHING_P50_NS, "reaching"},
		/* An error over a few lucky ones would say nothing. */
		{is->begin.nr_unknown == 0, "begin not always known"},
		{is->release.nr_unknown == 0, "release not always known"},
		{is->reaching.nr_unknown == 0, "reaching not always known"},
	};

	return print_checks(checks, ARRAY_SIZE(checks));
}

static bool all_found(const struct match *match, const struct agreement *is,
		      const struct demand *demand)
{
	const struct check checks[] = {
		{match->nr_missed == 0, "missed"},
		{match->nr_invented == 0, "invented"},
		{is->nr_names_differ == 0, "names differ"},
		{!demand->names || is->nr_names_unknown == 0, "names unknown"},
		{!demand->offender || is->nr_late > 0, "nobody was late"},
		{is->nr_late_named * 10 >= is->nr_late * LATE_NAMED_OF_TEN, "late thread"},
		{is->nr_incomplete * 10 <= match->nr_pairs, "incomplete"},
		{is->nr_missed_before == 0, "says itself that it missed some"},
	};

	return print_checks(checks, ARRAY_SIZE(checks));
}

bool verdict_row(const char *label, const struct match *match, const struct agreement *is,
		 const struct demand *demand)
{
	bool holds;

	print_numbers(label, match, is);
	holds = all_found(match, is, demand);
	if (demand->times)
		holds = times_hold(match, is) && holds;
	printf("%s\n", holds ? " ok" : "");
	return holds;
}
