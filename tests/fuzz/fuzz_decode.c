/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is inside of a block, past zlib and checksums: three pieces, each with its length before it
 * (2 bytes, low first): a schema (none: our own), the columns, the bits.
 */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "user/recording/decode.h"
#include "user/recording/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct piece {
	uint8_t *data; /* malloc'ed, so that reading beyond is seen */
	size_t nr;
};

static struct piece take_piece(const uint8_t **data, size_t *size, size_t padding)
{
	struct piece piece = {0};

	if (*size >= 2) {
		piece.nr = (*data)[0] | (size_t)(*data)[1] << 8;
		*data += 2;
		*size -= 2;
	}
	if (piece.nr > *size)
		piece.nr = *size;
	piece.data = calloc(1, piece.nr + padding + 1);
	memcpy(piece.data, *data, piece.nr);
	*data += piece.nr;
	*size -= piece.nr;
	return piece;
}

static void decode_all(const struct layout *layout, const struct piece *columns,
		       const struct piece *bits)
{
	const struct event_hdr *image;
	const struct layout_plan *plan;
	char record[EVENT_BYTES_MAX];
	struct decoder d;
	uint32_t nr = 0;
	int err;

	assert(!decoder_init(&d, layout));
	for (int times = 0; times < 2;
	     times++) { /* again: what is left of a block must not matter */
		uint32_t nr_before = nr;

		nr = 0;
		if (decoder_begin(&d, columns->data, columns->nr, bits->data, bits->nr, 100000))
			break;
		while ((err = decoder_next(&d, &image, &plan)) == 1) {
			nr++;
			assert(image->size == plan->file->bytes && image->kind == plan->file->kind);
			if (plan->own)
				layout_convert(plan, image, record);
		}
		assert(err == 0 || err == -EBADMSG);
		assert(nr <= columns->nr);
		assert(times == 0 || nr == nr_before);
	}
	decoder_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece schema = take_piece(&data, &size, 0);
	struct piece columns = take_piece(&data, &size, 0);
	struct piece bits = take_piece(&data, &size, 8);
	struct layout layout;
	struct index index;
	int err = schema.nr ? layout_parse(schema.data, schema.nr, &layout) : layout_own(&layout);

	if (!err) {
		decode_all(&layout, &columns, &bits);
		layout_free(&layout);
	}
	if (!index_parse(columns.data, columns.nr, &index))
		index_free(&index);
	free(schema.data);
	free(columns.data);
	free(bits.data);
	return 0;
}
