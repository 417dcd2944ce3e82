/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <zlib.h>

#include "user/recording/layout.h"

static bool fields_same(const struct schema_field *a, const struct schema_field *b)
{
	return a->offset == b->offset && a->bytes == b->bytes && a->type == b->type &&
	       !strcmp(a->name, b->name);
}

static bool kinds_same(const struct schema_kind *a, const struct schema_kind *b)
{
	if (a->bytes != b->bytes || a->nr_fields != b->nr_fields)
		return false;
	for (size_t i = 0; i < a->nr_fields; i++)
		if (!fields_same(&a->fields[i], &b->fields[i]))
			return false;
	return true;
}

static bool is_active(uint8_t coding)
{
	return coding == CODE_PLAIN || coding == CODE_COUNT || coding == CODE_SPAN ||
	       coding == CODE_PART || coding == CODE_AHEAD || coding == CODE_FOLLOW ||
	       coding == CODE_REST;
}

static uint8_t find_field(const struct schema_kind *kind, const char *name)
{
	for (size_t i = 0; i < kind->nr_fields; i++)
		if (!strcmp(kind->fields[i].name, name))
			return (uint8_t)i;
	return LAYOUT_NO_FIELD;
}

/* Find the field that @i depends on. False when there is none. */
static bool find_leader(const struct schema_kind *file, size_t i, uint8_t *ret)
{
	uint8_t coding = file->fields[i].coding;

	if (coding == CODE_PART)
		return i > 0 && file->fields[i - 1].type != FIELD_TEXT;
	if (coding != CODE_FOLLOW && coding != CODE_AHEAD)
		return true;
	while (i-- > 0) {
		uint8_t leading = file->fields[i].coding;

		*ret = (uint8_t)i;
		if (coding == CODE_AHEAD && leading == CODE_PLACE)
			return true;
		if (coding == CODE_FOLLOW && (leading == CODE_TABLE || leading == CODE_AHEAD))
			return true;
	}
	return false;
}

/* False when the codings of the fields make no sense together. */
static bool make_plan(const struct schema_kind *file, struct layout_plan *ret)
{
	*ret = (struct layout_plan){.file = file, .own = schema_kind(file->kind)};
	ret->same = ret->own && (ret->own == file || kinds_same(ret->own, file));
	for (size_t i = 0; i < file->nr_fields; i++) {
		const struct schema_field *field = &file->fields[i];

		if (field->coding == CODE_CONTEXT)
			ret->context |= 1ull << i;
		if (is_active(field->coding))
			ret->active |= 1ull << i;
		ret->rests |= field->coding == CODE_REST;
		if (!find_leader(file, i, &ret->leader[i]))
			return false;
	}
	for (size_t i = 0; ret->own && i < ret->own->nr_fields; i++)
		ret->from[i] = find_field(file, ret->own->fields[i].name);
	return true;
}

static int make_plans(const struct schema_kind *kinds, size_t nr, struct layout *layout)
{
	layout->plans = calloc(nr ? nr : 1, sizeof(*layout->plans));
	if (!layout->plans)
		return -ENOMEM;
	layout->nr = nr;
	for (size_t i = 0; i < nr; i++)
		if (!make_plan(&kinds[i], &layout->plans[i]))
			return -EBADMSG;
	return 0;
}

int layout_own(struct layout *ret)
{
	const struct schema_kind *kinds;
	struct buffer bytes = {0};
	size_t nr;
	int err;

	*ret = (struct layout){0};
	kinds = schema_kinds(&nr);
	layout_print(&bytes);
	ret->crc = (uint32_t)crc32(0, bytes.data, (uInt)bytes.nr);
	err = bytes.failed ? -ENOMEM : make_plans(kinds, nr, ret);
	buffer_free(&bytes);
	if (err)
		layout_free(ret);
	return err;
}

static void print_name(struct buffer *out, const char *name)
{
	buffer_varint(out, strlen(name));
	buffer_bytes(out, name, strlen(name));
}

static void print_fields(struct buffer *out, const struct schema_kind *kind)
{
	buffer_varint(out, kind->nr_fields);
	for (size_t i = 0; i < kind->nr_fields; i++) {
		const struct schema_field *field = &kind->fields[i];

		print_name(out, field->name);
		buffer_varint(out, field->offset);
		buffer_varint(out, field->bytes);
		buffer_byte(out, field->type);
		buffer_byte(out, field->coding);
		buffer_byte(out, field->unit);
	}
}

void layout_print_kinds(const struct schema_kind *kinds, size_t nr, struct buffer *out)
{
	buffer_varint(out, nr);
	for (size_t i = 0; i < nr; i++) {
		buffer_varint(out, kinds[i].kind);
		buffer_varint(out, kinds[i].bytes);
		print_name(out, kinds[i].name);
		print_fields(out, &kinds[i]);
	}
}

void layout_print(struct buffer *out)
{
	const struct schema_kind *kinds;
	size_t nr;

	kinds = schema_kinds(&nr);
	layout_print_kinds(kinds, nr, out);
}

/* A copy that ends in NUL, or NULL. Never longer than what was read. */
static char *parse_name(struct cursor *in, int *err)
{
	uint64_t nr = cursor_varint(in);
	const uint8_t *name = nr > 0 && nr < 64 ? cursor_bytes(in, nr) : NULL;
	char *copy;

	if (!name || memchr(name, 0, nr)) {
		*err = -EBADMSG;
		return NULL;
	}
	copy = strndup((const char *)name, nr);
	if (!copy)
		*err = -ENOMEM;
	return copy;
}

