/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

#include "user/recording/keep.h"
#include "user/recording/writer_parts.h"

static int write_index(struct recording_writer *w, struct output *file)
{
	struct block_header h = {.type = BLOCK_INDEX, .nr_before = w->index.totals.nr_records};
	struct block_content content = {&w->columns, NULL, NULL, 0};
	struct file_trailer trailer = {.index_offset = file->bytes};
	int err;

	w->columns.nr = 0;
	w->block.nr = 0;
	index_print(&w->index, &w->columns);
	h.segment = (uint32_t)(w->index.totals.nr_segments ? w->index.totals.nr_segments - 1 : 0);
	h.nr_lost = w->index.totals.nr_lost + w->index.totals.nr_lost_write;
	h.nr_disordered = w->index.totals.nr_disordered;
	err = w->columns.failed ? -ENOMEM : block_pack(&w->packer, &h, &content, &w->block);
	if (err)
		return err;
	trailer.file_bytes = file->bytes + w->block.nr + sizeof(trailer);
	file_trailer_seal(&trailer);
	buffer_bytes(&w->block, &trailer, sizeof(trailer)); /* one piece: both or neither */
	return w->block.failed ? -ENOMEM : output_write(file, w->block.data, w->block.nr);
}

/*
 * After a failed write: say so in the file itself, where the block that did not fit was cut off
 * again and left a little room. If there is none, the file ends in its last whole block, and the
 * loss is only known to the caller.
 */
static void write_loss(struct recording_writer *w)
{
	struct record_lost lost = {
		.hdr = {RECORD_LOST, sizeof(lost), 0, w->last_put_ns},
		.from_ns = w->written_to_ns,
		.nr = w->index.totals.nr_lost_write,
		.cause = LOST_WRITE,
	};
	int error = w->file.error;

	w->file.error = 0;
	writer_reset_block(w);
	if (lost.nr)
		writer_encode(w, &lost.hdr, w->last_put_ns);
	if (w->end.hdr.kind)
		writer_encode(w, &w->end.hdr, w->last_put_ns);
	if (!w->file.error && !writer_cut(w))
		write_index(w, &w->file);
	w->file.error = error;
}

/* So that a rename lasts as the data do. */
static void sync_directory(char *path)
{
	int fd = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Leave the hole behind. Where that fails, the file with the hole is kept, and gets its index. */
static int finish_kept(struct recording_writer *w)
{
	struct output dense;
	struct index before = w->index;
	size_t segments_bytes = w->index.nr * sizeof(*w->index.segments);
	char *name;
	int err;

	before.segments = malloc(segments_bytes + 1);
	if (!before.segments)
		return -ENOMEM;
	memcpy(before.segments, w->index.segments, segments_bytes);
	err = keep_compact(&w->file, w->path, sizeof(struct file_header), &w->index, &dense, &name);
	if (err)
		goto out_restore;
	err = write_index(w, &dense);
	if (output_close(&dense) && !err)
		err = dense.error;
	if (!err && rename(name, w->path))
		err = -errno;
	if (err)
		unlink(name);
	free(name);
	if (err)
		goto out_restore;
	free(before.segments);
	return 0;

out_restore:
	index_free(&w->index);
	w->index = before;
	return err;
}

int recording_close(struct recording_writer *w)
{
	bool done = false;
	int err;

	writer_flush(w, UINT64_MAX, w->last_put_ns);
	writer_cut(w);
	if (w->file.error)
		write_loss(w);
	else if (w->freed_bytes && w->path)
		done = !finish_kept(w);
	while (!w->file.error && !done && write_index(w, &w->file) == -ENOSPC &&
	       writer_give_up_oldest(w))
		w->file.error = 0;
	err = output_close(&w->file);
	if (done)
		sync_directory(w->path);
	writer_free(w);
	return err;
}
