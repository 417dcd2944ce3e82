/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/base/units.h"
#include "user/cmd/facts.h"
#include "user/cmd/threads.h"
#include "user/output/label.h"

#define IDLE_PART                                                                                  \
	2000 /* a thread that wanted a CPU for less than 1/2000 of its time is idle: 0.05 % */
#define WAITS_SHOWN 3
#define BUSY_SHOWN  12 /* of a role; --csv and --sort have all */
#define WAIT_PART                                                                                  \
	1000 /* shorter waits than this part of its time are left out, unless nothing else is      \
		there */

/* Idle threads are alike: what is said of one of them in particular would be noise. */
static bool is_idle(const struct thread_row *row)
{
	uint64_t odd_ns = row->in_ns[REASON_STOPPED] + row->in_ns[REASON_TRACED] +
			  row->in_ns[REASON_FROZEN] + row->in_ns[REASON_PAGE_FAULT] +
			  row->in_ns[REASON_MEMORY];

	return thread_row_busy(row) < row->wall_ns / IDLE_PART && !odd_ns && !row->nr_lost &&
	       !row->in_pauses_ns && row->in_ns[REASON_UNKNOWN] <= row->wall_ns / WAIT_PART;
}

static enum reason longest_wait(const struct thread_row *row, bool shown[NR_REASONS])
{
	enum reason longest = NR_REASONS;

	for (int reason = REASON_PARKED; reason < NR_REASONS; reason++)
		if (row->in_ns[reason] && !shown[reason] &&
		    (longest == NR_REASONS || row->in_ns[reason] > row->in_ns[longest]))
			longest = (enum reason)reason;
	return longest;
}

/* What it waited for: the longest first, as shares of its wall time. */
static void print_waits(const struct thread_row *row)
{
	bool shown[NR_REASONS] = {false};
	char share[32];
	int nr;

	for (nr = 0; nr < WAITS_SHOWN; nr++) {
		enum reason reason = longest_wait(row, shown);

		if (reason == NR_REASONS || (nr && row->in_ns[reason] < row->wall_ns / WAIT_PART))
			break;
		shown[reason] = true;
		printf("%s%s %s", nr ? ", " : "", reason_name(reason),
		       label_share(share, row->in_ns[reason], row->wall_ns));
	}
	printf(nr ? "\n" : ".\n");
}

static const char *time_or_dot(char buffer[UNITS_BYTES], uint64_t ns)
{
	return ns ? units_print_time(buffer, ns) : ".";
}

static void print_row(const struct thread_row *row)
{
	char label[LABEL_BYTES], times[4][UNITS_BYTES], name[EVENT_NAME_BYTES + 32];

	uint32_t tid = row->nr_threads == 1 && row->only_tid ? row->only_tid : row->tid;

	if (row->nr_threads > 1)
		snprintf(name, sizeof(name), "%s (%" PRIu64 ")", row->name, row->nr_threads);
	else
		snprintf(name, sizeof(name), "%s", row->only_tid ? row->only_name : row->name);
	printf("%s", label_column(label, name, 24));
	if (tid)
		printf(" %7" PRIu32, tid);
	else
		printf(" %7s", "");
	printf(" %8s %8s %8s %8s  ", time_or_dot(times[0], row->in_ns[REASON_RUNNING]),
	       time_or_dot(times[1], row->in_ns[REASON_RUN_QUEUE]),
	       time_or_dot(times[2], row->in_ns[REASON_THROTTLED]),
	       time_or_dot(times[3], row->in_pauses_ns));
	print_waits(row);
}

