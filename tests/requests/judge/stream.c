/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "tests/requests/judge/stream.h"

int marks_add(struct marks *marks, const struct mark *mark)
{
	if (marks->nr == marks->size) {
		size_t size = marks->size ? 2 * marks->size : 64;
		struct mark *grown = realloc(marks->marks, size * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		marks->marks = grown;
		marks->size = size;
	}
	marks->marks[marks->nr++] = *mark;
	return 0;
}

/* The position of @seq: the one nearest to what is expected next. */
static uint64_t position_of(const struct stream *stream, uint32_t seq)
{
	uint32_t low = seq - stream->first_seq;

	if (!stream->any)
		return low;
	return stream->next + (uint64_t)(int64_t)(int32_t)(low - (uint32_t)stream->next);
}

static int keep_early(struct stream *stream, struct range range)
{
	if (stream->nr_early == STREAM_EARLY_MAX)
		return -EOVERFLOW;
	stream->early[stream->nr_early++] = range;
	return 0;
}

/* Go on through what came early; the order in which it lies there does not matter. */
static void take_early(struct stream *stream)
{
	size_t i = 0;

	while (i < stream->nr_early) {
		struct range range = stream->early[i];

		if (range.from > stream->next) {
			i++;
			continue;
		}
		if (range.to > stream->next)
			stream->next = range.to;
		stream->early[i] = stream->early[--stream->nr_early];
		i = 0;
	}
}

int stream_add(struct stream *stream, uint32_t seq, uint32_t bytes, uint64_t at_ns)
{
	uint64_t from, to;

	if (!bytes)
		return 0;
	from = position_of(stream, seq);
	to = from + bytes;
	if (!stream->any) {
		stream->any = true;
		stream->next = from;
	}
	if ((int64_t)(to - stream->next) <= 0) {
		stream->nr_again++;
		return 0;
	}
	if ((int64_t)(from - stream->next) > 0)
		return keep_early(stream, (struct range){from, to});
	stream->next = to;
	take_early(stream);
	return marks_add(&stream->marks, &(struct mark){.position = stream->next, .at_ns = at_ns});
}
