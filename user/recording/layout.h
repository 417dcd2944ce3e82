/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the records in a file look like, which need not be what this version's look like: the schema
 * that the file carries, checked, and how to turn its records into ours. In: schema.h, or the bytes
 * of a schema block. Out: a plan a kind, which the codec follows. Each record is an image of the
 * file's struct; where that is ours as well, the image is the record.
 */
#ifndef STANDSTILL_RECORDING_LAYOUT_H
#define STANDSTILL_RECORDING_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "user/recording/buffer.h"
#include "user/recording/schema.h"

#define LAYOUT_KINDS_MAX  128
#define LAYOUT_FIELDS_MAX 64 /* a bit each in a mask */
#define LAYOUT_NO_FIELD	  255
#define LAYOUT_BYTES_MAX  65536

struct layout_plan {
	const struct schema_kind *file; /* as the file has it */
	const struct schema_kind *own;	/* as this version has it; NULL: unknown here */
	bool same;			/* the file's image is our record */
	uint64_t context;		/* CONTEXT fields, a bit each */
	bool rests;			/* has a REST field */
	uint64_t active;		/* fields that need work even where the prediction holds */
	uint8_t leader[LAYOUT_FIELDS_MAX]; /* of a FOLLOW field: the TABLE or AHEAD field before it
					    */
	uint8_t from[LAYOUT_FIELDS_MAX];   /* of a field of own: the file's, or LAYOUT_NO_FIELD */
};

struct layout {
	struct schema_kind *kinds; /* the file's; NULL when they are schema.h's own */
	struct layout_plan *plans;
	size_t nr;
	uint32_t crc; /* of its bytes: the name that blocks call it by */
};

/* The layout of this version. 0 or -ENOMEM. */
int layout_own(struct layout *ret);

/* The layout in the bytes of a schema block: hostile input. 0, -ENOMEM, or -EBADMSG. */
int layout_parse(const uint8_t *bytes, size_t nr, struct layout *ret);

/* The bytes that describe this version's records, or those of any other table of kinds. */
void layout_print(struct buffer *out);
void layout_print_kinds(const struct schema_kind *kinds, size_t nr, struct buffer *out);

/* Our record of a file's image: every field of the same name, 0 where the file has none. @plan->own
 * must be known. */
void layout_convert(const struct layout_plan *plan, const void *image, void *ret);

void layout_free(struct layout *layout);

#endif
