/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names by tid, of strangers too: those who woke a thread or ran ahead of it. Bounded: at NAMES_MAX
 * all are forgotten, and come again with the next segment of the recording.
 */
#ifndef STANDSTILL_TIMELINE_NAMES_H
#define STANDSTILL_TIMELINE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/event.h"
#include "user/base/map.h"

#define NAMES_MAX 65536

struct name {
	uint32_t tid, tgid;
	bool is_full; /* a Java thread's name in full */
	char text[EVENT_NAME_BYTES];
};

struct names {
	struct map by_tid;
};

/* The newest name replaces the older one. Returns 0 or -ENOMEM. */
int names_put(struct names *names, const struct name *name);

/* NULL: never named. */
const struct name *names_get(const struct names *names, uint32_t tid);

/* Whether @comm is what the kernel shows of a Java thread called @full: its start, or as JDK 27
 * shortens it. */
bool names_comm_fits(const char *full, const char *comm);

/* Copy text that need not be terminated; what is copied is, and the rest is filled with NUL. */
void names_copy(char *to, size_t size, const char *from, size_t from_size);

void names_free(struct names *names);

#endif
