/* SPDX-License-Identifier: BSD-2-Clause */
/* What every segment of a recording begins with, so that it can be read without those before it. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "user/attach/target.h"
#include "user/base/units.h"
#include "user/cmd/record.h"

struct fact_context {
	struct session *s;
	uint32_t scope;
	uint64_t ts_ns;
};

static void put_fact(void *arg, const char *key, const char *value)
{
	const struct fact_context *context = arg;
	struct record_info info = {
		.hdr = {.kind = RECORD_INFO,
			.size = sizeof(info),
			.tid = context->scope,
			.ts_ns = context->ts_ns},
	};

	snprintf(info.key, sizeof(info.key), "%s", key);
	snprintf(info.value, sizeof(info.value), "%s", value);
	record_put(context->s, &info.hdr);
}

static void put_missing(void *arg, const char *feature, const char *loss)
{
	char key[RECORD_KEY_BYTES];

	snprintf(key, sizeof(key), "probe.missing.%s", feature);
	put_fact(arg, key, loss);
}

static const char *source_name(enum pause_probes source)
{
	switch (source) {
	case PAUSE_PROBES_USDT:
		return "usdt";
	case PAUSE_PROBES_FUTEX:
		return "futex";
	default:
		return "none";
	}
}

static const char *role_name(enum target_role role)
{
	return role == TARGET_CLIENT ? "client" : "server";
}

static void put_facts(struct session *s, uint64_t now_ns)
{
	struct fact_context context = {.s = s, .ts_ns = now_ns};
	char number[32];

	put_fact(&context, "standstill.version", STANDSTILL_VERSION);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)s->start_ns);
	put_fact(&context, "standstill.start_ns", number);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)s->attach_ns);
	put_fact(&context, "standstill.attach_ns", number);
	machine_facts(put_fact, &context);
	probes_missing(s->probes, put_missing, &context);
	for (size_t i = 0; i < s->nr_targets; i++) {
		context.scope = s->options->tgids[i];
		put_fact(&context, "probe.pauses", source_name(probes_pauses_of(s->probes, i)));
		target_facts(context.scope, put_fact, &context);
		put_fact(&context, "target.role", role_name(s->options->roles[i]));
		if (s->jvms[i])
			jvm_facts(s->jvms[i], put_fact, &context);
	}
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* The narrowest of a few readings: one of them may have been interrupted. */
static void put_clock(struct session *s)
{
	struct record_clock best = {.monotonic_after_ns = UINT64_MAX};

	for (int i = 0; i < 5; i++) {
		struct record_clock now = {
			.monotonic_before_ns = clock_ns(CLOCK_MONOTONIC),
			.realtime_ns = clock_ns(CLOCK_REALTIME),
			.monotonic_after_ns = clock_ns(CLOCK_MONOTONIC),
		};

		if (now.monotonic_after_ns - now.monotonic_before_ns <
		    best.monotonic_after_ns - best.monotonic_before_ns)
			best = now;
	}
	best.hdr = (struct event_hdr){
		.kind = RECORD_CLOCK, .size = sizeof(best), .ts_ns = best.monotonic_after_ns};
	record_put(s, &best.hdr);
}

void record_begin_segment(struct session *s)
{
	uint64_t now_ns = monotonic_ns();
	int error = recording_segment_begin(s->file, now_ns);

	if (error && !s->file_error)
		s->file_error = error;
	put_facts(s, now_ns);
	put_clock(s);
	record_names_begin_segment(s);
	record_put_counters(s, 2);
	probes_snapshot(s->probes);
	record_drain(s);
}
