/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/base/cleanup.h"
#include "user/import/schedule_reader.h"

static const char *const column_names[] = {
	[CSV_SEQ] = "seq",
	[CSV_CONN] = "conn",
	[CSV_INTENDED] = "sched_ns",
	[CSV_SENT] = "send_ns",
	[CSV_FIRST] = "first_ns",
	[CSV_RECEIVED] = "recv_ns",
	[CSV_STATUS] = "status",
	[CSV_LABEL] = "label",
	[CSV_KEY] = "key",
	[CSV_FLAGS] = "flags",
	[CSV_LOCAL] = "local",
	[CSV_PEER] = "peer",
	[CSV_OUT_FROM] = "out_from",
	[CSV_OUT_TO] = "out_to",
	[CSV_IN_FROM] = "in_from",
	[CSV_IN_TO] = "in_to",
	[CSV_CONN_WAIT] = "conn_wait_ns",
	[CSV_ERROR] = "error",
};
_Static_assert(ARRAY_SIZE(column_names) == NR_CSV_COLUMNS, "each column has its name");

int schedule_csv_open(struct schedule_reader *r)
{
	r->text = malloc(SCHEDULE_LINE_MAX);
	return r->text ? 0 : -ENOMEM;
}

bool schedule_csv_number(const char *word, uint64_t *ret)
{
	uint64_t number = 0;

	if (!*word) {
		*ret = SCHEDULE_UNKNOWN;
		return true;
	}
	for (; *word; word++) {
		if (*word < '0' || *word > '9' || number > SCHEDULE_NUMBER_MAX / 10)
			return false;
		number = number * 10 + (uint64_t)(*word - '0');
	}
	*ret = number;
	return number <= SCHEDULE_NUMBER_MAX;
}

/*
 * One field at *at to *ret, in place, quoted as in RFC 4180 or not. Moves *at behind its comma; to
 * NULL at the end of the line. False: a quote that does not end where the field does.
 */
static bool take_field(char **at, char **ret)
{
	char *from = *at, *to = from;

	*ret = from;
	if (*from != '"') {
		*at = strchr(from, ',');
		if (*at)
			*(*at)++ = '\0';
		return true;
	}
	for (from++;; from++) {
		if (!*from)
			return false;
		if (*from == '"' && *++from != '"')
			break;
		*to++ = *from;
	}
	if (*from && *from != ',')
		return false;
	*at = *from ? from + 1 : NULL;
	*to = '\0';
	return true;
}

/* The line in r->text into r->fields. Returns how many; 0: too many, or wrong quotes. */
static size_t split(struct schedule_reader *r)
{
	char *at = r->text;
	size_t nr = 0;

	while (at)
		if (nr == CSV_FIELDS_MAX || !take_field(&at, &r->fields[nr++]))
			return 0;
	return nr;
}

static const char *take_header(struct schedule_reader *r)
{
	bool seen[NR_CSV_COLUMNS + 1] = {false};
	size_t nr = split(r);

	for (size_t i = 0; i < nr; i++) {
		uint8_t column = 0;

		while (column < NR_CSV_COLUMNS && strcmp(r->fields[i], column_names[column]))
			column++;
		if (column < NR_CSV_COLUMNS && seen[column])
			return "a column is named twice";
		seen[column] = true;
		r->columns[i] = column;
	}
	if (!seen[CSV_SEQ])
		return "it should name the columns, and there is no column seq";
	r->nr_columns = nr;
	return NULL;
}

/* Any name of a connection becomes a number: itself, or a hash with a bit that no number has. */
static uint64_t connection_number(const char *word)
{
	uint64_t number, hash = 0xcbf29ce484222325ull; /* FNV-1a */

	if (schedule_csv_number(word, &number))
		return number;
	for (; *word; word++)
		hash = (hash ^ (unsigned char)*word) * 0x100000001b3ull;
	return (hash & SCHEDULE_NUMBER_MAX) | 1ull << 62;
}

static const char flag_letters[] = "SARKFTQD"; /* in the order of enum schedule_flag's bits */

static const char *parse_flags(const char *word, struct schedule_request *ret)
{
	for (; *word; word++) {
		const char *letter = strchr(flag_letters, *word);

		if (!letter)
			return "a flag is none of SARKFTQD";
		ret->flags |= (uint8_t)(1u << (letter - flag_letters));
	}
	return NULL;
}

static const char *parse_failure(const char *word, struct schedule_request *ret)
{
	if (!*word)
		return NULL;
	ret->failure = FAILURE_OTHER; /* another generator's words */
	for (unsigned int i = FAILURE_NONE + 1; i < NR_SCHEDULE_FAILURES; i++)
		if (!strcmp(word, schedule_failure_name(i)))
			ret->failure = (uint8_t)i;
	return NULL;
}

static const char *parse_small(const char *word, uint16_t *ret)
{
	uint64_t number;

	if (!*word)
		return NULL;
	if (!schedule_csv_number(word, &number) || number > UINT16_MAX)
		return "a status or a port is no number up to 65535";
	*ret = (uint16_t)number;
	return NULL;
}