/* The busiest of a role as themselves, the others in groups of like names. 0 or -ENOMEM. */
static int print_role(const struct row_set *set, enum thread_role role)
{
	struct row_set groups = {.by = BY_NAME};
	uint64_t nr = 0;
	int err = 0;

	for (size_t i = 0; i < set->nr && !err; i++) {
		const struct thread_row *row = set->rows[i];

		if (row->role != role || is_idle(row))
			continue;
		if (!nr)
			printf("-- %s\n", role_name(role));
		if (nr++ < BUSY_SHOWN)
			print_row(row);
		else
			err = row_set_add(&groups, row);
	}
	if (groups.nr)
		printf("   and %" PRIu64 " more:\n", nr - BUSY_SHOWN);
	for (size_t i = 0; i < groups.nr; i++)
		print_row(groups.rows[i]);
	row_set_free(&groups);
	return err;
}

static int print_busy(const struct row_set *set)
{
	int err = 0;

	for (int role = 0; role < NR_ROLES && !err; role++)
		err = print_role(set, (enum thread_role)role);
	return err;
}

static int print_idle(const struct row_set *set)
{
	struct row_set groups = {.by = BY_NAME};
	int err = 0;

	for (size_t i = 0; i < set->nr && !err; i++)
		if (is_idle(set->rows[i]))
			err = row_set_add(&groups, set->rows[i]);
	if (groups.nr)
		printf("-- idle: on a CPU or waiting for one less than 0.05 %% of the time\n");
	row_set_sort(&groups, SORT_CPU);
	for (size_t i = 0; i < groups.nr; i++)
		print_row(groups.rows[i]);
	row_set_free(&groups);
	return err;
}

/*
 * The scheduler's clock begins a run where it was last read, which is at the wake-up when a CPU was
 * free: so it is ahead by the time that takes, microseconds a wake-up. It leaves out what the
 * hypervisor and interrupts took.
 */
static void print_exec(const struct threads_check *check)
{
	char label[LABEL_BYTES], times[4][UNITS_BYTES], share[32];

	if (!check->nr) {
		printf("on CPU, against the scheduler's own clock: no thread was read twice\n");
		return;
	}
	printf("on CPU, all together: %s; by the scheduler's own clock: %s\n",
	       units_print_time(times[0], check->running_ns),
	       units_print_time(times[1], check->exec_ns));
	printf("  worst of %" PRIu64 " threads: %s, %s apart (%s of its time, %s an interval)\n",
	       check->nr, label_fit(label, check->worst_name, 24),
	       units_print_time(times[2], check->worst_ns),
	       label_share(share, check->worst_ns, check->worst_of_ns),
	       units_print_time(times[3], check->worst_intervals
						  ? check->worst_ns / check->worst_intervals
						  : 0));
}

static void print_check(const struct row_set *set, const struct threads_check *check)
{
	if (set->nr_grouped)
		printf("%" PRIu64 " threads that ended after the first %d are shown in groups\n",
		       set->nr_grouped, ROWS_MAX);
	print_exec(check);
	if (check->nr_lost + check->nr_disordered + check->nr_overlaps + check->nr_damaged)
		printf("intervals: %" PRIu64 " lost (their time is \"unknown\"), %" PRIu64
		       " out of order, %" PRIu64 " overlapping, %" PRIu64 " damaged\n",
		       check->nr_lost, check->nr_disordered, check->nr_overlaps, check->nr_damaged);
}

int threads_text(struct row_set *set, const struct replay *replay,
		 const struct threads_check *check, enum threads_by by)
{
	int err = 0;
	char time[UNITS_BYTES];

	facts_text_header(&replay->account);
	printf("%s recorded; every thread's time adds up to the time it was seen\n\n",
	       units_print_time(time, facts_length(&replay->account)));
	printf("%-24s %7s %8s %8s %8s %8s  %s\n", by == BY_ROLE ? "role" : "thread", "tid",
	       "on CPU", "runnable", "throttl.", "pauses", "waiting, of its time");
	if (by == BY_THREAD) {
		err = print_busy(set);
		err = err ? err : print_idle(set);
	} else {
		for (size_t i = 0; i < set->nr; i++)
			print_row(set->rows[i]);
	}
	printf("\n");
	print_check(set, check);
	facts_text_footer(&replay->account);
	return err;
}
