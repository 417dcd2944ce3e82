/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pointers of ZGC, told what they mean from outside. ZGC moves objects while Java runs, and mends a
 * pointer only when somebody loads it or the next marking comes by. Metadata bits say how far a
 * pointer is mended; for one that is not, ZGC's forwarding tables say where its object went. Both
 * ZGCs: of one generation (JDK 11 to 23; called X in 21), and generational (21 and later).
 */
#ifndef STANDSTILL_ATTACH_JAVAHEAP_Z_H
#define STANDSTILL_ATTACH_JAVAHEAP_Z_H

#include <stdbool.h>
#include <stdint.h>

struct jvm;
struct vmstructs;

#define JAVA_Z_VARIABLES 6

enum java_z_generation { JAVA_Z_YOUNG, JAVA_Z_OLD, NR_JAVA_Z_GENERATIONS };

/* ZGC's own variables that change when a phase begins; those a ZGC has not are 0. */
struct java_z_phase {
	uint64_t good_mask, bad_mask, weak_bad_mask, shift, young_mask, old_mask;
};

struct java_z {
	uint32_t tgid;
	bool generational;
	uint64_t phase_at[JAVA_Z_VARIABLES]; /* where they are, in the order of the struct; 0: none
					      */
	struct java_z_phase phase;	     /* their values since java_z_begin */
	uint64_t offset_mask; /* the bits of an address that are its offset in the heap */
	uint32_t granule_shift;
	uint64_t maps[NR_JAVA_Z_GENERATIONS]; /* of granule to ZForwarding; 0: not known. The one
						 ZGC of a kind: young */
	uint64_t start_at, alignment_at, nr_entries_at, entries_at; /* in ZForwarding */
};

/* 0, -EOPNOTSUPP, or as target_memory_read. */
int java_z_open(const struct jvm *jvm, const struct vmstructs *tables, bool generational,
		struct java_z *ret);

/* Between begin and a still() that is true no phase has begun, so that what pointers meant at first
 * they mean at last. */
int java_z_begin(struct java_z *z);
bool java_z_still(const struct java_z *z);

/* Where the object is that the stored pointer @raw leads to; 0 for null. 0, -EAGAIN (it cannot be
 * told now), or as target_memory_read. */
int java_z_address(const struct java_z *z, uint64_t raw, uint64_t *ret);

#endif
