/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record as one line of text and back, without loss: `ts_ns kind tid field=value ...` in the
 * order of schema.h, fields that are 0 or empty left out; text values in double quotes with C
 * escapes. What `dump` prints and what tests are written in.
 */
#ifndef STANDSTILL_RECORDING_TEXT_H
#define STANDSTILL_RECORDING_TEXT_H

#include <stddef.h>

#include "user/recording/record.h"

#define TEXT_LINE_MAX 4096

/* Print @event into @line, NUL-terminated, no newline. Returns its length, or -ENOSPC, -EINVAL
 * (unknown kind). */
int text_print(const struct event_hdr *event, char *line, size_t size);

/* Parse @line into @ret (EVENT_BYTES_MAX bytes). Returns 0, -ENOENT for an empty or comment ('#')
 * line, or -EINVAL with *ret_error naming what is wrong, in a static string. */
int text_parse(const char *line, struct event_hdr *ret, const char **ret_error);

#endif
