/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two forms of a schedule share while they are read. Not for others: they include
 * schedule.h. */
#ifndef STANDSTILL_IMPORT_SCHEDULE_READER_H
#define STANDSTILL_IMPORT_SCHEDULE_READER_H

#include "user/import/schedule.h"
#include "user/import/schedule_codec.h"
#include "user/recording/scan.h"

enum csv_column {
	CSV_SEQ,
	CSV_CONN,
	CSV_INTENDED,
	CSV_SENT,
	CSV_FIRST,
	CSV_RECEIVED,
	CSV_STATUS,
	CSV_LABEL,
	CSV_KEY,
	CSV_FLAGS,
	CSV_LOCAL,
	CSV_PEER,
	CSV_OUT_FROM,
	CSV_OUT_TO,
	CSV_IN_FROM,
	CSV_IN_TO,
	CSV_CONN_WAIT,
	CSV_ERROR,
	NR_CSV_COLUMNS,
};

#define CSV_FIELDS_MAX 64

struct schedule_reader {
	struct scan scan; /* of the binary form; its input is the file in both */
	bool opened;
	struct schedule_health health;

	char *lines[SCHEDULE_META_MAX]; /* "key=value" */
	size_t nr_lines;
	char *labels[SCHEDULE_LABELS_MAX + 1]; /* by id; 0 is none */
	uint32_t nr_labels;
	struct schedule_anchor *anchors;
	size_t nr_anchors;

	/* The binary form. */
	struct schedule_codec codec;
	struct block_unpacker unpacker;
	struct schedule_request *requests; /* of the last block */
	uint32_t nr, at;

	/* CSV. */
	uint8_t columns[CSV_FIELDS_MAX]; /* of each field of a line: which column, NR_CSV_COLUMNS:
					    none of ours */
	size_t nr_columns;		 /* 0: the header line is still to come */
	uint64_t line;
	char *text; /* the line, its fields NUL-terminated in place */
	char *fields[CSV_FIELDS_MAX];
	const char *key;
};

/* A line "#key=value", with or without its '#'. What exceeds the limits is dropped. 0 or -ENOMEM.
 */
int schedule_take_meta(struct schedule_reader *r, const char *line);

/* The label called @name, made if it is new; 0 when there are too many. */
uint32_t schedule_intern_label(struct schedule_reader *r, const char *name);

int schedule_binary_open(struct schedule_reader *r); /* the input stands at the file header */
int schedule_binary_next(struct schedule_reader *r, struct schedule_request *ret);

int schedule_csv_open(struct schedule_reader *r);
int schedule_csv_next(struct schedule_reader *r, struct schedule_request *ret);

/* A decimal number up to SCHEDULE_NUMBER_MAX, all of @word; an empty word is SCHEDULE_UNKNOWN.
 * False: it is no such number. */
bool schedule_csv_number(const char *word, uint64_t *ret);

#endif
