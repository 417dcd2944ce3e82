/* SPDX-License-Identifier: BSD-2-Clause */
/* The one clock of a run. Reading it enters no kernel where the clock source allows that. */
#ifndef STANDSTILL_LOAD_NOW_H
#define STANDSTILL_LOAD_NOW_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

#endif
