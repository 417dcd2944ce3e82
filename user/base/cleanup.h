/* SPDX-License-Identifier: BSD-2-Clause */
/* Resources freed where their variable goes out of scope. */
#ifndef STANDSTILL_BASE_CLEANUP_H
#define STANDSTILL_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(fn)   __attribute__((cleanup(fn)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void fclosep(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void freep(void *pointer)
{
	free(*(void **)pointer);
}

static inline void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#endif
