/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Where the arguments of a USDT probe are, packed into its cookie: three words of 21 bits, the
 * first lowest. user/attach/usdt.c packs them, the probes unpack them.
 */
#ifndef STANDSTILL_USDT_H
#define STANDSTILL_USDT_H

#ifdef __bpf__
#include "vmlinux.h"
#else
#include <linux/types.h>
#endif

#define USDT_WORDS     3
#define USDT_WORD_BITS 21

/* A word, its lowest bits first. */
#define USDT_NUMBER_BITS    11 /* signed: the constant, or what is added to the register */
#define USDT_REGISTER_SHIFT 11 /* 5 bits: the place in struct pt_regs, in units of 8 bytes */
#define USDT_SIZE_SHIFT	    16 /* 2 bits: how often 1 byte is doubled */
#define USDT_SIGNED_SHIFT   18 /* 1 bit */
#define USDT_KIND_SHIFT	    19 /* 2 bits */

enum usdt_kind { USDT_NOTHING, USDT_CONSTANT, USDT_REGISTER, USDT_MEMORY };

static inline __u32 usdt_word(__u64 cookie, __u32 index)
{
	return (cookie >> (index * USDT_WORD_BITS)) & ((1u << USDT_WORD_BITS) - 1);
}

static inline enum usdt_kind usdt_kind(__u32 word)
{
	return (enum usdt_kind)(word >> USDT_KIND_SHIFT);
}

static inline __u32 usdt_register(__u32 word)
{
	return word >> USDT_REGISTER_SHIFT & 31;
}

static inline __s64 usdt_number(__u32 word)
{
	return (__s64)((__u64)word << (64 - USDT_NUMBER_BITS)) >> (64 - USDT_NUMBER_BITS);
}

/* The argument out of the 8 bytes that begin with it. */
static inline __s64 usdt_narrow(__u32 word, __u64 bytes)
{
	__u32 unused = 64 - (8u << (word >> USDT_SIZE_SHIFT & 3));

	if (word >> USDT_SIGNED_SHIFT & 1)
		return (__s64)(bytes << unused) >> unused;
	return (__s64)(bytes << unused >> unused);
}

#endif
