/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "user/output/json.h"
#include "user/output/label.h"

static void put_escaped(FILE *to, unsigned char byte)
{
	if (byte == '\n')
		fputs("\\n", to);
	else if (byte == '\t')
		fputs("\\t", to);
	else if (byte < 0x20 || byte == 0x7f)
		fprintf(to, "\\u%04x", byte);
	else
		fputs("\xef\xbf\xbd", to); /* U+FFFD */
}

static void put_string(FILE *to, const char *text)
{
	putc('"', to);
	while (*text) {
		size_t bytes = label_character(text);

		if (*text == '"' || *text == '\\')
			putc('\\', to);
		if (bytes)
			fwrite(text, 1, bytes, to);
		else
			put_escaped(to, (unsigned char)*text);
		text += bytes ? bytes : 1;
	}
	putc('"', to);
}

static void begin_member(struct json *json, const char *key)
{
	if (json->begun)
		putc(',', json->to);
	json->begun = true;
	if (!key)
		return;
	put_string(json->to, key);
	putc(':', json->to);
}

void json_open(struct json *json, const char *key, char bracket)
{
	begin_member(json, key);
	putc(bracket, json->to);
	json->begun = false;
}

void json_close(struct json *json, char bracket)
{
	putc(bracket, json->to);
	json->begun = true;
}

void json_text(struct json *json, const char *key, const char *text)
{
	begin_member(json, key);
	if (text)
		put_string(json->to, text);
	else
		fputs("null", json->to);
}

void json_number(struct json *json, const char *key, uint64_t number)
{
	begin_member(json, key);
	fprintf(json->to, "%" PRIu64, number);
}

void json_known(struct json *json, const char *key, bool known, uint64_t number)
{
	if (known)
		json_number(json, key, number);
	else
		json_text(json, key, NULL);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_member(json, key);
	fputs(value ? "true" : "false", json->to);
}

void json_end_line(struct json *json)
{
	putc('\n', json->to);
	json->begun = false;
}
