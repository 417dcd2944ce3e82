/* SPDX-License-Identifier: BSD-2-Clause */
/* hsperfdata is what the target makes it. Every entry given out must lie inside the input. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "user/attach/perfdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t size;
};

static void check_entry(void *arg, const struct perfdata_entry *entry)
{
	const struct input *input = arg;
	char small[8], large[4096];

	assert(entry->type == 'J' || entry->type == 'B');
	assert((const uint8_t *)entry->name >= input->data &&
	       (const uint8_t *)entry->name + strlen(entry->name) < input->data + input->size);
	assert(entry->data == input->data + entry->offset);
	assert(entry->offset <= input->size && entry->bytes <= input->size - entry->offset);
	assert(entry->type != 'J' || entry->bytes == sizeof(int64_t));
	perfdata_text(entry, small, sizeof(small));
	perfdata_text(entry, large, sizeof(large));
	assert(strlen(small) < sizeof(small) && strlen(large) < sizeof(large));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};

	perfdata_parse(data, size, check_entry, &input);
	assert(perfdata_used(data, size) <= INT32_MAX);
	return 0;
}
