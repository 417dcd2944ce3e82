/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of `standstill dump`: a record as a line of JSON, and the counts of --stats. */
#ifndef STANDSTILL_CMD_DUMP_H
#define STANDSTILL_CMD_DUMP_H

#include <stddef.h>
#include <stdint.h>

#include "user/recording/record.h"

struct recording_reader;

#define DUMP_LINE_MAX 8192

/* @event as a JSON object without a newline: every field, numbers as numbers; bytes of a text that
 * are no UTF-8 become U+FFFD. Returns its length, or -ENOSPC, -EINVAL (unknown kind). */
int dump_json(const struct event_hdr *event, char *line, size_t size);

struct dump_stats {
	uint64_t nr[NR_RECORD_KINDS], nr_struct_bytes;
	uint64_t first_ns, last_ns;
};

void dump_stats_count(struct dump_stats *stats, const struct event_hdr *event);
void dump_stats_print(const struct dump_stats *stats, const struct recording_reader *r);

#endif
