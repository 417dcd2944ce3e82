/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/import/schedule_reader.h"

int schedule_binary_open(struct schedule_reader *r)
{
	struct file_header header;
	size_t nr;
	const uint8_t *bytes = input_peek(&r->scan.in, sizeof(header), &nr);
	int error;

	if (nr < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	if (header.version > SCHEDULE_VERSION || header.flags)
		return -EPROTONOSUPPORT;
	input_pass(&r->scan.in, sizeof(header));
	r->health.binary = true;
	error = schedule_codec_init(&r->codec);
	if (!error)
		error = block_unpacker_init(&r->unpacker);
	if (error)
		return error;
	r->requests = calloc(SCHEDULE_BLOCK_REQUESTS, sizeof(*r->requests));
	if (r->requests)
		return 0;
	block_unpacker_free(&r->unpacker);
	return -ENOMEM;
}

/* Text lines of a block. */
static int take_text(struct schedule_reader *r)
{
	struct buffer *text = &r->unpacker.columns;
	char *at = (char *)text->data, *end = at + text->nr;
	int error = 0;

	while (at < end && !error) {
		char *feed = memchr(at, '\n', (size_t)(end - at));

		if (!feed)
			return -EBADMSG;
		*feed = '\0';
		error = schedule_take_meta(r, at);
		at = feed + 1;
	}
	return error;
}

static int take_requests(struct schedule_reader *r, const struct block_header *header)
{
	int error = schedule_decode(&r->codec, &r->unpacker.columns, &r->unpacker.bits,
				    header->nr_records, r->requests);

	if (error)
		return error;
	/* Blocks say how many requests came before; those of blocks that were passed over are
	 * missing. */
	if (header->nr_before > r->health.nr_requests + r->health.nr_missing)
		r->health.nr_missing = header->nr_before - r->health.nr_requests;
	r->nr = header->nr_records;
	r->at = 0;
	return 0;
}

/* One block. 0, -EBADMSG when its content is no good, or another error. */
static int take_block(struct schedule_reader *r, const struct block_header *header,
		      const uint8_t *payload)
{
	int error;

	if (header->type != BLOCK_SCHEDULE_TEXT && header->type != BLOCK_SCHEDULE_REQUESTS)
		return 0; /* of a later version */
	error = block_unpack(&r->unpacker, header, payload);
	if (error)
		return error;
	return header->type == BLOCK_SCHEDULE_TEXT ? take_text(r) : take_requests(r, header);
}

static void take_health(struct schedule_reader *r)
{
	r->health.nr_bad = r->scan.nr_bad;
	r->health.nr_skipped_bytes = r->scan.nr_skipped_bytes + r->scan.nr_torn_bytes;
}

int schedule_binary_next(struct schedule_reader *r, struct schedule_request *ret)
{
	while (r->at == r->nr) {
		struct block_header header;
		const uint8_t *payload;
		int got = scan_next(&r->scan, &header, &payload);
		int error = got > 0 ? take_block(r, &header, payload) : 0;

		if (error == -EBADMSG)
			scan_reject(&r->scan);
		take_health(r);
		if (got <= 0)
			return got;
		if (error && error != -EBADMSG)
			return error;
	}
	*ret = r->requests[r->at++];
	return 1;
}
