/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "user/attach/perfdata.h"
#include "user/base/cleanup.h"

#define PROLOGUE_BYTES 32

struct block { /* hsperfdata being made */
	uint8_t bytes[4096];
	uint32_t used, nr;
};

static void put(struct block *b, uint32_t at, const void *value, size_t bytes)
{
	memcpy(b->bytes + at, value, bytes);
}

static void put_int(struct block *b, uint32_t at, int32_t value)
{
	put(b, at, &value, sizeof(value));
}

static void start(struct block *b)
{
	static const uint8_t begin[8] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};

	*b = (struct block){.used = PROLOGUE_BYTES};
	put(b, 0, begin, sizeof(begin));
	put_int(b, 24, PROLOGUE_BYTES);
}

static void finish(struct block *b)
{
	put_int(b, 8, (int32_t)b->used);
	put_int(b, 28, (int32_t)b->nr);
}

/* Add an entry as HotSpot lays it out: header, name, data on a multiple of 8. Where it begins. */
static uint32_t add(struct block *b, const char *name, char type, const void *data, uint32_t bytes)
{
	uint32_t at = b->used, name_bytes = (uint32_t)strlen(name) + 1;
	uint32_t data_at = (20 + name_bytes + 7) / 8 * 8, length = (data_at + bytes + 7) / 8 * 8;

	put_int(b, at, (int32_t)length);
	put_int(b, at + 4, 20);
	put_int(b, at + 8, type == 'J' ? 0 : (int32_t)bytes);
	b->bytes[at + 12] = (uint8_t)type;
	put_int(b, at + 16, (int32_t)data_at);
	put(b, at + 20, name, name_bytes);
	put(b, at + data_at, data, bytes);
	b->used += length;
	b->nr++;
	return at;
}

static void make(struct block *b)
{
	int64_t safepoints = 23;
	char cause[40] = "No GC";

	start(b);
	add(b, "sun.rt.safepoints", 'J', &safepoints, sizeof(safepoints));
	add(b, "sun.gc.cause", 'B', cause, sizeof(cause));
	finish(b);
}

struct seen {
	uint32_t nr;
	int64_t safepoints;
	char cause[64];
	uint32_t cause_bytes;
};

static void look(void *arg, const struct perfdata_entry *entry)
{
	struct seen *seen = arg;

	seen->nr++;
	if (!strcmp(entry->name, "sun.rt.safepoints") && entry->type == 'J')
		memcpy(&seen->safepoints, entry->data, sizeof(seen->safepoints));
	if (!strcmp(entry->name, "sun.gc.cause") && entry->type == 'B') {
		perfdata_text(entry, seen->cause, sizeof(seen->cause));
		seen->cause_bytes = entry->bytes;
	}
}

Test(perfdata, entries_come_out_as_they_were_put_in)
{
	struct seen seen = {0};
	struct block b;

	make(&b);
	cr_assert(zero(int, perfdata_parse(b.bytes, sizeof(b.bytes), look, &seen)));
	cr_expect(eq(u32, seen.nr, 2));
	cr_expect(eq(i64, seen.safepoints, 23));
	cr_expect(eq(str, seen.cause, "No GC"));
	cr_expect(eq(u32, seen.cause_bytes, 40));
	cr_expect(eq(u32, perfdata_used(b.bytes, PROLOGUE_BYTES), b.used));
}

static void look_at_offset(void *arg, const struct perfdata_entry *entry)
{
	const uint8_t *base = arg;

	cr_expect(eq(ptr, (void *)(base + entry->offset), (void *)entry->data), "%s", entry->name);
}

Test(perfdata, offsets_lead_to_the_data)
{
	struct block b;

	make(&b);
	cr_assert(zero(int, perfdata_parse(b.bytes, b.used, look_at_offset, b.bytes)));
}

#define FIRST PROLOGUE_BYTES

struct bad { /* one int or byte of a good block, changed */
	const char *why;
	uint32_t at, bytes;
	int32_t value;
	uint32_t nr_before; /* entries given before it was noticed */
};

static const struct bad bad_blocks[] = {
	{"magic", 0, 1, 0xcb, 0},
	{"big-endian", 4, 1, 0, 0},
	{"major version 1", 5, 1, 1, 0},
	{"nothing used", 8, 4, 0, 0},
	{"negative used", 8, 4, -1, 0},
	{"more used than there is", 8, 4, 4097, 0},
	{"used ends inside the first entry", 8, 4, FIRST + 24, 0},
	{"entries begin in the prologue", 24, 4, 31, 0},
	{"entries begin behind their end", 24, 4, 4000, 0},
	{"negative begin of entries", 24, 4, -8, 0},
	{"negative number of entries", 28, 4, -1, 0},
	{"more entries than there are", 28, 4, 3, 2},
	{"entry of no length", FIRST, 4, 0, 0},
	{"entry of negative length", FIRST, 4, -56, 0},
	{"entry longer than the rest", FIRST, 4, 4000, 0},
	{"name before the entry", FIRST + 4, 4, -1, 0},
	{"name behind the entry", FIRST + 4, 4, 4000, 0},
	{"name without an end", FIRST + 4, 4, 47, 0},
	{"negative vector", FIRST + 8, 4, -1, 0},
	{"text longer than its entry", FIRST + 48 + 8, 4, 4000, 1},
	{"text of the largest length", FIRST + 48 + 8, 4, 0x7fffffff, 1},
	{"data before the entry", FIRST + 16, 4, -8, 0},
	{"data behind the entry", FIRST + 16, 4, 4000, 0},
	{"data half outside", FIRST + 16, 4, 44, 0},
	{"data at the largest offset", FIRST + 16, 4, 0x7fffffff, 0},
};

