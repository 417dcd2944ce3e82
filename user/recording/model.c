/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/model.h"

/* Make room for things 0..@nr of @bytes bytes each, in an array of *size. */
static bool grow(void *array, uint32_t nr, uint32_t *size, size_t bytes)
{
	uint32_t bigger = *size ? *size : 16;
	void *moved;

	if (nr < *size)
		return true;
	while (bigger <= nr)
		bigger *= 2;
	moved = realloc(*(void **)array, bigger * bytes);
	if (!moved)
		return false;
	*(void **)array = moved;
	*size = bigger;
	return true;
}

int model_init(struct model *m, const struct layout *layout)
{
	*m = (struct model){.layout = layout};
	m->kinds = calloc(layout->nr + 1, sizeof(*m->kinds));
	if (!m->kinds)
		goto out_free;
	for (size_t k = 0; k < layout->nr; k++) {
		size_t nr = layout->plans[k].file->nr_fields;

		m->kinds[k].tables = calloc(nr + 1, sizeof(struct model_table));
		if (!m->kinds[k].tables)
			goto out_free;
	}
	return 0;

out_free:
	model_free(m);
	return -ENOMEM;
}

static void free_kind(struct model_kind *kind, size_t nr_fields)
{
	for (size_t i = 0; kind->tables && i < nr_fields; i++) {
		free(kind->tables[i].values);
		free(kind->tables[i].threads);
		free(kind->tables[i].partners);
	}
	free(kind->tables);
	free(kind->masks);
}

void model_free(struct model *m)
{
	for (size_t k = 0; m->kinds && k < m->layout->nr; k++)
		free_kind(&m->kinds[k], m->layout->plans[k].file->nr_fields);
	free(m->kinds);
	free(m->streams);
	free(m->threads);
	free(m->comers);
	map_free(&m->thread_map);
	arena_free(&m->arena);
	*m = (struct model){0};
}

/* Tables keep their memory and lose their values; entry 0 is made with a kind's first stream. */
void model_reset(struct model *m)
{
	for (size_t k = 0; k < m->layout->nr; k++) {
		struct model_kind *kind = &m->kinds[k];

		for (size_t i = 0; i < m->layout->plans[k].file->nr_fields; i++) {
			kind->tables[i].nr = 0;
			kind->tables[i].nr_partners = 0;
		}
		kind->nr_masks = 0;
		kind->last = NULL;
	}
	m->nr_streams = 0;
	m->nr_threads = 0;
	m->nr_values = 0;
	m->nr_comers = 0;
	map_reset(&m->thread_map);
	arena_reset(&m->arena);
}

static int find_thread(struct model *m, uint32_t tid, uint32_t *ret)
{
	uint64_t hash = map_hash(0, tid);

	for (uint64_t at = map_begin(hash);
	     (*ret = map_candidate(&m->thread_map, hash, &at)) != MAP_NONE;)
		if (m->threads[*ret].tid == tid)
			return 0;
	if (!grow(&m->threads, m->nr_threads, &m->threads_size, sizeof(*m->threads)))
		return -ENOMEM;
	if (!map_add(&m->thread_map, hash, m->nr_threads))
		return -ENOMEM;
	*ret = m->nr_threads++;
	m->threads[*ret] = (struct model_thread){.tid = tid};
	return 0;
}

static int begin_kind(struct model *m, size_t kind)
{
	const struct schema_kind *file = m->layout->plans[kind].file;
	int err = 0;

	for (size_t i = 0; i < file->nr_fields && !err; i++) {
		if (file->fields[i].coding != CODE_TABLE && file->fields[i].coding != CODE_AHEAD)
			continue;
		err = file->fields[i].type == FIELD_TEXT ? model_add_text(m, kind, i, "", 0)
							 : model_add_value(m, kind, i, 0);
		if (!err && file->fields[i].coding == CODE_AHEAD)
			err = model_add_value(m, kind, i, 0); /* MODEL_COMER's place */
	}
	return err;
}

