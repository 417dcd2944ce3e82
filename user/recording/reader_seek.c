/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "user/recording/index_load.h"
#include "user/recording/index_scan.h"
#include "user/recording/reader_parts.h"

int reader_next_segment(struct recording_reader *r)
{
	while (r->segment < r->index.nr) {
		const struct index_segment *segment = &r->index.segments[r->segment++];

		if (segment->from_ns >= r->to_ns || segment->to_ns < r->from_ns)
			continue;
		if (r->sought_any && segment->offset <= r->scan.in.offset + r->scan.pending)
			return 1; /* right behind the last one; and never back, or a file could make
				     us read for ever */
		r->sought_any = true;
		r->expecting = false;
		r->scan.pending = 0;
		r->scan.any = true; /* zeros between segments are not leading ones */
		return input_seek(&r->scan.in, segment->offset) ? -EIO : 1;
	}
	r->sought_all = true;
	return 0;
}

bool reader_segment_ended(const struct recording_reader *r)
{
	const struct index_segment *segment;

	if (!r->segment || r->sought_all)
		return true;
	segment = &r->index.segments[r->segment - 1];
	return r->scan.in.offset + r->scan.pending >= segment->offset + segment->bytes;
}

int recording_seek(struct recording_reader *r, uint64_t from_ns, uint64_t to_ns)
{
	struct index index;
	bool complete;

	if (from_ns > to_ns)
		return -EINVAL;
	r->from_ns = from_ns;
	r->to_ns = to_ns;
	complete = !index_load(&r->scan.in, &index);
	if (!complete && index_scan(&r->scan.in, &index))
		return 0; /* all is read, and what is outside is the caller's to leave out */
	index_free(&r->index);
	r->index = index;
	r->seeking = true;
	r->segment = 0;
	r->sought_any = false;
	r->sought_all = false;
	r->in_block = false;
	r->whole = false;
	r->health.complete = complete;
	return 0;
}
