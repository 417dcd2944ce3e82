/* SPDX-License-Identifier: BSD-2-Clause */
/* Records into the file: those of the ring, and those that the recorder adds. */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "user/attach/perfdata.h"
#include "user/base/units.h"
#include "user/cmd/record.h"

#define HEADER(type, kind_, ts)                                                                    \
	{                                                                                          \
		.kind = (kind_), .size = sizeof(type), .ts_ns = (ts)                               \
	}

void record_put(struct session *s, const struct event_hdr *event)
{
	int error = s->file_error ? s->file_error : recording_put(s->file, event);

	if (error && !s->file_error)
		s->file_error = error;
}

/* With the futex source, the counters come once a barrier wake and never else. */
static bool ends_a_pause(const struct session *s, const struct event_hdr *event)
{
	const struct event_jvm_counters *counters = (const void *)event;

	for (size_t i = 0; i < s->nr_targets; i++)
		if (s->options->tgids[i] == counters->tgid)
			return probes_pauses_of(s->probes, i) == PAUSE_PROBES_FUTEX;
	return false;
}

static void count(struct session *s, const struct event_hdr *event)
{
	s->nr_events++;
	s->event_bytes += event->size;
	switch (event->kind) {
	case EVENT_OFFCPU:
		s->nr_offcpu++;
		break;
	case EVENT_SOCK_READ:
		s->nr_reads++;
		break;
	case EVENT_SAFEPOINT_BEGIN:
		s->nr_pauses++;
		break;
	case EVENT_JVM_COUNTERS:
		s->nr_pauses += ends_a_pause(s, event);
		break;
	case EVENT_TASK_EXEC:
		s->exec_seen = true;
		break;
	}
}

static int on_record(void *arg, const struct event_hdr *event)
{
	struct session *s = arg;

	count(s, event);
	record_put(s, event);
	record_names_event(s, event);
	return 0;
}

int record_drain(struct session *s)
{
	uint64_t now_ns = monotonic_ns(), bytes = s->event_bytes;
	int nr = probes_drain(s->probes, on_record, s);

	if (s->event_bytes - bytes > s->peak_bytes)
		s->peak_bytes = s->event_bytes - bytes;
	s->drained_ns = now_ns;
	return nr;
}

struct loss_context {
	struct session *s;
	uint64_t from_ns, to_ns;
};

static void on_loss(void *arg, uint32_t kind, enum lost_cause cause, uint64_t nr)
{
	struct loss_context *context = arg;
	struct record_lost lost = {
		.hdr = HEADER(lost, RECORD_LOST, context->to_ns),
		.from_ns = context->from_ns,
		.nr = nr,
		.lost_kind = kind,
		.cause = cause,
	};

	context->s->nr_lost += nr;
	record_put(context->s, &lost.hdr);
}

/* What was lost since the last time we looked is placed between that time and now. */
void record_put_lost(struct session *s)
{
	struct loss_context context = {.s = s, .from_ns = s->losses_ns, .to_ns = monotonic_ns()};

	probes_losses(s->probes, on_loss, &context);
	s->losses_ns = context.to_ns;
}

static uint64_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long total, resident = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%lu %lu", &total, &resident) != 2)
		resident = 0;
	fclose(file);
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

struct cost_context {
	struct session *s;
	struct record_cost *sum;
};

static void on_cost(void *arg, const struct record_probe *cost)
{
	struct cost_context *context = arg;
	struct record_probe probe = *cost;

	probe.hdr.ts_ns = context->sum->hdr.ts_ns;
	context->sum->bpf_runs += cost->runs;
	context->sum->bpf_ns += cost->runs * (cost->ns_per_run + cost->dispatch_ns);
	record_put(context->s, &probe.hdr);
}

void record_put_cost(struct session *s)
{
	struct recording_totals totals;
	struct cost_context context = {.s = s, .sum = &s->cost};

	recording_totals(s->file, &totals);
	s->cost = (struct record_cost){
		.hdr = HEADER(s->cost, RECORD_COST, monotonic_ns()),
		.since_ns = s->start_ns,
		.cpu_ns = cpu_ns() - s->cpu_before_ns,
		.rss_bytes = resident_bytes(),
		.nr_events = s->nr_events,
		.ring_bytes = s->event_bytes,
		.file_bytes = totals.file_bytes,
		.ring_size_bytes = probes_ring_bytes(s->probes),
		.ring_peak_bytes = s->peak_bytes,
	};
	probes_costs(s->probes, on_cost, &context);
	record_put(s, &s->cost.hdr);
}

#define EDGE_TRIES  10
#define EDGE_GAP_NS (200 * NS_PER_US)

/*
 * The JVM's own count at the edge of a recording must not be read in the middle of a safepoint's
 * begin, or it and the pauses seen differ by one: two readings a moment apart have to agree. What
 * both say then holds from the end of the first on, for whatever had begun before that, too.
 */
static int read_steady(const struct jvm *jvm, struct perfdata_snapshot *ret)
{
	const struct timespec gap = {.tv_nsec = (long)EDGE_GAP_NS};
	struct perfdata_snapshot first;
	int error = 0;

	for (int i = 0; i < EDGE_TRIES && !error; i++) {
		error = perfdata_snapshot(jvm, &first);
		nanosleep(&gap, NULL);
		if (!error)
			error = perfdata_snapshot(jvm, ret);
		ret->before_ns = first.after_ns;
		if (!error && ret->safepoints == first.safepoints)
			break;
	}
	return error;
}

void record_put_counters(struct session *s, uint32_t edge)
{
	for (size_t i = 0; i < s->nr_targets; i++) {
		struct perfdata_snapshot now = {0};
		struct record_counters counters = {0};

		if (s->pidfds[i] < 0 || !s->jvms[i] || read_steady(s->jvms[i], &now))
			continue;
		counters = (struct record_counters){
			.hdr = HEADER(counters, RECORD_COUNTERS, now.after_ns),
			.before_ns = now.before_ns,
			.safepoints = now.safepoints,
			.sync_ns = now.sync_ns,
			.safepoint_time_ns = now.safepoint_time_ns,
			.gc_invocations = now.gc_invocations,
			.tgid = s->options->tgids[i],
			.valid = now.valid,
			.edge = edge,
		};
		counters.hdr.tid = counters.tgid;
		record_put(s, &counters.hdr);
	}
}

void record_put_end(struct session *s)
{
	struct record_end end = {
		.hdr = HEADER(end, RECORD_END, monotonic_ns()),
		.reason = s->end_reason,
		.error = (uint32_t)-s->file_error,
		.nr_lost = s->nr_lost,
	};

	record_put(s, &end.hdr);
	recording_tick(s->file, end.hdr.ts_ns);
}
