/* SPDX-License-Identifier: BSD-2-Clause */
/* What `standstill record` says while it records, and at the end: on standard error, so that -o -
 * style pipes stay clean. */
#include <stdio.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/cmd/cmd.h"
#include "user/cmd/record.h"

static const char *source_text(const struct session *s, size_t target)
{
	switch (probes_pauses_of(s->probes, target)) {
	case PAUSE_PROBES_USDT:
		return "pauses from its USDT probes";
	case PAUSE_PROBES_FUTEX:
		return "pauses from the futex calls of its VM Thread, a hook on every futex call "
		       "of this machine";
	default:
		return "threads only, no pauses";
	}
}

static void print_missing(void *arg, const char *feature, const char *loss)
{
	(void)arg;
	fprintf(stderr, "  not recorded: %s (no %s here)\n", loss, feature);
}

void status_begin(const struct session *s)
{
	char took[UNITS_BYTES];

	if (s->options->quiet)
		return;
	for (size_t i = 0; i < s->nr_targets; i++) {
		const struct jvm *jvm = s->jvms[i];

		if (!jvm) {
			fprintf(stderr, "recording %u: a client, no JVM; %s\n",
				s->options->tgids[i], source_text(s, i));
			continue;
		}
		fprintf(stderr, "recording %u: JDK %s, %s; %s\n", jvm->tgid,
			jvm->version[0] ? jvm->version : "of unknown version",
			jvm_collector_name(jvm->collector), source_text(s, i));
	}
	probes_missing(s->probes, print_missing, NULL);
	fprintf(stderr, "  into %s; attached in %s; %s\n", s->path,
		units_print_time(took, s->attach_ns),
		s->options->duration_ns ? "Ctrl-C ends it early" : "Ctrl-C ends it");
}

void status_line(struct session *s)
{
	uint64_t now_ns = monotonic_ns();
	char size[UNITS_BYTES];
	double seconds = (double)(now_ns - s->status_ns) / 1e9;

	if (s->options->quiet || !s->interactive)
		return;
	fprintf(stderr, "\r%8.1f s  %llu pauses  %.0f reads/s  %.0f events/s  %s  %llu lost\033[K",
		(double)(now_ns - s->start_ns) / 1e9, (unsigned long long)s->nr_pauses,
		(double)(s->nr_reads - s->status_reads) / seconds,
		(double)(s->nr_events - s->status_events) / seconds,
		units_print_size(size, s->cost.file_bytes), (unsigned long long)s->nr_lost);
	fflush(stderr);
	s->status_ns = now_ns;
	s->status_events = s->nr_events;
	s->status_reads = s->nr_reads;
}

static void say_why(const struct session *s)
{
	switch (s->end_reason) {
	case END_TARGET_EXIT:
		complain("the target has ended; what was recorded until then is in %s", s->path);
		break;
	case END_TARGET_EXEC:
		complain("the target became another program (exec); what was recorded until then "
			 "is in %s",
			 s->path);
		break;
	case END_WRITE_ERROR:
		complain(
			"%s cannot be written further: %s; what was written until then can be read",
			s->path, strerror(-s->file_error));
		break;
	}
}

static void print_cost(const struct session *s)
{
	const struct record_cost *cost = &s->cost;
	double wall = (double)(cost->hdr.ts_ns - cost->since_ns);
	char memory[UNITS_BYTES], peak[UNITS_BYTES], ring[UNITS_BYTES];

	fprintf(stderr,
		"  own cost: probes about %.2f %% of one core (%llu runs), recorder %.2f %%, %s; "
		"ring at most %s of "
		"%s\n",
		100.0 * (double)cost->bpf_ns / wall, (unsigned long long)cost->bpf_runs,
		100.0 * (double)cost->cpu_ns / wall, units_print_size(memory, cost->rss_bytes),
		units_print_size(peak, cost->ring_peak_bytes),
		units_print_size(ring, cost->ring_size_bytes));
}

void status_end(const struct session *s)
{
	double seconds = (double)(s->cost.hdr.ts_ns - s->start_ns) / 1e9;
	char size[UNITS_BYTES];

	if (s->interactive && !s->options->quiet)
		fputc('\n', stderr);
	say_why(s);
	if (s->options->quiet)
		return;
	fprintf(stderr, "recorded %.1f s: %llu pauses, %llu events (%.0f/s), %llu lost, %s\n",
		seconds, (unsigned long long)s->nr_pauses, (unsigned long long)s->nr_events,
		(double)s->nr_events / seconds, (unsigned long long)s->nr_lost,
		units_print_size(size, s->file_bytes));
	print_cost(s);
	fprintf(stderr, "  read it with: standstill pauses %s\n", s->path);
}
