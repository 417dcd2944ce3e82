/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON, streamed: nothing is kept but how deep it is. Text that is no UTF-8 comes out with U+FFFD
 * in its place, so that what is written is always JSON.
 */
#ifndef STANDSTILL_OUTPUT_JSON_H
#define STANDSTILL_OUTPUT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *to;
	bool begun; /* the innermost object or array has a member */
};

/* @key NULL: a member of an array, or the outermost value. */
void json_open(struct json *json, const char *key, char bracket);     /* '{' or '[' */
void json_close(struct json *json, char bracket);		      /* '}' or ']' */
void json_text(struct json *json, const char *key, const char *text); /* NULL: null */
void json_number(struct json *json, const char *key, uint64_t number);
void json_known(struct json *json, const char *key, bool known,
		uint64_t number); /* null when not known */
void json_bool(struct json *json, const char *key, bool value);
void json_end_line(struct json *json);

#endif
