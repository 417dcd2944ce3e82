/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/timeline/names.h"
#include "user/timeline/request_split.h"

#define MARKS_MIN 4
#define MARKS_MAX 65536 /* of one connection: more are pipelined by nobody */

int request_mark(struct connection *c, const struct record_http *http)
{
	struct http_mark *mark;

	if (c->nr_marks == MARKS_MAX ||
	    (c->nr_marks && http->in_from <= c->marks[c->nr_marks - 1].in_from))
		return 0;
	if (c->nr_marks == c->marks_room) {
		size_t room = c->marks_room ? c->marks_room * 2 : MARKS_MIN;
		struct http_mark *marks = reallocarray(c->marks, room, sizeof(marks[0]));

		if (!marks)
			return -ENOMEM;
		c->marks = marks;
		c->marks_room = room;
	}
	mark = &c->marks[c->nr_marks++];
	mark->in_from = http->in_from;
	mark->in_to = http->in_to;
	memcpy(mark->method, http->method, sizeof(mark->method));
	memcpy(mark->path, http->path, sizeof(mark->path));
	memcpy(mark->key, http->key, sizeof(mark->key));
	return 0;
}

static size_t first_mark(const struct connection *c)
{
	size_t i = 0;

	while (i < c->nr_marks && c->marks[i].in_from < c->current.in_from)
		i++;
	return i;
}

size_t request_split_nr(const struct connection *c)
{
	size_t first = first_mark(c), nr = first;

	while (nr < c->nr_marks && c->marks[nr].in_from < c->current.in_to)
		nr++;
	return nr > first ? nr - first : 1;
}

static void add_mark(struct request *r, const struct http_mark *mark)
{
	r->flags |= REQUEST_HTTP;
	names_copy(r->method, sizeof(r->method), mark->method, sizeof(mark->method));
	names_copy(r->path, sizeof(r->path), mark->path, sizeof(mark->path));
	names_copy(r->key, sizeof(r->key), mark->key, sizeof(mark->key));
}

/* The bytes that answer the @i-th of @nr requests in the turn, and what is not known of them
 * (flags). */
static uint32_t deal_out(const struct connection *c, size_t i, size_t nr,
			 struct request_bytes *bytes)
{
	size_t writes = points_between(&c->writes, c->current.out_from, c->current.out_to);
	size_t each = nr ? writes / nr : 0;
	const struct point *first, *last;

	bytes->out_from = c->current.out_from;
	bytes->out_to = c->current.out_to;
	if (nr == 1 || !writes)
		return 0;
	if (!each || writes % nr)
		return REQUEST_SHARED_WRITE;
	first = i ? points_after(&c->writes, c->current.out_from, i * each - 1) : NULL;
	last = points_after(&c->writes, c->current.out_from, (i + 1) * each - 1);
	if (first)
		bytes->out_from = first->pos;
	if (last)
		bytes->out_to = last->pos;
	return each > 1 ? REQUEST_ASSUMED : 0;
}

void request_split_at(const struct connection *c, size_t i, size_t nr, struct request *ret)
{
	size_t at = first_mark(c) + i;
	bool marked = at < c->nr_marks && c->marks[at].in_from < c->current.in_to;
	struct request_bytes bytes = {.in_from = c->current.in_from, .in_to = c->current.in_to};
	uint32_t flags = deal_out(c, i, nr, &bytes);

	if (marked && i)
		bytes.in_from = c->marks[at].in_from;
	if (i + 1 < nr)
		bytes.in_to = c->marks[at + 1].in_from;
	request_of_accepted(c, &bytes, ret);
	ret->flags |= flags;
	ret->queue_conn += i;
	ret->queue_listener += i;
	if (marked && !c->current.orphan)
		add_mark(ret, &c->marks[at]);
}

void request_split_done(struct connection *c)
{
	size_t nr = 0;

	while (nr < c->nr_marks && c->marks[nr].in_from < c->current.in_to)
		nr++;
	c->nr_marks -= nr;
	if (nr) /* where there never was one, there is no array */
		memmove(c->marks, c->marks + nr, c->nr_marks * sizeof(c->marks[0]));
}
