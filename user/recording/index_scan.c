/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/index_scan.h"

/* Behind the zeros at @offset that --keep left there, if it did. */
static int pass_dropped(struct input *in, uint64_t size, uint64_t *offset)
{
	uint64_t first;
	int err;

	if (size - *offset < sizeof(first))
		return -EBADMSG;
	err = input_read_at(in, &first, sizeof(first), *offset);
	return err || first ? err : input_find_data(in, offset);
}

static struct index_segment *segment_of(struct index *index, const struct block_header *h,
					uint64_t offset)
{
	const struct index_segment segment = {
		.nr = h->segment, .offset = offset, .from_ns = UINT64_MAX};
	struct index_segment *last = index->nr ? &index->segments[index->nr - 1] : NULL;

	if (last && h->type != BLOCK_SCHEMA)
		return last;
	if (index->nr >= INDEX_SEGMENTS_MAX)
		index_coarsen(index);
	return index_add(index, &segment);
}

static void count_block(struct index_segment *segment, const struct block_header *h)
{
	segment->bytes += block_bytes(h);
	segment->nr_records += h->nr_records;
	if (h->nr_records && h->from_ns < segment->from_ns)
		segment->from_ns = h->from_ns;
	if (h->nr_records && h->to_ns > segment->to_ns)
		segment->to_ns = h->to_ns;
}

/* What stands at @offset is no whole block: only reading can tell what it is. */
static int take_rest(struct index *index, uint64_t offset, uint64_t size)
{
	struct index_segment *last = index->nr ? &index->segments[index->nr - 1] : NULL;

	if (!last)
		return -EBADMSG;
	last->bytes += size - offset;
	last->from_ns = 0;
	last->to_ns = UINT64_MAX;
	return 0;
}

static bool is_end(const struct block_header *h, uint64_t left)
{
	return h->type == BLOCK_INDEX && left <= block_bytes(h) + sizeof(struct file_trailer);
}

static int scan_blocks(const struct input *in, uint64_t offset, uint64_t size, struct index *ret)
{
	while (offset < size) {
		struct index_segment *segment;
		struct block_header h;
		int err = -EBADMSG;

		if (size - offset >= sizeof(h))
			err = input_read_at(in, &h, sizeof(h), offset);
		if (err && err != -EBADMSG)
			return err;
		if (err || !block_header_valid(&h) || block_bytes(&h) > size - offset)
			return take_rest(ret, offset, size);
		if (is_end(&h, size - offset))
			break;
		segment = segment_of(ret, &h, offset);
		if (!segment)
			return -ENOMEM;
		count_block(segment, &h);
		offset += block_bytes(&h);
	}
	return ret->nr ? 0 : -EBADMSG;
}

int index_scan(struct input *in, struct index *ret)
{
	uint64_t size = input_size(in), offset = sizeof(struct file_header);
	int err;

	*ret = (struct index){0};
	if (size <= offset)
		return -EBADMSG;
	err = pass_dropped(in, size, &offset);
	if (!err)
		err = scan_blocks(in, offset, size, ret);
	if (err)
		index_free(ret);
	return err;
}
