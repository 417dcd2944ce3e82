/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of another process, read only, while it runs (process_vm_readv): addresses in, bytes
 * out. Never stops it. Nothing read here may be believed: the process writes meanwhile, and may be
 * hostile.
 */
#ifndef STANDSTILL_ATTACH_TARGET_MEMORY_H
#define STANDSTILL_ATTACH_TARGET_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* All @bytes at @address or nothing: 0, -EFAULT (not all is mapped), -ESRCH, -EACCES. */
int target_memory_read(uint32_t tgid, uint64_t address, void *buffer, size_t bytes);

/* A text of at most @bytes - 1 characters, cut if longer. Returns its length, or as above. */
int target_memory_text(uint32_t tgid, uint64_t address, char *buffer, size_t bytes);

#endif
