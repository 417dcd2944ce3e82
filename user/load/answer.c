/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/load/answer.h"

/* 1: there is no body. http-parser knows that of 204 and 304 only while they name no length, which
 * 304 may (RFC 9110, 15.4.5). */
static int on_headers(http_parser *parser)
{
	const struct answer *a = parser->data;

	return a->head || parser->status_code == 204 || parser->status_code == 304;
}

static int on_whole(http_parser *parser)
{
	struct answer *a = parser->data;

	if (parser->status_code / 100 == 1 && parser->status_code != 101)
		return 0; /* interim: the answer follows */
	a->status = (uint16_t)parser->status_code;
	a->whole = true;
	a->last = !http_should_keep_alive(parser);
	http_parser_pause(parser, 1); /* what follows belongs to the next request */
	return 0;
}

void answer_begin(struct answer *a, const struct answer_format *format, bool head)
{
	*a = (struct answer){
		.format = format,
		.head = head,
		.left = format->fixed_bytes,
		.nr_prefix = format->protocol == PROTOCOL_PREFIX ? format->prefix_bytes : 0,
	};
	if (format->protocol == PROTOCOL_HTTP) {
		http_parser_init(&a->http, HTTP_RESPONSE);
		a->http.data = a;
	}
}

static enum answer_state feed_http(struct answer *a, const char *bytes, size_t nr, size_t *ret_used)
{
	static const http_parser_settings settings = {
		.on_headers_complete = on_headers,
		.on_message_complete = on_whole,
	};

	*ret_used = http_parser_execute(&a->http, &settings, bytes, nr);
	if (a->whole)
		return ANSWER_WHOLE;
	if (HTTP_PARSER_ERRNO(&a->http) != HPE_OK || a->http.upgrade)
		return ANSWER_MALFORMED;
	return ANSWER_MORE;
}

static enum answer_state feed_raw(struct answer *a, const char *bytes, size_t nr, size_t *ret_used)
{
	size_t used = 0;

	for (; a->nr_prefix > 0 && used < nr; a->nr_prefix--, used++) {
		a->length = a->length << 8 | (unsigned char)bytes[used];
		a->left = a->length;
	}
	*ret_used = used;
	if (a->nr_prefix > 0)
		return ANSWER_MORE;
	if (a->left > ANSWER_FRAME_MAX)
		return ANSWER_MALFORMED;
	if (nr - used < a->left) {
		a->left -= nr - used;
		*ret_used = nr;
		return ANSWER_MORE;
	}
	*ret_used = used + (size_t)a->left;
	a->left = 0;
	a->whole = true;
	return ANSWER_WHOLE;
}

enum answer_state answer_feed(struct answer *a, const char *bytes, size_t nr, size_t *ret_used)
{
	if (a->format->protocol == PROTOCOL_HTTP)
		return feed_http(a, bytes, nr, ret_used);
	return feed_raw(a, bytes, nr, ret_used);
}

enum answer_state answer_end(struct answer *a)
{
	size_t used;

	if (a->format->protocol == PROTOCOL_HTTP)
		feed_http(a, NULL, 0, &used);
	return a->whole ? ANSWER_WHOLE : ANSWER_MORE;
}
