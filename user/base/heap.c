/* SPDX-License-Identifier: BSD-2-Clause */
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/base/heap.h"

#define DEFAULT_THRESHOLD (128 << 10) /* mallopt(3) */
#define HUGE_PAGE	  ((uintptr_t)2 << 20)

/* Neither from elsewhere, nor given back when free. */
static bool keep_in_heap(size_t bytes)
{
	return mallopt(M_MMAP_THRESHOLD, (int)bytes + 4096) && mallopt(M_TRIM_THRESHOLD, INT32_MAX);
}

void heap_expect(size_t bytes)
{
	uintptr_t from = (uintptr_t)sbrk(0), to;
	void *volatile grow; /* whatever the compiler makes of what nobody uses */

	if (!keep_in_heap(bytes))
		return;
	grow = malloc(bytes);
	free(grow);
	from = (from + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	to = (uintptr_t)sbrk(0) & ~(HUGE_PAGE - 1);
	if (from < to)
		(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void heap_settle(void)
{
	mallopt(M_MMAP_THRESHOLD, DEFAULT_THRESHOLD);
	mallopt(M_TRIM_THRESHOLD, DEFAULT_THRESHOLD);
	malloc_trim(0);
}