int model_add_stream(struct model *m, size_t kind, uint32_t tid, struct model_stream **ret)
{
	const struct layout_plan *plan = &m->layout->plans[kind];
	size_t indices_bytes = plan->file->nr_fields * sizeof(uint32_t);
	struct model_stream *last = m->kinds[kind].last, *stream;
	int err;

	if (m->nr_streams >= MODEL_STREAMS_MAX)
		return -ENOBUFS;
	if (!grow(&m->streams, m->nr_streams, &m->streams_size, sizeof(struct model_stream *)))
		return -ENOMEM;
	err = last ? 0 : begin_kind(m, kind);
	if (err)
		return err;
	stream = arena_take(&m->arena, sizeof(*stream));
	if (!stream)
		return -ENOMEM;
	stream->plan = plan;
	stream->kind = kind;
	stream->image = arena_take(&m->arena, plan->file->bytes);
	stream->indices = arena_take(&m->arena, indices_bytes);
	if (!stream->image || !stream->indices)
		return -ENOMEM;
	if (last) {
		memcpy(stream->image, last->image, plan->file->bytes);
		memcpy(stream->indices, last->indices, indices_bytes);
		stream->mask = last->mask;
	}
	*stream->image = (struct event_hdr){plan->file->kind, plan->file->bytes, tid, 0};
	err = find_thread(m, tid, &stream->thread);
	if (err)
		return err;
	m->streams[m->nr_streams++] = stream;
	m->kinds[kind].last = stream;
	*ret = stream;
	return 0;
}

/* Room for one more value in the table; its memory may have been zeroed by nobody. */
static int grow_table(struct model *m, struct model_table *table, bool ahead)
{
	uint32_t size = table->size;

	if (m->nr_values >= MODEL_VALUES_MAX)
		return -ENOBUFS;
	m->nr_values++;
	if (!grow(&table->values, table->nr, &size, sizeof(*table->values)))
		return -ENOMEM;
	if (ahead && size != table->size) {
		uint32_t *threads = realloc(table->threads, size * sizeof(*threads));

		if (!threads) /* values are longer than size says: harmless */
			return -ENOMEM;
		table->threads = threads;
	}
	table->size = size;
	return 0;
}

int model_add_value(struct model *m, size_t kind, size_t field, uint64_t value)
{
	bool ahead = m->layout->plans[kind].file->fields[field].coding == CODE_AHEAD;
	struct model_table *table = &m->kinds[kind].tables[field];
	int err = grow_table(m, table, ahead);

	if (!err && ahead)
		err = find_thread(m, (uint32_t)value, &table->threads[table->nr]);
	if (err)
		return err;
	table->values[table->nr++] = value;
	return 0;
}

int model_add_text(struct model *m, size_t kind, size_t field, const void *text, size_t nr)
{
	struct model_table *table = &m->kinds[kind].tables[field];
	struct model_text *copy;
	int err = grow_table(m, table, false);

	if (err)
		return err;
	copy = arena_take(&m->arena, sizeof(*copy) + nr);
	if (!copy)
		return -ENOMEM;
	copy->nr = (uint16_t)nr;
	memcpy(copy->bytes, text, nr);
	table->texts[table->nr++] = copy;
	return 0;
}

int model_add_mask(struct model *m, size_t kind, uint64_t mask)
{
	struct model_kind *k = &m->kinds[kind];

	if (m->nr_values >= MODEL_VALUES_MAX)
		return -ENOBUFS;
	m->nr_values++;
	if (!grow(&k->masks, k->nr_masks, &k->masks_size, sizeof(*k->masks)))
		return -ENOMEM;
	k->masks[k->nr_masks++] = mask;
	return 0;
}

uint32_t *model_comer(struct model *m, uint16_t cpu)
{
	if (!grow(&m->comers, cpu, &m->comers_size, sizeof(*m->comers)))
		return NULL;
	if (m->nr_comers <= cpu) {
		memset(m->comers + m->nr_comers, 0, (cpu + 1u - m->nr_comers) * sizeof(*m->comers));
		m->nr_comers = cpu + 1u;
	}
	return &m->comers[cpu];
}

uint64_t *model_partner(struct model *m, const struct model_stream *stream, size_t field)
{
	struct model_table *table = &m->kinds[stream->kind].tables[field];
	uint32_t index = stream->indices[stream->plan->leader[field]];

	while (table->nr_partners <= index) {
		if (m->nr_values >= MODEL_VALUES_MAX ||
		    !grow(&table->partners, table->nr_partners, &table->size,
			  sizeof(*table->partners)))
			return NULL;
		m->nr_values++;
		table->partners[table->nr_partners++] = 0;
	}
	return &table->partners[index];
}

_Static_assert(sizeof(void *) <= sizeof(uint64_t), "texts share the values' memory");
