/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of versions to come and gone: they carry their schema, and are read by it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/memory_file.h"
#include "user/base/cleanup.h"
#include "user/recording/encode.h"

/* Off-CPU intervals of a version that has dropped `seq`, widened `cpu`, and learnt three things
 * more. */
struct other_offcpu {
	struct event_hdr hdr;
	uint64_t novelty;
	uint64_t off_ns;
	uint32_t cpu;
	int16_t nr;
	uint16_t tgid;
	char why[8];
};

struct strange { /* of a kind that nobody knows here */
	struct event_hdr hdr;
	uint32_t count;
	uint32_t count2;
};

#define OTHER(member, type_, coding_)                                                              \
	{                                                                                          \
#member, offsetof(struct other_offcpu, member),                                    \
			sizeof(((struct other_offcpu *)0)->member), FIELD_##type_, CODE_##coding_, \
			UNIT_NONE                                                                  \
	}

static const struct schema_field other_fields[] = {
	OTHER(novelty, UNSIGNED, GROW), OTHER(why, TEXT, TABLE),    OTHER(off_ns, UNSIGNED, STICKY),
	OTHER(cpu, UNSIGNED, STICKY),	OTHER(nr, SIGNED, CONTEXT), OTHER(tgid, UNSIGNED, PLAIN),
};

static const struct schema_field strange_fields[] = {
	{"count", 16, 4, FIELD_UNSIGNED, CODE_COUNT, UNIT_NONE},
	{"count2", 20, 4, FIELD_UNSIGNED, CODE_PART, UNIT_NONE},
};

static const struct schema_kind other_kinds[] = {
	{EVENT_OFFCPU, sizeof(struct other_offcpu), "offcpu", other_fields,
	 ARRAY_SIZE(other_fields)},
	{60, sizeof(struct strange), "strange", strange_fields, ARRAY_SIZE(strange_fields)},
};

static void put_block(struct buffer *file, enum block_type type, const struct buffer *columns,
		      const struct buffer *bits, const struct encoder *e)
{
	struct block_header h = {.type = type, .nr_records = bits ? e->nr_records : 0};
	struct block_content content = {columns, bits, NULL, 0};
	struct block_packer packer;

	h.schema_crc = e->layout.crc;
	cr_assert(zero(int, block_packer_init(&packer)));
	cr_assert(zero(int, block_pack(&packer, &h, &content, file)));
	block_packer_free(&packer);
}

static void begin_other(struct encoder *e, struct buffer *file)
{
	struct file_header header = {0};
	struct buffer schema = {0};
	struct layout layout;

	file_header_seal(&header);
	buffer_bytes(file, &header, sizeof(header));
	layout_print_kinds(other_kinds, ARRAY_SIZE(other_kinds), &schema);
	cr_assert(zero(int, layout_parse(schema.data, schema.nr, &layout)));
	cr_assert(zero(int, encoder_init_layout(e, &layout)));
	put_block(file, BLOCK_SCHEMA, &schema, NULL, e);
	buffer_free(&schema);
}

static void end_other(struct encoder *e, struct buffer *file)
{
	struct buffer columns = {0};

	cr_assert(zero(int, encoder_finish(e, &columns)));
	put_block(file, BLOCK_RECORDS, &columns, &e->bits.bytes, e);
	buffer_free(&columns);
	encoder_free(e);
}

Test(recording_version, a_file_of_another_version_reads_by_its_own_schema)
{
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct buffer bytes = {0};
	const struct event_hdr *record;
	struct recording_health health;
	struct recording_reader *r;
	struct encoder e;

	begin_other(&e, &bytes);
	for (uint32_t i = 0; i < 100; i++) {
		struct other_offcpu off = {
			.hdr = {EVENT_OFFCPU, sizeof(off), 7, 1000 + i},
			.novelty = i * 99ull,
			.off_ns = 1ull << i % 64,
			.cpu = 0x10000 + i,
			.nr = (int16_t)-i,
			.tgid = 5,
			.why = "so",
		};
		struct strange strange = {{60, sizeof(strange), 7, 1000 + i}, i, i};

		cr_assert(zero(int, encoder_add(&e, &off.hdr)));
		cr_assert(zero(int, encoder_add(&e, &strange.hdr)));
	}
	end_other(&e, &bytes);
	memory_file_set(&file, bytes.data, bytes.nr);
	buffer_free(&bytes);
	r = memory_file_open(&file);
	for (uint32_t i = 0; i < 100; i++) {
		const struct event_offcpu *off;

		cr_assert(eq(int, recording_next(r, &record), 1));
		cr_assert(eq(u16, record->size, sizeof(*off)));
		off = (const struct event_offcpu *)record;
		cr_expect(eq(u64, off->off_ns, 1ull << i % 64));
		cr_expect(eq(u16, off->cpu, i), "what does not fit is cut off");
		cr_expect(eq(i16, off->nr, (int16_t)-i));
		cr_expect(eq(u32, off->tgid, 5));
		cr_expect(zero(u32, off->seq), "what the file does not have is 0");
		cr_expect(zero(u64, off->arg0));
		cr_expect(eq(u64, record->ts_ns, 1000 + i));
	}
	cr_assert(zero(int, recording_next(r, &record)));
	recording_health(r, &health);
	cr_expect(eq(u64, health.nr_unknown_kind, 100));
	cr_expect(eq(u64, health.nr_records, 200));
	cr_expect(zero(u64, health.nr_bad_blocks));
	recording_reader_free(r);
}

