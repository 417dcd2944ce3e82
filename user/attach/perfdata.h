/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hsperfdata, the memory HotSpot keeps its own counters in: bytes in, places and values of counters
 * out. The parser trusts nothing of its input: no offset, length or terminator. Layout:
 * perfMemory.hpp of the JDK, version 2.0.
 */
#ifndef STANDSTILL_ATTACH_PERFDATA_H
#define STANDSTILL_ATTACH_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/event.h"
#include "user/attach/jvm.h"

struct perfdata_entry {
	const char *name; /* NUL-terminated, inside the input */
	char type;	  /* 'J': one jlong; 'B': a text */
	uint32_t offset;  /* of the data, from the start of the input */
	uint32_t bytes;	  /* of the data: 8, or the length of the text's array */
	const uint8_t *data;
};

typedef void perfdata_fn(void *arg, const struct perfdata_entry *entry);

/*
 * Hand every entry of @bytes of hsperfdata at @data to @fn; entries of other types are left out.
 * Returns 0, or -EBADMSG: it is no hsperfdata of version 2, of the other byte order, or an entry
 * points outside; entries before the bad one were given.
 */
int perfdata_parse(const uint8_t *data, size_t bytes, perfdata_fn *fn, void *arg);

/* Bytes in use according to the prologue @data (at least 32 bytes); 0: it is no hsperfdata. */
uint32_t perfdata_used(const uint8_t *data, size_t bytes);

/* Copy a text entry into @buffer, cut and NUL-terminated, control characters replaced by '?'. */
void perfdata_text(const struct perfdata_entry *entry, char *buffer, size_t buffer_bytes);

/* The counters at one instant, between the two clock readings (CLOCK_MONOTONIC). */
struct perfdata_snapshot {
	uint64_t before_ns, after_ns;
	uint32_t valid; /* enum jvm_counter_flag */
	uint64_t safepoints, sync_ns, safepoint_time_ns, gc_invocations;
	char cause[EVENT_CAUSE_BYTES], last_cause[EVENT_CAUSE_BYTES];
};

/* Read the counters of @jvm now. 0 with at least one valid, -ENODATA: it keeps none, -ESRCH: it is
 * gone, -EACCES. */
int perfdata_snapshot(const struct jvm *jvm, struct perfdata_snapshot *ret);

#endif
