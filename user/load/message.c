/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/load/message.h"
#include "user/load/random.h"

static struct message *add(struct message_set *set, char wrong[MESSAGE_WRONG_LEN])
{
	struct message *grown;

	if (set->nr == MESSAGES_MAX) {
		snprintf(wrong, MESSAGE_WRONG_LEN, "more than %d different requests", MESSAGES_MAX);
		return NULL;
	}
	grown = realloc(set->messages, (set->nr + 1) * sizeof(*grown));
	if (!grown) {
		snprintf(wrong, MESSAGE_WRONG_LEN, "out of memory");
		return NULL;
	}
	set->messages = grown;
	grown[set->nr] = (struct message){0};
	return &grown[set->nr++];
}

/* True when one of the user's headers is called @name. */
static bool has_header(const struct message_http *common, const char *name)
{
	size_t nr = strlen(name);

	for (size_t i = 0; i < common->nr_headers; i++)
		if (!strncasecmp(common->headers[i], name, nr) && common->headers[i][nr] == ':')
			return true;
	return false;
}

static bool header_is_empty(const char *header)
{
	const char *colon = strchr(header, ':');

	return colon[1 + strspn(colon + 1, " \t")] == '\0';
}

static void print_headers(FILE *to, const struct message_http *common, bool bodied)
{
	if (!has_header(common, "Host"))
		fprintf(to, "Host: %s\r\n", common->host);
	if (!has_header(common, "User-Agent"))
		fprintf(to, "User-Agent: standstill/%s\r\n", STANDSTILL_VERSION);
	if (!has_header(common, "Accept"))
		fprintf(to, "Accept: */*\r\n");
	if (bodied && !has_header(common, "Content-Length") &&
	    !has_header(common, "Transfer-Encoding"))
		fprintf(to, "Content-Length: %zu\r\n", common->body_bytes);
	for (size_t i = 0; i < common->nr_headers; i++)
		if (!header_is_empty(common->headers[i]))
			fprintf(to, "%s\r\n", common->headers[i]);
	fputs("\r\n", to);
}

