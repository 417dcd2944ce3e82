/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heap around a short stretch that needs much of it. Loading probes parses all the kernel's
 * types, 11 MiB in two copies; allocated as it comes, each page of it is a page fault, and on a
 * virtual machine one costs up to 10 us: most of the time that attaching takes.
 */
#ifndef STANDSTILL_BASE_HEAP_H
#define STANDSTILL_BASE_HEAP_H

#include <stddef.h>

/* Some @bytes, 32 MiB at most, will be needed soon: let the heap grow by them at once, of huge
 * pages where the kernel has some to give. Nothing is promised, and nothing can fail. */
void heap_expect(size_t bytes);

/* The stretch is over: allocate as always, and give back what is free. */
void heap_settle(void);

#endif
