/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which futex word is the safepoint barrier's, and which the lock's of the VM Thread's queue: not
 * known at first, learnt from who wakes and who waits. A few words with the evidence for each.
 */
#ifndef STANDSTILL_TIMELINE_FUTEX_WORDS_H
#define STANDSTILL_TIMELINE_FUTEX_WORDS_H

#include <stddef.h>
#include <stdint.h>

#define WORDS_MAX 8

struct word {
	uint64_t uaddr;
	uint64_t nr_wakes; /* by the VM Thread, of everybody, when it held 0 */
	uint64_t nr_waits; /* by others, for an odd number, ended by the VM Thread */
};

/* The entry of @uaddr, made when there is none; the one with the least evidence makes room. */
struct word *words_entry(struct word words[WORDS_MAX], size_t *nr, uint64_t uaddr);

/* NULL: none was woken. */
const struct word *words_most_woken(const struct word *words, size_t nr);

/* The barrier's word as far as the evidence goes; 0: not enough. Waits of others are proof, many
 * wakes nearly so. */
uint64_t words_judge(const struct word *words, size_t nr);

#endif
