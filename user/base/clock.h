/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CLOCK_MONOTONIC to wall-clock time, from pairs of readings: by the nearer of the first and the
 * last one. They differ where the wall clock was stepped or slewed in between; step_ns says by how
 * much at most.
 */
#ifndef STANDSTILL_BASE_CLOCK_H
#define STANDSTILL_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock_pair {
	uint64_t monotonic_ns, realtime_ns;
};

struct clock {
	struct clock_pair first, last;
	uint64_t error_ns; /* half the widest bracket */
	uint64_t step_ns;  /* largest difference between two pairs' distances on either clock */
	uint64_t nr;
};

#define CLOCK_BYTES 80

/* One bracketed reading: monotonic before, realtime, monotonic after. False when it contradicts
 * itself, and is ignored. */
bool clock_add(struct clock *clock, uint64_t before_ns, uint64_t realtime_ns, uint64_t after_ns);

/* False when there was no reading. */
bool clock_wall(const struct clock *clock, uint64_t monotonic_ns, uint64_t *ret_realtime_ns);

/* "2026-11-30 18:01:23.456 UTC", whatever the locale and time zone. */
char *clock_print(char buffer[CLOCK_BYTES], uint64_t realtime_ns);

#endif
