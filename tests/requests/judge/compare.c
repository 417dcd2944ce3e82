/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "tests/requests/judge/compare.h"

static int differ(struct differences *differences, int64_t ns)
{
	if (differences->nr == differences->size) {
		size_t size = differences->size ? 2 * differences->size : 1024;
		int64_t *grown = realloc(differences->ns, size * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		differences->ns = grown;
		differences->size = size;
	}
	differences->ns[differences->nr++] = ns;
	return 0;
}

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int64_t differences_percentile(struct differences *differences, double percentile)
{
	size_t i = (size_t)((double)differences->nr * percentile / 100);

	if (!differences->nr)
		return 0;
	qsort(differences->ns, differences->nr, sizeof(*differences->ns), by_size);
	return differences->ns[i < differences->nr ? i : differences->nr - 1];
}

static bool in_time(const struct comparison *c, uint64_t at_ns)
{
	return at_ns >= c->from_ns && at_ns < c->to_ns;
}

/* The first mark from *@i on that is at @position or beyond; NULL when there is none. */
static const struct mark *reach(const struct marks *marks, uint64_t position, size_t *i)
{
	while (*i < marks->nr && marks->marks[*i].position < position)
		++*i;
	return *i < marks->nr ? &marks->marks[*i] : NULL;
}

/* Those of the recording at which no segment ends. */
static void count_recorded(const struct marks *captured, const struct marks *recorded,
			   struct comparison *ret)
{
	size_t i = 0;

	for (size_t k = 0; k < recorded->nr; k++) {
		const struct mark *mark = &recorded->marks[k], *other;

		if (mark->again)
			continue;
		ret->nr_recorded++;
		other = reach(captured, mark->position, &i);
		ret->nr_recorded_only += !other || other->position != mark->position;
	}
}

int compare_arrivals(const struct recorded *recorded, const struct recorded_conn *conn,
		     struct comparison *ret)
{
	const struct marks *captured = &conn->in.marks;
	size_t i = 0;
	int error = 0;

	count_recorded(captured, &conn->arrived, ret);
	for (size_t k = 0; k < captured->nr && !error; k++) {
		const struct mark *mark = &captured->marks[k], *other;
		uint64_t at_ns = clocks_monotonic(&recorded->clocks, mark->at_ns);

		if (!in_time(ret, at_ns))
			continue;
		ret->nr_captured++;
		other = reach(&conn->arrived, mark->position, &i);
		if (mark->position <= conn->in_bytes)
			ret->nr_before++;
		else if (!other && at_ns > recorded->to_ns)
			ret->nr_after++;
		else if (!other)
			ret->nr_captured_only++;
		else if (other->position != mark->position)
			ret->nr_coalesced++;
		else
			error = differ(&ret->paired, (int64_t)(other->at_ns - at_ns));
	}
	return error;
}

int compare_writes(const struct recorded *recorded, const struct recorded_conn *conn, bool held,
		   struct comparison *ret)
{
	const struct marks *captured = &conn->out.marks;
	size_t i = 0;
	int error = 0;

	for (size_t k = 0; k < conn->written.nr && !error; k++) {
		const struct mark *mark = &conn->written.marks[k], *other;
		uint64_t begin_ns = mark->at_ns - (held ? 0 : mark->took_ns), at_ns;

		if ((mark->unsent > 0) != held || !in_time(ret, mark->at_ns))
			continue;
		ret->nr_recorded++;
		other = reach(captured, mark->position, &i);
		if (!other) {
			ret->nr_recorded_only++;
			continue;
		}
		at_ns = clocks_monotonic(&recorded->clocks, other->at_ns);
		error = differ(&ret->paired, (int64_t)(begin_ns - at_ns));
	}
	return error;
}

int compare_waits(const struct recorded *recorded, const struct recorded_conn *conn,
		  struct comparison *ret, uint64_t *longest_ns)
{
	const struct marks *captured = &conn->in.marks;
	size_t i = 0, t = 0;
	int error = 0;

	for (size_t k = 0; k < captured->nr && !error; k++) {
		const struct mark *mark = &captured->marks[k], *arrived, *taken;
		uint64_t at_ns = clocks_monotonic(&recorded->clocks, mark->at_ns);

		if (!in_time(ret, at_ns) || mark->position <= conn->in_bytes)
			continue;
		ret->nr_captured++;
		arrived = reach(&conn->arrived, mark->position, &i);
		taken = reach(&conn->taken, mark->position, &t);
		if (!arrived || !taken) {
			ret->nr_captured_only++; /* never read, or after the end */
			continue;
		}
		if (taken->at_ns > at_ns && taken->at_ns - at_ns > *longest_ns)
			*longest_ns = taken->at_ns - at_ns;
		error = differ(&ret->paired, (int64_t)(at_ns - arrived->at_ns));
	}
	return error;
}
