/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "tests/lib/random.h"
#include "user/recording/schema.h"

uint64_t random_next(uint64_t *state) /* splitmix64, Steele et al. 2014 */
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint64_t random_value(uint64_t *state)
{
	uint64_t random = random_next(state);

	switch (random & 7) {
	case 0:
		return 0;
	case 1:
		return random >> 3 & 7; /* small, and repeated soon */
	case 2:
		return UINT64_MAX;
	case 3:
		return 1ull << (random >> 3 & 63);
	default:
		return random >> (random >> 3 & 63);
	}
}

static void random_text(uint64_t *state, char *at, size_t bytes)
{
	size_t nr = random_next(state) % (random_next(state) & 1 ? 3 : bytes);

	for (size_t i = 0; i < nr; i++)
		at[i] = (char)(1 + random_next(state) % 255);
}

void random_record(uint64_t *state, const struct schema_kind *kind, void *ret)
{
	struct event_hdr *hdr = ret;

	memset(ret, 0, EVENT_BYTES_MAX);
	hdr->kind = kind->kind;
	hdr->size = kind->bytes;
	hdr->tid = (uint32_t)(random_next(state) & 1 ? random_next(state)
						     : 100 + random_next(state) % 4);
	for (size_t i = 0; i < kind->nr_fields; i++) {
		const struct schema_field *field = &kind->fields[i];

		if (field->type == FIELD_TEXT)
			random_text(state, (char *)ret + field->offset, field->bytes);
		else if (field->coding == CODE_PLACE && random_next(state) % 256)
			schema_set(field, ret, random_next(state) % 64); /* CPUs are few */
		else
			schema_set(field, ret, random_value(state));
	}
}
