/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/encode.h"
#include "user/recording/predict.h"

static int init_columns(struct encoder *e)
{
	e->fields = calloc(e->layout.nr + 1, sizeof(struct buffer *));
	for (size_t k = 0; e->fields && k < e->layout.nr; k++) {
		const struct schema_kind *kind = e->layout.plans[k].file;

		e->fields[k] = calloc(kind->nr_fields + 1, sizeof(struct buffer));
		if (!e->fields[k])
			return -ENOMEM;
		if (kind->kind < ENCODER_KINDS)
			e->rows[kind->kind] = (uint8_t)k;
	}
	return e->fields ? 0 : -ENOMEM;
}

int encoder_init_layout(struct encoder *e, struct layout *layout)
{
	int err;

	*e = (struct encoder){.layout = *layout};
	*layout = (struct layout){0};
	memset(e->rows, 255, sizeof(e->rows));
	err = model_init(&e->model, &e->layout);
	if (!err)
		err = init_columns(e);
	if (err)
		encoder_free(e);
	return err;
}

int encoder_init(struct encoder *e)
{
	struct layout own;
	int err;

	*e = (struct encoder){0};
	err = layout_own(&own);
	return err ? err : encoder_init_layout(e, &own);
}

static size_t nr_fields(const struct encoder *e, size_t kind)
{
	return e->layout.plans[kind].file->nr_fields;
}

void encoder_free(struct encoder *e)
{
	for (size_t k = 0; e->fields && k < e->layout.nr; k++) {
		for (size_t i = 0; e->fields[k] && i < nr_fields(e, k); i++)
			buffer_free(&e->fields[k][i]);
		free(e->fields[k]);
	}
	free(e->fields);
	for (size_t i = 0; i < NR_FIXED_COLUMNS; i++)
		buffer_free(&e->columns[i]);
	buffer_free(&e->bits.bytes);
	map_free(&e->map);
	if (e->model.layout)
		model_free(&e->model);
	layout_free(&e->layout);
}

static void reset_buffer(struct buffer *b)
{
	b->nr = 0;
	b->failed = false;
}

void encoder_continue(struct encoder *e)
{
	for (size_t k = 0; k < e->layout.nr; k++)
		for (size_t i = 0; i < nr_fields(e, k); i++)
			reset_buffer(&e->fields[k][i]);
	for (size_t i = 0; i < NR_FIXED_COLUMNS; i++)
		reset_buffer(&e->columns[i]);
	reset_buffer(&e->bits.bytes);
	e->bits.pending = 0;
	e->bits.nr_pending = 0;
	e->nr_records = 0;
	e->nr_bytes = 0;
}

void encoder_reset(struct encoder *e)
{
	encoder_continue(e);
	map_reset(&e->map);
	model_reset(&e->model);
	e->last_ns = 0;
}

bool encoder_full(const struct encoder *e)
{
	return e->model.nr_streams >= MODEL_STREAMS_MAX ||
	       e->model.nr_values >= MODEL_VALUES_MAX - 8 * LAYOUT_FIELDS_MAX;
}

static uint64_t stream_hash(const struct layout_plan *plan, const struct event_hdr *record)
{
	uint64_t hash = map_hash(record->kind, record->tid);

	for (uint64_t left = plan->context; left; left &= left - 1)
		hash = map_hash(hash,
				schema_get(&plan->file->fields[__builtin_ctzll(left)], record));
	return hash;
}

static bool stream_matches(const struct model_stream *stream, const struct layout_plan *plan,
			   const struct event_hdr *record)
{
	if (stream->plan != plan || stream->image->tid != record->tid)
		return false;
	for (uint64_t left = plan->context; left; left &= left - 1) {
		const struct schema_field *field = &plan->file->fields[__builtin_ctzll(left)];

		if (schema_get(field, stream->image) != schema_get(field, record))
			return false;
	}
	return true;
}

static int add_stream(struct encoder *e, size_t kind, const struct event_hdr *record, uint64_t hash,
		      struct model_stream **ret)
{
	const struct layout_plan *plan = &e->layout.plans[kind];
	struct buffer *literal = &e->columns[COLUMN_LITERAL];
	int err = model_add_stream(&e->model, kind, record->tid, ret);

