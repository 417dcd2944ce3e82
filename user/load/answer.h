/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an answer ends. In: the bytes of a connection as they come; out: whether the answer that
 * began with them is whole, and how many of them are its own. HTTP/1.x is parsed by http-parser;
 * raw answers have a fixed length or begin with it. Knows nothing of sockets.
 */
#ifndef STANDSTILL_LOAD_ANSWER_H
#define STANDSTILL_LOAD_ANSWER_H

#include <http_parser.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWER_FRAME_MAX (1ull << 30) /* a longer one is taken for a misread length */

enum protocol {
	PROTOCOL_HTTP,
	PROTOCOL_FIXED,
	PROTOCOL_PREFIX,
};

struct answer_format {
	enum protocol protocol;
	uint64_t fixed_bytes;  /* FIXED */
	uint32_t prefix_bytes; /* PREFIX: 1, 2, 4 or 8, big-endian, not counting itself */
};

struct answer {
	const struct answer_format *format;
	http_parser http;
	uint64_t left;	    /* raw: bytes still to come, once the length is known */
	uint64_t length;    /* PREFIX: as far as it has come */
	uint32_t nr_prefix; /* PREFIX: its bytes still to come */
	uint16_t status;    /* of HTTP, once whole; else 0 */
	bool head;	    /* has no body, whatever it says */
	bool whole;
	bool last; /* the connection ends with it */
};

enum answer_state {
	ANSWER_MORE,
	ANSWER_WHOLE,
	ANSWER_MALFORMED,
};

void answer_begin(struct answer *a, const struct answer_format *format, bool head);

/* *ret_used of @nr bytes are the answer's. */
enum answer_state answer_feed(struct answer *a, const char *bytes, size_t nr, size_t *ret_used);

/* The connection has ended: WHOLE when that ends the answer, MORE when something is missing. */
enum answer_state answer_end(struct answer *a);

#endif
