/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/scan.h"

#define WASTE_FREE (64ull << 20)

enum found { FOUND_BLOCK, FOUND_BAD_BLOCK, FOUND_TORN, FOUND_ZEROS, FOUND_NONSENSE, FOUND_END };

/* Where a torn header begins as one, it may be one. */
static bool begins_as_header(const struct block_header *h, size_t nr)
{
	return !memcmp(h, &(uint64_t){BLOCK_MAGIC}, nr < 8 ? nr : 8);
}

/* What stands here. */
static enum found look(struct scan *s, struct block_header *h, const uint8_t **ret_payload)
{
	size_t nr;
	const uint8_t *at = input_peek(&s->in, sizeof(*h), &nr);

	if (!nr)
		return FOUND_END;
	if (!at[0])
		return FOUND_ZEROS;
	memset(h, 0, sizeof(*h));
	memcpy(h, at, nr < sizeof(*h) ? nr : sizeof(*h));
	if (nr < sizeof(*h))
		return begins_as_header(h, nr) ? FOUND_TORN : FOUND_NONSENSE;
	if (!block_header_valid(h))
		return FOUND_NONSENSE;
	at = input_peek(&s->in, block_bytes(h), &nr);
	if (nr < block_bytes(h))
		return FOUND_TORN;
	*ret_payload = at + h->header_bytes;
	return block_payload_valid(h, *ret_payload) ? FOUND_BLOCK : FOUND_BAD_BLOCK;
}

/* Pass on to where the next block might begin. Returns the bytes passed. */
static uint64_t pass_nonsense(struct scan *s)
{
	const uint8_t *at, *next;
	size_t nr;

	input_pass(&s->in, 1);
	at = input_peek(&s->in, 1, &nr);
	next = nr ? memchr(at, (uint8_t)BLOCK_MAGIC, nr) : NULL;
	nr = next ? (size_t)(next - at) : nr;
	input_pass(&s->in, nr);
	return 1 + nr;
}

/*
 * A block with a good header and a bad checksum may have lost bytes, and the next block begin
 * inside of what seems to be it. But a file made of nothing else must not make us check each byte a
 * thousand times.
 */
static uint64_t pass_bad_block(struct scan *s, const struct block_header *h)
{
	s->wasted += block_bytes(h);
	if (s->wasted <= s->in.offset + WASTE_FREE)
		return pass_nonsense(s);
	input_pass(&s->in, block_bytes(h));
	return block_bytes(h);
}

static void count_skipped(struct scan *s, uint64_t skipped)
{
	if (!skipped)
		return;
	s->nr_bad++;
	s->nr_skipped_bytes += skipped;
}

int scan_next(struct scan *s, struct block_header *ret, const uint8_t **ret_payload)
{
	uint64_t skipped = 0,
		 torn = 0; /* torn: since a block that the end cuts off, unless another follows */
	enum found found;

	input_pass(&s->in, s->pending);
	s->pending = 0;
	while ((found = look(s, ret, ret_payload)) > FOUND_BLOCK && found != FOUND_END) {
		if (found == FOUND_ZEROS) {
			uint64_t zeros = input_pass_zeros(&s->in);

			if (!s->any && !skipped && !torn)
				s->leading += zeros;
			else if (skipped && !torn)
				skipped += zeros;
			else /* what a power failure leaves of the last write */
				torn += zeros;
		} else if (found == FOUND_BAD_BLOCK) {
			skipped += torn + pass_bad_block(s, ret);
			torn = 0;
		} else if (found == FOUND_TORN || torn) {
			torn += pass_nonsense(s);
		} else {
			skipped += pass_nonsense(s);
		}
	}
	if (found == FOUND_END) {
		count_skipped(s, skipped);
		s->nr_torn_bytes += torn;
		return s->in.error;
	}
	if (!s->any && !ret->segment)
		skipped += s->leading; /* nothing was dropped: these zeros are damage */
	s->any = true;
	count_skipped(s, skipped + torn);
	s->pending = block_bytes(ret);
	return 1;
}

void scan_reject(struct scan *s)
{
	count_skipped(s, s->pending);
}

void scan_pass(struct scan *s, size_t nr)
{
	input_pass(&s->in, s->pending + nr);
	s->pending = 0;
}
