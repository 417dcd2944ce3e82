/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/cmd/facts.h"
#include "user/output/json.h"
#include "user/output/label.h"
#include "user/recording/schema.h"

static const char *const end_names[] = {
	[END_NONE] = "the recorder was killed",
	[END_INTERRUPTED] = "interrupted",
	[END_DEADLINE] = "as long as asked",
	[END_TARGET_EXIT] = "the JVM ended",
	[END_WRITE_ERROR] = "the file could not be written further",
	[END_TARGET_EXEC] = "the JVM became another program",
};

static const char *end_name(const struct account *account)
{
	return account->end.reason < ARRAY_SIZE(end_names) ? end_names[account->end.reason] : "?";
}

uint64_t facts_length(const struct account *account)
{
	uint64_t from_ns =
		account->start_ns > account->first_ns ? account->start_ns : account->first_ns;
	uint64_t to_ns = account_end(account);

	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static const char *or_unknown(const char *text)
{
	return *text ? text : "unknown";
}

void facts_text_header(const struct account *account)
{
	char label[LABEL_BYTES], when[CLOCK_BYTES];
	uint64_t wall_ns;

	if (clock_wall(&account->clock, account->start_ns, &wall_ns))
		printf("recorded from %s", clock_print(when, wall_ns));
	else
		printf("recorded at an unknown time");
	if (*account->host)
		printf(" on %s", label_fit(label, account->host, 30));
	if (*account->kernel)
		printf(", Linux %s", label_fit(label, account->kernel, 20));
	printf("\n");
	for (size_t i = 0; i < account->nr_targets; i++) {
		const struct account_target *target = &account->targets[i];

		if (!strcmp(target->role, "client") && !*target->version) {
			printf("pid %" PRIu32 ": client %s\n", target->tgid,
			       label_fit(label, or_unknown(target->comm), 16));
			continue;
		}
		printf("pid %" PRIu32 ": JDK %s,", target->tgid,
		       label_fit(label, or_unknown(target->version), 20));
		printf(" collector %s,", label_fit(label, or_unknown(target->collector), 12));
		printf(" %s\n", label_fit(label, or_unknown(target->command), 44));
	}
}

static const char *kind_name(uint32_t kind)
{
	const struct schema_kind *row = kind ? schema_kind((uint16_t)kind) : NULL;

	return row ? row->name : "records of several kinds";
}

static void text_losses(const struct account *account)
{
	size_t nr =
		account->nr_losses < ACCOUNT_LOSSES_MAX ? account->nr_losses : ACCOUNT_LOSSES_MAX;

	if (!account->nr_lost) {
		printf("lost: nothing\n");
		return;
	}
	printf("lost: %" PRIu64 " records;", account->nr_lost);
	for (uint32_t cause = 0; cause < NR_LOST_CAUSES; cause++)
		if (account->lost_by_cause[cause])
			printf(" %s: %" PRIu64 ";", lost_cause_name(cause),
			       account->lost_by_cause[cause]);
	printf("\n");
	for (size_t i = 0; i < nr; i++) {
		const struct record_lost *lost = &account->losses[i];

		printf("  %.6f to %.6f s: %" PRIu64 " %s (%s)\n",
		       ((double)lost->from_ns - (double)account->start_ns) / 1e9,
		       ((double)lost->hdr.ts_ns - (double)account->start_ns) / 1e9,
		       (uint64_t)lost->nr, kind_name(lost->lost_kind),
		       lost_cause_name(lost->cause));
	}
	if (account->nr_losses > nr)
		printf("  and %zu more times; `standstill dump` has them all\n",
		       account->nr_losses - nr);
}

static void text_missing(const struct account *account)
{
	char feature[LABEL_BYTES], loss[LABEL_BYTES];

	if (!account->nr_missing)
		printf("not recorded: nothing that was asked for\n");
	for (size_t i = 0; i < account->nr_missing; i++)
		printf("not recorded: %s: %s\n",
		       label_fit(feature, account->missing[i].feature, 24),
		       label_fit(loss, account->missing[i].loss, 100));
}

static void text_cost(const struct account *account)
{
	const struct record_cost *cost = &account->cost;
	uint64_t length_ns = cost->hdr.ts_ns - cost->since_ns;
	char share[32], other[32], size[UNITS_BYTES];

	if (!account->has_cost || !length_ns) {
		printf("own cost: not in the recording\n");
		return;
	}
	printf("own cost: BPF %s of a core (estimate), recorder %s and %s;",
	       label_share(share, cost->bpf_ns, length_ns),
	       label_share(other, cost->cpu_ns, length_ns),
	       units_print_size(size, cost->rss_bytes));
	printf(" %.0f records/s", (double)cost->nr_events * 1e9 / (double)length_ns);
	if (cost->nr_events)
		printf(", %.1f bytes each in the file",
		       (double)cost->file_bytes / (double)cost->nr_events);
	printf("\n");
}

void facts_text_footer(const struct account *account)
{
	printf("ended: %s\n", end_name(account));
	text_losses(account);
	text_missing(account);
	text_cost(account);
}

static void json_losses(struct json *json, const struct account *account)
{
	json_number(json, "lost", account->nr_lost);
	json_open(json, "lost_by_cause", '{');
	for (uint32_t cause = 0; cause < NR_LOST_CAUSES; cause++)
		if (account->lost_by_cause[cause])
			json_number(json, lost_cause_name(cause), account->lost_by_cause[cause]);
	json_close(json, '}');
	json_open(json, "losses", '[');
	for (size_t i = 0; i < account->nr_losses && i < ACCOUNT_LOSSES_MAX; i++) {
		const struct record_lost *lost = &account->losses[i];

		json_open(json, NULL, '{');
		json_number(json, "from_ns", lost->from_ns);
		json_number(json, "to_ns", lost->hdr.ts_ns);
		json_number(json, "nr", lost->nr);
		json_text(json, "kind", kind_name(lost->lost_kind));
		json_text(json, "cause", lost_cause_name(lost->cause));
		json_close(json, '}');
	}
	json_close(json, ']');
	json_number(json, "nr_losses", account->nr_losses);
}

static void json_cost(struct json *json, const struct account *account)
{
	const struct record_cost *cost = &account->cost;

	if (!account->has_cost) {
		json_text(json, "cost", NULL);
		return;
	}
	json_open(json, "cost", '{');
	json_number(json, "length_ns", cost->hdr.ts_ns - cost->since_ns);
	json_number(json, "bpf_ns", cost->bpf_ns);
	json_number(json, "bpf_runs", cost->bpf_runs);
	json_number(json, "recorder_cpu_ns", cost->cpu_ns);
	json_number(json, "recorder_rss_bytes", cost->rss_bytes);
	json_number(json, "events", cost->nr_events);
	json_number(json, "file_bytes", cost->file_bytes);
	json_number(json, "ring_bytes", cost->ring_size_bytes);
	json_number(json, "ring_peak_bytes", cost->ring_peak_bytes);
	json_close(json, '}');
}

void facts_json(struct json *json, const struct account *account)
{
	uint64_t wall_ns = 0;
	bool has_wall = clock_wall(&account->clock, account->start_ns, &wall_ns);

	json_number(json, "start_ns", account->start_ns);
	json_known(json, "start_realtime_ns", has_wall, wall_ns);
	json_number(json, "length_ns", facts_length(account));
	json_text(json, "ended", end_name(account));
	json_losses(json, account);
	json_open(json, "missing", '{');
	for (size_t i = 0; i < account->nr_missing; i++)
		json_text(json, account->missing[i].feature, account->missing[i].loss);
	json_close(json, '}');
	json_cost(json, account);
}
