/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "user/base/cleanup.h"
#include "user/cmd/cmd.h"
#include "user/cmd/load.h"
#include "user/import/schedule_writer.h"
#include "user/load/run.h"

#define PATH_BYTES 4096

static int create_schedule(const struct load_command *c, char path[PATH_BYTES],
			   struct schedule_writer **ret)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;
	int error;

	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	if (c->output)
		snprintf(path, PATH_BYTES, "%s", c->output);
	else
		snprintf(path, PATH_BYTES, "standstill-%s.sched", stamp);
	error = schedule_create(path, ret);
	if (error)
		complain("cannot create %s: %s; choose another place with -o", path,
			 strerror(-error));
	return error ? EXIT_NO_OUTPUT : EXIT_OK;
}

static void put_planner(struct schedule_writer *file, const struct plan_options *plan)
{
	if (plan->planner == PLANNER_TICK)
		schedule_put_meta(file, "planner", "tick:%llu", (unsigned long long)plan->tick_ns);
	else
		schedule_put_meta(file, "planner", "%s",
				  plan->planner == PLANNER_NOW ? "now" : "catchup");
	if (plan->planner != PLANNER_IDEAL)
		schedule_put_meta(file, "plan_tolerance_ns", "%llu",
				  (unsigned long long)plan->tolerance_ns);
}

/* What the file says before the first request; docs/schedule.md lists the keys. */
static void put_header(struct schedule_writer *file, const struct load_command *c)
{
	static const char *const pacings[] = {"hybrid", "sleep", "spin", "blocking"};
	static const char *const busy[] = {"open", "pipeline", "queue"};
	const struct load_options *o = &c->load;

	schedule_put_meta(file, "clock", "monotonic");
	schedule_put_meta(file, "res_ns", "1");
	schedule_put_meta(file, "arrival", "%s rate=%s per=global seed=%llu",
			  o->plan.arrivals == ARRIVALS_POISSON ? "poisson" : "constant", c->rate,
			  (unsigned long long)o->plan.seed);
	put_planner(file, &o->plan);
	schedule_put_meta(file, "stamp", "send_app corrected=no source=standstill/%s args=%s",
			  STANDSTILL_VERSION, c->arguments ? c->arguments : "");
	schedule_put_meta(file, "target", "%s", c->target);
	schedule_put_meta(file, "protocol", "%s", c->place.http ? "http" : "raw");
	schedule_put_meta(file, "pacing", "%s", pacings[o->pacing]);
	schedule_put_meta(file, "when_busy", "%s", busy[o->when_busy]);
	schedule_put_meta(file, "threads", "%u", o->nr_threads);
	schedule_put_meta(file, "connections", "%u", o->nr_connections);
	schedule_put_meta(file, "max_connections", "%u",
			  o->when_busy == BUSY_OPEN ? o->max_connections : o->nr_connections);
	schedule_put_meta(file, "pid", "%d", (int)getpid());
	schedule_put_meta(file, "duration_ns", "%llu", (unsigned long long)o->duration_ns);
	schedule_put_meta(file, "warmup_ns", "%llu", (unsigned long long)o->warmup_ns);
	schedule_put_meta(file, "timeout_ns", "%llu", (unsigned long long)o->timeout_ns);
	for (size_t i = 0; i < o->messages.nr; i++)
		if (o->messages.messages[i].label)
			schedule_put_label(file, (uint32_t)i + 1, o->messages.messages[i].label);
}

/* Each connection is a file; the limit is often lower than it has to be. */
static void raise_limit(const struct load_options *o)
{
	struct rlimit limit;
	rlim_t wanted = (o->when_busy == BUSY_OPEN ? o->max_connections : o->nr_connections) + 64 +
			o->nr_threads;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int say_result(const struct load_command *c, const char *path,
		      const struct run_result *result)
{
	if (result->system_error) {
		complain("cannot start: %s", strerror(-result->system_error));
		return EXIT_FAILED;
	}
	if (result->connect_error) {
		complain("cannot connect to %s: %s; --even-if-down begins all the same", c->target,
			 strerror(-result->connect_error));
		return EXIT_NO_TARGET;
	}
	if (result->write_error) {
		complain("cannot write %s: %s; the run was ended, and the file holds what came "
			 "before",
			 path, strerror(-result->write_error));
		return EXIT_NO_OUTPUT;
	}
	if (result->scribe_failed) {
		complain("the process that writes %s has died; the file holds what came before",
			 path);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static int run(struct load_command *c)
{
	struct scribe_options scribe = {.live = c->live || (!c->quiet && isatty(STDERR_FILENO)),
					.live_lines = !isatty(STDERR_FILENO)};
	struct schedule_writer *file = NULL;
	struct run_result result;
	char path[PATH_BYTES];
	const char *wrong = target_resolve(&c->place, &c->load);
	int code, reported;

	if (wrong) {
		complain("cannot find %s: %s", c->place.host, wrong);
		return EXIT_NO_TARGET;
	}
	code = create_schedule(c, path, &file);
	if (code)
		return code;
	put_header(file, c);
	raise_limit(&c->load);
	load_run(&c->load, file, &scribe, c->even_if_down, &result);
	code = say_result(c, path, &result);
	if (result.system_error || result.connect_error) {
		unlink(path); /* nothing was sent: leave nothing behind */
		return code;
	}
	reported = report_schedule(path, &c->report);
	return code ? code : reported;
}

int cmd_load(int argc, char **argv)
{
	struct load_command command;
	int code;

	load_parse(argc, argv, &command);
	code = run(&command);
	load_command_free(&command);
	return finish_output(code);
}
