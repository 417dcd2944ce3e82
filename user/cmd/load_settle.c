/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/cmd/load.h"

#define FRAME_MAX (64ull << 20)

static bool is_prefix_size(uint64_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* "FROM/TO" into two numbers, the second of which may be missing where @ret_second is known
 * already. */
static bool parse_pair(const char *word, uint64_t *ret_first, uint64_t *ret_second,
		       bool second_needed)
{
	char copy[64], *slash;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", word) >= sizeof(copy))
		return false;
	slash = strchr(copy, '/');
	if (slash)
		*slash++ = '\0';
	else if (second_needed)
		return false;
	return !units_parse_number(copy, 0, FRAME_MAX, ret_first) &&
	       (!slash || !units_parse_number(slash, 0, FRAME_MAX, ret_second));
}

static const char *settle_frame(struct load_command *c, const char *body, uint64_t body_bytes,
				char *wrong)
{
	struct answer_format *answers = &c->load.answers;
	uint64_t prefix = 0, in_bytes = 0;

	if (!c->frame)
		return "how do requests and answers look? say --frame fixed:OUT/IN or --frame "
		       "prefix:N/OUT";
	if (!strncmp(c->frame, "fixed:", 6) &&
	    parse_pair(c->frame + 6, &body_bytes, &in_bytes, true)) {
		if (body)
			return "--frame fixed sends zeros; for bytes of your own take --frame "
			       "prefix, or http";
		if (!in_bytes)
			return "an answer of no bytes cannot be waited for";
		answers->protocol = PROTOCOL_FIXED;
		answers->fixed_bytes = in_bytes;
	} else if (!strncmp(c->frame, "prefix:", 7) &&
		   parse_pair(c->frame + 7, &prefix, &body_bytes, false) &&
		   is_prefix_size(prefix)) {
		answers->protocol = PROTOCOL_PREFIX;
		answers->prefix_bytes = (uint32_t)prefix;
	} else {
		return "--frame is fixed:OUT/IN, or prefix:N or prefix:N/OUT with N of 1, 2, 4 or "
		       "8";
	}
	return message_add_raw(&c->load.messages, (uint32_t)prefix, body, body_bytes, wrong) ? wrong
											     : NULL;
}

static const char *settle_http(struct load_command *c, const char *body, size_t body_bytes,
			       char *wrong)
{
	struct message_http common = {
		.host = c->place.header,
		.method = c->method,
		.headers = c->headers,
		.nr_headers = c->nr_headers,
		.body = body,
		.body_bytes = body_bytes,
	};
	int error;

	if (c->frame)
		return "--frame is for raw targets, HOST:PORT without http://";
	if (c->urls)
		error = message_add_file(&c->load.messages, &common, c->urls, wrong);
	else
		error = message_add_http(&c->load.messages, &common, NULL, c->place.path, 1, wrong);
	return error ? wrong : NULL;
}

static const char *settle_messages(struct load_command *c, char *wrong)
{
	char *file CLEANUP(freep) = NULL;
	const char *body = c->body, *problem;
	size_t body_bytes = body ? strlen(body) : 0;
	int error;

	if (body && *body == '@') {
		error = message_read_file(body + 1, &file, &body_bytes);
		if (error) {
			snprintf(wrong, MESSAGE_WRONG_LEN, "cannot read %s: %s", body + 1,
				 strerror(-error));
			return wrong;
		}
		body = file;
	}
	if (!c->place.http && (c->method || c->urls || c->nr_headers))
		return "--method, --header and --urls are for http:// targets";
	problem = c->place.http ? settle_http(c, body, body_bytes, wrong)
				: settle_frame(c, body, body_bytes, wrong);
	message_finish(&c->load.messages, c->load.plan.seed);
	return problem;
}

static const char *settle_connections(struct load_options *o)
{
	if (o->pacing == PACING_BLOCKING) {
		if (o->nr_connections && o->nr_connections != o->nr_threads)
			return "--pacing blocking has one connection a thread; say --threads only";
		o->nr_connections = o->nr_threads;
		o->when_busy = BUSY_QUEUE;
		return NULL;
	}
	if (!o->nr_connections)
		o->nr_connections = o->nr_threads > 16 ? o->nr_threads : 16;
	if (o->nr_connections < o->nr_threads)
		return "each thread needs a connection: --connections is below --threads";
	if (o->when_busy == BUSY_OPEN && o->max_connections < o->nr_connections)
		return "--max-connections is below --connections";
	return NULL;
}

static const char *settle_rate(struct load_command *c, char *wrong)
{
	struct load_options *o = &c->load;
	const char *problem;

	if (!c->rate)
		return "how many requests a second? say --rate";
	o->duration_ns += o->warmup_ns;
	if (profile_parse(c->rate, o->duration_ns, &o->plan.profile, &problem)) {
		snprintf(wrong, MESSAGE_WRONG_LEN, "--rate %.200s: %s", c->rate, problem);
		return wrong;
	}
	o->plan.nr_threads = o->nr_threads;
	return NULL;
}

const char *load_settle(struct load_command *c, char wrong[MESSAGE_WRONG_LEN])
{
	const char *problem;

	if (!c->target)
		return "where to? say http://HOST:PORT/PATH or HOST:PORT";
	problem = target_parse(c->target, &c->place);
	if (problem) {
		snprintf(wrong, MESSAGE_WRONG_LEN, "%.200s: %s", c->target, problem);
		return wrong;
	}
	problem = settle_rate(c, wrong);
	if (!problem)
		problem = settle_connections(&c->load);
	return problem ? problem : settle_messages(c, wrong);
}