	if (err)
		return err;
	if (!map_add(&e->map, hash, e->model.nr_streams - 1))
		return -ENOMEM;
	buffer_varint(literal, kind);
	buffer_varint(literal, record->tid);
	for (uint64_t left = plan->context; left; left &= left - 1) {
		const struct schema_field *field = &plan->file->fields[__builtin_ctzll(left)];
		uint64_t value = schema_get(field, record);

		schema_set(field, (*ret)->image, value);
		buffer_varint(literal, encoder_folded(field, value));
	}
	return 0;
}

static int put_stream(struct encoder *e, size_t kind, const struct event_hdr *record,
		      struct model_stream **ret)
{
	const struct layout_plan *plan = &e->layout.plans[kind];
	uint64_t hash = stream_hash(plan, record);
	uint32_t i;
	int err = 0;

	for (uint64_t at = map_begin(hash); (i = map_candidate(&e->map, hash, &at)) != MAP_NONE;)
		if (i < e->model.nr_streams && stream_matches(e->model.streams[i], plan, record))
			break;
	if (i == MAP_NONE) {
		i = e->model.nr_streams;
		err = add_stream(e, kind, record, hash, ret);
	} else {
		*ret = e->model.streams[i];
	}
	if (!err)
		buffer_byte(&e->columns[COLUMN_STREAM], index_put(&e->bits, i));
	return err;
}

static void put_time(struct encoder *e, uint64_t ts_ns)
{
	uint64_t passed = ts_ns - e->last_ns;
	uint8_t class;

	if (ts_ns < e->last_ns) {
		class = TIME_CLASS_BACK;
		bits_put(&e->bits, passed & 0xffffffff, 32);
		bits_put(&e->bits, passed >> 32, 32);
	} else {
		class = number_put(&e->bits, passed);
	}
	buffer_byte(&e->columns[COLUMN_TIME], class);
	e->last_ns = ts_ns;
}

static int put_mask(struct encoder *e, struct model_stream *stream, uint64_t mask)
{
	struct model_kind *kind = &e->model.kinds[stream->kind];
	uint64_t hash = map_hash(map_hash(stream->kind, 2), mask);
	struct buffer *column = &e->columns[COLUMN_MASK];
	uint32_t i;
	int err;

	if (mask == stream->mask) {
		buffer_byte(column, 0);
		return 0;
	}
	stream->mask = mask;
	for (uint64_t at = map_begin(hash); (i = map_candidate(&e->map, hash, &at)) != MAP_NONE;) {
		if (i < kind->nr_masks && kind->masks[i] == mask) {
			buffer_byte(column, index_put(&e->bits, i + 1));
			return 0;
		}
	}
	buffer_byte(column, index_put(&e->bits, kind->nr_masks + 1));
	buffer_varint(column, mask);
	err = model_add_mask(&e->model, stream->kind, mask);
	if (err)
		return err;
	return map_add(&e->map, hash, kind->nr_masks - 1) ? 0 : -ENOMEM;
}

static void put_text(struct encoder *e, struct buffer *column, const struct schema_field *field,
		     const struct event_hdr *record)
{
	const char *text = (const char *)record + field->offset;
	size_t nr = strnlen(text, field->bytes - 1u);

	buffer_byte(column, number_put(&e->bits, nr));
	buffer_bytes(&e->columns[COLUMN_TEXT], text, nr);
}

static void put_field(struct encoder *e, const struct model_stream *stream, size_t i,
		      const struct event_hdr *record)
{
	const struct schema_field *field = &stream->plan->file->fields[i];
	struct buffer *column = &e->fields[stream->kind][i];
	uint64_t value = field->type == FIELD_TEXT ? 0 : schema_get(field, record);

	switch (field->coding) {
	case CODE_TABLE:
	case CODE_AHEAD:
		buffer_byte(column, index_put(&e->bits, stream->indices[i]));
		return;
	case CODE_DELTA:
		value = zigzag(record->ts_ns - value);
		break;
	case CODE_GROW:
		value = zigzag(value - schema_get(field, stream->image));
		break;
	case CODE_REST:
		value = rest_ran_ns(value, record->ts_ns, e->model.threads[stream->thread].came_ns);
		break;
	default:
		if (field->type == FIELD_TEXT) {
			put_text(e, column, field, record);
			return;
		}
		value = encoder_folded(field, value);
	}
	buffer_byte(column, number_put(&e->bits, value));
}

