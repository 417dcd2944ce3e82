/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the records look like, as data: one row a kind, one row a field. The file's codec, `dump`,
 * the text form that tests use and the schema written into each file all follow from this table; a
 * new field or kind is a new row here and nothing else. Knows the structs, nothing of files.
 */
#ifndef STANDSTILL_RECORDING_SCHEMA_H
#define STANDSTILL_RECORDING_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "user/recording/record.h"

enum field_type {
	FIELD_UNSIGNED = 0, /* 2, 4 or 8 bytes */
	FIELD_SIGNED = 1,   /* 2, 4 or 8 bytes, two's complement */
	FIELD_TEXT = 2,	    /* a char array, NUL-terminated and NUL-filled */
	NR_FIELD_TYPES
};

/*
 * How a field is predicted: only where the prediction fails is anything written (docs/recording.md,
 * "Coding"). Written into every file: append only, never renumbered.
 */
enum field_coding {
	CODE_PLAIN = 0, /* 0, or an empty text */
	CODE_STICKY =
		1, /* as in the last record of the same stream (kind, tid and CONTEXT fields) */
	CODE_TABLE =
		2, /* as STICKY; otherwise an index into the block's table of this field's values */
	CODE_COUNT = 3, /* one more than in the last record of the same thread */
	CODE_DELTA = 4, /* a time, as STICKY; otherwise its distance from hdr.ts_ns */
	CODE_GROW =
		5, /* as STICKY; otherwise the difference to the last record of the same stream */
	CODE_CONTEXT = 6, /* part of what makes a stream: never written again */
	CODE_SPAN = 7, /* a duration up to hdr.ts_ns, since an AHEAD field last named this thread */
	CODE_PART = 8, /* the same as the field before it */
	CODE_PLACE = 9,	  /* as STICKY; the CPU that the thread is on from hdr.ts_ns */
	CODE_AHEAD = 10,  /* as TABLE, where 1 is who came onto that CPU last; names who left it */
	CODE_FOLLOW = 11, /* what it was when the TABLE or AHEAD field before had the same index */
	CODE_REST = 12,	  /* as SPAN; otherwise how long the thread ran before it: since its last
			     record */
	NR_CODINGS
};

enum field_unit { UNIT_NONE, UNIT_NS, UNIT_BYTES, UNIT_ADDRESS };

struct schema_field {
	const char *name;
	uint16_t offset; /* in the struct */
	uint16_t bytes;
	uint8_t type;	/* enum field_type */
	uint8_t coding; /* enum field_coding */
	uint8_t unit;	/* enum field_unit, for people */
};

struct schema_kind {
	uint16_t kind;
	uint16_t bytes; /* sizeof the struct */
	const char *name;
	const struct schema_field *fields; /* all but the header's */
	size_t nr_fields;
};

/* The row of @kind, or NULL for one this version does not know. */
const struct schema_kind *schema_kind(uint16_t kind);

/* The row called @name, or NULL. */
const struct schema_kind *schema_named(const char *name);

/* All rows, in order of kind; *ret_nr is their number. */
const struct schema_kind *schema_kinds(size_t *ret_nr);

/* The value of a numeric field of @record, sign-extended. */
uint64_t schema_get(const struct schema_field *field, const void *record);

/* Store @value; what does not fit the field is cut off. */
void schema_set(const struct schema_field *field, void *record, uint64_t value);

#endif
