/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/attribution/queue_windows.h"

int windows_add(struct windows *w, const struct queue_interval *window)
{
	struct queue_interval *at;
	size_t room = w->room ? 2 * w->room : 64;

	if (window->from_ns > window->to_ns || window->cause >= NR_QUEUE_CAUSES)
		return -EINVAL;
	if (w->nr && window->from_ns < w->at[w->nr - 1].to_ns)
		return -EINVAL;
	if (w->nr == w->room) {
		at = realloc(w->at, room * sizeof(*at));
		if (!at)
			return -ENOMEM;
		w->at = at;
		w->room = room;
	}
	w->at[w->nr++] = *window;
	return 0;
}

void windows_forget(struct windows *w, uint64_t before_ns)
{
	while (w->first < w->nr && w->at[w->first].to_ns <= before_ns)
		w->first++;
	/* The last one stays: the next is checked against it. */
	if (w->first < 64 || w->first <= w->nr / 2 || w->first == w->nr)
		return;
	memmove(w->at, &w->at[w->first], (w->nr - w->first) * sizeof(w->at[0]));
	w->nr -= w->first;
	w->nr_gone += w->first;
	w->first = 0;
}

void windows_free(struct windows *w)
{
	free(w->at);
	*w = (struct windows){0};
}

static size_t index_of(const struct windows *w, const struct windows_at *at)
{
	return at->next > w->nr_gone + w->first ? at->next - w->nr_gone : w->first;
}

void windows_seek(const struct windows *w, struct windows_at *at, uint64_t ns)
{
	size_t i = index_of(w, at);

	while (i < w->nr && w->at[i].to_ns <= ns)
		i++;
	at->next = w->nr_gone + i;
}

uint64_t windows_present(const struct windows *w, const struct windows_at *at, uint32_t without,
			 uint64_t ns)
{
	for (size_t i = index_of(w, at); i < w->nr && w->at[i].from_ns <= ns; i++)
		if (w->at[i].to_ns > ns && !(without & QUEUE_MASK(w->at[i].cause)))
			ns = w->at[i].to_ns;
	return ns;
}

bool windows_any(const struct windows *w, const struct windows_at *at, uint32_t mask,
		 uint64_t to_ns)
{
	for (size_t i = index_of(w, at); i < w->nr && w->at[i].from_ns < to_ns; i++)
		if (mask & QUEUE_MASK(w->at[i].cause))
			return true;
	return false;
}

/* @work_ns of presence from @ns on; *i is the first window that may matter. */
static uint64_t work(const struct windows *w, size_t *i, uint32_t without, uint64_t ns,
		     uint64_t work_ns)
{
	for (; work_ns && *i < w->nr; (*i)++) {
		const struct queue_interval *window = &w->at[*i];

		if (window->to_ns <= ns || without & QUEUE_MASK(window->cause))
			continue;
		if (window->from_ns > ns && window->from_ns - ns >= work_ns)
			break;
		if (window->from_ns > ns)
			work_ns -= window->from_ns - ns;
		ns = window->to_ns;
	}
	return ns + work_ns;
}

uint64_t windows_finish(const struct windows *w, const struct windows_at *at, uint32_t without,
			uint64_t ns, const struct queue_segment *segments, size_t nr)
{
	size_t first = index_of(w, at);

	for (size_t i = 0; i < nr; i++) {
		if (without & QUEUE_MASK(segments[i].cause))
			continue;
		if (segments[i].elsewhere)
			ns += segments[i].ns;
		else
			ns = work(w, &first, without, ns, segments[i].ns);
	}
	return ns;
}
