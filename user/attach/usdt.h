/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arguments of a USDT note ("8@%rax -4@-60(%rbp)") as the cookie that tells the probes where
 * they are (bpf/usdt.h). The text is foreign input. Only x86-64, and what compilers write for
 * HotSpot: constants, registers, and memory at a small distance from one.
 */
#ifndef STANDSTILL_ATTACH_USDT_H
#define STANDSTILL_ATTACH_USDT_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/usdt.h"

/* Pack the arguments with the numbers @wanted (from 0, ascending), at most USDT_WORDS. 0, or
 * -EOPNOTSUPP: one is missing, or is somewhere else. */
int usdt_pack(const char *arguments, const uint8_t *wanted, size_t nr, uint64_t *ret);

#endif
