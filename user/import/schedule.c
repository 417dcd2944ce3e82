/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/base/cleanup.h"
#include "user/import/schedule_reader.h"

static const char *const failure_names[] = {
	[FAILURE_NONE] = "none",	   [FAILURE_REFUSED] = "refused", [FAILURE_RESET] = "reset",
	[FAILURE_TIMEOUT] = "timeout",	   [FAILURE_STATUS] = "status",	  [FAILURE_SHORT] = "short",
	[FAILURE_MALFORMED] = "malformed", [FAILURE_CONNECT] = "connect", [FAILURE_CUT] = "cut",
	[FAILURE_OTHER] = "other",
};
_Static_assert(ARRAY_SIZE(failure_names) == NR_SCHEDULE_FAILURES, "each failure has its name");

const char *schedule_failure_name(unsigned int failure)
{
	return failure < ARRAY_SIZE(failure_names) ? failure_names[failure] : NULL;
}

static int detect(struct schedule_reader *r)
{
	uint64_t magic = SCHEDULE_MAGIC;
	size_t nr;
	const uint8_t *bytes = input_peek(&r->scan.in, 4096, &nr);

	if (r->scan.in.error)
		return r->scan.in.error;
	if (nr >= sizeof(magic) && !memcmp(bytes, &magic, sizeof(magic)))
		return schedule_binary_open(r);
	if (nr < 9 || memcmp(bytes, "#sched ", 7))
		return -EBADMSG;
	return bytes[7] == '1' && strchr("\r\n ", bytes[8]) ? schedule_csv_open(r)
							    : -EPROTONOSUPPORT;
}

int schedule_open(const char *path, struct schedule_reader **ret)
{
	struct schedule_reader *r = calloc(1, sizeof(*r));
	int error;

	if (!r)
		return -ENOMEM;
	error = input_open(path, &r->scan.in);
	r->opened = !error;
	if (!error)
		error = detect(r);
	if (error) {
		schedule_reader_free(r);
		return error;
	}
	*ret = r;
	return 0;
}

int schedule_next(struct schedule_reader *r, struct schedule_request *ret)
{
	int got = r->health.binary ? schedule_binary_next(r, ret) : schedule_csv_next(r, ret);

	if (got > 0)
		r->health.nr_requests++;
	return got;
}

static int take_anchor(struct schedule_reader *r, const char *value)
{
	struct schedule_anchor anchor;
	char copy[80], *rest = copy;
	uint64_t *const numbers[] = {&anchor.realtime_ns, &anchor.monotonic_ns, &anchor.width_ns};
	struct schedule_anchor *grown;

	if (strlen(value) >= sizeof(copy) || r->nr_anchors == SCHEDULE_ANCHORS_MAX)
		return 0;
	strcpy(copy, value);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const char *word = strsep(&rest, ",");

		if (!word || !*word || !schedule_csv_number(word, numbers[i]))
			return 0;
	}
	if ((r->nr_anchors & (r->nr_anchors + 1)) == 0) { /* 0, 1, 3, 7, ...: doubled each time */
		grown = realloc(r->anchors, (2 * r->nr_anchors + 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		r->anchors = grown;
	}
	r->anchors[r->nr_anchors++] = anchor;
	return 0;
}

static int take_label(struct schedule_reader *r, const char *value)
{
	const char *comma = strchr(value, ',');
	char *name;
	uint64_t id = 0;

	for (const char *at = value; comma && at < comma && id <= SCHEDULE_LABELS_MAX; at++)
		id = *at >= '0' && *at <= '9' ? id * 10 + (uint64_t)(*at - '0')
					      : SCHEDULE_LABELS_MAX + 1;
	if (!comma || id == 0 || id > SCHEDULE_LABELS_MAX)
		return 0;
	name = strdup(comma + 1);
	if (!name)
		return -ENOMEM;
	free(r->labels[id]);
	r->labels[id] = name;
	if (id > r->nr_labels)
		r->nr_labels = (uint32_t)id;
	return 0;
}

int schedule_take_meta(struct schedule_reader *r, const char *line)
{
	if (*line == '#')
		line++;
	if (!strncmp(line, "anchor=", 7))
		return take_anchor(r, line + 7);
	if (!strncmp(line, "label=", 6))
		return take_label(r, line + 6);
	if (!strncmp(line, "end=", 4))
		r->health.complete = true;
	if (r->nr_lines == SCHEDULE_META_MAX)
		return 0;
	r->lines[r->nr_lines] = strdup(line);
	return r->lines[r->nr_lines] ? (r->nr_lines++, 0) : -ENOMEM;
}

uint32_t schedule_intern_label(struct schedule_reader *r, const char *name)
{
	for (uint32_t i = 1; i <= r->nr_labels; i++)
		if (r->labels[i] && !strcmp(r->labels[i], name))
			return i;
	if (r->nr_labels == SCHEDULE_LABELS_MAX)
		return 0;
	r->labels[r->nr_labels + 1] = strdup(name);
	return r->labels[r->nr_labels + 1] ? ++r->nr_labels : 0;
}

const char *schedule_meta(const struct schedule_reader *r, const char *key)
{
	size_t nr = strlen(key);

	for (size_t i = r->nr_lines; i-- > 0;) /* the last word counts */
		if (!strncmp(r->lines[i], key, nr) && r->lines[i][nr] == '=')
			return r->lines[i] + nr + 1;
	return NULL;
}

uint64_t schedule_meta_number(const struct schedule_reader *r, const char *key)
{
	const char *word = schedule_meta(r, key);
	uint64_t number;

	return word && schedule_csv_number(word, &number) ? number : SCHEDULE_UNKNOWN;
}

const char *schedule_meta_line(const struct schedule_reader *r, size_t i)
{
	return i < r->nr_lines ? r->lines[i] : NULL;
}

const char *schedule_label(const struct schedule_reader *r, uint32_t label)
{
	return label && label <= r->nr_labels && r->labels[label] ? r->labels[label] : "";
}

const char *schedule_key(const struct schedule_reader *r)
{
	return r->key ? r->key : "";
}

size_t schedule_nr_anchors(const struct schedule_reader *r)
{
	return r->nr_anchors;
}

const struct schedule_anchor *schedule_anchor(const struct schedule_reader *r, size_t i)
{
	return i < r->nr_anchors ? &r->anchors[i] : NULL;
}

void schedule_health(const struct schedule_reader *r, struct schedule_health *ret)
{
	*ret = r->health;
}

void schedule_reader_free(struct schedule_reader *r)
{
	if (!r)
		return;
	if (r->opened)
		input_close(&r->scan.in);
	for (size_t i = 0; i < r->nr_lines; i++)
		free(r->lines[i]);
	for (size_t i = 0; i < ARRAY_SIZE(r->labels); i++)
		free(r->labels[i]);
	free(r->anchors);
	schedule_codec_free(&r->codec);
	if (r->requests)
		block_unpacker_free(&r->unpacker);
	free(r->requests);
	free(r->text);
	free(r);
}
