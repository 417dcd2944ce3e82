/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/attribution/queue_backlog.h"

#define BEFORE(cause) (QUEUE_MASK(cause) - 1)

const uint32_t queue_backlog_masks[NR_QUEUE_CAUSES] = {
	BEFORE(QUEUE_PAUSE),	 BEFORE(QUEUE_STOPPED),	   BEFORE(QUEUE_THROTTLED),
	BEFORE(QUEUE_LOCK),	 BEFORE(QUEUE_DOWNSTREAM), BEFORE(QUEUE_RUN_QUEUE),
	BEFORE(QUEUE_GENERATOR), BEFORE(QUEUE_LOAD),
};

void queue_backlog(const struct queue_span spans[NR_QUEUE_CAUSES], uint64_t arrival_ns,
		   uint64_t taken_ns, struct queue_backlog *ret)
{
	*ret = (struct queue_backlog){
		.wait_ns = (int64_t)(taken_ns - arrival_ns),
		.misfit_ns = (int64_t)(taken_ns - spans[0].start_ns),
	};
	for (unsigned int cause = 0; cause < NR_QUEUE_CAUSES; cause++) {
		uint64_t without_ns = cause == QUEUE_LOAD ? arrival_ns : spans[cause + 1].start_ns;
		int64_t part_ns = (int64_t)(spans[cause].start_ns - without_ns);

		if (part_ns < 0) {
			ret->misfit_ns += part_ns;
			ret->nr_negative++;
		} else {
			ret->of_ns[cause] = (uint64_t)part_ns;
		}
	}
}