Test(recording_version, a_block_of_a_type_to_come_is_passed_over)
{
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct buffer bytes = {0}, nothing = {0};
	const struct event_hdr *record;
	struct recording_health health;
	struct recording_reader *r;
	struct other_offcpu off = {.hdr = {EVENT_OFFCPU, sizeof(off), 7, 1}};
	struct encoder e;

	begin_other(&e, &bytes);
	buffer_bytes(&nothing, "something else", 14);
	put_block(&bytes, 77, &nothing, NULL, &e);
	cr_assert(zero(int, encoder_add(&e, &off.hdr)));
	end_other(&e, &bytes);
	memory_file_set(&file, bytes.data, bytes.nr);
	buffer_free(&bytes);
	buffer_free(&nothing);
	r = memory_file_open(&file);
	cr_expect(eq(int, recording_next(r, &record), 1));
	cr_expect(zero(int, recording_next(r, &record)));
	recording_health(r, &health);
	cr_expect(zero(u64, health.nr_bad_blocks));
	recording_reader_free(r);
}

struct bad_field {
	const char *why;
	struct schema_field field;
};

Test(recording_version, a_schema_that_makes_no_sense_is_refused)
{
	static const struct bad_field rows[] = {
		{"in the header", {"x", 8, 8, FIELD_UNSIGNED, CODE_PLAIN, UNIT_NONE}},
		{"beyond the end", {"x", 20, 8, FIELD_UNSIGNED, CODE_PLAIN, UNIT_NONE}},
		{"of no type", {"x", 16, 8, NR_FIELD_TYPES, CODE_PLAIN, UNIT_NONE}},
		{"of no coding", {"x", 16, 8, FIELD_UNSIGNED, NR_CODINGS, UNIT_NONE}},
		{"of an odd size", {"x", 16, 3, FIELD_UNSIGNED, CODE_PLAIN, UNIT_NONE}},
		{"of no size", {"x", 16, 0, FIELD_UNSIGNED, CODE_PLAIN, UNIT_NONE}},
		{"a text with no room", {"x", 16, 1, FIELD_TEXT, CODE_PLAIN, UNIT_NONE}},
		{"a text that counts", {"x", 16, 8, FIELD_TEXT, CODE_COUNT, UNIT_NONE}},
		{"follows nobody", {"x", 16, 8, FIELD_UNSIGNED, CODE_FOLLOW, UNIT_NONE}},
		{"part of nothing", {"x", 16, 8, FIELD_UNSIGNED, CODE_PART, UNIT_NONE}},
		{"ahead on no CPU", {"x", 16, 8, FIELD_UNSIGNED, CODE_AHEAD, UNIT_NONE}},
		{"a CPU of 64 bits", {"x", 16, 8, FIELD_UNSIGNED, CODE_PLACE, UNIT_NONE}},
		{"without a name", {"", 16, 8, FIELD_UNSIGNED, CODE_PLAIN, UNIT_NONE}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct schema_kind kind = {50, 24, "kind", &rows[i].field, 1};
		struct buffer bytes = {0};
		struct layout layout;

		layout_print_kinds(&kind, 1, &bytes);
		cr_expect(eq(int, layout_parse(bytes.data, bytes.nr, &layout), -EBADMSG), "%s",
			  rows[i].why);
		buffer_free(&bytes);
	}
}

Test(recording_version, our_own_schema_survives_being_written)
{
	struct buffer bytes = {0};
	struct layout own, read;

	layout_print(&bytes);
	cr_assert(zero(int, layout_own(&own)));
	for (size_t nr = 0; nr < bytes.nr; nr++)
		cr_assert(eq(int, layout_parse(bytes.data, nr, &read), -EBADMSG), "%zu bytes of it",
			  nr);
	cr_assert(zero(int, layout_parse(bytes.data, bytes.nr, &read)));
	cr_expect(eq(u32, read.crc, own.crc));
	cr_assert(eq(sz, read.nr, own.nr));
	for (size_t i = 0; i < read.nr; i++)
		cr_expect(read.plans[i].same, "%s", read.plans[i].file->name);
	layout_free(&read);
	layout_free(&own);
	buffer_free(&bytes);
}
