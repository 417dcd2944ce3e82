/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/cmd/facts.h"
#include "user/cmd/pauses.h"
#include "user/output/label.h"

#define NOTABLE_NS                                                                                 \
	NS_PER_MS /* what takes this long, or a tenth of its pause, gets a line that says why */

void pauses_text_header(const struct account *account)
{
	facts_text_header(account);
	printf("\n%9s %8s %8s %8s %8s %4s %-22s %-14s %s\n", "when (s)", "total", "reaching",
	       "operat.", "leaving", "stop", "operation", "cause", "worst back");
}

static const char *time_or_dash(char buffer[UNITS_BYTES], bool known, uint64_t ns)
{
	return known ? units_print_time(buffer, ns) : "-";
}

static void print_when(const struct account *account, uint64_t ns)
{
	if (ns)
		printf("%9.4f", ((double)ns - (double)account->start_ns) / 1e9);
	else
		printf("%9s", "before");
}

static bool is_notable(uint64_t part_ns, uint64_t whole_ns)
{
	return part_ns >= NOTABLE_NS || (part_ns * 10 >= whole_ns && part_ns >= 100 * NS_PER_US);
}

static const char *name_or_tid(char buffer[LABEL_BYTES], const char *name, uint32_t tid,
			       size_t width)
{
	char number[32];

	if (*name)
		return label_fit(buffer, name, width);
	snprintf(number, sizeof(number), "tid %" PRIu32, tid);
	return label_fit(buffer, number, width);
}

static void print_split(const uint64_t ns[NR_REASONS])
{
	const char *comma = "";
	char time[UNITS_BYTES];

	for (int reason = 0; reason < NR_REASONS; reason++) {
		if (!ns[reason])
			continue;
		printf("%s%s %s", comma, reason_name((enum reason)reason),
		       units_print_time(time, ns[reason]));
		comma = ", ";
	}
}

/* What the VM Thread itself waited for, but for its sleeps while it waits for the late one. */
static void print_reaching_of_vm(const struct pause_row *row)
{
	uint64_t waits_ns[NR_REASONS], sum_ns = 0;

	memcpy(waits_ns, row->pause.vm_reaching_ns, sizeof(waits_ns));
	waits_ns[REASON_RUNNING] = 0;
	waits_ns[REASON_SLEEP] = 0;
	for (int reason = 0; reason < NR_REASONS; reason++)
		sum_ns += waits_ns[reason];
	if (sum_ns * 4 < row->reaching_ns || !is_notable(sum_ns, row->duration_ns))
		return;
	printf("%10sreaching: the VM Thread itself waited: ", "");
	print_split(waits_ns);
	printf("\n");
}

static void print_late(const struct pause_row *row)
{
	const struct pause *pause = &row->pause;
	char label[LABEL_BYTES], time[UNITS_BYTES];

	if (!pause->late_tid || !is_notable(row->reaching_ns, row->duration_ns))
		return;
	printf("%10slate: %s, by %s: ", "", name_or_tid(label, row->late_name, pause->late_tid, 30),
	       units_print_time(time, pause->late_arrived_ns - pause->begin_ns));
	print_split(pause->late_ns);
	printf("\n");
}

/* What the operation itself had to wait for, when that was a good part of it. */
static void print_operation(const struct pause_row *row)
{
	const struct {
		const char *what;
		uint64_t ns;
	} waits[] = {{"throttled", row->op_throttled_ns},
		     {"stopped", row->op_stopped_ns},
		     {"run queue", row->op_run_queue_ns},
		     {"page faults, memory", row->op_fault_ns}};
	uint64_t waited_ns =
		row->op_throttled_ns + row->op_stopped_ns + row->op_run_queue_ns + row->op_fault_ns;
	char time[UNITS_BYTES], share[32];
	const char *comma = "";

	if (waited_ns < NOTABLE_NS || waited_ns * 4 < waited_ns + row->op_running_ns)
		return;
	printf("%10soperation: %s of its work was waiting:", "",
	       label_share(share, waited_ns, waited_ns + row->op_running_ns));
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		if (!waits[i].ns)
			continue;
		printf("%s %s %s", comma, waits[i].what, units_print_time(time, waits[i].ns));
		comma = ",";
	}
	printf("\n");
}

