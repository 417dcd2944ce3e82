/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/cmd/cmd.h"
#include "user/cmd/requests.h"

static void take(struct requests_run *run, int err)
{
	run->out_of_memory |= err != 0;
}

static void on_record(void *arg, const struct event_hdr *event)
{
	struct requests_run *run = arg;

	take(run, requests_event(run->requests, event));
}

static void on_span(void *arg, const struct thread *thread, const struct span *span)
{
	struct requests_run *run = arg;

	(void)thread;
	take(run, requests_span(run->requests, span));
}

static void on_gone(void *arg, const struct thread *thread)
{
	struct requests_run *run = arg;

	requests_gone(run->requests, thread->tid);
}

static void on_pause(void *arg, const struct pause *pause)
{
	struct requests_run *run = arg;

	take(run, requests_pause(run->requests, pause));
}

static void on_request(void *arg, const struct request *request)
{
	struct requests_run *run = arg;

	run->row(run->arg, request);
}

static int out_of_memory(void)
{
	complain("out of memory");
	return EXIT_FAILED;
}

int requests_run(struct requests_run *run, const char *path)
{
	static const struct replay_window whole = {false, 0, UINT64_MAX};
	struct replay_hooks hooks = {.record = on_record,
				     .span = on_span,
				     .gone = on_gone,
				     .pause = on_pause,
				     .arg = run};
	int code;

	/* All of it, whatever window is asked for: a request may have begun long before. */
	if (replay_new(&hooks, &whole, &run->replay))
		return out_of_memory();
	run->requests = requests_new(on_request, run, run->replay->pauses);
	if (!run->requests)
		return out_of_memory();
	code = replay_file(run->replay, path);
	if (code == EXIT_OK || code == EXIT_DAMAGED)
		take(run, requests_end(run->requests));
	return run->out_of_memory ? out_of_memory() : code;
}

void requests_run_free(struct requests_run *run)
{
	requests_free(run->requests);
	replay_free(run->replay);
}
