/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/decode.h"

static size_t nr_fields(const struct decoder *d, size_t kind)
{
	return d->layout->plans[kind].file->nr_fields;
}

int decoder_init(struct decoder *d, const struct layout *layout)
{
	int err;

	*d = (struct decoder){.layout = layout};
	err = model_init(&d->model, layout);
	if (err)
		return err;
	d->fields = calloc(layout->nr + 1, sizeof(struct cursor *));
	err = d->fields ? 0 : -ENOMEM;
	for (size_t k = 0; !err && k < layout->nr; k++) {
		d->fields[k] = calloc(nr_fields(d, k) + 1, sizeof(struct cursor));
		err = d->fields[k] ? 0 : -ENOMEM;
	}
	if (err)
		decoder_free(d);
	return err;
}

void decoder_free(struct decoder *d)
{
	for (size_t k = 0; d->fields && k < d->layout->nr; k++)
		free(d->fields[k]);
	free(d->fields);
	if (d->model.layout)
		model_free(&d->model);
	*d = (struct decoder){0};
}

/* The next size in the directory becomes a column of @data; on a first pass, @data NULL, it is only
 * passed over. */
static void take_column(struct cursor *sizes, struct cursor *data, struct cursor *column)
{
	uint64_t nr = cursor_varint(sizes);

	if (!data)
		return;
	column->at = cursor_bytes(data, nr);
	column->end = column->at ? column->at + nr : NULL;
	column->bad = false;
}

static void walk_directory(struct decoder *d, struct cursor *sizes, struct cursor *data)
{
	uint64_t nr_kinds;

	for (size_t i = 0; i < NR_FIXED_COLUMNS; i++)
		take_column(sizes, data, &d->columns[i]);
	nr_kinds = cursor_varint(sizes);
	for (uint64_t n = 0; n < nr_kinds && !sizes->bad; n++) {
		uint64_t kind = cursor_varint(sizes);

		if (kind >= d->layout->nr) {
			sizes->bad = true;
			return;
		}
		for (size_t i = 0; i < nr_fields(d, kind); i++)
			take_column(sizes, data, &d->fields[kind][i]);
	}
}

int decoder_begin(struct decoder *d, const uint8_t *columns, size_t columns_bytes,
		  const uint8_t *bits, size_t bits_bytes, uint32_t nr_records)
{
	model_reset(&d->model);
	d->last_ns = 0;
	return decoder_continue(d, columns, columns_bytes, bits, bits_bytes, nr_records);
}

int decoder_continue(struct decoder *d, const uint8_t *columns, size_t columns_bytes,
		     const uint8_t *bits, size_t bits_bytes, uint32_t nr_records)
{
	struct cursor sizes = {columns, columns + columns_bytes, false}, data;

	for (size_t k = 0; k < d->layout->nr; k++)
		memset(d->fields[k], 0, nr_fields(d, k) * sizeof(struct cursor));
	d->nr_left = 0;
	d->bits = (struct bits_in){.data = bits, .nr = bits_bytes * 8};
	walk_directory(d, &sizes, NULL);
	data = sizes;
	sizes = (struct cursor){columns, columns + columns_bytes, false};
	if (!data.bad)
		walk_directory(d, &sizes, &data);
	if (data.bad)
		return -EBADMSG;
	d->nr_left = nr_records;
	return 0;
}

static uint64_t unfolded(const struct schema_field *field, uint64_t value)
{
	return field->type == FIELD_SIGNED ? unzigzag(value) : value;
}

static int add_stream(struct decoder *d, struct model_stream **ret)
{
	struct cursor *literal = &d->columns[COLUMN_LITERAL];
	uint64_t kind = cursor_varint(literal), tid = cursor_varint(literal);
	const struct layout_plan *plan;
	int err;

	if (literal->bad || kind >= d->layout->nr || tid > UINT32_MAX)
		return -EBADMSG;
	plan = &d->layout->plans[kind];
	err = model_add_stream(&d->model, kind, (uint32_t)tid, ret);
	if (err)
		return err;
	for (uint64_t left = plan->context; left; left &= left - 1) {
		const struct schema_field *field = &plan->file->fields[__builtin_ctzll(left)];

		schema_set(field, (*ret)->image, unfolded(field, cursor_varint(literal)));
	}
	return literal->bad ? -EBADMSG : 0;
}

static int get_stream(struct decoder *d, struct model_stream **ret)
{
	uint32_t i = index_get(&d->bits, cursor_byte(&d->columns[COLUMN_STREAM]));

	if (d->columns[COLUMN_STREAM].bad || i > d->model.nr_streams)
		return -EBADMSG;
	if (i == d->model.nr_streams)
		return add_stream(d, ret);
	*ret = d->model.streams[i];
	return 0;
}

