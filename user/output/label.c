/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "user/output/label.h"

#define CHARACTERS_MAX 120

/* RFC 3629: no overlong forms, no surrogates, nothing behind U+10FFFF. */
static size_t sequence_bytes(const unsigned char *text)
{
	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		return 2;
	if (text[0] == 0xe0)
		return text[1] >= 0xa0 ? 3 : 0;
	if (text[0] == 0xed)
		return text[1] <= 0x9f ? 3 : 0;
	if (text[0] >= 0xe1 && text[0] <= 0xef)
		return 3;
	if (text[0] == 0xf0)
		return text[1] >= 0x90 ? 4 : 0;
	if (text[0] == 0xf4)
		return text[1] <= 0x8f ? 4 : 0;
	return text[0] >= 0xf1 && text[0] <= 0xf3 ? 4 : 0;
}

size_t label_character(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t nr;

	if (bytes[0] < 0x80)
		return bytes[0] >= 0x20 && bytes[0] != 0x7f;
	nr = sequence_bytes(bytes);
	for (size_t i = 1; i < nr; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	if (nr == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0)
		return 0; /* C1 control characters */
	return nr;
}

struct characters {
	const char *at[CHARACTERS_MAX];
	uint8_t bytes[CHARACTERS_MAX]; /* 0: shown as '?' */
	size_t nr;
};

static void split(struct characters *ret, const char *name)
{
	ret->nr = 0;
	while (*name && ret->nr < CHARACTERS_MAX) {
		size_t bytes = label_character(name);

		ret->at[ret->nr] = name;
		ret->bytes[ret->nr++] = (uint8_t)bytes;
		name += bytes ? bytes : 1;
	}
}

static char *put(char *to, const struct characters *characters, size_t from, size_t nr)
{
	for (size_t i = from; i < from + nr; i++) {
		size_t bytes = characters->bytes[i];

		if (!bytes)
			*to++ = '?';
		else
			to = mempcpy(to, characters->at[i], bytes);
	}
	return to;
}

static size_t fit(char buffer[LABEL_BYTES], const char *name, size_t width, char **ret_end)
{
	struct characters characters;
	size_t tail, head;

	split(&characters, name);
	if (width > CHARACTERS_MAX)
		width = CHARACTERS_MAX;
	if (characters.nr <= width) {
		*ret_end = put(buffer, &characters, 0, characters.nr);
		return characters.nr;
	}
	tail = width < 8 ? 0 : width / 3;
	head = width < 4 ? width : width - tail - 2;
	*ret_end = put(buffer, &characters, 0, head);
	if (width < 4)
		return width;
	*ret_end = mempcpy(*ret_end, "..", 2);
	*ret_end = put(*ret_end, &characters, characters.nr - tail, tail);
	return width;
}

char *label_fit(char buffer[LABEL_BYTES], const char *name, size_t width)
{
	char *end;

	fit(buffer, name, width, &end);
	*end = '\0';
	return buffer;
}

char *label_column(char buffer[LABEL_BYTES], const char *name, size_t width)
{
	char *end;
	size_t used = fit(buffer, name, width, &end);

	for (; used < width && end < buffer + LABEL_BYTES - 1; used++)
		*end++ = ' ';
	*end = '\0';
	return buffer;
}

char *label_share(char buffer[32], uint64_t part, uint64_t whole)
{
	if (whole)
		snprintf(buffer, 32, "%.*f %%", part * 10 < whole ? 2 : 1,
			 (double)part * 100 / (double)whole);
	else
		snprintf(buffer, 32, "-");
	return buffer;
}
