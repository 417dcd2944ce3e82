/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "user/base/units.h"
#include "user/cmd/dump.h"
#include "user/recording/reader.h"
#include "user/recording/schema.h"

void dump_stats_count(struct dump_stats *stats, const struct event_hdr *event)
{
	stats->nr[event->kind]++;
	stats->nr_struct_bytes += event->size;
	if (!stats->first_ns || event->ts_ns < stats->first_ns)
		stats->first_ns = event->ts_ns;
	if (event->ts_ns > stats->last_ns)
		stats->last_ns = event->ts_ns;
}

static void print_kinds(const struct dump_stats *stats, uint64_t *ret_nr)
{
	double seconds = (double)(stats->last_ns - stats->first_ns) / 1e9;
	const struct schema_kind *kinds;
	size_t nr;

	*ret_nr = 0;
	printf("%-20s %12s %12s\n", "kind", "records", "a second");
	kinds = schema_kinds(&nr);
	for (size_t i = 0; i < nr; i++) {
		uint64_t count = stats->nr[kinds[i].kind];

		*ret_nr += count;
		if (!count)
			continue;
		printf("%-20s %12" PRIu64, kinds[i].name, count);
		if (seconds > 0)
			printf(" %12.1f\n", (double)count / seconds);
		else
			printf(" %12s\n", "-");
	}
}

void dump_stats_print(const struct dump_stats *stats, const struct recording_reader *r)
{
	struct recording_health health;
	char size[UNITS_BYTES], structs[UNITS_BYTES], time[UNITS_BYTES];
	uint64_t nr;

	recording_health(r, &health);
	print_kinds(stats, &nr);
	printf("\n%" PRIu64 " records in %s, %" PRIu64 " segments", nr,
	       units_print_time(time, stats->last_ns - stats->first_ns),
	       health.nr_segments - health.nr_segments_dropped);
	if (health.nr_segments_dropped)
		printf(" (%" PRIu64 " before them were dropped by --keep)",
		       health.nr_segments_dropped);
	printf(", %" PRIu64 " blocks\n", health.nr_blocks);
	printf("%s read, %s as structs", units_print_size(size, health.file_bytes),
	       units_print_size(structs, stats->nr_struct_bytes));
	if (nr)
		printf(", %.2f bytes a record", (double)health.file_bytes / (double)nr);
	printf("\nout of order: %" PRIu64 "; lost when written: %" PRIu64
	       "; in damaged parts: %" PRIu64 "\n",
	       health.nr_disordered, health.nr_lost_write, health.nr_missing);
}
