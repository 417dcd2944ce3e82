/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index of a file whose writer did not write one: from the headers of its blocks, without
 * reading what is in them.
 */
#ifndef STANDSTILL_RECORDING_INDEX_SCAN_H
#define STANDSTILL_RECORDING_INDEX_SCAN_H

#include "user/recording/index.h"
#include "user/recording/input.h"

/*
 * Hostile input. Segments in *ret; its totals are 0. From where something else than a whole block
 * stands, the rest of the file is counted to the segment before it, which then may have any time.
 * 0, -EBADMSG when not even one block is found (or this is no file), -ENOMEM, or another -errno.
 */
int index_scan(struct input *in, struct index *ret);

#endif
