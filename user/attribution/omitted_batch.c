/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/attribution/omitted_batch.h"

int batch_init(struct batch *b, size_t connections)
{
	b->numbers = calloc(connections, sizeof(b->numbers[0]));
	b->finishes_ns = calloc(connections, sizeof(b->finishes_ns[0]));
	b->room = connections;
	return b->numbers && b->finishes_ns ? 0 : -ENOMEM;
}

void batch_free(struct batch *b)
{
	free(b->numbers);
	free(b->finishes_ns);
}

bool batch_is_over(const struct batch *b, uint64_t arrival_ns)
{
	return b->nr_all && (b->nr_all == b->room || arrival_ns > b->start_ns);
}

void batch_join_fixed(struct batch *b, uint64_t start_ns)
{
	if (!b->nr_all)
		b->start_ns = start_ns;
	b->nr_all++;
}

void batch_join(struct batch *b, uint64_t start_ns, uint64_t number, uint64_t finish_ns)
{
	batch_join_fixed(b, start_ns);
	b->numbers[b->nr] = number;
	b->finishes_ns[b->nr++] = finish_ns;
}

static uint64_t draw(uint64_t *state) /* splitmix64, Steele et al. 2014 */
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

void batch_shuffle(struct batch *b) /* Fisher and Yates */
{
	for (size_t i = b->nr; i > 1; i--) {
		size_t other = draw(&b->random) % i;
		uint64_t finish_ns = b->finishes_ns[i - 1];

		b->finishes_ns[i - 1] = b->finishes_ns[other];
		b->finishes_ns[other] = finish_ns;
	}
}

void batch_clear(struct batch *b)
{
	b->nr = b->nr_all = 0;
}
