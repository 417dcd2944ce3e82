/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/timeline/account.h"
#include "user/timeline/names.h"

static struct account_target *target_of(struct account *a, uint32_t tgid)
{
	for (size_t i = 0; i < a->nr_targets; i++)
		if (a->targets[i].tgid == tgid)
			return &a->targets[i];
	if (!tgid || a->nr_targets == ACCOUNT_TARGETS_MAX)
		return NULL;
	a->targets[a->nr_targets].tgid = tgid;
	return &a->targets[a->nr_targets++];
}

const struct account_target *account_target(const struct account *a, uint32_t tgid)
{
	for (size_t i = 0; i < a->nr_targets; i++)
		if (a->targets[i].tgid == tgid)
			return &a->targets[i];
	return NULL;
}

static void on_missing(struct account *a, const char *feature, const char *loss)
{
	struct account_missing *missing;

	for (size_t i = 0; i < a->nr_missing; i++)
		if (!strcmp(a->missing[i].feature, feature))
			return; /* every segment says it again */
	if (a->nr_missing == ACCOUNT_MISSING_MAX)
		return;
	missing = &a->missing[a->nr_missing++];
	names_copy(missing->feature, sizeof(missing->feature), feature, strlen(feature));
	names_copy(missing->loss, sizeof(missing->loss), loss, RECORD_VALUE_BYTES);
}

struct text_fact {
	const char *key;
	size_t offset, size;
};

#define ACCOUNT_TEXT(key, member)                                                                  \
	{                                                                                          \
		key, offsetof(struct account, member), sizeof(((struct account *)0)->member)       \
	}
#define TARGET_TEXT(key, member)                                                                   \
	{                                                                                          \
		key, offsetof(struct account_target, member),                                      \
			sizeof(((struct account_target *)0)->member)                               \
	}

static const struct text_fact machine_facts[] = {
	ACCOUNT_TEXT("machine.host", host),
	ACCOUNT_TEXT("kernel.release", kernel),
	ACCOUNT_TEXT("machine.cpus", cpus),
};

static const struct text_fact target_facts[] = {
	TARGET_TEXT("jvm.version", version),	 TARGET_TEXT("jvm.name", name),
	TARGET_TEXT("jvm.collector", collector), TARGET_TEXT("jvm.command", command),
	TARGET_TEXT("probe.pauses", pauses),	 TARGET_TEXT("target.role", role),
	TARGET_TEXT("target.comm", comm),
};

static void take_text(void *into, const struct text_fact *facts, size_t nr, const char *key,
		      const char *value)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(facts[i].key, key))
			names_copy((char *)into + facts[i].offset, facts[i].size, value,
				   RECORD_VALUE_BYTES);
}

static void on_info(struct account *a, const struct record_info *info)
{
	static const char missing[] = "probe.missing.";
	char key[RECORD_KEY_BYTES], value[RECORD_VALUE_BYTES];
	struct account_target *target;
	uint64_t number;

	names_copy(key, sizeof(key), info->key, sizeof(info->key));
	names_copy(value, sizeof(value), info->value, sizeof(info->value));
	if (!strncmp(key, missing, sizeof(missing) - 1)) {
		on_missing(a, key + sizeof(missing) - 1, value);
	} else if (!strcmp(key, "standstill.start_ns") &&
		   !units_parse_number(value, 0, UINT64_MAX, &number)) {
		a->start_ns = number;
		a->started = true;
	} else if (!info->hdr.tid) {
		take_text(a, machine_facts, ARRAY_SIZE(machine_facts), key, value);
	} else if ((target = target_of(a, info->hdr.tid))) {
		take_text(target, target_facts, ARRAY_SIZE(target_facts), key, value);
	}
}

static void on_lost(struct account *a, const struct record_lost *lost)
{
	a->nr_lost += lost->nr;
	a->lost_by_cause[lost->cause < NR_LOST_CAUSES ? lost->cause : LOST_NONE] += lost->nr;
	a->lost_by_kind[lost->lost_kind < NR_EVENT_KINDS ? lost->lost_kind : EVENT_NONE] +=
		lost->nr;
	if (a->nr_losses < ACCOUNT_LOSSES_MAX)
		a->losses[a->nr_losses] = *lost;
	a->nr_losses++;
}

static void on_counters(struct account *a, const struct record_counters *counters)
{
	struct account_target *target = target_of(a, counters->tgid);

	if (!target || !(counters->valid & JVM_COUNTER_SAFEPOINTS))
		return;
	if (!target->has_first) {
		target->has_first = true;
		target->first_count = counters->safepoints;
		target->first_ns = counters->before_ns;
		return;
	}
	target->has_last = true;
	target->last_count = counters->safepoints;
	target->last_ns = counters->before_ns;
}

static void on_probe(struct account *a, const struct record_probe *probe)
{
	for (size_t i = 0; i < a->nr_probes; i++) {
		if (strncmp(a->probes[i].name, probe->name, sizeof(probe->name)))
			continue;
		a->probes[i] = *probe;
		return;
	}
	if (a->nr_probes < ACCOUNT_PROBES_MAX)
		a->probes[a->nr_probes++] = *probe;
}

static void on_time(struct account *a, const struct event_hdr *event)
{
	if (!a->nr_records++) {
		a->first_ns = event->ts_ns;
		if (!a->started)
			a->start_ns = event->ts_ns;
	}
	if (event->ts_ns > a->last_ns)
		a->last_ns = event->ts_ns;
	if (event->kind < EVENT_FIRST_USER && event->ts_ns > a->last_probe_ns)
		a->last_probe_ns = event->ts_ns;
}

void account_event(struct account *a, const struct event_hdr *event)
{
	const struct record_clock *clock = (const void *)event;

	on_time(a, event);
	switch (event->kind) {
	case RECORD_INFO:
		on_info(a, (const void *)event);
		break;
	case RECORD_CLOCK:
		clock_add(&a->clock, clock->monotonic_before_ns, clock->realtime_ns,
			  clock->monotonic_after_ns);
		break;
	case RECORD_LOST:
		on_lost(a, (const void *)event);
		break;
	case RECORD_COST:
		a->cost = *(const struct record_cost *)event;
		a->has_cost = true;
		break;
	case RECORD_COUNTERS:
		on_counters(a, (const void *)event);
		break;
	case RECORD_PROBE:
		on_probe(a, (const void *)event);
		break;
	case RECORD_END:
		a->end = *(const struct record_end *)event;
		break;
	}
}

uint64_t account_end(const struct account *a)
{
	return a->end.reason != END_NONE && a->last_probe_ns ? a->last_probe_ns : a->last_ns;
}

const char *lost_cause_name(uint32_t cause)
{
	static const char *const names[NR_LOST_CAUSES] = {
		[LOST_NONE] = "unknown",
		[LOST_RING_FULL] = "ring full",
		[LOST_NO_STORAGE] = "no memory for a thread's state",
		[LOST_RECURSION] = "probe already running",
		[LOST_DISORDER] = "came too late to be put in order",
		[LOST_WRITE] = "not written to the file",
		[LOST_DAMAGED] = "in a damaged part of the file",
		[LOST_UNSEEN] = "switch not shown by the kernel",
	};

	return cause < NR_LOST_CAUSES && names[cause] ? names[cause] : names[LOST_NONE];
}