static uint64_t get_time(struct decoder *d)
{
	uint8_t class = cursor_byte(&d->columns[COLUMN_TIME]);
	uint64_t passed;

	if (class == TIME_CLASS_BACK) {
		passed = bits_get(&d->bits, 32);
		passed |= bits_get(&d->bits, 32) << 32;
	} else {
		passed = number_get(&d->bits, class);
	}
	d->last_ns += passed;
	return d->last_ns;
}

static int get_mask(struct decoder *d, struct model_stream *stream)
{
	struct model_kind *kind = &d->model.kinds[stream->kind];
	uint32_t i = index_get(&d->bits, cursor_byte(&d->columns[COLUMN_MASK]));
	size_t nr = stream->plan->file->nr_fields;
	uint64_t mask;
	int err;

	if (i == 0)
		return 0;
	if (i - 1 > kind->nr_masks)
		return -EBADMSG;
	if (i - 1 == kind->nr_masks) {
		mask = cursor_varint(&d->columns[COLUMN_MASK]);
		if ((nr < 64 && mask >> nr) || mask & stream->plan->context)
			return -EBADMSG;
		err = model_add_mask(&d->model, stream->kind, mask);
		if (err)
			return err;
	}
	stream->mask = kind->masks[i - 1];
	return 0;
}

static void set_text(const struct schema_field *field, void *image, const void *text, size_t nr)
{
	char *at = (char *)image + field->offset;

	memcpy(at, text, nr);
	memset(at + nr, 0, field->bytes - nr);
}

/* The value that a table has not seen before. */
static int add_value(struct decoder *d, const struct model_stream *stream, size_t i)
{
	const struct schema_field *field = &stream->plan->file->fields[i];
	uint64_t value = cursor_varint(&d->columns[COLUMN_LITERAL]);
	const uint8_t *text;

	if (d->columns[COLUMN_LITERAL].bad)
		return -EBADMSG;
	if (field->type != FIELD_TEXT)
		return model_add_value(&d->model, stream->kind, i, unfolded(field, value));
	text = value < field->bytes ? cursor_bytes(&d->columns[COLUMN_TEXT], value) : NULL;
	if (!text)
		return -EBADMSG;
	return model_add_text(&d->model, stream->kind, i, text, value);
}

static void set_from_table(struct decoder *d, struct model_stream *stream, size_t i)
{
	const struct schema_field *field = &stream->plan->file->fields[i];
	const struct model_table *table = &d->model.kinds[stream->kind].tables[i];
	uint32_t index = stream->indices[i];

	if (field->type == FIELD_TEXT)
		set_text(field, stream->image, table->texts[index]->bytes, table->texts[index]->nr);
	else
		schema_set(field, stream->image, table->values[index]);
}

static int get_index(struct decoder *d, struct model_stream *stream, size_t i)
{
	const struct model_table *table = &d->model.kinds[stream->kind].tables[i];
	uint32_t index = index_get(&d->bits, cursor_byte(&d->fields[stream->kind][i]));
	int err = 0;

	if (index > table->nr)
		return -EBADMSG;
	if (index == table->nr)
		err = add_value(d, stream, i);
	stream->indices[i] = index;
	return err;
}

/* An AHEAD field, by its index: the thread that left the CPU this record's thread is on now. */
static int get_ahead(struct decoder *d, struct model_stream *stream, size_t i)
{
	const struct schema_kind *kind = stream->plan->file;
	uint64_t cpu = schema_get(&kind->fields[stream->plan->leader[i]], stream->image);
	uint32_t *comer = model_comer(&d->model, (uint16_t)cpu);
	uint32_t thread;

	if (!comer)
		return -ENOMEM;
	if (stream->indices[i] == MODEL_COMER) {
		if (!*comer)
			return -EBADMSG;
		thread = *comer - 1;
		schema_set(&kind->fields[i], stream->image, d->model.threads[thread].tid);
	} else {
		thread = d->model.kinds[stream->kind].tables[i].threads[stream->indices[i]];
		set_from_table(d, stream, i);
	}
	d->model.threads[thread].left_ns = stream->image->ts_ns;
	*comer = stream->thread + 1;
	return 0;
}

static int get_text(struct decoder *d, const struct schema_field *field, struct event_hdr *image,
		    uint64_t nr)
{
	const uint8_t *text = nr < field->bytes ? cursor_bytes(&d->columns[COLUMN_TEXT], nr) : NULL;

	if (!text)
		return -EBADMSG;
	set_text(field, image, text, nr);
	return 0;
}

