/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/index.h"

struct index_segment *index_add(struct index *index, const struct index_segment *segment)
{
	if (index->nr == index->size) {
		size_t size = index->size ? index->size * 2 : 16;
		void *segments = realloc(index->segments, size * sizeof(*index->segments));

		if (!segments)
			return NULL;
		index->segments = segments;
		index->size = size;
	}
	index->segments[index->nr] = *segment;
	return &index->segments[index->nr++];
}

void index_drop(struct index *index, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		index->totals.nr_records_dropped += index->segments[i].nr_records;
	index->totals.nr_segments_dropped =
		index->segments[nr].nr; /* one entry may stand for several */
	index->nr -= nr;
	memmove(index->segments, index->segments + nr, index->nr * sizeof(*index->segments));
}

void index_coarsen(struct index *index)
{
	size_t nr = 0;

	for (size_t i = 0; i < index->nr; i += 2) {
		struct index_segment *kept = &index->segments[nr++];

		*kept = index->segments[i];
		if (i + 1 == index->nr)
			break;
		kept->bytes += index->segments[i + 1].bytes;
		kept->nr_records += index->segments[i + 1].nr_records;
		if (index->segments[i + 1].from_ns < kept->from_ns)
			kept->from_ns = index->segments[i + 1].from_ns;
		if (index->segments[i + 1].to_ns > kept->to_ns)
			kept->to_ns = index->segments[i + 1].to_ns;
	}
	index->nr = nr;
}

/* The members in the order they are written; a later version appends. */
#define NR_TOTALS	 7
#define NR_SEGMENT_WORDS 6
_Static_assert(sizeof(struct index_totals) == NR_TOTALS * 8, "a word each");
_Static_assert(sizeof(struct index_segment) == NR_SEGMENT_WORDS * 8, "a word each");
_Static_assert(NR_SEGMENT_WORDS <= NR_TOTALS, "room for either");

static void print_words(struct buffer *out, const void *from, size_t nr)
{
	uint64_t words[NR_TOTALS];

	memcpy(words, from, nr * sizeof(*words));
	for (size_t i = 0; i < nr; i++)
		buffer_varint(out, words[i]);
}

static void parse_words(struct cursor *in, void *to, size_t nr, size_t nr_in_file)
{
	uint64_t words[NR_TOTALS] = {0};

	for (size_t i = 0; i < nr_in_file; i++) {
		uint64_t word = cursor_varint(in);

		if (i < nr)
			words[i] = word;
	}
	memcpy(to, words, nr * sizeof(*words));
}

void index_print(const struct index *index, struct buffer *out)
{
	buffer_varint(out, NR_TOTALS);
	print_words(out, &index->totals, NR_TOTALS);
	buffer_varint(out, NR_SEGMENT_WORDS);
	buffer_varint(out, index->nr);
	for (size_t i = 0; i < index->nr; i++)
		print_words(out, &index->segments[i], NR_SEGMENT_WORDS);
}

/* Segments follow one another in the file. */
static bool follows(const struct index *index, const struct index_segment *segment)
{
	const struct index_segment *last = index->nr ? &index->segments[index->nr - 1] : NULL;

	if (segment->bytes > INT64_MAX || segment->offset > INT64_MAX - segment->bytes)
		return false;
	return !last || segment->offset >= last->offset + last->bytes;
}

int index_parse(const uint8_t *bytes, size_t nr, struct index *ret)
{
	struct cursor in = {bytes, bytes + nr, false};
	struct index_segment segment;
	uint64_t nr_words, nr_segments;

	*ret = (struct index){0};
	nr_words = cursor_varint(&in);
	if (nr_words > 1000)
		return -EBADMSG;
	parse_words(&in, &ret->totals, NR_TOTALS, nr_words);
	nr_words = cursor_varint(&in);
	nr_segments = cursor_varint(&in);
	if (nr_words == 0 || nr_words > 1000 || nr_segments > INDEX_SEGMENTS_MAX)
		in.bad = true;
	for (uint64_t i = 0; i < nr_segments && !in.bad; i++) {
		parse_words(&in, &segment, NR_SEGMENT_WORDS, nr_words);
		in.bad |= !follows(ret, &segment);
		if (!in.bad && !index_add(ret, &segment)) {
			index_free(ret);
			return -ENOMEM;
		}
	}
	if (in.bad)
		index_free(ret);
	return in.bad ? -EBADMSG : 0;
}

void index_free(struct index *index)
{
	free(index->segments);
	*index = (struct index){0};
}

static uint32_t trailer_crc(const struct file_trailer *t)
{
	return (uint32_t)crc32(0, (const Bytef *)t, offsetof(struct file_trailer, crc));
}

void file_trailer_seal(struct file_trailer *t)
{
	t->magic = TRAILER_MAGIC;
	t->crc = trailer_crc(t);
}

bool file_trailer_valid(const struct file_trailer *t)
{
	return t->magic == TRAILER_MAGIC && t->crc == trailer_crc(t);
}