/* One field of @column. Returns what is wrong with it, or NULL. */
static const char *parse_field(struct schedule_reader *r, enum csv_column column, const char *word,
			       struct schedule_request *ret)
{
	uint64_t *const numbers[NR_CSV_COLUMNS] = {
		[CSV_SEQ] = &ret->seq,
		[CSV_INTENDED] = &ret->intended_ns,
		[CSV_SENT] = &ret->sent_ns,
		[CSV_FIRST] = &ret->first_ns,
		[CSV_RECEIVED] = &ret->received_ns,
		[CSV_CONN_WAIT] = &ret->conn_wait_ns,
		[CSV_OUT_FROM] = &ret->out_from,
		[CSV_OUT_TO] = &ret->out_to,
		[CSV_IN_FROM] = &ret->in_from,
		[CSV_IN_TO] = &ret->in_to,
	};

	switch (column) {
	case CSV_CONN:
		ret->conn = connection_number(word);
		return NULL;
	case CSV_STATUS:
		return parse_small(word, &ret->status);
	case CSV_LOCAL:
		return parse_small(word, &ret->local);
	case CSV_PEER:
		return parse_small(word, &ret->peer);
	case CSV_LABEL:
		ret->label = *word ? schedule_intern_label(r, word) : 0;
		return NULL;
	case CSV_KEY:
		r->key = word;
		return NULL;
	case CSV_FLAGS:
		return parse_flags(word, ret);
	case CSV_ERROR:
		return parse_failure(word, ret);
	case NR_CSV_COLUMNS:
		return NULL;
	default:
		return schedule_csv_number(word, numbers[column])
			       ? NULL
			       : "a field is no number below 2^62";
	}
}

static const char *parse_row(struct schedule_reader *r, struct schedule_request *ret)
{
	size_t nr = split(r);
	const char *wrong = NULL;

	*ret = (struct schedule_request){
		.seq = SCHEDULE_UNKNOWN,
		.conn = SCHEDULE_UNKNOWN,
		.intended_ns = SCHEDULE_UNKNOWN,
		.sent_ns = SCHEDULE_UNKNOWN,
		.first_ns = SCHEDULE_UNKNOWN,
		.received_ns = SCHEDULE_UNKNOWN,
		.conn_wait_ns = SCHEDULE_UNKNOWN,
		.out_from = SCHEDULE_UNKNOWN,
		.out_to = SCHEDULE_UNKNOWN,
		.in_from = SCHEDULE_UNKNOWN,
		.in_to = SCHEDULE_UNKNOWN,
	};
	r->key = NULL;
	if (nr == 0)
		return "its quotes are wrong";
	if (nr != r->nr_columns)
		return "it has more or fewer fields than the header";
	for (size_t i = 0; i < nr && !wrong; i++)
		wrong = parse_field(r, r->columns[i], r->fields[i], ret);
	if (ret->flags & SCHEDULE_FAILED && ret->failure == FAILURE_NONE)
		ret->failure =
			ret->status && ret->status / 100 != 2 ? FAILURE_STATUS : FAILURE_OTHER;
	return wrong;
}

static void count_bad(struct schedule_reader *r, const char *why)
{
	if (r->health.nr_bad++ == 0) {
		r->health.first_bad_line = r->line;
		r->health.why_bad = why;
	}
}

/* The next line into r->text. 1, 0 at the end, -EBADMSG for one that is too long or holds NUL or
 * was cut off (counted). */
static int next_line(struct schedule_reader *r)
{
	size_t nr, taken;
	const uint8_t *bytes = input_peek(&r->scan.in, SCHEDULE_LINE_MAX, &nr), *feed;

	if (nr == 0)
		return 0;
	r->line++;
	feed = memchr(bytes, '\n', nr);
	taken = feed ? (size_t)(feed - bytes) + 1 : nr;
	if (!feed || taken > SCHEDULE_LINE_MAX || memchr(bytes, '\0', taken)) {
		count_bad(r, nr < SCHEDULE_LINE_MAX && !feed ? "it is cut off"
							     : "it is no line of text");
		input_pass(&r->scan.in, taken);
		return -EBADMSG;
	}
	memcpy(r->text, bytes, taken - 1);
	r->text[taken - 1] = '\0';
	if (taken > 1 && r->text[taken - 2] == '\r')
		r->text[taken - 2] = '\0';
	input_pass(&r->scan.in, taken);
	return 1;
}

int schedule_csv_next(struct schedule_reader *r, struct schedule_request *ret)
{
	for (;;) {
		int got = next_line(r);
		const char *wrong = NULL;

		if (r->scan.in.error)
			return r->scan.in.error;
		if (got == 0)
			return 0;
		if (got < 0)
			continue;
		if (*r->text == '#') {
			if (schedule_take_meta(r, r->text))
				return -ENOMEM;
			continue;
		}
		if (r->nr_columns == 0) {
			wrong = take_header(r);
			if (wrong) { /* without columns nothing after it has a meaning */
				count_bad(r, wrong);
				return 0;
			}
			continue;
		}
		wrong = parse_row(r, ret);
		if (!wrong)
			return 1;
		count_bad(r, wrong);
	}
}
