/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A schedule second by second: requests in, hlog lines out, tagged "response" and "service". A
 * request belongs to the second in which its answer came. Files are ordered by that roughly, so two
 * seconds are kept open; what comes later still goes into the older one.
 */
#ifndef STANDSTILL_LOAD_INTERVALS_H
#define STANDSTILL_LOAD_INTERVALS_H

#include <stdint.h>
#include <stdio.h>

struct intervals;
struct schedule_request;

/* Intervals begin at @start_ns of the requests' clock. NULL when out of memory. */
struct intervals *intervals_new(FILE *to, uint64_t start_ns);
int intervals_add(struct intervals *i, const struct schedule_request *request); /* 0 or -ENOMEM */
int intervals_end(struct intervals *i); /* write what is open, and free. 0 or -ENOMEM */

#endif
