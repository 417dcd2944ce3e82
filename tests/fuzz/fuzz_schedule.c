/* SPDX-License-Identifier: BSD-2-Clause */
/* A schedule, binary or CSV, is whatever somebody's tool has written. It must be read to its end,
 * and every label exist. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/import/schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("schedule", MFD_CLOEXEC);
	struct schedule_reader *r;
	struct schedule_request request;
	char path[64];

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!schedule_open(path, &r)) {
		while (schedule_next(r, &request) > 0) {
			assert(strlen(schedule_label(r, request.label)) < SCHEDULE_LINE_MAX);
			assert(strlen(schedule_key(r)) < SCHEDULE_LINE_MAX);
			assert(request.intended_ns == SCHEDULE_UNKNOWN ||
			       request.intended_ns <= SCHEDULE_NUMBER_MAX);
		}
		schedule_reader_free(r);
	}
	close(fd);
	return 0;
}
