/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/predict.h"

static int find_number(struct encoder *e, size_t kind, size_t i, uint64_t value, uint32_t *ret)
{
	const struct schema_field *field = &e->layout.plans[kind].file->fields[i];
	struct model_table *table = &e->model.kinds[kind].tables[i];
	uint64_t hash = map_hash(map_hash(kind << 8 | i, 1), value);
	int err;

	if (!value) {
		*ret = 0;
		return 0;
	}
	for (uint64_t at = map_begin(hash); (*ret = map_candidate(&e->map, hash, &at)) != MAP_NONE;)
		if (*ret < table->nr && table->values[*ret] == value)
			return 0;
	*ret = table->nr;
	err = model_add_value(&e->model, kind, i, value);
	if (err)
		return err;
	buffer_varint(&e->columns[COLUMN_LITERAL], encoder_folded(field, value));
	return map_add(&e->map, hash, *ret) ? 0 : -ENOMEM;
}

static bool text_is(const struct model_text *text, const char *bytes, size_t nr)
{
	return text->nr == nr && !memcmp(text->bytes, bytes, nr);
}

static int find_text(struct encoder *e, size_t kind, size_t i, const char *text, uint32_t *ret)
{
	size_t nr = strnlen(text, e->layout.plans[kind].file->fields[i].bytes - 1u);
	struct model_table *table = &e->model.kinds[kind].tables[i];
	uint64_t hash = map_hash(kind << 8 | i, 1);
	int err;

	for (size_t at = 0; at < nr; at++)
		hash = map_hash(hash, (unsigned char)text[at]);
	for (uint64_t at = map_begin(hash); (*ret = map_candidate(&e->map, hash, &at)) != MAP_NONE;)
		if (*ret < table->nr && text_is(table->texts[*ret], text, nr))
			return 0;
	*ret = table->nr;
	err = model_add_text(&e->model, kind, i, text, nr);
	if (err)
		return err;
	buffer_varint(&e->columns[COLUMN_LITERAL], nr);
	buffer_bytes(&e->columns[COLUMN_TEXT], text, nr);
	return map_add(&e->map, hash, *ret) ? 0 : -ENOMEM;
}

struct prediction {			    /* of one record */
	uint64_t missed;		    /* fields that are not as predicted */
	uint64_t values[LAYOUT_FIELDS_MAX]; /* of the record */
};

/* Find or add the value of a TABLE field unless it is the stream's last. */
static int predict_table(struct encoder *e, struct model_stream *stream, size_t i,
			 const struct event_hdr *record, bool *ret_held)
{
	const struct schema_field *field = &stream->plan->file->fields[i];
	const char *text = (const char *)record + field->offset;
	const char *last = (const char *)stream->image + field->offset;

	if (field->type == FIELD_TEXT) {
		*ret_held = !strncmp(text, last, field->bytes - 1u);
		return *ret_held ? 0 : find_text(e, stream->kind, i, text, &stream->indices[i]);
	}
	*ret_held = schema_get(field, record) == schema_get(field, stream->image);
	if (*ret_held)
		return 0;
	return find_number(e, stream->kind, i, schema_get(field, record), &stream->indices[i]);
}

static int predict_ahead(struct encoder *e, struct model_stream *stream, size_t i,
			 const struct event_hdr *record, bool *ret_held)
{
	const struct schema_kind *kind = stream->plan->file;
	uint64_t tid = schema_get(&kind->fields[i], record);
	uint64_t cpu = schema_get(&kind->fields[stream->plan->leader[i]], record);
	uint32_t *comer = model_comer(&e->model, (uint16_t)cpu);
	uint32_t before = stream->indices[i], thread = MAP_NONE;
	int err = 0;

	if (!comer)
		return -ENOMEM;
	if (tid && *comer && e->model.threads[*comer - 1].tid == tid) {
		stream->indices[i] = MODEL_COMER;
		thread = *comer - 1;
	} else {
		err = find_number(e, stream->kind, i, tid, &stream->indices[i]);
		if (!err)
			thread = e->model.kinds[stream->kind].tables[i].threads[stream->indices[i]];
	}
	if (err)
		return err;
	e->model.threads[thread].left_ns = record->ts_ns;
	*comer = stream->thread + 1;
	*ret_held = stream->indices[i] == before;
	return 0;
}

static int predict_follow(struct encoder *e, struct model_stream *stream, size_t i, uint64_t value,
			  bool *ret_held)
{
	uint64_t *partner = model_partner(&e->model, stream, i);

	if (!partner)
		return -ENOMEM;
	*ret_held = value == *partner;
	*partner = value;
	return 0;
}

/* Does the prediction hold for a field? Remembers what later predictions need, in the order the
 * decoder does. */
static int predict_field(struct encoder *e, struct model_stream *stream, size_t i,
			 const struct event_hdr *record, bool *ret_held)
{
	const struct schema_field *field = &stream->plan->file->fields[i];
	struct model_thread *thread = &e->model.threads[stream->thread];
	uint64_t value;

	if (field->coding == CODE_TABLE)
		return predict_table(e, stream, i, record, ret_held);
	if (field->type == FIELD_TEXT) { /* PLAIN */
		*ret_held = !((const char *)record)[field->offset];
		return 0;
	}
	value = schema_get(field, record);
	switch (field->coding) {
	case CODE_PLAIN:
		*ret_held = !value;
		return 0;
	case CODE_AHEAD:
		return predict_ahead(e, stream, i, record, ret_held);
	case CODE_COUNT:
		*ret_held = value == thread->count + 1;
		thread->count = value;
		return 0;
	case CODE_SPAN:
	case CODE_REST:
		*ret_held = value == record->ts_ns - thread->left_ns;
		return 0;
	case CODE_PART:
		*ret_held = value == schema_get(field - 1, record);
		return 0;
	case CODE_FOLLOW:
		return predict_follow(e, stream, i, value, ret_held);
	default:
		*ret_held = value == schema_get(field, stream->image);
		return 0;
	}
}

int encoder_predict(struct encoder *e, struct model_stream *stream, const struct event_hdr *record,
		    uint64_t *ret_missed)
{
	*ret_missed = 0;
	for (size_t i = 0; i < stream->plan->file->nr_fields; i++) {
		bool held = true;
		int err;

		if (stream->plan->context >> i & 1)
			continue;
		err = predict_field(e, stream, i, record, &held);
		if (err)
			return err;
		*ret_missed |= (uint64_t)!held << i;
	}
	return 0;
}
