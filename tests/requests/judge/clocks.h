/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the capture's clock (CLOCK_REALTIME) to the recording's (CLOCK_MONOTONIC), by the readings
 * of both that a recording holds. Between two readings the offset is taken to change evenly.
 */
#ifndef STANDSTILL_TESTS_CLOCKS_H
#define STANDSTILL_TESTS_CLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "user/recording/record.h"

struct clock_reading {
	uint64_t realtime_ns;
	int64_t offset_ns; /* realtime - monotonic */
	uint64_t error_ns; /* half the width of the bracket */
};

struct clocks {
	struct clock_reading *readings; /* in order of time */
	size_t nr, size;
};

/* 0, -ENOMEM, or -EINVAL: a bracket that ends before it begins, or runs backwards. */
int clocks_add(struct clocks *clocks, const struct record_clock *record);

/* There must be a reading. */
uint64_t clocks_monotonic(const struct clocks *clocks, uint64_t realtime_ns);

/* The most that a mapped time can be off at a reading. */
uint64_t clocks_error(const struct clocks *clocks);

/* The largest change of the offset from one reading to the next: a step of the clock, or its
 * drift. */
uint64_t clocks_step(const struct clocks *clocks);

#endif
