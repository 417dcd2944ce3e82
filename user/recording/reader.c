/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/reader_parts.h"

static void drop_layout(struct recording_reader *r)
{
	r->whole = false;
	if (r->decoder.layout)
		decoder_free(&r->decoder);
	layout_free(&r->layout);
}

/* 0, or -EBADMSG, -EPROTONOSUPPORT. A header with the right magic and the wrong checksum is damage
 * like any other. */
static int check_file_header(struct recording_reader *r)
{
	struct file_header header;
	size_t nr;
	const uint8_t *at = input_peek(&r->scan.in, sizeof(header), &nr);

	if (r->scan.in.error)
		return r->scan.in.error;
	if (nr < sizeof(header))
		return -EBADMSG;
	memcpy(&header, at, sizeof(header));
	if (header.magic != FILE_MAGIC)
		return -EBADMSG;
	if (!file_header_whole(&header)) {
		r->scan.nr_bad++;
		r->scan.nr_skipped_bytes += sizeof(header);
	} else if (header.version - 1 >= FILE_VERSION || header.flags) {
		return -EPROTONOSUPPORT;
	} else {
		r->health.nr_segments_dropped = header.nr_segments_dropped;
		r->next_record = header.nr_records_dropped;
		r->expecting = true;
	}
	input_pass(&r->scan.in, sizeof(header));
	return 0;
}

int recording_open(const char *path, struct recording_reader **ret)
{
	struct recording_reader *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->scan.in.fd = -1;
	r->to_ns = UINT64_MAX;
	err = block_unpacker_init(&r->unpacker);
	if (!err)
		err = input_open(path, &r->scan.in);
	if (!err)
		err = check_file_header(r);
	if (err) {
		recording_reader_free(r);
		return err;
	}
	*ret = r;
	return 0;
}

void recording_reader_free(struct recording_reader *r)
{
	if (!r)
		return;
	drop_layout(r);
	block_unpacker_free(&r->unpacker);
	index_free(&r->index);
	if (r->scan.in.fd >= 0)
		input_close(&r->scan.in);
	free(r);
}

/* Take over a new layout, in @layout, whose contents move. */
static int use_layout(struct recording_reader *r, struct layout *layout)
{
	drop_layout(r);
	r->layout = *layout;
	return decoder_init(&r->decoder, &r->layout);
}

/* Our own layout, if that is what the block @h means, whatever its schema block looks like. 0,
 * -EBADMSG, or -ENOMEM. */
static int use_own_layout(struct recording_reader *r, const struct block_header *h)
{
	struct layout own;
	int err = layout_own(&own);

	if (err)
		return err;
	if (own.crc == h->schema_crc)
		return use_layout(r, &own);
	layout_free(&own);
	return -EBADMSG;
}

static int read_schema(struct recording_reader *r, const struct block_header *h,
		       const uint8_t *payload)
{
	struct layout layout;
	int err;

	if (r->layout.nr && r->layout.crc == h->schema_crc)
		return 0;
	err = use_own_layout(r, h);
	if (err != -EBADMSG)
		return err;
	err = block_unpack(&r->unpacker, h, payload);
	if (!err)
		err = layout_parse(r->unpacker.columns.data, r->unpacker.columns.nr, &layout);
	return err ? err : use_layout(r, &layout);
}

/* Where the schema block was damaged, ours may be the one that the records of @h follow. */
static int find_layout(struct recording_reader *r, const struct block_header *h)
{
	if (r->layout.nr && (r->layout.crc == h->schema_crc || !BLOCK_CHECK_CRC))
		return 0;
	return use_own_layout(r, h);
}

/* Records up to @nr_before are missing: say so in the stream, between the good neighbours. */
static void note_missing(struct recording_reader *r, uint64_t nr_before, uint64_t to_ns)
{
	struct recording_health *health = &r->health;
	uint64_t nr = nr_before - r->next_record;

	if (!r->expecting || nr_before <= r->next_record)
		return;
	if (to_ns < r->last_ns)
		to_ns = r->last_ns;
	if (!health->nr_missing)
		health->bad_from_ns = r->last_ns;
	health->bad_to_ns = to_ns;
	health->nr_missing += nr;
	r->record.lost =
		(struct record_lost){.hdr = {RECORD_LOST, sizeof(r->record.lost), 0, to_ns},
				     .from_ns = r->last_ns,
				     .nr = nr,
				     .cause = LOST_DAMAGED};
	r->lost_ready = true;
}

/* Has what the block @h goes on from been decoded just now? If not, it cannot be. */
static bool goes_on(const struct recording_reader *r, const struct block_header *h)
{
	return r->whole && h->segment == r->block.segment && h->nr_before == r->next_record &&
	       h->schema_crc == r->block.schema_crc;
}

static int begin_decoder(struct recording_reader *r, const struct block_header *h)
{
	const struct buffer *columns = &r->unpacker.columns, *bits = &r->unpacker.bits;

	r->whole = false;
	return (h->type == BLOCK_MORE ? decoder_continue : decoder_begin)(
		&r->decoder, columns->data, columns->nr, bits->data, bits->nr, h->nr_records);
}

static int begin_records(struct recording_reader *r, const struct block_header *h,
			 const uint8_t *payload)
{
	int err = find_layout(r, h);

	r->told_records = h->nr_before + h->nr_records;
	r->told_ns = h->to_ns;
	if (!err && h->type == BLOCK_MORE && !goes_on(r, h))
		err = -EBADMSG;
	if (!err)
		err = block_unpack(&r->unpacker, h, payload);
	if (!err)
		err = begin_decoder(r, h);
	if (err)
		return err;
	if (r->expecting)
		note_missing(r, h->nr_before, h->first_ns);
	r->next_record = h->nr_before;
	r->expecting = true;
	r->started = true;
	r->block = *h;
	r->in_block = true;
	return 0;
}

