/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the records look like, as data: one row a kind, one row a field. The file's codec, `dump`, the text form
 * that tests use and the schema written into each file all follow from this table; a new field or kind is a new
 * row here and nothing else. Knows the structs, nothing of files.
 */
#ifndef STANDSTILL_RECORDING_SCHEMA_H
#define STANDSTILL_RECORDING_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "user/recording/record.h"

enum field_type {
	FIELD_UNSIGNED, /* 2, 4 or 8 bytes */
	FIELD_SIGNED,	/* 2, 4 or 8 bytes, two's complement */
	FIELD_TEXT,	/* a char array, NUL-terminated and NUL-filled */
};

enum field_coding {
	CODE_PLAIN,   /* a varint (zigzag if signed), or length and bytes for text */
	CODE_STICKY,  /* only when it differs from the same thread's last record of this kind */
	CODE_TABLE,   /* as STICKY, and as an index into the segment's table of values */
	CODE_COUNT,   /* only when it is not the same thread's last value plus one */
	CODE_DELTA,   /* zigzag distance from hdr.ts_ns */
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

#endif
