/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/live/agree/match.h"
#include "user/base/cleanup.h"

struct alias {
	const char *logged, *usdt;
};

/* The log prints the name in VM_OPS_DO, the probe what the operation's name() returns (hotspot:
 * shenandoahVMOperations.hpp). */
static const struct alias aliases[] = {
	{"ShenandoahInitMark", "Shenandoah Init Marking"},
	{"ShenandoahFinalMarkStartEvac", "Shenandoah Final Mark and Start Evacuation"},
	{"ShenandoahInitUpdateRefs", "Shenandoah Init Update References"},
	{"ShenandoahFinalUpdateRefs", "Shenandoah Final Update References"},
	{"ShenandoahFinalRoots", "Shenandoah Final Roots"},
	{"ShenandoahDegeneratedGC", "Shenandoah Degenerated GC"},
	{"ShenandoahFullGC", "Shenandoah Full GC"},
};

bool match_same_name(const char *logged, const char *found)
{
	if (!strcmp(logged, found))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(aliases[i].logged, logged))
			return !strcmp(aliases[i].usdt, found);
	return false;
}

/* The first line at or after @low whose stamp is not before @ns; log->nr: none. */
static size_t find_line(const struct safepoint_log *log, size_t low, uint64_t ns)
{
	while (low < log->nr && log->lines[low].stamp_ns < ns)
		low++;
	return low;
}

static uint64_t overlap(const struct logged *line, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t from = line->begin_ns > from_ns ? line->begin_ns : from_ns;
	uint64_t to = line->end_ns < to_ns ? line->end_ns : to_ns;

	return to > from ? to - from : 0;
}

/* The line whose gap between stamps holds @pause; where its ends lie in two gaps, for one of them
 * is wrong, the line that it shares most time with. At or after *low, which is moved up; log->nr:
 * none. */
static size_t line_of(const struct safepoint_log *log, const struct found *pause, size_t *low)
{
	size_t first = find_line(log, *low, pause->begin_ns);
	size_t last = pause->release_ns ? find_line(log, first, pause->release_ns) : first;
	size_t best = last;
	uint64_t most_ns = 0;

	*low = first;
	for (size_t i = first; i <= last && i < log->nr; i++) {
		uint64_t ns = overlap(&log->lines[i], pause->begin_ns, pause->release_ns);

		if (ns > most_ns) {
			most_ns = ns;
			best = i;
		}
	}
	return best;
}

static bool inside(const struct logged *line, uint64_t from_ns, uint64_t to_ns)
{
	return line->begin_ns >= from_ns && line->end_ns <= to_ns;
}

/* Gives every line at most one pause; what is left over was invented, unless it is cut off at an
 * edge of the window. */
static void assign(const struct safepoint_log *log, const struct found_list *found,
		   const struct found **of_line, uint64_t from_ns, uint64_t to_ns,
		   struct match *ret)
{
	size_t low = 0;

	for (size_t i = 0; i < found->nr; i++) {
		const struct found *pause = &found->pauses[i];
		size_t line = line_of(log, pause, &low);

		if (pause->cut && (line == log->nr || !inside(&log->lines[line], from_ns, to_ns)))
			ret->nr_cut++;
		else if (line == log->nr || of_line[line])
			ret->nr_invented++;
		else
			of_line[line] = pause;
	}
}

static void collect(const struct safepoint_log *log, const struct found **of_line, uint64_t from_ns,
		    uint64_t to_ns, struct match *ret)
{
	for (size_t i = 0; i < log->nr; i++) {
		if (!inside(&log->lines[i], from_ns, to_ns))
			continue;
		ret->nr_logged++;
		if (!of_line[i] || of_line[i]->cut)
			ret->nr_missed++;
		else
			ret->pairs[ret->nr_pairs++] = (struct pair){&log->lines[i], of_line[i]};
	}
}

int match(const struct safepoint_log *log, const struct found_list *found, uint64_t from_ns,
	  uint64_t to_ns, struct match *ret)
{
	const struct found **of_line CLEANUP(freep) = calloc(log->nr + 1, sizeof(struct found *));

	*ret = (struct match){.pairs = calloc(log->nr + 1, sizeof(struct pair))};
	if (!of_line || !ret->pairs) {
		free(ret->pairs);
		return -ENOMEM;
	}
	assign(log, found, of_line, from_ns, to_ns, ret);
	collect(log, of_line, from_ns, to_ns, ret);
	return 0;
}
