/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/memory_file.h"
#include "tests/lib/random.h"
#include "user/base/cleanup.h"
#include "user/recording/decode.h"
#include "user/recording/order.h"

Test(encode, numbers_of_every_size_keep_every_bit)
{
	struct bits_out out = {0};
	struct bits_in in;
	uint8_t classes[64 * 4];
	uint64_t values[64 * 4];
	size_t nr = 0;

	for (unsigned int bit = 0; bit < 64; bit++) {
		values[nr++] = 1ull << bit;
		values[nr++] = (1ull << bit) - 1;
		values[nr++] = (1ull << bit) | 1ull << bit / 2;
		values[nr++] = UINT64_MAX >> bit;
	}
	for (size_t i = 0; i < nr; i++)
		classes[i] = number_put(&out, values[i]);
	bits_flush(&out);
	buffer_bytes(&out.bytes, "\0\0\0\0\0\0\0", 8);
	in = (struct bits_in){.data = out.bytes.data, .nr = (out.bytes.nr - 8) * 8};
	for (size_t i = 0; i < nr; i++)
		cr_expect(eq(u64, number_get(&in, classes[i]), values[i]), "%zu", i);
	cr_expect(not(in.bad));
	number_get(&in, NUMBER_CLASS_MAX);
	cr_expect(in.bad);
	buffer_free(&out.bytes);
}

Test(encode, indices_of_every_size_keep_every_bit)
{
	static const uint32_t values[] = {0,   1,    239,   240,      241,	367,
					  368, 1000, 65535, 1u << 20, INDEX_MAX};
	struct bits_out out = {0};
	struct bits_in in;
	uint8_t classes[ARRAY_SIZE(values)];

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		classes[i] = index_put(&out, values[i]);
	bits_flush(&out);
	buffer_bytes(&out.bytes, "\0\0\0\0\0\0\0", 8);
	in = (struct bits_in){.data = out.bytes.data, .nr = (out.bytes.nr - 8) * 8};
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		cr_expect(eq(u32, index_get(&in, classes[i]), values[i]), "%zu", i);
	cr_expect(not(in.bad));
	buffer_free(&out.bytes);
}

Test(encode, a_number_of_no_class_is_bad)
{
	uint8_t bytes[64] = {0};
	struct bits_in in = {.data = bytes, .nr = 400};

	number_get(&in, NUMBER_CLASS_MAX + 1);
	cr_expect(in.bad);
}

static void encoderp(struct encoder *e)
{
	encoder_free(e);
}

/* Encode records, decode them by @layout, and compare. */
static void decode_and_compare(struct encoder *e, const union any_record *records, size_t nr)
{
	struct buffer columns = {0};
	struct layout layout;
	struct decoder d;
	const struct event_hdr *image;
	const struct layout_plan *plan;

	cr_assert(zero(int, encoder_finish(e, &columns)));
	buffer_bytes(&e->bits.bytes, "\0\0\0\0\0\0\0", 8);
	cr_assert(zero(int, layout_own(&layout)));
	cr_assert(zero(int, decoder_init(&d, &layout)));
	cr_assert(zero(int, decoder_begin(&d, columns.data, columns.nr, e->bits.bytes.data,
					  e->bits.bytes.nr - 8, (uint32_t)nr)));
	for (size_t i = 0; i < nr; i++) {
		cr_assert(eq(int, decoder_next(&d, &image, &plan), 1), "record %zu", i);
		cr_assert(zero(int, memcmp(image, &records[i], records[i].hdr.size)), "record %zu",
			  i);
	}
	cr_expect(zero(int, decoder_next(&d, &image, &plan)));
	decoder_free(&d);
	layout_free(&layout);
	buffer_free(&columns);
}

static void encode(struct encoder *e, const union any_record *records, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		cr_assert(zero(int, encoder_add(e, &records[i].hdr)), "record %zu", i);
}

Test(encode, a_thread_that_leaves_when_another_comes_is_predicted)
{
	/* Threads 1 and 2 take turns on CPU 3; 1 left when 2 came, and so on: nothing but times and
	 * classes is left. */
	struct encoder e CLEANUP(encoderp);
	union any_record records[200] = {0};
	size_t half;

	cr_assert(zero(int, encoder_init(&e)));
	for (uint32_t i = 0; i < ARRAY_SIZE(records); i++) {
		records[i].off = (struct event_offcpu){
			.hdr = {EVENT_OFFCPU, sizeof(records[i].off), 1 + i % 2,
				1000 + i * 1000ull},
			.off_ns = 1000,
			.runq_ns = 1000,
			.tgid = 1,
			.seq = 5 + i / 2,
			.cpu = 3,
			.ahead_tid = 2 - i % 2,
			.ahead_tgid = 1,
		};
	}
	encode(&e, records, 100);
	half = e.nr_bytes;
	encode(&e, records + 100, 100);
	/* Each: a stream, a mask, a time class, and 7 bits of time; not a byte of any field. */
	cr_expect(le(sz, e.nr_bytes - half, 100 * 3 + 100));
	decode_and_compare(&e, records, ARRAY_SIZE(records));
}