/* A field that is not as predicted. */
static int get_field(struct decoder *d, struct model_stream *stream, size_t i)
{
	const struct schema_field *field = &stream->plan->file->fields[i];
	struct event_hdr *image = stream->image;
	uint64_t value;

	if (field->coding == CODE_TABLE || field->coding == CODE_AHEAD) {
		int err = get_index(d, stream, i);

		if (!err && field->coding == CODE_TABLE)
			set_from_table(d, stream, i);
		return err;
	}
	value = number_get(&d->bits, cursor_byte(&d->fields[stream->kind][i]));
	if (field->type == FIELD_TEXT)
		return get_text(d, field, image, value);
	switch (field->coding) {
	case CODE_DELTA:
		value = image->ts_ns - unzigzag(value);
		break;
	case CODE_GROW:
		value = schema_get(field, image) + unzigzag(value);
		break;
	case CODE_REST:
		value = rest_ran_ns(value, image->ts_ns, d->model.threads[stream->thread].came_ns);
		break;
	default:
		value = unfolded(field, value);
	}
	schema_set(field, image, value);
	return 0;
}

/* A field that is as predicted, where that is not simply what the image has. */
static int hold_field(struct decoder *d, struct model_stream *stream, size_t i)
{
	const struct schema_field *field = &stream->plan->file->fields[i];
	struct model_thread *thread = &d->model.threads[stream->thread];
	struct event_hdr *image = stream->image;
	const uint64_t *partner;

	switch (field->coding) {
	case CODE_PLAIN:
		memset((char *)image + field->offset, 0, field->bytes);
		break;
	case CODE_COUNT:
		schema_set(field, image, thread->count + 1);
		break;
	case CODE_SPAN:
	case CODE_REST:
		schema_set(field, image, image->ts_ns - thread->left_ns);
		break;
	case CODE_PART:
		schema_set(field, image, schema_get(field - 1, image));
		break;
	case CODE_FOLLOW:
		partner = model_partner(&d->model, stream, i);
		if (!partner)
			return -ENOBUFS;
		schema_set(field, image, *partner);
		break;
	}
	return 0;
}

/* What there is to do for a field, predicted or not, and what later predictions need of it. */
static int learn_field(struct decoder *d, struct model_stream *stream, size_t i)
{
	const struct schema_field *field = &stream->plan->file->fields[i];
	uint64_t *partner;

	switch (field->coding) {
	case CODE_COUNT:
		d->model.threads[stream->thread].count = schema_get(field, stream->image);
		break;
	case CODE_AHEAD:
		return get_ahead(d, stream, i);
	case CODE_FOLLOW:
		partner = model_partner(&d->model, stream, i);
		if (!partner)
			return -ENOBUFS;
		*partner = schema_get(field, stream->image);
		break;
	}
	return 0;
}

static int get_fields(struct decoder *d, struct model_stream *stream)
{
	uint64_t active = stream->plan->active;
	int err = get_mask(d, stream);

	for (uint64_t left = stream->mask | active; left && !err; left &= left - 1) {
		size_t i = (size_t)__builtin_ctzll(left);

		err = stream->mask >> i & 1 ? get_field(d, stream, i) : hold_field(d, stream, i);
		if (!err && active >> i & 1)
			err = learn_field(d, stream, i);
	}
	if (stream->plan->rests)
		d->model.threads[stream->thread].came_ns = stream->image->ts_ns;
	return err;
}

static bool any_bad(const struct decoder *d, const struct model_stream *stream)
{
	bool bad = d->bits.bad;

	for (size_t i = 0; i < NR_FIXED_COLUMNS; i++)
		bad |= d->columns[i].bad;
	for (uint64_t left = stream->mask; left; left &= left - 1)
		bad |= d->fields[stream->kind][__builtin_ctzll(left)].bad;
	return bad;
}

int decoder_next(struct decoder *d, const struct event_hdr **ret,
		 const struct layout_plan **ret_plan)
{
	struct model_stream *stream;
	int err;

	if (!d->nr_left)
		return 0;
	err = get_stream(d, &stream);
	if (!err) {
		stream->image->ts_ns = get_time(d);
		err = get_fields(d, stream);
	}
	if (!err && any_bad(d, stream))
		err = -EBADMSG;
	d->nr_left = err ? 0 : d->nr_left - 1;
	if (err)
		return err == -ENOMEM ? err : -EBADMSG;
	*ret = stream->image;
	*ret_plan = stream->plan;
	return 1;
}
