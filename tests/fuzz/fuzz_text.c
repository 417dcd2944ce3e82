/* SPDX-License-Identifier: BSD-2-Clause */
/* A line of text: whatever can be parsed prints as a line that parses to the same record. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "user/recording/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1), printed[TEXT_LINE_MAX];
	struct event_hdr *record = malloc(EVENT_BYTES_MAX), *again = malloc(EVENT_BYTES_MAX);
	const char *error;

	memcpy(line, data, size);
	line[size] = 0;
	if (!text_parse(line, record, &error)) {
		assert(text_print(record, printed, sizeof(printed)) > 0);
		assert(!text_parse(printed, again, &error));
		assert(!memcmp(record, again, EVENT_BYTES_MAX));
	}
	free(line);
	free(record);
	free(again);
	return 0;
}