static int read_index(struct recording_reader *r, const struct block_header *h,
		      const uint8_t *payload)
{
	struct file_trailer trailer;
	struct index index;
	const uint8_t *at;
	size_t nr;
	int err = block_unpack(&r->unpacker, h, payload);

	if (!err)
		err = index_parse(r->unpacker.columns.data, r->unpacker.columns.nr, &index);
	if (err)
		return err;
	if (r->seeking) { /* by one that was found at the end: this one is no end */
		index_free(&index);
		return -EBADMSG;
	}
	index_free(&r->index);
	r->index = index;
	r->health.complete = true;
	if (index.nr)
		note_missing(r, index.totals.nr_records, index.segments[index.nr - 1].to_ns);
	scan_pass(&r->scan, 0);
	at = input_peek(&r->scan.in, sizeof(trailer), &nr);
	if (nr < sizeof(trailer)) { /* cut off; all it says is known already */
		r->scan.nr_torn_bytes += nr;
		scan_pass(&r->scan, nr);
		return 0;
	}
	memcpy(&trailer, at, sizeof(trailer));
	if (file_trailer_valid(&trailer))
		scan_pass(&r->scan, sizeof(trailer));
	return 0;
}

/* What could not be decoded may have been the last: 1 when that is to be told, 0 when all is told.
 */
static int end_of_blocks(struct recording_reader *r)
{
	if (r->health.complete || r->told_records <= r->next_record)
		return 0;
	note_missing(r, r->told_records, r->told_ns);
	r->next_record = r->told_records;
	return r->lost_ready;
}

/* Begin the next block of records. 1, 0 at the end, -errno. */
static int next_block(struct recording_reader *r)
{
	while (!r->in_block && !r->lost_ready) {
		struct block_header h;
		const uint8_t *payload;
		int err;

		if (r->seeking && reader_segment_ended(r)) {
			err = reader_next_segment(r);
			if (err <= 0)
				return err;
		}
		err = scan_next(&r->scan, &h, &payload);
		if (err < 0)
			return err;
		if (!err && !r->seeking)
			return end_of_blocks(r);
		if (!err) { /* the file ends before its index says */
			r->sought_all = true;
			r->segment = r->index.nr;
			return 0;
		}
		r->health.nr_blocks++;
		if (h.segment >= r->health.nr_segments)
			r->health.nr_segments = h.segment + 1ull;
		if (h.type == BLOCK_SCHEMA)
			err = read_schema(r, &h, payload);
		else if (h.type == BLOCK_RECORDS || h.type == BLOCK_MORE)
			err = begin_records(r, &h, payload);
		else if (h.type == BLOCK_INDEX)
			err = read_index(r, &h, payload);
		else
			err = 0; /* of a later version: not for us */
		if (err == -EBADMSG)
			scan_reject(&r->scan);
		else if (err < 0)
			return err;
	}
	return 1;
}

static int give(struct recording_reader *r, const struct event_hdr *record,
		const struct event_hdr **ret)
{
	if (record->ts_ns < r->last_ns)
		r->health.nr_disordered++;
	else
		r->last_ns = record->ts_ns;
	*ret = record;
	return 1;
}

/* The next record of the block. 1; 0 when there is none, or the rest is damaged; -ENOMEM. */
static int next_of_block(struct recording_reader *r, const struct event_hdr **ret)
{
	const struct layout_plan *plan;
	const struct event_hdr *image;
	int err;

	while ((err = decoder_next(&r->decoder, &image, &plan)) > 0) {
		r->next_record++;
		r->health.nr_records++;
		if (!plan->own) {
			r->health.nr_unknown_kind++;
			continue;
		}
		if (plan->same)
			return give(r, image, ret);
		layout_convert(plan, image, &r->record);
		return give(r, &r->record.hdr, ret);
	}
	r->in_block = false;
	r->whole = !err;
	if (err == -EBADMSG)
		scan_reject(&r->scan);
	return err == -EBADMSG ? 0 : err;
}

int recording_next(struct recording_reader *r, const struct event_hdr **ret)
{
	for (;;) {
		int err;

		if (r->lost_ready) {
			r->lost_ready = false;
			return give(r, &r->record.hdr, ret);
		}
		err = r->in_block ? next_of_block(r, ret) : 0;
		if (err)
			return err;
		err = next_block(r);
		if (err <= 0)
			return err;
	}
}

uint64_t recording_start(struct recording_reader *r)
{
	if (!r->started && next_block(r) < 0)
		return 0;
	return r->started ? r->block.first_ns : 0;
}

void recording_health(const struct recording_reader *r, struct recording_health *ret)
{
	const struct index_totals *totals = &r->index.totals;

	*ret = r->health;
	ret->nr_bad_blocks = r->scan.nr_bad;
	ret->nr_skipped_bytes = r->scan.nr_skipped_bytes;
	ret->nr_torn_bytes = r->scan.nr_torn_bytes;
	ret->file_bytes = r->scan.in.offset + r->scan.pending;
	if (!ret->complete)
		return;
	ret->nr_segments = totals->nr_segments;
	ret->nr_segments_dropped = totals->nr_segments_dropped;
	ret->nr_lost_write = totals->nr_lost_write;
}
