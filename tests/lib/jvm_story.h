/* SPDX-License-Identifier: BSD-2-Clause */
/* A JVM's part of a story (tests/lib/story.h): its threads, and pauses by its own probes.
 * Process 5. */
#ifndef STANDSTILL_TESTS_JVM_STORY_H
#define STANDSTILL_TESTS_JVM_STORY_H

#include <stdint.h>

#include "tests/lib/story.h"

/* VM Thread 10, application threads 11 and 12 on a CPU, 13 in epoll, GC worker 14 parked, at 1000.
 */
void jvm_cast(struct story *story);

/* The VM Thread is woken for the first time, at 1989000; without it, it would have no spans of its
 * own. */
void jvm_vm_thread_wakes(struct story *story);

/*
 * A pause that begins at 2000000: 12 reaches its barrier by 10 us, 11 by 60 us, which the VM Thread
 * sees at 90 us. The operation takes until 500 us, 11 and 12 are woken 3 us later, and back 20 and
 * 40 us after that. The JVM's counters are right; it is number 8.
 */
void jvm_collects(struct story *story);

/* A pause without counters that nobody waits for: the operation 5 to 6 us after @at_ns, the end
 * probe at 30 us. */
void jvm_cleans_up(struct story *story, uint64_t at_ns);

/* The pause number @nr that was found, from 0. Fails the test when there is none. */
const struct pause *jvm_pause(const struct story *story, size_t nr);

#endif
