/* SPDX-License-Identifier: BSD-2-Clause */
/* The line that says how a run is going: requests in, once a second a line out on standard error.
 */
#ifndef STANDSTILL_LOAD_LIVE_H
#define STANDSTILL_LOAD_LIVE_H

#include <stdbool.h>
#include <stdint.h>

struct handover;
struct live;
struct schedule_request;

/* @lines: each on a line of its own, for a file; else over the last one. NULL when out of memory.
 */
struct live *live_new(bool lines);
void live_add(struct live *l, const struct schedule_request *request);
void live_print(struct live *l, const struct handover *h, uint64_t at_ns);
void live_end(struct live *l); /* frees it */

#endif
