/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a file before all of it has been read: by way of the trailer at its end. */
#ifndef STANDSTILL_RECORDING_INDEX_LOAD_H
#define STANDSTILL_RECORDING_INDEX_LOAD_H

#include "user/recording/index.h"
#include "user/recording/input.h"

/* 0, or a negative errno: there is none, it is damaged, it holds no segment, or @in cannot be
 * sought. */
int index_load(const struct input *in, struct index *ret);

#endif
