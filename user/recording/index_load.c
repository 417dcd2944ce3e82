/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/index_load.h"

/* Where the file's end says that the index is. */
static int find(const struct input *in, struct file_trailer *trailer, struct block_header *h)
{
	uint64_t size = input_size(in);
	int err;

	if (size < sizeof(*trailer))
		return -EBADMSG;
	err = input_read_at(in, trailer, sizeof(*trailer), size - sizeof(*trailer));
	if (err)
		return err;
	if (!file_trailer_valid(trailer) || trailer->file_bytes != size ||
	    trailer->index_offset >= size)
		return -EBADMSG;
	err = input_read_at(in, h, sizeof(*h), trailer->index_offset);
	if (err)
		return err;
	return block_header_valid(h) && h->type == BLOCK_INDEX ? 0 : -EBADMSG;
}

/* All segments lie before the index: sorted as they are, the last one says. */
static bool sound(const struct index *index, uint64_t index_offset)
{
	const struct index_segment *last;

	if (!index->nr)
		return false;
	last = &index->segments[index->nr - 1];
	return last->offset + last->bytes <= index_offset;
}

static int unpack(const struct block_header *h, const uint8_t *payload, struct index *ret)
{
	struct block_unpacker unpacker;
	int err = block_unpacker_init(&unpacker);

	if (err)
		return err;
	err = block_unpack(&unpacker, h, payload);
	if (!err)
		err = index_parse(unpacker.columns.data, unpacker.columns.nr, ret);
	block_unpacker_free(&unpacker);
	return err;
}

int index_load(const struct input *in, struct index *ret)
{
	struct file_trailer trailer;
	struct block_header h;
	uint8_t *payload;
	size_t bytes;
	int err = find(in, &trailer, &h);

	if (err)
		return err;
	bytes = block_bytes(&h) - h.header_bytes;
	payload = malloc(bytes + 1);
	if (!payload)
		return -ENOMEM;
	err = input_read_at(in, payload, bytes, trailer.index_offset + h.header_bytes);
	if (!err && !block_payload_valid(&h, payload))
		err = -EBADMSG;
	if (!err)
		err = unpack(&h, payload, ret);
	free(payload);
	if (err || sound(ret, trailer.index_offset))
		return err;
	index_free(ret);
	return -EBADMSG;
}
