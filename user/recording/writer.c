/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <unistd.h>

#include "user/recording/writer_parts.h"

#define DEFAULT_WINDOW_NS     5000000ull
#define DEFAULT_SEGMENT_NS    5000000000ull
#define SLOW_SEGMENT_NS	      30000000000ull /* where little happens */
#define SLOW_SEGMENT_BYTES    (512u << 10)   /* what a segment begins with is a few percent of it */
#define DEFAULT_SEGMENT_BYTES (16ull << 20)
#define BLOCK_AGE_NS	      900000000ull /* with the window and a drain, never a second unwritten */
#define PENDING_MAX	      (1u << 19) /* records; more come only from a caller that does not tick */

static uint64_t or_default(uint64_t value, uint64_t preset)
{
	return value ? value : preset;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Segments are what --keep drops, so a short one wants them small: an eighth of what is kept. */
static void fill_options(struct recording_options *options)
{
	uint64_t eighth_ns = options->keep_ns ? options->keep_ns / 8 : UINT64_MAX;
	uint64_t ns = smaller(DEFAULT_SEGMENT_NS, eighth_ns), bytes = DEFAULT_SEGMENT_BYTES;

	if (!options->slow_segment_ns)
		options->slow_segment_ns = or_default(
			options->segment_ns, or_default(smaller(SLOW_SEGMENT_NS, eighth_ns), 1));
	if (options->keep_bytes && options->keep_bytes / 8 < bytes)
		bytes = options->keep_bytes / 8;
	options->window_ns = or_default(options->window_ns, DEFAULT_WINDOW_NS);
	options->segment_ns = or_default(options->segment_ns, or_default(ns, 1));
	options->segment_bytes = or_default(options->segment_bytes, or_default(bytes, 1));
}

static int write_file_header(struct recording_writer *w)
{
	struct file_header header = {0};

	file_header_seal(&header);
	return output_write(&w->file, &header, sizeof(header));
}

void writer_free(struct recording_writer *w)
{
	encoder_free(&w->encoder);
	block_packer_free(&w->packer);
	order_free(&w->order);
	buffer_free(&w->columns);
	buffer_free(&w->block);
	index_free(&w->index);
	free(w->path);
	free(w);
}

static int create_file(struct recording_writer *w, const char *path)
{
	int err = output_create(path, &w->file);

	if (err)
		return err;
	if ((w->options.keep_ns || w->options.keep_bytes) && !output_can_free(&w->file)) {
		err = -EOPNOTSUPP;
		goto out_close;
	}
	w->path =
		realpath(path, NULL); /* NULL: a pipe, which has no place for another file beside */
	err = write_file_header(w);
	if (!err)
		return 0;

out_close:
	close(w->file.fd);
	return err;
}

int recording_create(const char *path, const struct recording_options *options,
		     struct recording_writer **ret)
{
	struct recording_writer *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->options = *options;
	fill_options(&w->options);
	err = encoder_init(&w->encoder);
	if (!err)
		err = block_packer_init(&w->packer);
	if (!err)
		err = create_file(w, path);
	if (err) {
		writer_free(w);
		return err;
	}
	writer_reset_block(w);
	*ret = w;
	return 0;
}

static uint64_t begin_of(const struct event_hdr *record)
{
	const struct event_offcpu *off = (const struct event_offcpu *)record;

	if (record->kind != EVENT_OFFCPU)
		return record->ts_ns;
	return off->off_ns < record->ts_ns ? record->ts_ns - off->off_ns : 0;
}

static void note_times(struct recording_writer *w, const struct event_hdr *record)
{
	struct block_header *h = &w->open;

	if (begin_of(record) < h->from_ns)
		h->from_ns = begin_of(record);
	if (record->ts_ns < h->first_ns)
		h->first_ns = record->ts_ns;
	if (record->ts_ns > h->to_ns)
		h->to_ns = record->ts_ns;
	if (record->ts_ns < w->last_ns)
		w->index.totals.nr_disordered++;
	else
		w->last_ns = record->ts_ns;
	if (record->kind == RECORD_LOST)
		w->index.totals.nr_lost += ((const struct record_lost *)record)->nr;
}

/* The open block cannot be written: what is in it is lost. */
static void give_up(struct recording_writer *w, int err)
{
	if (!w->file.error)
		w->file.error = err;
	w->index.totals.nr_lost_write += w->encoder.nr_records;
	writer_reset_block(w);
}

void writer_encode(struct recording_writer *w, const struct event_hdr *record, uint64_t now_ns)
{
	int err;

	if (!w->index.nr && !w->file.error)
		writer_begin_segment(w, now_ns);
	if (encoder_full(&w->encoder))
		writer_cut(w);
	if (!w->encoder.nr_records)
		w->open_since_ns = now_ns;
	err = w->file.error ? w->file.error : encoder_add(&w->encoder, record);
	if (err) {
		give_up(w, err);
		w->index.totals.nr_lost_write++;
		return;
	}
	note_times(w, record);
	if (w->encoder.nr_bytes < WRITER_BLOCK_BYTES)
		return;
	writer_cut(w);
	writer_drop_old(w, now_ns);
}

int writer_flush(struct recording_writer *w, uint64_t until_ns, uint64_t now_ns)
{
	const struct event_hdr *record;

	while ((record = order_take(&w->order, until_ns)))
		writer_encode(w, record, now_ns);
	return w->file.error;
}

/* What is older than the window can be put in order: nothing older comes. */
static void flush_window(struct recording_writer *w, uint64_t now_ns)
{
	if (now_ns > w->options.window_ns)
		writer_flush(w, now_ns - w->options.window_ns, now_ns);
}

static bool known(const struct event_hdr *record)
{
	const struct schema_kind *kind = schema_kind(record->kind);

	return kind && kind->bytes == record->size;
}

int recording_put(struct recording_writer *w, const struct event_hdr *record)
{
	if (!known(record))
		return -EINVAL;
	if (record->ts_ns > w->last_put_ns)
		w->last_put_ns = record->ts_ns;
	if (w->file.error) {
		w->index.totals.nr_lost_write += record->kind != RECORD_END || w->end.hdr.kind;
		if (record->kind == RECORD_END) /* says why: close finds a place for it */
			w->end = *(const struct record_end *)record;
		return w->file.error;
	}
	if (order_nr(&w->order) >= PENDING_MAX)
		flush_window(w, w->last_put_ns);
	if (order_put(&w->order, record)) {
		w->file.error = -ENOMEM;
		w->index.totals.nr_lost_write++;
	}
	return w->file.error;
}

int recording_tick(struct recording_writer *w, uint64_t now_ns)
{
	flush_window(w, now_ns);
	if (w->encoder.nr_records && now_ns - w->open_since_ns >= BLOCK_AGE_NS) {
		writer_cut(w);
		writer_drop_old(w, now_ns);
	}
	return w->file.error;
}

bool recording_segment_due(const struct recording_writer *w, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - w->segment_since_ns, bytes;

	if (!w->index.nr)
		return true;
	bytes = w->index.segments[w->index.nr - 1].bytes + w->encoder.nr_bytes;
	if (passed_ns >= w->options.slow_segment_ns || bytes >= w->options.segment_bytes)
		return true;
	return passed_ns >= w->options.segment_ns && bytes >= SLOW_SEGMENT_BYTES;
}

int recording_segment_begin(struct recording_writer *w, uint64_t now_ns)
{
	/* What is pending stays so, for the new segment: records from before @now_ns may be to
	 * come. */
	writer_cut(w);
	if (w->file.error)
		return w->file.error;
	writer_begin_segment(w, now_ns);
	writer_drop_old(w, now_ns);
	return w->file.error;
}

void recording_totals(const struct recording_writer *w, struct recording_totals *ret)
{
	const struct index_totals *totals = &w->index.totals;

	*ret = (struct recording_totals){
		.nr_records = totals->nr_records + w->encoder.nr_records + order_nr(&w->order),
		.file_bytes = w->file.bytes,
		.kept_bytes = w->file.bytes - w->freed_bytes,
		.nr_disordered = totals->nr_disordered,
		.nr_lost_write = totals->nr_lost_write,
		.nr_segments = totals->nr_segments,
		.nr_segments_dropped = totals->nr_segments_dropped,
	};
}
