/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "user/recording/print.h"
#include "user/recording/schema.h"
#include "user/recording/text.h"

#define WORD_MAX 64 /* the longest name of a kind or field, and then some */

static char escape_letter(char c)
{
	switch (c) {
	case '\n':
		return 'n';
	case '\t':
		return 't';
	case '\r':
		return 'r';
	case '"':
	case '\\':
		return c;
	default:
		return 0;
	}
}

/* Three octal digits, always: what follows cannot run into them. */
static void print_octal(struct print *p, unsigned char c)
{
	const char escape[4] = {'\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)),
				(char)('0' + (c & 7))};

	print_bytes(p, escape, sizeof(escape));
}

static void print_quoted(struct print *p, const char *text, size_t max)
{
	print_char(p, '"');
	for (size_t i = 0; i < max && text[i]; i++) {
		char letter = escape_letter(text[i]);

		if (letter) {
			print_char(p, '\\');
			print_char(p, letter);
		} else if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] >= 0x7f) {
			print_octal(p, (unsigned char)text[i]);
		} else {
			print_char(p, text[i]);
		}
	}
	print_char(p, '"');
}

static void print_field(struct print *p, const struct schema_field *field,
			const struct event_hdr *event)
{
	const char *text = (const char *)event + field->offset;
	uint64_t value;

	if (field->type == FIELD_TEXT) {
		if (!text[0])
			return;
		print_char(p, ' ');
		print_string(p, field->name);
		print_char(p, '=');
		print_quoted(p, text, field->bytes - 1u);
		return;
	}
	value = schema_get(field, event);
	if (!value)
		return;
	print_char(p, ' ');
	print_string(p, field->name);
	print_char(p, '=');
	if (field->type == FIELD_SIGNED)
		print_signed(p, (int64_t)value);
	else if (field->unit == UNIT_ADDRESS)
		print_hex(p, value);
	else
		print_unsigned(p, value);
}

int text_print(const struct event_hdr *event, char *line, size_t size)
{
	const struct schema_kind *kind = schema_kind(event->kind);
	struct print p = print_into(line, size);

	if (!kind)
		return -EINVAL;
	print_unsigned(&p, event->ts_ns);
	print_char(&p, ' ');
	print_string(&p, kind->name);
	print_char(&p, ' ');
	print_unsigned(&p, event->tid);
	for (size_t i = 0; i < kind->nr_fields; i++)
		print_field(&p, &kind->fields[i], event);
	if (p.full)
		return -ENOSPC;
	*p.at = 0;
	return (int)(p.at - line);
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

static int digit_of(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	if (isxdigit((unsigned char)c))
		return tolower((unsigned char)c) - 'a' + 10;
	return 99;
}

/* An unsigned number, decimal or 0x..., up to a blank or the end; moves *at. */
static int parse_unsigned(const char **at, uint64_t *ret)
{
	unsigned int base = 10;
	uint64_t value = 0;
	const char *from;

	if ((*at)[0] == '0' && tolower((unsigned char)(*at)[1]) == 'x') {
		base = 16;
		*at += 2;
	}
	for (from = *at; (unsigned int)digit_of(**at) < base; ++*at) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (unsigned int)digit_of(**at), &value))
			return -ERANGE;
	}
	if (*at == from || (**at && !isspace((unsigned char)**at)))
		return -EINVAL;
	*ret = value;
	return 0;
}

static int parse_number(const char **at, const struct schema_field *field, void *record)
{
	bool negative = **at == '-';
	uint64_t value, fits;
	int err;

	*at += negative;
	err = parse_unsigned(at, &value);
	if (err)
		return err;
	if (negative && (field->type != FIELD_SIGNED || value > 1ull << 63))
		return -ERANGE;
	if (!negative && field->type == FIELD_SIGNED && value > INT64_MAX)
		return -ERANGE;
	fits = negative ? 0 - value : value;
	schema_set(field, record, fits);
	return schema_get(field, record) == fits ? 0 : -ERANGE;
}