static void check_bad_block(const struct bad *row)
{
	struct seen seen = {0};
	struct block b;

	make(&b);
	cr_assert(eq(i8, (int8_t)b.bytes[FIRST], 48), "the rows above count on this length");
	b.bytes[FIRST + 47] = 0xff; /* a name that begins there has no end */
	put(&b, row->at, &row->value, row->bytes);
	cr_expect(eq(int, perfdata_parse(b.bytes, sizeof(b.bytes), look, &seen), -EBADMSG), "%s",
		  row->why);
	cr_expect(eq(u32, seen.nr, row->nr_before), "%s", row->why);
}

Test(perfdata, bad_blocks_are_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad_blocks); i++)
		check_bad_block(&bad_blocks[i]);
}

Test(perfdata, every_truncation_is_refused)
{
	struct block b;

	make(&b);
	for (size_t bytes = 0; bytes < b.used; bytes++) {
		uint8_t *copy =
			malloc(bytes + 1); /* so that a sanitizer sees a read past its end */
		struct seen seen = {0};

		memcpy(copy, b.bytes, bytes);
		cr_expect(eq(int, perfdata_parse(copy, bytes, look, &seen), -EBADMSG), "%zu",
			  bytes);
		free(copy);
	}
}

Test(perfdata, texts_are_cut_ended_and_harmless)
{
	const struct perfdata_entry entry = {"x", 'B', 0, 6, (const uint8_t *)"a\tb\033cd"};
	char buffer[8], small[4];

	perfdata_text(&entry, buffer, sizeof(buffer));
	cr_expect(eq(str, buffer, "a?b?cd"));
	perfdata_text(&entry, small, sizeof(small));
	cr_expect(eq(str, small, "a?b"));
}

/* A JVM whose counters are variables of this test. */
struct fake {
	struct jvm jvm;
	uint64_t safepoints, sync_ns, time_ns, gcs[2];
	char cause[80], last_cause[20];
};

static struct jvm_location place(const void *at, uint32_t bytes)
{
	return (struct jvm_location){(uint64_t)(uintptr_t)at, bytes};
}

static void make_fake(struct fake *f)
{
	*f = (struct fake){.safepoints = 7, .sync_ns = 11, .time_ns = 13, .gcs = {17, 19}};
	memset(f->cause, 'c', sizeof(f->cause));
	memset(f->last_cause, 'l', sizeof(f->last_cause));
	f->jvm.tgid = (uint32_t)getpid();
	f->jvm.counters = (struct jvm_counter_map){
		.safepoints = place(&f->safepoints, 8),
		.sync_time = place(&f->sync_ns, 8),
		.safepoint_time = place(&f->time_ns, 8),
		.gc_invocations = {place(&f->gcs[0], 8), place(&f->gcs[1], 8)},
		.nr_gc_invocations = 2,
		.cause = place(f->cause, sizeof(f->cause)),
		.last_cause = place(f->last_cause, sizeof(f->last_cause)),
	};
}

Test(perfdata, a_snapshot_reads_every_counter)
{
	struct perfdata_snapshot got;
	struct fake f;

	make_fake(&f);
	cr_assert(zero(int, perfdata_snapshot(&f.jvm, &got)));
	cr_expect(eq(u32, got.valid, 0x3f));
	cr_expect(eq(u64, got.safepoints, 7));
	cr_expect(eq(u64, got.sync_ns, 11));
	cr_expect(eq(u64, got.safepoint_time_ns, 13));
	cr_expect(eq(u64, got.gc_invocations, 17 + 19));
	cr_expect(eq(sz, strlen(got.cause), EVENT_CAUSE_BYTES - 1));
	cr_expect(eq(str, got.last_cause, "llllllllllllllllllll"));
	cr_expect(le(u64, got.before_ns, got.after_ns));
	cr_expect(ne(u64, got.before_ns, 0));
}

Test(perfdata, what_cannot_be_read_is_not_valid)
{
	struct perfdata_snapshot got;
	struct fake f;

	make_fake(&f);
	f.jvm.counters.sync_time.address = 8; /* never mapped */
	f.jvm.counters.gc_invocations[1].address = 8;
	f.jvm.counters.cause.address = 0;
	cr_assert(zero(int, perfdata_snapshot(&f.jvm, &got)));
	cr_expect(eq(u32, got.valid,
		     JVM_COUNTER_SAFEPOINTS | JVM_COUNTER_SAFEPOINT_TIME | JVM_COUNTER_LAST_CAUSE));
	cr_expect(zero(u64, got.gc_invocations), "half a sum is no sum");
}

Test(perfdata, a_jvm_without_counters_and_one_that_is_gone_are_told_apart)
{
	struct jvm none = {.tgid = (uint32_t)getpid()};
	struct perfdata_snapshot got;
	struct fake f;

	cr_expect(eq(int, perfdata_snapshot(&none, &got), -ENODATA));
	make_fake(&f);
	f.jvm.tgid = 0x7fffffff;
	cr_expect(eq(int, perfdata_snapshot(&f.jvm, &got), -ESRCH));
	cr_expect(zero(u32, got.valid));
}
