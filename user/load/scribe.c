/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "user/base/units.h"
#include "user/import/schedule_writer.h"
#include "user/load/cost.h"
#include "user/load/handover.h"
#include "user/load/live.h"
#include "user/load/now.h"
#include "user/load/scribe.h"

#define LOOK_NS	 20000000l /* how often what was handed over is taken */
#define FLUSH_NS 1000000000ull

struct scribe {
	struct handover *handover;
	struct schedule_writer *file;
	const struct scribe_options *options;
	struct live *live;
	uint64_t flush_ns; /* when next */
	bool begun;
};

static void put_anchor(struct scribe *s)
{
	struct schedule_anchor anchor;
	struct timespec real;
	uint64_t before_ns = now_ns(), after_ns;

	clock_gettime(CLOCK_REALTIME, &real);
	after_ns = now_ns();
	anchor.realtime_ns = (uint64_t)real.tv_sec * NS_PER_S + (uint64_t)real.tv_nsec;
	anchor.monotonic_ns = before_ns + (after_ns - before_ns) / 2;
	anchor.width_ns = (after_ns - before_ns + 1) / 2;
	schedule_put_anchor(s->file, &anchor);
}

static void put(struct scribe *s, const struct schedule_request *request)
{
	int error = schedule_put(s->file, request);

	if (error)
		atomic_store(&s->handover->write_error, error);
	if (s->live)
		live_add(s->live, request);
}

static void drain(struct scribe *s)
{
	const struct schedule_request *request;

	for (uint32_t i = 0; i < s->handover->nr_threads; i++)
		while ((request = handover_next(&s->handover->threads[i])))
			put(s, request);
}

/* When the run began, as soon as that is known. */
static void note_start(struct scribe *s)
{
	uint64_t start_ns = atomic_load(&s->handover->start_ns);

	if (!start_ns || s->begun)
		return;
	schedule_put_meta(s->file, "start_ns", "%llu", (unsigned long long)start_ns);
	s->begun = true;
	s->flush_ns = now_ns(); /* at once: a file without it says little */
}

static void tick(struct scribe *s)
{
	uint64_t at_ns = now_ns();
	int error;

	note_start(s);
	drain(s);
	if (at_ns < s->flush_ns)
		return;
	s->flush_ns = at_ns + FLUSH_NS;
	put_anchor(s);
	error = schedule_flush(s->file);
	if (error)
		atomic_store(&s->handover->write_error, error);
	if (s->live && s->begun)
		live_print(s->live, s->handover, at_ns);
}

static bool senders_live(const struct scribe *s)
{
	return !atomic_load(&s->handover->done) && getppid() == s->options->sender;
}

/* What was planned and has no fate, since its sender was killed. */
static void put_unfinished(struct scribe *s)
{
	const struct schedule_request *request;
	struct schedule_request cut;

	for (uint32_t i = 0; i < s->handover->nr_threads; i++) {
		uint32_t at = 0;

		while ((request = handover_unfinished(&s->handover->threads[i], &at))) {
			cut = *request;
			cut.failure = FAILURE_CUT;
			cut.flags |= SCHEDULE_FAILED;
			put(s, &cut);
		}
	}
}

static void put_number(struct scribe *s, const char *key, uint64_t number)
{
	if (number != SCHEDULE_UNKNOWN)
		schedule_put_meta(s->file, key, "%llu", (unsigned long long)number);
}

/* What the file says at its end; docs/schedule.md lists the keys. */
static void put_end(struct scribe *s, const char *end)
{
	static const struct {
		const char *key;
		enum load_count count;
	} counts[] = {
		{"planned", COUNT_PLANNED},	      {"omitted", COUNT_OMITTED},
		{"replans", COUNT_REPLANS},	      {"lost", COUNT_LOST},
		{"connections_opened", COUNT_OPENED}, {"unsolicited", COUNT_UNSOLICITED},
		{"not_open_ns", COUNT_NOT_OPEN_NS},   {"in_flight_max", COUNT_IN_FLIGHT_MAX},
		{"threads_cpu_ns", COUNT_CPU_NS},     {"run_queue_ns", COUNT_RUN_QUEUE_NS},
	};
	const struct handover_cost *cost = &s->handover->cost;
	struct cost own;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		put_number(s, counts[i].key, handover_total(s->handover, counts[i].count));
	put_number(s, "throttled_ns", cost->throttled_ns);
	put_number(s, "nr_throttled", cost->nr_throttled);
	if (cost->cpu_ns)
		put_number(s, "own_cpu_ns", cost->cpu_ns);
	cost_read(&own);
	put_number(s, "writer_cpu_ns", own.cpu_ns);
	put_number(s, "ended_ns", now_ns());
	put_anchor(s);
	schedule_put_meta(s->file, "end", "%s", end);
}

int scribe_run(struct handover *h, struct schedule_writer *file,
	       const struct scribe_options *options)
{
	struct scribe s = {.handover = h, .file = file, .options = options, .flush_ns = now_ns()};
	struct timespec pause = {.tv_nsec = LOOK_NS};
	bool killed;

	if (options->live)
		s.live = live_new(options->live_lines);
	while (senders_live(&s)) {
		tick(&s);
		nanosleep(&pause, NULL);
	}
	killed = !atomic_load(&h->done);
	note_start(&s); /* a busy machine may not have let us look before */
	drain(&s);
	put_unfinished(&s);
	schedule_flush(s.file);
	put_end(&s, killed ? "killed" : h->cost.interrupted ? "interrupted" : "done");
	live_end(s.live);
	return schedule_writer_close(s.file);
}
