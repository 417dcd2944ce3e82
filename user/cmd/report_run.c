/* SPDX-License-Identifier: BSD-2-Clause */
/* Recording and schedules in, sums out: which room hands what to which. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/attribution/splitter.h"
#include "user/base/cleanup.h"
#include "user/cmd/cmd.h"
#include "user/cmd/report.h"

static void take(struct report_run *run, int error)
{
	run->out_of_memory |= error == -ENOMEM;
}

static void on_record(void *arg, const struct event_hdr *event)
{
	struct report_run *run = arg;

	take(run, splitter_event(run->splitter, event));
	take(run, requests_event(run->requests.requests, event));
}

static void on_span(void *arg, const struct thread *thread, const struct span *span)
{
	struct report_run *run = arg;

	take(run, splitter_span(run->splitter, thread, span));
	take(run, requests_span(run->requests.requests, span));
}

static void on_gone(void *arg, const struct thread *thread)
{
	struct report_run *run = arg;

	requests_gone(run->requests.requests, thread->tid);
	splitter_gone(run->splitter, thread->tid);
}

static void on_pause(void *arg, const struct pause *pause)
{
	struct report_run *run = arg;

	take(run, splitter_pause(run->splitter, pause));
	take(run, report_bill_pause(&run->sums.bill, pause));
	take(run, requests_pause(run->requests.requests, pause));
}

/* ---- the schedules ---- */

static void schedule_freep(struct schedule_reader **reader)
{
	schedule_reader_free(*reader);
}

static int cannot_open(const char *path, int error)
{
	if (error == -EBADMSG)
		complain("%s is no schedule; `standstill load` writes such, docs/schedule.md says "
			 "what others can look like",
			 path);
	else if (error == -EPROTONOSUPPORT)
		complain("%s was written by a newer standstill; take that to read it", path);
	else
		complain("cannot read the schedule %s: %s", path, strerror(-error));
	return EXIT_NO_INPUT;
}

/* What the schedule says of its clock is in front of its requests. */
static int read_clock(struct report_run *run, const char *path)
{
	struct schedule_reader *reader CLEANUP(schedule_freep) = NULL;
	const struct clock *clock = &run->requests.replay->account.clock;
	struct schedule_request first;
	struct report_clock found;
	int error = schedule_open(path, &reader);

	if (!error)
		error = schedule_next(reader, &first);
	if (error < 0)
		return error;
	found = report_clock(clock, schedule_meta(reader, "clock"),
			     schedule_nr_anchors(reader) ? schedule_anchor(reader, 0) : NULL);
	run->generator_tgid = schedule_meta_number(reader, "pid");
	if (*run->clock.name && run->clock.offset_ns != found.offset_ns) {
		found.usable = false;
		found.why_not = "the schedules are of different clocks";
	}
	run->clock = found;
	return 0;
}

/* Of a turn that has several requests of the schedule only the first is split: where one ends and
 * the next begins is not known. */
static int on_joined(void *arg, const struct joined *joined)
{
	struct report_run *run = arg;

	if (!joined->request)
		return 0;
	if (run->is_pushed) {
		run->nr_same_turn++;
		return 0;
	}
	run->is_pushed = true;
	take(run, splitter_push(run->splitter, joined->request, joined->entry));
	return 0;
}

static int open_schedules(struct report_run *run)
{
	const struct report_options *options = run->options;
	struct schedule_reader *readers[REPORT_SCHEDULES_MAX];
	struct join_options join = {.to_ns = UINT64_MAX};
	int error = 0;

	for (size_t i = 0; !error && i < options->nr_schedules; i++)
		error = read_clock(run, options->schedules[i]);
	if (error || !run->clock.usable)
		return error;
	join.offset_ns = run->clock.offset_ns;
	join.error_ns = run->clock.error_ns;
	join.from_ns = run->requests.replay->account.start_ns;
	for (size_t i = 0; i < options->nr_schedules; i++) {
		error = schedule_open(options->schedules[i], &readers[i]);
		while (error && i-- > 0)
			schedule_reader_free(readers[i]);
		if (error)
			return error;
	}
	error = join_new(readers, &join, options->nr_schedules, on_joined, run, &run->join);
	for (size_t i = 0; !error && i < options->nr_slas; i++)
		error = report_sla_schedules(&options->slas[i], options->schedules,
					     options->nr_schedules, join.offset_ns);
	return error;
}

