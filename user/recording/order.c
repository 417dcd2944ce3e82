/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/order.h"

/* Move what is left to the front, once that is less than what was taken: each record moves once on
 * average. */
static void compact(struct order *o)
{
	size_t from = SIZE_MAX;

	if (o->taken == 0 || o->taken * 2 < o->nr)
		return;
	o->nr -= o->taken;
	memmove(o->entries, o->entries + o->taken, o->nr * sizeof(*o->entries));
	o->taken = 0;
	if (!o->nr) {
		o->bytes.nr = 0;
		return;
	}
	for (size_t i = 0; i < o->nr; i++)
		if (o->entries[i].offset < from)
			from = o->entries[i].offset;
	for (size_t i = 0; i < o->nr; i++)
		o->entries[i].offset -= from;
	o->bytes.nr -= from;
	memmove(o->bytes.data, o->bytes.data + from, o->bytes.nr);
}

static bool grow_entries(struct order *o)
{
	size_t size = o->size ? o->size * 2 : 1024;
	void *entries;

	if (o->nr < o->size)
		return true;
	entries = realloc(o->entries, size * sizeof(*o->entries));
	if (!entries)
		return false;
	o->entries = entries;
	o->size = size;
	return true;
}

int order_put(struct order *o, const struct event_hdr *record)
{
	size_t bytes = (record->size + 7u) & ~7u; /* each record aligned as its struct is */
	struct order_entry entry;

	compact(o);
	if (!grow_entries(o) || !buffer_reserve(&o->bytes, bytes)) {
		o->bytes.failed = false;
		return -ENOMEM;
	}
	entry = (struct order_entry){record->ts_ns, o->nr_put++, o->bytes.nr};
	memcpy(o->bytes.data + entry.offset, record, record->size);
	o->bytes.nr += bytes;
	if (o->nr == o->taken)
		o->sorted = true;
	else if (entry.ts_ns < o->entries[o->nr - 1].ts_ns)
		o->sorted = false;
	o->entries[o->nr++] = entry;
	return 0;
}

size_t order_nr(const struct order *o)
{
	return o->nr - o->taken;
}

static int compare(const void *a, const void *b)
{
	const struct order_entry *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* Nearly sorted as a rule, where moving the few that are late is far cheaper than a sort; not so
 * when many are. */
static void sort(struct order *o)
{
	struct order_entry *entries = o->entries + o->taken;
	size_t nr = order_nr(o), moves = 0;

	for (size_t i = 1; i < nr && moves <= nr * 8; i++) {
		struct order_entry late = entries[i];
		size_t at = i;

		for (; at > 0 && compare(&late, &entries[at - 1]) < 0; at--, moves++)
			entries[at] = entries[at - 1];
		entries[at] = late;
	}
	if (moves > nr * 8)
		qsort(entries, nr, sizeof(*entries), compare);
	o->sorted = true;
}

const struct event_hdr *order_take(struct order *o, uint64_t until_ns)
{
	if (!order_nr(o))
		return NULL;
	if (!o->sorted)
		sort(o);
	if (o->entries[o->taken].ts_ns > until_ns)
		return NULL;
	return (const struct event_hdr *)(o->bytes.data + o->entries[o->taken++].offset);
}

void order_free(struct order *o)
{
	free(o->entries);
	buffer_free(&o->bytes);
	*o = (struct order){0};
}
