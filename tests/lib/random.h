/* SPDX-License-Identifier: BSD-2-Clause */
/* Random records for tests. Repeatable: the state is the caller's, and starts with a number of the
 * test's choice. */
#ifndef STANDSTILL_TESTS_RANDOM_H
#define STANDSTILL_TESTS_RANDOM_H

#include <stdint.h>

#include "user/recording/record.h"

struct schema_kind;

uint64_t random_next(uint64_t *state);

/* Fill @ret (EVENT_BYTES_MAX bytes) with a record of @kind: small, large and repeated values in
 * every field, texts of every length, ended and filled with NUL; reserved bytes 0. Its time is 0.
 */
void random_record(uint64_t *state, const struct schema_kind *kind, void *ret);

#endif
