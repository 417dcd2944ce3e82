/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's guess at a record, from what its decoder knows: see enum field_coding in schema.h.
 * A part of encode.c. */
#ifndef STANDSTILL_RECORDING_PREDICT_H
#define STANDSTILL_RECORDING_PREDICT_H

#include "user/recording/encode.h"

/* A value as the file has it: signed ones fold, so that small ones of either sign are small. */
static inline uint64_t encoder_folded(const struct schema_field *field, uint64_t value)
{
	return field->type == FIELD_SIGNED ? zigzag(value) : value;
}

/*
 * Which fields of @record are not as @stream and the rest of the model predict: a bit each.
 * Afterwards the model knows the record, but for the stream's image. New values of tables go to the
 * LITERAL column. 0, -ENOMEM or -ENOBUFS.
 */
int encoder_predict(struct encoder *e, struct model_stream *stream, const struct event_hdr *record,
		    uint64_t *ret_missed);

#endif
