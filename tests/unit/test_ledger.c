/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "user/timeline/ledger.h"

#define EVERYTHING                                                                                 \
	(JVM_COUNTER_SAFEPOINTS | JVM_COUNTER_SYNC | JVM_COUNTER_SAFEPOINT_TIME |                  \
	 JVM_COUNTER_APPLICATION)
#define START 5000000u /* when the book was opened */

/* The JVM's life: safepoint n begins n ms after START, reaches for 10 us, ends 100 us after its
 * begin. */
static struct event_jvm_counters counters_at_end(uint64_t nr)
{
	return (struct event_jvm_counters){
		.valid = EVERYTHING,
		.safepoints = nr,
		.sync_ns = nr * 10000,
		.safepoint_time_ns = (nr - 1) * 90000, /* its own is entered after its end */
		.application_ns = 1000000 + (nr - 1) * 900000,
	};
}

static uint64_t begin_of(uint64_t nr)
{
	return START + nr * 1000000;
}

static uint64_t enter(struct ledger *ledger, uint64_t nr, uint64_t early_ns)
{
	struct event_jvm_counters before = counters_at_end(nr - 1), now = counters_at_end(nr);

	return ledger_begin(ledger, &before, &now, begin_of(nr) - early_ns, begin_of(nr) + 95000);
}

Test(ledger, early_estimates_are_mended_by_the_best_of_others)
{
	struct ledger ledger = {0};
	uint64_t nr;

	cr_expect(eq(u64, enter(&ledger, 2, 16000), begin_of(2) - 16000),
		  "the first has only itself");
	for (nr = 3; nr < 40; nr++)
		enter(&ledger, nr, nr % 3 ? 9000 : 1000);
	cr_expect(eq(u64, enter(&ledger, nr, 16000), begin_of(nr) - 1000));
}

Test(ledger, a_few_late_estimates_spoil_nothing_and_are_mended)
{
	struct ledger ledger = {0};
	uint64_t nr;

	enter(&ledger, 2, (uint64_t)-50000);
	for (nr = 3; nr < 40; nr++)
		enter(&ledger, nr, nr % 10 ? 2000 : (uint64_t)-50000);
	cr_expect(eq(u64, enter(&ledger, nr, 2000), begin_of(nr) - 2000));
	cr_expect(eq(u64, enter(&ledger, nr + 1, (uint64_t)-50000), begin_of(nr + 1) - 2000));
}

Test(ledger, an_estimate_is_forgotten_after_64_more)
{
	struct ledger ledger = {0};
	uint64_t nr;

	for (nr = 2; nr < 30; nr++)
		enter(&ledger, nr, 1000);
	cr_expect(eq(u64, enter(&ledger, nr, 9000), begin_of(nr) - 1000));
	for (; nr < 30 + LEDGER_PAUSES; nr++)
		enter(&ledger, nr, 9000);
	cr_expect(eq(u64, enter(&ledger, nr, 9000), begin_of(nr) - 9000));
}

Test(ledger, a_missed_safepoint_or_counter_leaves_the_estimate_as_it_is)
{
	struct event_jvm_counters before = counters_at_end(2), now = counters_at_end(4);
	struct ledger ledger = {0};

	enter(&ledger, 2, 1000);
	cr_expect(eq(u64, ledger_begin(&ledger, &before, &now, begin_of(4) - 7000, begin_of(5)),
		     begin_of(4) - 7000));
	before = counters_at_end(3);
	now.valid &= ~(unsigned int)JVM_COUNTER_APPLICATION;
	cr_expect(eq(u64, ledger_begin(&ledger, &before, &now, begin_of(4) - 7000, begin_of(5)),
		     begin_of(4) - 7000));
}

Test(ledger, a_begin_that_would_not_leave_time_to_reach_is_not_believed)
{
	struct event_jvm_counters before = counters_at_end(2), now = counters_at_end(3);
	struct ledger ledger = {0};

	enter(&ledger, 2, 1000);
	enter(&ledger, 2, 1000);
	cr_expect(eq(u64,
		     ledger_begin(&ledger, &before, &now, begin_of(3) - 8000, begin_of(3) + 5000),
		     begin_of(3) - 8000));
}