static const char *check_words(const struct message_http *common, const char *method,
			       const char *path)
{
	if (!*method || strspn(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") != strlen(method))
		return "a method is one word in capitals, like GET";
	if (*path != '/' && strcmp(path, "*"))
		return "a path begins with /";
	for (const char *at = path; *at; at++)
		if (!isgraph((unsigned char)*at))
			return "a path has no blanks or control characters; write %20 for a blank";
	for (size_t i = 0; i < common->nr_headers; i++) {
		const char *header = common->headers[i];

		if (strpbrk(header, "\r\n") || strcspn(header, ": \t") == 0 ||
		    header[strcspn(header, ": \t")] != ':')
			return "a header is written 'Name: value'";
	}
	return NULL;
}

int message_add_http(struct message_set *set, const struct message_http *common, const char *method,
		     const char *path, double weight, char wrong[MESSAGE_WRONG_LEN])
{
	struct message *message;
	const char *problem;
	FILE *to;

	if (!method)
		method = common->method ? common->method : common->body ? "POST" : "GET";
	problem = check_words(common, method, path);
	if (problem) {
		snprintf(wrong, MESSAGE_WRONG_LEN, "%s", problem);
		return -EINVAL;
	}
	message = add(set, wrong);
	if (!message)
		return -EINVAL;
	to = open_memstream(&message->bytes, &message->nr);
	if (!to)
		return -ENOMEM;
	fprintf(to, "%s %s HTTP/1.1\r\n", method, path);
	print_headers(to, common, common->body != NULL);
	if (common->body)
		fwrite(common->body, 1, common->body_bytes, to);
	if (fclose(to) || asprintf(&message->label, "%s %s", method, path) < 0)
		return -ENOMEM;
	message->head = !strcmp(method, "HEAD");
	message->up_to = weight;
	return 0;
}

/* WEIGHT [METHOD] PATH [@BODYFILE] */
static int add_line(struct message_set *set, const struct message_http *common, char *line,
		    char wrong[MESSAGE_WRONG_LEN])
{
	struct message_http own = *common;
	char *body CLEANUP(freep) = NULL;
	char *save, *end, *word = strtok_r(line, " \t\n", &save);
	const char *method = NULL, *path;
	double weight = word ? strtod(word, &end) : 0;
	int error;

	if (!word || *word == '#')
		return 0;
	path = strtok_r(NULL, " \t\n", &save);
	if (path && *path != '/') {
		method = path;
		path = strtok_r(NULL, " \t\n", &save);
	}
	word = strtok_r(NULL, " \t\n", &save);
	if (*end || !(weight > 0 && weight < 1e9) || !path || (word && *word != '@') ||
	    strtok_r(NULL, " \t\n", &save)) {
		snprintf(wrong, MESSAGE_WRONG_LEN, "a line is WEIGHT [METHOD] /PATH [@BODYFILE]");
		return -EINVAL;
	}
	if (word) {
		error = message_read_file(word + 1, &body, &own.body_bytes);
		if (error) {
			snprintf(wrong, MESSAGE_WRONG_LEN, "cannot read %s: %s", word + 1,
				 strerror(-error));
			return -EINVAL;
		}
		own.body = body;
	}
	return message_add_http(set, &own, method, path, weight, wrong);
}

int message_add_file(struct message_set *set, const struct message_http *common, const char *file,
		     char wrong[MESSAGE_WRONG_LEN])
{
	FILE *from CLEANUP(fclosep) = fopen(file, "re");
	char *line CLEANUP(freep) = NULL;
	char problem[MESSAGE_WRONG_LEN / 2];
	size_t size = 0, nr = 0;

	if (!from) {
		snprintf(wrong, MESSAGE_WRONG_LEN, "cannot read %s: %s", file, strerror(errno));
		return -EINVAL;
	}
	while (getline(&line, &size, from) >= 0) {
		nr++;
		if (add_line(set, common, line, wrong)) {
			snprintf(problem, sizeof(problem), "%s", wrong);
			snprintf(wrong, MESSAGE_WRONG_LEN, "%s, line %zu: %s", file, nr, problem);
			return -EINVAL;
		}
	}
	if (set->nr == 0)
		snprintf(wrong, MESSAGE_WRONG_LEN, "%s names no request", file);
	return set->nr ? 0 : -EINVAL;
}

int message_add_raw(struct message_set *set, uint32_t prefix_bytes, const char *body,
		    size_t body_bytes, char wrong[MESSAGE_WRONG_LEN])
{
	struct message *message;

	if (prefix_bytes < 8 && prefix_bytes > 0 && body_bytes >> (8 * prefix_bytes)) {
		snprintf(wrong, MESSAGE_WRONG_LEN, "a length of %zu does not fit into %u bytes",
			 body_bytes, prefix_bytes);
		return -EINVAL;
	}
	if (prefix_bytes + body_bytes == 0) {
		snprintf(wrong, MESSAGE_WRONG_LEN, "a request of no bytes cannot be answered");
		return -EINVAL;
	}
	message = add(set, wrong);
	if (!message)
		return -EINVAL;
	message->nr = prefix_bytes + body_bytes;
	message->up_to = 1;
	message->bytes = calloc(1, message->nr);
	if (!message->bytes)
		return -ENOMEM;
	for (uint32_t i = 0; i < prefix_bytes; i++)
		message->bytes[i] = (char)(body_bytes >> 8 * (prefix_bytes - 1 - i));
	if (body)
		memcpy(message->bytes + prefix_bytes, body, body_bytes);
	return 0;
}

void message_finish(struct message_set *set, uint64_t seed)
{
	double sum = 0;

	set->seed = seed;
	for (size_t i = 0; i < set->nr; i++) {
		sum += set->messages[i].up_to;
		set->messages[i].up_to = sum;
	}
	for (size_t i = 0; i < set->nr; i++)
		set->messages[i].up_to /= sum;
}

uint32_t message_pick(const struct message_set *set, uint64_t seq)
{
	uint64_t state = set->seed ^ seq * 0xd1342543de82ef95ull;
	double point;
	size_t from = 0, to = set->nr - 1;

	if (to == 0)
		return 0;
	point = (double)(random_splitmix(&state) >> 11) * 0x1p-53;
	while (from < to) {
		size_t middle = (from + to) / 2;

		if (point < set->messages[middle].up_to)
			to = middle;
		else
			from = middle + 1;
	}
	return (uint32_t)from;
}

int message_read_file(const char *path, char **ret, size_t *ret_bytes)
{
	FILE *from CLEANUP(fclosep) = fopen(path, "re");
	char *bytes CLEANUP(freep) = NULL;
	size_t nr = 0, size = 0;

	if (!from)
		return -errno;
	for (;;) {
		if (nr == size) {
			char *grown = realloc(bytes, size ? size * 2 : 4096);

			if (!grown)
				return -ENOMEM;
			bytes = grown;
			size = size ? size * 2 : 4096;
		}
		nr += fread(bytes + nr, 1, size - nr, from);
		if (ferror(from))
			return -EIO;
		if (nr > MESSAGE_BODY_MAX)
			return -EFBIG;
		if (feof(from))
			break;
	}
	*ret = bytes;
	*ret_bytes = nr;
	bytes = NULL;
	return 0;
}

void message_free(struct message_set *set)
{
	for (size_t i = 0; i < set->nr; i++) {
		free(set->messages[i].bytes);
		free(set->messages[i].label);
	}
	free(set->messages);
	*set = (struct message_set){0};
}
