/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "user/base/units.h"
#include "user/import/schedule_codec.h"
#include "user/import/schedule_writer.h"
#include "user/recording/block.h"
#include "user/recording/output.h"

struct schedule_writer {
	struct output output;
	int error; /* first of all: negative errno; sticky */
	struct block_packer packer;
	struct schedule_codec codec;
	struct schedule_request *requests; /* of the next block */
	uint32_t nr;
	struct buffer text; /* of the next text block */
	struct buffer columns, block;
	struct bits_out bits;
	struct schedule_written written;
};

static void write_file_header(struct schedule_writer *w)
{
	struct file_header header = {.magic = SCHEDULE_MAGIC, .version = SCHEDULE_VERSION};

	header.crc = (uint32_t)crc32(0, (const Bytef *)&header, offsetof(struct file_header, crc));
	w->error = output_write(&w->output, &header, sizeof(header));
}

static void writer_free(struct schedule_writer *w)
{
	block_packer_free(&w->packer);
	schedule_codec_free(&w->codec);
	free(w->requests);
	buffer_free(&w->text);
	buffer_free(&w->columns);
	buffer_free(&w->block);
	buffer_free(&w->bits.bytes);
	free(w);
}

int schedule_create(const char *path, struct schedule_writer **ret)
{
	struct schedule_writer *w = calloc(1, sizeof(*w));
	int error;

	if (!w)
		return -ENOMEM;
	w->requests = calloc(SCHEDULE_BLOCK_REQUESTS, sizeof(*w->requests));
	error = block_packer_init(&w->packer);
	if (!error)
		error = schedule_codec_init(&w->codec);
	if (error || !w->requests) {
		writer_free(w);
		return -ENOMEM;
	}
	error = output_create(path, &w->output);
	if (error) {
		writer_free(w);
		return error;
	}
	write_file_header(w);
	*ret = w;
	return 0;
}

/* One line of text; a line feed in it would begin another, and becomes a space. */
static void put_line(struct schedule_writer *w, const char *line)
{
	size_t nr = strlen(line);

	buffer_bytes(&w->text, line, nr);
	for (size_t i = w->text.nr - nr; i < w->text.nr; i++)
		if (w->text.data[i] == '\n' || w->text.data[i] == '\r')
			w->text.data[i] = ' ';
	buffer_byte(&w->text, '\n');
}

void schedule_put_meta(struct schedule_writer *w, const char *key, const char *format, ...)
{
	char line[SCHEDULE_LINE_MAX / 16];
	va_list arguments;
	int nr = snprintf(line, sizeof(line), "#%s=", key);

	va_start(arguments, format);
	vsnprintf(line + nr, sizeof(line) - (size_t)nr, format, arguments);
	va_end(arguments);
	put_line(w, line);
}

void schedule_put_label(struct schedule_writer *w, uint32_t id, const char *name)
{
	schedule_put_meta(w, "label", "%u,%s", id, name);
}

void schedule_put_anchor(struct schedule_writer *w, const struct schedule_anchor *a)
{
	schedule_put_meta(w, "anchor", "%llu,%llu,%llu", (unsigned long long)a->realtime_ns,
			  (unsigned long long)a->monotonic_ns, (unsigned long long)a->width_ns);
}

static void write_block(struct schedule_writer *w, struct block_header *header,
			const struct block_content *content)
{
	int error;

	w->block.nr = 0;
	error = block_pack(&w->packer, header, content, &w->block);
	if (!error)
		error = output_write(&w->output, w->block.data, w->block.nr);
	if (error && !w->error)
		w->error = error;
}

static void flush_text(struct schedule_writer *w)
{
	struct block_header header = {.type = BLOCK_SCHEDULE_TEXT};

	if (w->text.nr == 0)
		return;
	if (w->text.failed)
		w->error = -ENOMEM;
	write_block(w, &header, &(struct block_content){.columns = &w->text});
	w->text.nr = 0;
}

static void set_times(struct block_header *header, const struct schedule_request *requests,
		      uint32_t nr)
{
	header->from_ns = header->first_ns = SCHEDULE_UNKNOWN;
	for (uint32_t i = 0; i < nr; i++) {
		const struct schedule_request *r = &requests[i];
		uint64_t end_ns = r->received_ns == SCHEDULE_UNKNOWN ? r->sent_ns : r->received_ns;
		uint64_t begin_ns =
			r->intended_ns == SCHEDULE_UNKNOWN ? r->sent_ns : r->intended_ns;

		if (begin_ns < header->from_ns)
			header->from_ns = header->first_ns = begin_ns;
		if (end_ns != SCHEDULE_UNKNOWN && end_ns > header->to_ns)
			header->to_ns = end_ns;
	}
}

static void flush_requests(struct schedule_writer *w)
{
	struct block_header header = {
		.type = BLOCK_SCHEDULE_REQUESTS,
		.nr_records = w->nr,
		.nr_before = w->written.nr_requests,
	};

	if (w->nr == 0)
		return;
	w->columns.nr = w->bits.bytes.nr = 0;
	schedule_encode(&w->codec, w->requests, w->nr, &w->columns, &w->bits);
	if (w->columns.failed || w->bits.bytes.failed)
		w->error = -ENOMEM;
	set_times(&header, w->requests, w->nr);
	write_block(w, &header,
		    &(struct block_content){
			    .columns = &w->columns,
			    .bits = &w->bits.bytes,
			    .cuts = w->codec.cuts,
			    .nr_cuts = w->codec.nr_cuts,
		    });
	if (w->error)
		w->written.nr_unwritten += w->nr;
	else
		w->written.nr_requests += w->nr;
	w->nr = 0;
}

int schedule_flush(struct schedule_writer *w)
{
	flush_text(w);
	flush_requests(w);
	return w->error;
}

int schedule_put(struct schedule_writer *w, const struct schedule_request *request)
{
	w->requests[w->nr++] = *request;
	return w->nr < SCHEDULE_BLOCK_REQUESTS ? w->error : schedule_flush(w);
}

void schedule_written(const struct schedule_writer *w, struct schedule_written *ret)
{
	*ret = w->written;
	ret->file_bytes = w->output.bytes;
	ret->error = w->error;
}

int schedule_writer_close(struct schedule_writer *w)
{
	int error, close_error;

	if (!w)
		return 0;
	error = schedule_flush(w);
	close_error = output_close(&w->output);
	if (!error)
		error = close_error;
	writer_free(w);
	return error;
}

void schedule_writer_abandon(struct schedule_writer *w)
{
	if (!w)
		return;
	close(w->output.fd);
	writer_free(w);
}
