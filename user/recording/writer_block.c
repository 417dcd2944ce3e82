/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/keep.h"
#include "user/recording/writer_parts.h"

#define FREE_ALIGN 65536ull /* no file system in use has larger blocks */

void writer_reset_block(struct recording_writer *w)
{
	w->open = (struct block_header){.from_ns = UINT64_MAX, .first_ns = UINT64_MAX};
	w->chain_bytes = 0;
	encoder_reset(&w->encoder);
}

/*
 * The next block goes on from the one just written, unless it would be too much that one damaged
 * byte costs: no more than a full block has, of however many blocks.
 */
static void begin_block(struct recording_writer *w)
{
	uint64_t last = (uint64_t)w->open.columns_bytes + w->open.bits_bytes;

	if (w->chain_bytes + 2 * last > WRITER_BLOCK_BYTES || encoder_full(&w->encoder)) {
		writer_reset_block(w);
		return;
	}
	w->open = (struct block_header){.from_ns = UINT64_MAX, .first_ns = UINT64_MAX};
	w->chain_bytes += last;
	encoder_continue(&w->encoder);
}

struct index_segment *writer_segment(struct recording_writer *w)
{
	return w->index.nr ? &w->index.segments[w->index.nr - 1] : NULL;
}

/*
 * Give back the space before the first segment. A file system frees whole blocks, so where the last
 * hole ended its last block was left: begin again before it. What could not be given back is asked
 * for again the next time.
 */
static void free_front(struct recording_writer *w)
{
	uint64_t from = (sizeof(struct file_header) + w->freed_bytes) & ~(FREE_ALIGN - 1);
	uint64_t to = w->index.segments[0].offset;

	if (from < sizeof(struct file_header))
		from = sizeof(struct file_header);
	if (to > sizeof(struct file_header) + w->freed_bytes &&
	    !output_free_range(&w->file, from, to - from))
		w->freed_bytes = to - sizeof(struct file_header);
}

bool writer_give_up_oldest(struct recording_writer *w)
{
	uint64_t freed_bytes = w->freed_bytes;

	if ((!w->options.keep_ns && !w->options.keep_bytes) || w->index.nr < 2)
		return false;
	if (keep_drop(&w->file, &w->index, 1))
		return false;
	free_front(w);
	return w->freed_bytes > freed_bytes;
}

/* A full disk ends a recording, unless its oldest part can go first, as it would before long. */
static int write_or_give_up_oldest(struct recording_writer *w)
{
	int err = output_write(&w->file, w->block.data, w->block.nr);

	while (err == -ENOSPC && writer_give_up_oldest(w)) {
		w->file.error = 0;
		err = output_write(&w->file, w->block.data, w->block.nr);
	}
	return err;
}

/* Pack w->columns and @bits behind @h, and append them to the file. */
static int write_block(struct recording_writer *w, struct block_header *h,
		       const struct block_content *content)
{
	int err;

	w->block.nr = 0;
	h->segment = (uint32_t)(w->index.totals.nr_segments ? w->index.totals.nr_segments - 1 : 0);
	h->nr_lost = w->index.totals.nr_lost + w->index.totals.nr_lost_write;
	h->nr_disordered = w->index.totals.nr_disordered;
	h->schema_crc = w->encoder.layout.crc;
	err = block_pack(&w->packer, h, content, &w->block);
	if (err && !w->file.error)
		w->file.error = err; /* out of memory: as final as a full disk */
	return write_or_give_up_oldest(w);
}

static void count_in_segment(struct recording_writer *w, const struct block_header *h,
			     uint64_t bytes)
{
	struct index_segment *segment = writer_segment(w);

	segment->bytes += bytes;
	if (!h->nr_records) /* a schema has no time */
		return;
	segment->nr_records += h->nr_records;
	if (h->from_ns < segment->from_ns)
		segment->from_ns = h->from_ns;
	if (h->to_ns > segment->to_ns)
		segment->to_ns = h->to_ns;
	if (h->to_ns > w->written_to_ns)
		w->written_to_ns = h->to_ns;
}

int writer_cut(struct recording_writer *w)
{
	struct block_header *h = &w->open;
	struct block_content content = {&w->columns, &w->encoder.bits.bytes, w->encoder.cuts, 0};
	uint64_t before = w->file.bytes;
	int err;

	if (!w->encoder.nr_records)
		return w->file.error;
	w->columns.nr = 0;
	err = encoder_finish(&w->encoder, &w->columns);
	if (err && !w->file.error)
		w->file.error = err;
	content.nr_cuts = w->encoder.nr_cuts;
	h->type = w->chain_bytes ? BLOCK_MORE : BLOCK_RECORDS;
	h->nr_records = w->encoder.nr_records;
	h->nr_before = w->index.totals.nr_records;
	err = write_block(w, h, &content);
	if (err) {
		w->index.totals.nr_lost_write += h->nr_records;
		writer_reset_block(w);
		return err;
	}
	w->index.totals.nr_records += h->nr_records;
	count_in_segment(w, h, w->file.bytes - before);
	begin_block(w);
	return 0;
}

static int write_schema(struct recording_writer *w)
{
	struct block_header h = {.type = BLOCK_SCHEMA, .nr_before = w->index.totals.nr_records};
	struct block_content content = {&w->columns, NULL, NULL, 0};
	uint64_t before = w->file.bytes;
	int err;

	w->columns.nr = 0;
	layout_print(&w->columns);
	err = write_block(w, &h, &content);
	if (!err)
		count_in_segment(w, &h, w->file.bytes - before);
	return err;
}

int writer_begin_segment(struct recording_writer *w, uint64_t now_ns)
{
	const struct index_segment segment = {
		.nr = w->index.totals.nr_segments, .offset = w->file.bytes, .from_ns = UINT64_MAX};

	if (w->index.nr >= INDEX_SEGMENTS_MAX / 2)
		index_coarsen(&w->index);
	if (!index_add(&w->index, &segment))
		return w->file.error ? w->file.error : (w->file.error = -ENOMEM);
	w->index.totals.nr_segments++;
	w->segment_since_ns = now_ns;
	writer_reset_block(w); /* nothing goes on from another segment */
	return write_schema(w);
}

void writer_drop_old(struct recording_writer *w, uint64_t now_ns)
{
	const struct keep_limits limits = {w->options.keep_ns, w->options.keep_bytes};
	size_t nr;

	if ((!limits.ns && !limits.bytes) || !w->index.nr)
		return;
	nr = keep_count(&w->index, &limits, now_ns, w->file.bytes - w->index.segments[0].offset);
	if (nr && !keep_drop(&w->file, &w->index, nr))
		free_front(w);
}