static void print_cut(const struct account *account, const struct pause *pause)
{
	if (!pause->cut)
		return;
	if (pause->begin_ns && !pause->release_ns)
		printf("%10scut off: it had not ended when the recording did\n", "");
	else
		printf("%10scut off: it began before the recording did, and ended at %.4f s\n", "",
		       ((double)pause->release_ns - (double)account->start_ns) / 1e9);
}

static void print_remarks(const struct account *account, const struct pause_row *row)
{
	const struct pause *pause = &row->pause;

	print_cut(account, pause);
	if (pause->incomplete)
		printf("%10sincomplete: records of this time were lost\n", "");
	if (pause->missed_before)
		printf("%10sbefore it, the JVM counted %" PRIu64 " pauses that were not seen\n", "",
		       pause->missed_before);
}

void pauses_text_row(const struct account *account, const struct pause_row *row)
{
	const struct pause *pause = &row->pause;
	char times[5][UNITS_BYTES], label[LABEL_BYTES];

	print_when(account, pause->begin_ns);
	printf(" %8s %8s %8s %8s", time_or_dash(times[0], row->has_duration, row->duration_ns),
	       time_or_dash(times[1], row->has_phases, row->reaching_ns),
	       time_or_dash(times[2], row->has_phases, row->operation_ns),
	       time_or_dash(times[3], row->has_leaving && pause->nr_stopped, row->leaving_ns));
	if (row->has_lost)
		printf(" %4zu", pause->nr_stopped);
	else
		printf(" %4s", "-");
	printf(" %s", label_column(label, *pause->operation ? pause->operation : "unknown", 22));
	printf(" %s", label_column(label, *pause->cause ? pause->cause : "-", 14));
	if (row->worst)
		printf(" %s", name_or_tid(label, row->worst->name, row->worst->stopped.tid, 13));
	else
		printf(" -");
	printf("\n");
	print_late(row);
	print_reaching_of_vm(row);
	print_operation(row);
	print_remarks(account, row);
}

/* ---- the summary ---- */

static void print_percentiles(const char *what, struct histogram *h)
{
	char times[4][UNITS_BYTES];

	printf("%-10s %9s %9s %9s %9s\n", what,
	       units_print_time(times[0], histogram_percentile(h, 50)),
	       units_print_time(times[1], histogram_percentile(h, 90)),
	       units_print_time(times[2], histogram_percentile(h, 99)),
	       units_print_time(times[3], h->max));
}

static void print_kinds(const struct pauses_summary *s)
{
	char label[LABEL_BYTES], times[2][UNITS_BYTES];

	printf("\n%6s %9s %9s  %s\n", "pauses", "together", "longest", "operation (cause)");
	for (size_t i = 0; i < s->nr_kinds; i++) {
		const struct pause_kind_row *kind = &s->kinds[i];

		printf("%6" PRIu64 " %9s %9s  %s", kind->nr,
		       time_or_dash(times[0], kind->nr_timed, kind->sum_ns),
		       time_or_dash(times[1], kind->nr_timed, kind->max_ns),
		       label_fit(label, *kind->operation ? kind->operation : "unknown", 40));
		if (*kind->cause)
			printf(" (%s)", label_fit(label, kind->cause, 30));
		printf("\n");
	}
}

static void print_check(const struct pauses_summary *s, const struct account *account)
{
	uint64_t counted, found;

	for (size_t i = 0; i < s->nr_jvms; i++) {
		const struct jvm_tally *tally = &s->jvms[i];

		printf("JVM's own count (sun.rt.safepoints)");
		if (s->nr_jvms > 1)
			printf(" of pid %" PRIu32, tally->tgid);
		switch (summary_check(tally, account, &counted, &found)) {
		case AGREES:
			printf(": %" PRIu64 ", found %" PRIu64 ": agree\n", counted, found);
			break;
		case DIFFERS:
			printf(": %" PRIu64 ", found %" PRIu64 ": differ by %" PRIu64 "\n", counted,
			       found, counted > found ? counted - found : found - counted);
			break;
		case NOT_CHECKED:
			printf(": could not be read, so nothing checks the number found\n");
			break;
		}
	}
}

static void print_releases(const struct pauses_summary *s)
{
	static const char *const how[] = {
		[RELEASE_UNKNOWN] = "unknown",
		[RELEASE_WAKE] = "by the first thread woken",
		[RELEASE_FUTEX] = "by the waking call",
		[RELEASE_END] = "by the end probe (11 us late at the median)",
		[RELEASE_OPERATION] = "by the operation's end, as nobody waited",
	};
	const char *comma = "";

	printf("release:");
	for (size_t i = 0; i < ARRAY_SIZE(how); i++) {
		if (!s->nr_release[i])
			continue;
		printf("%s %" PRIu64 " %s", comma, s->nr_release[i], how[i]);
		comma = ",";
	}
	printf("\n");
}