/* ---- requests ---- */

static struct join_request join_request_of(const struct request *request)
{
	return (struct join_request){
		.request = request,
		.client_port = request->conn.remote_port,
		.server_port = request->conn.local_port,
		.from = request->in_from,
		.to = request->in_to,
		.arrived_ns = request->arrived_ns ? request->arrived_ns : request->begin_ns,
		/* a write returns when it likes: the client may have read all of it before */
		.answered_ns = request->first_out_ns ? request->first_out_ns : request->end_ns,
		.key = request->key,
	};
}

static void join_one(struct report_run *run, const struct request *request)
{
	struct join_request seen = join_request_of(request);

	if (!run->join && !run->error && !run->clock.why_not)
		run->error = open_schedules(run);
	run->is_pushed = false;
	if (run->join && !run->error)
		run->error = join_request(run->join, &seen);
}

static void on_request(void *arg, const struct request *request)
{
	struct report_run *run = arg;
	bool whole = request->kind == REQUEST_SERVED && request->state == REQUEST_WHOLE;

	if (whole && run->options->nr_schedules)
		join_one(run, request);
	else
		take(run, splitter_push(run->splitter, request, NULL));
}

static void on_split(void *arg, const struct splitter_row *split)
{
	struct report_run *run = arg;
	struct request_row row;

	if (run->options->nr_schedules && !split->schedule)
		return; /* somebody else's: counted by the join */
	if (split->request->state != REQUEST_WHOLE)
		return;
	request_row_fill(&row, split->request, run->requests.replay->threads);
	if (run->options->reader.format == FORMAT_CSV)
		report_csv_row(&row, split);
	take(run, report_sums_add(&run->sums, &row, split->schedule, split->result));
	for (size_t i = 0; i < run->options->nr_slas; i++)
		take(run, report_sla_add(&run->options->slas[i], &row, split->result->begin_ns,
					 split->result->end_ns - split->result->begin_ns,
					 report_without_pauses_ns(split->result),
					 &split->result->split));
}

static int start(struct report_run *run)
{
	static const struct replay_window whole = {false, 0, UINT64_MAX};
	struct replay_hooks hooks = {.record = on_record,
				     .span = on_span,
				     .gone = on_gone,
				     .pause = on_pause,
				     .arg = run};

	run->sums.worst_limit = run->options->worst;
	run->splitter = splitter_new(on_split, run);
	if (!run->splitter || replay_new(&hooks, &whole, &run->requests.replay))
		return -ENOMEM;
	run->requests.requests = requests_new(on_request, run, run->requests.replay->pauses);
	return run->requests.requests ? 0 : -ENOMEM;
}

static int finish(struct report_run *run)
{
	uint64_t end_ns = account_end(&run->requests.replay->account);

	take(run, requests_end(run->requests.requests));
	if (!run->join && !run->error && run->options->nr_schedules && !run->clock.why_not)
		run->error = open_schedules(run); /* no request at all: all of it is unmatched */
	if (run->join && !run->error)
		run->error = join_end(run->join, end_ns);
	take(run, splitter_end(run->splitter));
	requests_totals(run->requests.requests, &run->totals);
	splitter_totals(run->splitter, &run->split_totals);
	report_sums_sort(&run->sums);
	for (size_t i = 0; i < run->options->nr_slas; i++)
		report_sla_end(&run->options->slas[i]);
	return run->error;
}

int report_run(struct report_run *run)
{
	const struct report_options *options = run->options;
	int code;

	if (start(run)) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	if (options->reader.format == FORMAT_CSV)
		report_csv_header();
	code = replay_file(run->requests.replay, options->reader.path);
	if (code != EXIT_OK && code != EXIT_DAMAGED)
		return code;
	if (finish(run))
		return cannot_open(options->schedules[0], run->error);
	if (run->out_of_memory) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	return code;
}

void report_run_free(struct report_run *run)
{
	join_free(run->join);
	requests_run_free(&run->requests);
	splitter_free(run->splitter);
	report_sums_free(&run->sums);
}
