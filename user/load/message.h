/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of requests. In: method, URL, headers, body, or a frame's size and content, or a file
 * of weighted URLs. Out: whole requests, made once, and which of them the n-th request is: by its
 * number and the seed alone, so the same in every run. Knows nothing of connections.
 */
#ifndef STANDSTILL_LOAD_MESSAGE_H
#define STANDSTILL_LOAD_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGES_MAX	  1000
#define MESSAGE_BODY_MAX  (64u << 20)
#define MESSAGE_WRONG_LEN 512

struct message {
	char *bytes;
	size_t nr;
	char *label;  /* "GET /path"; of raw ones NULL */
	bool head;    /* its answer has no body, whatever it says */
	double up_to; /* sum of the weights up to this one, of 1 */
};

struct message_set {
	struct message *messages;
	size_t nr;
	uint64_t seed;
};

/* What HTTP requests have in common. */
struct message_http {
	const char *host;   /* with its port where that is not 80: the Host header */
	const char *method; /* NULL: GET, or POST with a body */
	const char *const
		*headers; /* "Name: value"; "Name:" leaves out what would be sent anyway */
	size_t nr_headers;
	const char *body; /* NULL: none */
	size_t body_bytes;
};

/* All of these: 0, -ENOMEM or -EINVAL with a sentence in @wrong. Free @set in any case. */
int message_add_http(struct message_set *set, const struct message_http *common, const char *method,
		     const char *path, double weight, char wrong[MESSAGE_WRONG_LEN]);

/*
 * Lines "WEIGHT [METHOD] PATH [@BODYFILE]"; '#' begins a comment.
 */
int message_add_file(struct message_set *set, const struct message_http *common, const char *file,
		     char wrong[MESSAGE_WRONG_LEN]);

/* A raw request of @body_bytes bytes, @body or, when that is NULL, zeros; behind its length in
 * @prefix_bytes bytes, big-endian, 0: none. */
int message_add_raw(struct message_set *set, uint32_t prefix_bytes, const char *body,
		    size_t body_bytes, char wrong[MESSAGE_WRONG_LEN]);

/* After the last add: weights become shares. */
void message_finish(struct message_set *set, uint64_t seed);

/* Index of the message that request @seq sends. */
uint32_t message_pick(const struct message_set *set, uint64_t seq);

/* All of @path, at most MESSAGE_BODY_MAX bytes, to be freed. 0 or -errno (-EFBIG). */
int message_read_file(const char *path, char **ret, size_t *ret_bytes);

void message_free(struct message_set *set);

#endif
