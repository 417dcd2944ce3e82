/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the JVM itself says of its safepoints: a file of -Xlog:safepoint=info:file=F:tn:filecount=0
 * (JDK 13 and later) in, exact times out. Knows nothing of recordings.
 *
 * Each line carries its own lengths and the distance to the line before ("Time since last" counts
 * from the previous end), in ns and without rounding, so all lines lie on one ruler. Its zero
 * follows from the stamps, which are CLOCK_MONOTONIC and taken just after each end: no end may be
 * later than its stamp, so the smallest distance fixes it. What remains unknown is the shortest
 * time from an end to its stamp, 1 to 3 us. A stamp alone is worse: the VM Thread may be preempted
 * before taking it.
 */
#ifndef STANDSTILL_LIVE_LOG_H
#define STANDSTILL_LIVE_LOG_H

#include <stddef.h>
#include <stdint.h>

struct logged {
	char name[64];
	uint64_t stamp_ns; /* of the line */
	uint64_t begin_ns, end_ns;
	uint64_t reaching_ns;
	uint64_t leave_ns; /* just before the threads are released; 0: neither logged nor seen */
};

struct safepoint_log {
	struct logged *lines; /* in order of time */
	size_t nr;
	uint64_t delay_ns; /* median distance from an end to its stamp, over the shortest */
};

/* Returns 0, or -errno; -EBADMSG with *ret_line, the number of a line that is no safepoint's, or
 * does not fit the ruler. */
int log_read(const char *path, struct safepoint_log *ret, size_t *ret_line);
/*
 * Where the log has no leave: take it from @path, times (ns, a line each, sorted) at which the JVM
 * came to the function that lets the threads go. Returns 0, or -errno; -EBADMSG with *ret_line.
 * Safepoints without such a time stay without.
 */
int log_add_releases(struct safepoint_log *log, const char *path, size_t *ret_line);

void log_free(struct safepoint_log *log);

#endif
