/* SPDX-License-Identifier: BSD-2-Clause */
/* The most recent pauses, and which of them a request lay in. Of fixed size. The inside of
 * requests.h; nobody else includes it. */
#ifndef STANDSTILL_TIMELINE_REQUEST_PAUSES_H
#define STANDSTILL_TIMELINE_REQUEST_PAUSES_H

#include "user/timeline/pauses.h"
#include "user/timeline/request.h"

#define REQUEST_PAUSES_KEPT 4096

struct recent_pause {
	uint64_t nr, begin_ns, release_ns;
	uint32_t tgid;
	char operation[EVENT_NAME_BYTES], cause[EVENT_CAUSE_BYTES];
};

struct request_pauses { /* {0} is an empty one */
	struct recent_pause *ring;
	uint64_t nr; /* ever put */
};

/* 0 or -ENOMEM. */
int request_pauses_put(struct request_pauses *recent, const struct pause *pause);

/* Fill in @request->pauses from [begin_ns, end_ns) of its process. */
void request_pauses_add(const struct request_pauses *recent, struct request *request);

void request_pauses_free(struct request_pauses *recent);

#endif