static void put_fields(struct encoder *e, const struct model_stream *stream, uint64_t missed,
		       const struct event_hdr *record)
{
	for (uint64_t left = missed; left; left &= left - 1)
		put_field(e, stream, (size_t)__builtin_ctzll(left), record);
	if (stream->plan->rests)
		e->model.threads[stream->thread].came_ns = record->ts_ns;
}

/* The image becomes the record; texts are cleaned of what stood behind their NUL, as the decoder's
 * are. */
static void keep_image(struct model_stream *stream, const struct event_hdr *record)
{
	const struct schema_kind *kind = stream->plan->file;

	memcpy(stream->image, record, kind->bytes);
	for (size_t i = 0; i < kind->nr_fields; i++)
		if (kind->fields[i].type == FIELD_TEXT)
			((char *)stream
				 ->image)[kind->fields[i].offset + kind->fields[i].bytes - 1] = 0;
}

/* The row of the layout, or its number of rows when there is none. */
static size_t kind_row(const struct encoder *e, const struct event_hdr *record)
{
	size_t row = record->kind < ENCODER_KINDS ? e->rows[record->kind] : 255;

	if (row >= e->layout.nr || e->layout.plans[row].file->bytes != record->size)
		return e->layout.nr;
	return row;
}

int encoder_add(struct encoder *e, const struct event_hdr *record)
{
	size_t kind = kind_row(e, record), bits = e->bits.bytes.nr;
	struct model_stream *stream;
	uint64_t missed;
	int err;

	if (kind == e->layout.nr)
		return -EINVAL;
	if (encoder_full(e))
		return -ENOBUFS;
	err = put_stream(e, kind, record, &stream);
	if (err)
		return err;
	put_time(e, record->ts_ns);
	err = encoder_predict(e, stream, record, &missed);
	if (!err)
		err = put_mask(e, stream, missed);
	if (err)
		return err;
	put_fields(e, stream, missed, record);
	keep_image(stream, record);
	e->nr_records++;
	e->nr_bytes += 3 + (size_t)__builtin_popcountll(missed) + e->bits.bytes.nr - bits;
	return 0;
}

static bool any_field(const struct encoder *e, size_t kind)
{
	for (size_t i = 0; i < nr_fields(e, kind); i++)
		if (e->fields[kind][i].nr)
			return true;
	return false;
}

/* The sizes of all columns that are there, so that each can be read from its own start. */
static void put_directory(const struct encoder *e, struct buffer *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < NR_FIXED_COLUMNS; i++)
		buffer_varint(out, e->columns[i].nr);
	for (size_t k = 0; k < e->layout.nr; k++)
		nr += any_field(e, k);
	buffer_varint(out, nr);
	for (size_t k = 0; k < e->layout.nr; k++) {
		if (!any_field(e, k))
			continue;
		buffer_varint(out, k);
		for (size_t i = 0; i < nr_fields(e, k); i++)
			buffer_varint(out, e->fields[k][i].nr);
	}
}

static void put_column(struct encoder *e, const struct buffer *column, struct buffer *out)
{
	size_t start = e->nr_cuts ? e->cuts[e->nr_cuts - 1] : 0;

	/* A large column begins with a Huffman code of its own; small ones share one. */
	if (column->nr >= BLOCK_CUT_BYTES && out->nr > start && e->nr_cuts < BLOCK_CUTS_MAX)
		e->cuts[e->nr_cuts++] = out->nr;
	buffer_bytes(out, column->data, column->nr);
	if (column->nr >= BLOCK_CUT_BYTES && e->nr_cuts < BLOCK_CUTS_MAX)
		e->cuts[e->nr_cuts++] = out->nr;
	out->failed |= column->failed;
}

int encoder_finish(struct encoder *e, struct buffer *ret_columns)
{
	e->nr_cuts = 0;
	bits_flush(&e->bits);
	put_directory(e, ret_columns);
	for (size_t i = 0; i < NR_FIXED_COLUMNS; i++)
		put_column(e, &e->columns[i], ret_columns);
	for (size_t k = 0; k < e->layout.nr; k++)
		for (size_t i = 0; i < nr_fields(e, k); i++)
			put_column(e, &e->fields[k][i], ret_columns);
	return ret_columns->failed || e->bits.bytes.failed ? -ENOMEM : 0;
}