static bool field_valid(const struct schema_field *field, uint16_t kind_bytes)
{
	bool text = field->type == FIELD_TEXT;

	if (field->type >= NR_FIELD_TYPES || field->coding >= NR_CODINGS)
		return false;
	if (field->offset < sizeof(struct event_hdr) || field->offset + field->bytes > kind_bytes)
		return false;
	if (text)
		return field->bytes > 1 &&
		       (field->coding == CODE_PLAIN || field->coding == CODE_TABLE);
	if (field->coding == CODE_PLACE)
		return field->bytes == 2; /* model.h keeps an array by CPU */
	return field->bytes == 2 || field->bytes == 4 || field->bytes == 8;
}

static int parse_field(struct cursor *in, struct schema_field *field, uint16_t kind_bytes)
{
	uint64_t offset, bytes;
	int err = 0;

	field->name = parse_name(in, &err);
	if (err)
		return err;
	offset = cursor_varint(in);
	bytes = cursor_varint(in);
	if (offset > EVENT_BYTES_MAX || bytes > EVENT_BYTES_MAX)
		return -EBADMSG;
	field->offset = (uint16_t)offset;
	field->bytes = (uint16_t)bytes;
	field->type = cursor_byte(in);
	field->coding = cursor_byte(in);
	field->unit = cursor_byte(in);
	return !in->bad && field_valid(field, kind_bytes) ? 0 : -EBADMSG;
}

static int parse_kind(struct cursor *in, struct schema_kind *kind)
{
	uint64_t number = cursor_varint(in), bytes = cursor_varint(in), nr;
	struct schema_field *fields;
	int err = 0;

	if (number == 0 || number > UINT16_MAX || bytes < sizeof(struct event_hdr) ||
	    bytes > EVENT_BYTES_MAX)
		return -EBADMSG;
	kind->kind = (uint16_t)number;
	kind->bytes = (uint16_t)bytes;
	kind->name = parse_name(in, &err);
	nr = cursor_varint(in);
	if (err || in->bad || nr > LAYOUT_FIELDS_MAX)
		return err ? err : -EBADMSG;
	fields = calloc(nr + 1, sizeof(*fields));
	if (!fields)
		return -ENOMEM;
	kind->fields = fields;
	kind->nr_fields = nr;
	for (size_t i = 0; i < nr && !err; i++)
		err = parse_field(in, &fields[i], kind->bytes);
	return err;
}

static int parse_kinds(struct cursor *in, struct layout *layout)
{
	int err = 0;

	for (size_t i = 0; i < layout->nr && !err; i++) {
		err = parse_kind(in, &layout->kinds[i]);
		if (!err && i && layout->kinds[i - 1].kind >= layout->kinds[i].kind)
			err = -EBADMSG;
	}
	return err ? err : make_plans(layout->kinds, layout->nr, layout);
}

int layout_parse(const uint8_t *bytes, size_t nr, struct layout *ret)
{
	struct cursor in = {bytes, bytes + nr, false};
	uint64_t nr_kinds = cursor_varint(&in);
	int err;

	*ret = (struct layout){0};
	if (in.bad || nr_kinds > LAYOUT_KINDS_MAX || nr > LAYOUT_BYTES_MAX)
		return -EBADMSG;
	ret->kinds = calloc(nr_kinds + 1, sizeof(*ret->kinds));
	if (!ret->kinds)
		return -ENOMEM;
	ret->nr = nr_kinds;
	ret->crc = (uint32_t)crc32(0, bytes, (uInt)nr);
	err = parse_kinds(&in, ret);
	if (err)
		layout_free(ret);
	return err;
}

static void convert_field(const struct schema_field *from, const void *image,
			  const struct schema_field *to, void *record)
{
	size_t nr;

	if ((from->type == FIELD_TEXT) != (to->type == FIELD_TEXT))
		return;
	if (to->type != FIELD_TEXT) {
		schema_set(to, record, schema_get(from, image));
		return;
	}
	nr = from->bytes < to->bytes ? from->bytes : to->bytes;
	memcpy((char *)record + to->offset, (const char *)image + from->offset, nr - 1);
}

void layout_convert(const struct layout_plan *plan, const void *image, void *ret)
{
	struct event_hdr *hdr = ret;

	memset(ret, 0, plan->own->bytes);
	memcpy(hdr, image, sizeof(*hdr));
	hdr->size = plan->own->bytes;
	for (size_t i = 0; i < plan->own->nr_fields; i++)
		if (plan->from[i] != LAYOUT_NO_FIELD)
			convert_field(&plan->file->fields[plan->from[i]], image,
				      &plan->own->fields[i], ret);
}

void layout_free(struct layout *layout)
{
	for (size_t k = 0; layout->kinds && k < layout->nr; k++) {
		const struct schema_kind *kind = &layout->kinds[k];

		for (size_t i = 0; kind->fields && i < kind->nr_fields; i++)
			free((void *)(uintptr_t)kind->fields[i].name);
		free((void *)(uintptr_t)kind->fields);
		free((void *)(uintptr_t)kind->name);
	}
	free(layout->kinds);
	free(layout->plans);
	*layout = (struct layout){0};
}
