/* SPDX-License-Identifier: BSD-2-Clause */
/* What the generator itself has used, and what was kept from it, as the kernel counts. */
#ifndef STANDSTILL_LOAD_COST_H
#define STANDSTILL_LOAD_COST_H

#include <stdint.h>

#define COST_UNKNOWN UINT64_MAX

struct cost {
	uint64_t cpu_ns;       /* of this process */
	uint64_t throttled_ns; /* of its cgroup, by CPU quota; COST_UNKNOWN: the kernel does not say
				*/
	uint64_t nr_throttled;
};

void cost_read(struct cost *ret);

/* @later - @earlier; what is unknown in one is unknown. */
struct cost cost_between(const struct cost *earlier, const struct cost *later);

#endif
