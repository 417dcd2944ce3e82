/* SPDX-License-Identifier: BSD-2-Clause */
/* A CSV with a header line, by columns' names: quotes as in RFC 4180, one row a line. Knows no
 * column. */
#ifndef STANDSTILL_LIVE_TABLE_H
#define STANDSTILL_LIVE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table;

/* Returns 0, or -errno; -ENODATA when there is no header. */
int table_open(const char *path, struct table **ret);

/* The number of the column called @name, or -1. */
int table_column(const struct table *t, const char *name);

/* 1: a row was read, 0: there is none, -EBADMSG: a row with another number of fields than the
 * header, or a bad quote. */
int table_next(struct table *t);

const char *table_text(const struct table *t, int column);

/* 0 for an empty field. False when it is no number. */
bool table_number(const struct table *t, int column, uint64_t *ret);

size_t table_line(const struct table *t); /* of the current row, from 1 */
void table_free(struct table *t);

#endif