static void print_reaching(const struct pauses_summary *s)
{
	static const char *const how[] = {
		[SYNC_UNKNOWN] = "unknown",
		[SYNC_JVM_COUNTER] = "by the JVM's own counter",
		[SYNC_LAST_SLEEP] = "by the VM Thread's last sleep (6 us late at the median)",
		[SYNC_FIRST_LOOK] = "all safe at the first look",
	};
	const char *comma = "";

	printf("reaching:");
	for (size_t i = 0; i < ARRAY_SIZE(how); i++) {
		if (!s->nr_sync[i])
			continue;
		printf("%s %" PRIu64 " %s", comma, s->nr_sync[i], how[i]);
		comma = ",";
	}
	printf("\n");
}

/* The errors are those measured against the JVM's own log and probes: docs/pauses.md, "How exact".
 */
static void print_sources(const struct pauses_summary *s)
{
	if (s->nr_source[PAUSE_SOURCE_USDT])
		printf("source: %" PRIu64 " by the JVM's own probes (USDT): begin within 5 us\n",
		       s->nr_source[PAUSE_SOURCE_USDT]);
	if (s->nr_source[PAUSE_SOURCE_FUTEX])
		printf("source: %" PRIu64
		       " by futex calls of its VM Thread: begin 2 us early at the median, 11 us"
		       " at p10\n",
		       s->nr_source[PAUSE_SOURCE_FUTEX]);
	print_releases(s);
	print_reaching(s);
}

static void print_doubts(const struct pauses_summary *s, const struct replay *replay)
{
	struct pauses_totals totals;

	pauses_totals(replay->pauses, &totals);
	if (s->nr_cut)
		printf("cut off by the begin or end of the recording, and in no sum of times: "
		       "%" PRIu64 "\n",
		       s->nr_cut);
	if (s->nr_incomplete)
		printf("incomplete, for something of their time is lost or does not fit: %" PRIu64
		       "\n",
		       s->nr_incomplete);
	if (totals.nr_late_returns)
		printf("threads that were back only after their pause had been reported: %" PRIu64
		       "\n",
		       totals.nr_late_returns);
}

static void print_total(const struct pauses_summary *s, const struct replay *replay,
			uint64_t length_ns)
{
	char times[3][UNITS_BYTES], share[32];

	printf("\n%" PRIu64 " %s in %s, ", s->nr, s->nr == 1 ? "pause" : "pauses",
	       units_print_time(times[0], length_ns));
	if (s->nr && !s->duration.nr)
		printf("of unknown length");
	else
		printf("%s together: %s of the time", units_print_time(times[1], s->duration.sum),
		       label_share(share, s->duration.sum, length_ns));
	if (s->duration.nr)
		printf("; the longest, %s, at %.4f s", units_print_time(times[2], s->duration.max),
		       ((double)s->max_at_ns - (double)replay->account.start_ns) / 1e9);
	printf("\n");
}

static uint64_t window_length(const struct replay *replay)
{
	uint64_t from_ns, to_ns, start_ns = replay->account.start_ns,
				 end_ns = account_end(&replay->account);

	if (!replay->window.set)
		return facts_length(&replay->account);
	replay_bounds(replay, &from_ns, &to_ns);
	from_ns = from_ns < start_ns ? start_ns : from_ns;
	to_ns = to_ns > end_ns ? end_ns : to_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

void pauses_text_summary(struct pauses_summary *s, const struct replay *replay, uint64_t nr_printed)
{
	if (nr_printed < s->nr)
		printf("%10s(%" PRIu64 " of %" PRIu64 " pauses shown; what follows is about all)\n",
		       "", nr_printed, s->nr);
	print_total(s, replay, window_length(replay));
	if (s->duration.nr) {
		printf("\n%-10s %9s %9s %9s %9s\n", "", "p50", "p90", "p99", "max");
		print_percentiles("total", &s->duration);
		print_percentiles("reaching", &s->reaching);
	}
	if (s->nr_kinds)
		print_kinds(s);
	printf("\n");
	if (!replay->window.set)
		print_check(s, &replay->account);
	if (s->nr)
		print_sources(s);
	print_doubts(s, replay);
	facts_text_footer(&replay->account);
}
