/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json-c takes 13 times as long for this (docs/recording.md, "Speed"), and a recording has millions
 * of records; the tests hold every line against its parser.
 */
#include <errno.h>

#include "user/cmd/dump.h"
#include "user/recording/print.h"
#include "user/recording/schema.h"

/* The length of the UTF-8 character at @text of @nr bytes; 0: it is none (RFC 3629, table in
 * section 4). */
static size_t utf8_length(const unsigned char *text, size_t nr)
{
	unsigned char first = text[0], low = 0x80, high = 0xbf;
	size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4 || nr < length)
		return 0;
	if (first == 0xe0)
		low = 0xa0;
	else if (first == 0xf0)
		low = 0x90;
	else if (first == 0xed)
		high = 0x9f;
	else if (first == 0xf4)
		high = 0x8f;
	if (text[1] < low || text[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

static void print_escape(struct print *p, unsigned char c)
{
	const char escape[6] = {
		'\\', 'u', '0', '0', "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]};

	print_bytes(p, escape, sizeof(escape));
}

static void print_text(struct print *p, const char *text, size_t max)
{
	size_t nr = strnlen(text, max), length;

	print_char(p, '"');
	for (size_t i = 0; i < nr; i += length ? length : 1) {
		const unsigned char *at = (const unsigned char *)text + i;

		length = utf8_length(at, nr - i);
		if (!length)
			print_string(p, "\\ufffd");
		else if (*at < ' ' || *at == 0x7f || *at == '"' || *at == '\\')
			print_escape(p, *at);
		else
			print_bytes(p, text + i, length);
	}
	print_char(p, '"');
}

static void print_name(struct print *p, const char *name)
{
	print_bytes(p, ",\"", 2);
	print_string(p, name);
	print_bytes(p, "\":", 2);
}

int dump_json(const struct event_hdr *event, char *line, size_t size)
{
	const struct schema_kind *kind = schema_kind(event->kind);
	struct print p = print_into(line, size);

	if (!kind)
		return -EINVAL;
	print_string(&p, "{\"ts_ns\":");
	print_unsigned(&p, event->ts_ns);
	print_name(&p, "kind");
	print_text(&p, kind->name, SIZE_MAX);
	print_name(&p, "tid");
	print_unsigned(&p, event->tid);
	for (size_t i = 0; i < kind->nr_fields; i++) {
		const struct schema_field *field = &kind->fields[i];

		print_name(&p, field->name);
		if (field->type == FIELD_TEXT)
			print_text(&p, (const char *)event + field->offset, field->bytes - 1u);
		else if (field->type == FIELD_SIGNED)
			print_signed(&p, (int64_t)schema_get(field, event));
		else
			print_unsigned(&p, schema_get(field, event));
	}
	print_char(&p, '}');
	if (p.full)
		return -ENOSPC;
	*p.at = 0;
	return (int)(p.at - line);
}