/* One character of a quoted text, escapes resolved; moves *at. 0 or negative: not a character. */
static int parse_character(const char **at)
{
	static const char letters[] = "ntr\"\\", meant[] = "\n\t\r\"\\";
	const char *letter;
	int value = 0;

	if (**at != '\\')
		return (unsigned char)*(*at)++;
	++*at;
	letter = **at ? strchr(letters, **at) : NULL;
	if (letter) {
		++*at;
		return meant[letter - letters];
	}
	for (int i = 0; i < 3; i++, ++*at) {
		if (**at < '0' || **at > '7')
			return -EINVAL;
		value = value * 8 + (**at - '0');
	}
	return value <= 0xff ? value : -EINVAL;
}

static int parse_quoted(const char **at, const struct schema_field *field, char *record)
{
	size_t nr = 0;

	if (*(*at)++ != '"')
		return -EINVAL;
	while (**at && **at != '"') {
		int c = parse_character(at);

		if (c <= 0)
			return -EINVAL;
		if (nr + 1 >= field->bytes)
			return -ERANGE;
		record[field->offset + nr++] = (char)c;
	}
	if (*(*at)++ != '"' || (**at && !isspace((unsigned char)**at)))
		return -EINVAL;
	return 0;
}

/* Copy the word at *at, up to one of @ends, into @ret; moves *at behind it. */
static bool parse_word(const char **at, const char *ends, char ret[WORD_MAX])
{
	size_t nr = strcspn(*at, ends);

	if (nr == 0 || nr >= WORD_MAX)
		return false;
	memcpy(ret, *at, nr);
	ret[nr] = 0;
	*at += nr;
	return true;
}

static const struct schema_field *find_field(const struct schema_kind *kind, const char *name)
{
	for (size_t i = 0; i < kind->nr_fields; i++)
		if (!strcmp(kind->fields[i].name, name))
			return &kind->fields[i];
	return NULL;
}

/* All `field=value`. Returns what is wrong, or NULL. */
static const char *parse_fields(const char *at, const struct schema_kind *kind, void *record)
{
	uint64_t seen = 0;

	for (at = skip_blanks(at); *at; at = skip_blanks(at)) {
		const struct schema_field *field;
		char name[WORD_MAX];
		int err;

		if (!parse_word(&at, "= \t\r\n", name) || *at++ != '=')
			return "field=value expected";
		field = find_field(kind, name);
		if (!field)
			return "no such field in this kind of record";
		if (seen & 1ull << (field - kind->fields))
			return "the same field twice";
		seen |= 1ull << (field - kind->fields);
		err = field->type == FIELD_TEXT ? parse_quoted(&at, field, record)
						: parse_number(&at, field, record);
		if (err == -ERANGE)
			return "a value does not fit its field";
		if (err)
			return field->type == FIELD_TEXT ? "a quoted text expected"
							 : "a number expected";
	}
	return NULL;
}

static const char *parse_header(const char **at, struct event_hdr *ret,
				const struct schema_kind **ret_kind)
{
	char name[WORD_MAX];
	uint64_t ts_ns, tid;

	if (parse_unsigned(at, &ts_ns))
		return "a time in ns expected";
	*at = skip_blanks(*at);
	if (!parse_word(at, " \t\r\n", name))
		return "a kind of record expected";
	*ret_kind = schema_named(name);
	if (!*ret_kind)
		return "no such kind of record";
	*at = skip_blanks(*at);
	if (parse_unsigned(at, &tid) || tid > UINT32_MAX)
		return "a thread's number expected";
	*ret = (struct event_hdr){.kind = (*ret_kind)->kind,
				  .size = (*ret_kind)->bytes,
				  .tid = (uint32_t)tid,
				  .ts_ns = ts_ns};
	return NULL;
}

int text_parse(const char *line, struct event_hdr *ret, const char **ret_error)
{
	const struct schema_kind *kind;
	const char *at = skip_blanks(line);

	*ret_error = NULL;
	if (!*at || *at == '#')
		return -ENOENT;
	memset(ret, 0, EVENT_BYTES_MAX);
	*ret_error = parse_header(&at, ret, &kind);
	if (!*ret_error)
		*ret_error = parse_fields(at, kind, ret);
	return *ret_error ? -EINVAL : 0;
}
