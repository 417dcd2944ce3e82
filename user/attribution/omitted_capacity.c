/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/attribution/omitted.h"

int omitted_capacity_from_cpu(const struct omitted_cpu *cpu, struct omitted_capacity *ret)
{
	uint64_t serving_ns, cores = cpu->millicores;

	if (!cpu->nr_requests || !cores || cpu->busy_ns <= cpu->gc_ns ||
	    cpu->busy_ns - cpu->gc_ns <= cpu->other_ns)
		return -ENODATA;
	serving_ns = cpu->busy_ns - cpu->gc_ns;
	for (int speed = 0; speed < NR_OMITTED_SPEEDS; speed++) {
		uint64_t ns = speed == OMITTED_FAST   ? serving_ns - cpu->other_ns
			      : speed == OMITTED_SLOW ? cpu->busy_ns
						      : serving_ns;

		ret->service_ns[speed] =
			(uint64_t)((unsigned __int128)ns * 1000 / cores / cpu->nr_requests);
	}
	return 0;
}

void omitted_shares(const struct omitted_found *found, uint64_t duration_ns, uint64_t service_ns,
		    uint64_t planned_ahead_ns, struct omitted_shares *ret)
{
	double rho = (double)service_ns * (double)found->nr_outside / (double)found->outside_ns;
	double paused = (double)found->pause_ns / (double)duration_ns;
	double flight_ns = (double)found->base_ns + (double)planned_ahead_ns / 2;

	*ret = (struct omitted_shares){
		.hit_measured = flight_ns * (double)found->nr_pauses / (double)duration_ns,
		.hit_all = paused >= 1 - rho ? 1 : paused / (1 - rho),
	};
	if (!found->nr_pauses)
		ret->hit_measured = ret->hit_all = 0;
	if (ret->hit_measured >= ret->hit_all)
		return;
	ret->from = 1 - ret->hit_all;
	ret->to = 1 - ret->hit_measured;
}