Test(encode, time_that_goes_back_comes_back)
{
	struct encoder e CLEANUP(encoderp);
	union any_record records[] = {
		{.info = {.hdr = {RECORD_INFO, sizeof(struct record_info), 1, UINT64_MAX}}},
		{.info = {.hdr = {RECORD_INFO, sizeof(struct record_info), 1, 0}}},
		{.info = {.hdr = {RECORD_INFO, sizeof(struct record_info), 2, 5}}},
		{.info = {.hdr = {RECORD_INFO, sizeof(struct record_info), 2, 4}}},
	};

	cr_assert(zero(int, encoder_init(&e)));
	encode(&e, records, ARRAY_SIZE(records));
	decode_and_compare(&e, records, ARRAY_SIZE(records));
}

Test(encode, what_stands_behind_the_end_of_a_text_is_not_kept)
{
	struct encoder e CLEANUP(encoderp);
	union any_record records[2] = {0}, clean;

	cr_assert(zero(int, encoder_init(&e)));
	records[0].jvm.hdr = (struct event_hdr){EVENT_VMOP_BEGIN, sizeof(records[0].jvm), 1, 1};
	memset(records[0].jvm.name, 'x', sizeof(records[0].jvm.name));
	records[0].jvm.name[3] = 0;
	cr_assert(zero(int, encoder_add(&e, &records[0].hdr)));
	clean = records[0];
	memset(clean.jvm.name + 3, 0, sizeof(clean.jvm.name) - 3);
	decode_and_compare(&e, &clean, 1);
	encoder_reset(&e);
	memset(records[0].jvm.name, 'x', sizeof(records[0].jvm.name)); /* no NUL at all */
	cr_assert(zero(int, encoder_add(&e, &records[0].hdr)));
	clean = records[0];
	clean.jvm.name[sizeof(clean.jvm.name) - 1] = 0;
	decode_and_compare(&e, &clean, 1);
}

Test(encode, records_of_no_known_kind_or_size_are_refused)
{
	struct encoder e CLEANUP(encoderp);
	union any_record record = {0};

	cr_assert(zero(int, encoder_init(&e)));
	record.hdr = (struct event_hdr){63, 40, 1, 1};
	cr_expect(eq(int, encoder_add(&e, &record.hdr), -EINVAL));
	record.hdr = (struct event_hdr){EVENT_OFFCPU, sizeof(record.off) - 8, 1, 1};
	cr_expect(eq(int, encoder_add(&e, &record.hdr), -EINVAL));
	cr_expect(zero(u32, e.nr_records));
}

Test(encode, more_threads_than_a_block_holds_ask_for_another_block)
{
	struct encoder e CLEANUP(encoderp);
	union any_record record = {0};
	int err = 0;

	cr_assert(zero(int, encoder_init(&e)));
	record.off.hdr = (struct event_hdr){EVENT_OFFCPU, sizeof(record.off), 0, 1};
	while (!err) {
		record.hdr.tid++;
		err = encoder_add(&e, &record.hdr);
	}
	cr_expect(eq(int, err, -ENOBUFS));
	cr_expect(eq(u32, e.nr_records, MODEL_STREAMS_MAX));
	cr_expect(encoder_full(&e));
	encoder_reset(&e);
	cr_expect(zero(int, encoder_add(&e, &record.hdr)));
}

Test(order, records_come_out_by_time_and_then_by_arrival)
{
	struct order o = {0};
	const struct event_hdr *record;
	uint64_t random = 7, last_ns = 0;
	uint32_t last_tid = 0;
	size_t nr = 0;

	for (uint32_t i = 0; i < 5000; i++) {
		struct event_offcpu off = {.hdr = {EVENT_OFFCPU, sizeof(off), i, 0}};

		off.hdr.ts_ns =
			i / 10 * 10 + random_next(&random) % 200; /* many at the same time */
		cr_assert(zero(int, order_put(&o, &off.hdr)));
		while (i > 300 && (record = order_take(&o, i - 300)))
			nr++;
	}
	while ((record = order_take(&o, UINT64_MAX))) {
		cr_assert(ge(u64, record->ts_ns, last_ns));
		cr_assert(record->ts_ns > last_ns || record->tid > last_tid);
		last_ns = record->ts_ns;
		last_tid = record->tid;
		nr++;
	}
	cr_expect(eq(sz, nr, 5000));
	cr_expect(zero(sz, order_nr(&o)));
	order_free(&o);
}

Test(order, the_worst_order_is_sorted_as_well)
{
	struct order o = {0};
	const struct event_hdr *record;
	uint64_t last_ns = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		struct event_offcpu off = {.hdr = {EVENT_OFFCPU, sizeof(off), i, 20000 - i}};

		cr_assert(zero(int, order_put(&o, &off.hdr)));
	}
	cr_expect(zero(ptr, (void *)order_take(&o, 0)));
	while ((record = order_take(&o, UINT64_MAX)))
		cr_assert(eq(u64, record->ts_ns, ++last_ns));
	cr_expect(eq(u64, last_ns, 20000));
	order_free(&o);
}
