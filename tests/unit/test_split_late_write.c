/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "user/attribution/split_inputs.h"

/* A write from 1400 to 81400; what the generator says of when it received the answer. */
static struct split_request split_of(uint64_t received_ns)
{
	struct condition_store *store = condition_store_new();
	struct split_inputs in = {0};
	struct split_request ret;
	struct held_request held = {.has_schedule = true};

	held.request = (struct request){.first_arrival_ns = 1100,
					.arrived_ns = 1100,
					.read_ns = 1150,
					.first_out_ns = 1400,
					.last_out_start_ns = 1400,
					.last_out_ns = 81400,
					.released_ns = 81400};
	held.schedule.intended_ns = held.schedule.sent_ns = 1000;
	held.schedule.conn_wait_ns = SCHEDULE_UNKNOWN;
	held.schedule.received_ns = received_ns;
	cr_assert(ne(ptr, store, NULL));
	cr_assert(zero(int, split_inputs_make(&in, store, &held, &ret)));
	split_inputs_free(&in);
	condition_store_free(store);
	return ret;
}

Test(split_late_write, received_within_the_write_it_had_left_by_then)
{
	struct split_request ret = split_of(2000);

	cr_expect(eq(u64, ret.at_ns[AT_LAST_OUT], 2000));
	cr_expect(eq(u64, ret.at_ns[AT_RELEASED], 2000));
}

Test(split_late_write, received_before_it_or_after_it_nothing_changes)
{
	cr_expect(eq(u64, split_of(1399).at_ns[AT_LAST_OUT], 81400));
	cr_expect(eq(u64, split_of(81500).at_ns[AT_LAST_OUT], 81400));
}
