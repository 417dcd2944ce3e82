/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A burst served in random order: those that wait when a server turns to its connections, at most
 * one a connection, come out in any order (Selector.selectedKeys() is a hash set). In: requests in
 * order, with the start and finish each has first come, first served; the finishes of a batch are
 * dealt out anew. What is fixed (measured: its place is in its own response time) takes a place and
 * keeps its finish. Repeatable: the same batches come out the same.
 */
#ifndef STANDSTILL_ATTRIBUTION_OMITTED_BATCH_H
#define STANDSTILL_ATTRIBUTION_OMITTED_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct batch {
	uint64_t *numbers, *finishes_ns;
	size_t nr, room; /* of those to be dealt out */
	size_t nr_all;	 /* with the fixed ones */
	uint64_t start_ns;
	uint64_t random;
};

int batch_init(struct batch *b, size_t connections); /* 0 or -ENOMEM */
void batch_free(struct batch *b);

/* Whether a request that arrives at @arrival_ns belongs to the next one. */
bool batch_is_over(const struct batch *b, uint64_t arrival_ns);

void batch_join(struct batch *b, uint64_t start_ns, uint64_t number, uint64_t finish_ns);
void batch_join_fixed(struct batch *b, uint64_t start_ns);

void batch_shuffle(struct batch *b);
void batch_clear(struct batch *b);

#endif
