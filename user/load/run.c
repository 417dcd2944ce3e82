/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "user/import/schedule_writer.h"
#include "user/load/cost.h"
#include "user/load/now.h"
#include "user/load/run.h"
#include "user/load/sender.h"

#define LOOK_NS	      20000000l	  /* how often the threads are looked after */
#define START_WAIT_NS 50000000ull /* from everybody being ready to the first intended time */
#define SCRIBE_NICE   19	  /* it may lag; the senders may not */
#define SCRIBE_SLICE                                                                               \
	100000ull /* ns: longer it never keeps a sender from its CPU, where the kernel lets us say \
		     so (6.12) */

struct body {
	struct senders *senders;
	uint32_t thread;
	pthread_t pthread;
	_Atomic uint32_t ended;
};

static void *run_body(void *argument)
{
	struct body *body = argument;

	if (body->senders->options->pacing == PACING_BLOCKING)
		sender_run_blocking(body->senders, body->thread);
	else
		sender_run(body->senders, body->thread);
	atomic_store(&body->ended, 1);
	return NULL;
}

/* Requests in flight at most: all that can be planned within a timeout, and then some for threads
 * that lag. */
static uint32_t flights_needed(const struct load_options *o)
{
	double seconds = (double)o->timeout_ns / 1e9 + 1;
	double nr = (double)o->plan.profile.highest * seconds / o->nr_threads * 1.5 + 4096;

	if (o->pacing == PACING_BLOCKING)
		return 64;
	return nr < 1e8 ? (uint32_t)nr : 100000000;
}

/* Of struct sched_attr what its first version has; glibc 2.36 does not know it. */
struct schedule_class {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/* Run when nobody else wants to, in pieces too short to be noticed. */
static void lie_low(void)
{
	struct schedule_class class = {
		.size = sizeof(class),
		.policy = SCHED_BATCH,
		.nice = SCRIBE_NICE,
		.runtime = SCRIBE_SLICE,
	};

	if (syscall(SYS_sched_setattr, 0, &class, 0u))
		setpriority(PRIO_PROCESS, 0, SCRIBE_NICE);
}

static pid_t start_scribe(struct handover *h, struct schedule_writer *file,
			  struct scribe_options *options)
{
	pid_t pid;

	options->sender = getpid();
	pid = fork();
	if (pid != 0)
		return pid;
	/* What ends the run is the senders' to see; this process ends after them. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	lie_low();
	prctl(PR_SET_NAME, "standstill-save");
	_exit(scribe_run(h, file, options) ? 1 : 0);
}

struct run {
	struct senders senders;
	struct body *bodies;
	sigset_t signals;
	pid_t scribe; /* 0: it has ended */
	int scribe_status;
	bool even_if_down;
	struct run_result *result;
};

static int start_threads(struct run *run)
{
	for (uint32_t i = 0; i < run->senders.options->nr_threads; i++) {
		struct body *body = &run->bodies[i];
		int error;

		*body = (struct body){.senders = &run->senders, .thread = i};
		error = pthread_create(&body->pthread, NULL, run_body, body);
		if (error) {
			body->pthread = 0;
			return -error;
		}
	}
	return 0;
}

static void on_signal(struct run *run)
{
	run->result->interrupted = true;
	if (atomic_load(&run->senders.stop) != STOP_NOW)
		atomic_fetch_add(&run->senders.stop, 1);
}

static void look_around(struct run *run)
{
	struct timespec pause = {.tv_nsec = LOOK_NS};
	uint32_t none = STOP_NOT;

	if (sigtimedwait(&run->signals, NULL, &pause) > 0)
		on_signal(run);
	if (run->scribe && waitpid(run->scribe, &run->scribe_status, WNOHANG) == run->scribe)
		run->scribe = 0;
	/* A run that leaves no schedule is worth nothing. */
	if (!run->scribe || atomic_load(&run->senders.handover->write_error))
		atomic_compare_exchange_strong(&run->senders.stop, &none, STOP_PLANNING);
}

/* False: the run does not begin. */
static bool begin(struct run *run)
{
	const struct senders *senders = &run->senders;

	while (atomic_load(&senders->nr_ready) < senders->options->nr_threads)
		look_around(run);
	if (atomic_load(&senders->stop) != STOP_NOT)
		return false;
	if (!atomic_load(&senders->nr_connected) && !run->even_if_down) {
		run->result->connect_error = atomic_load(&senders->first_error);
		if (!run->result->connect_error)
			run->result->connect_error = -ETIMEDOUT;
		return false;
	}
	atomic_store(&senders->handover->start_ns, now_ns() + START_WAIT_NS);
	return true;
}

static bool all_ended(const struct run *run)
{
	for (uint32_t i = 0; i < run->senders.options->nr_threads; i++)
		if (!atomic_load(&run->bodies[i].ended))
			return false;
	return true;
}

static void tell_cost(struct handover *h, const struct cost *before, bool interrupted)
{
	struct cost after, used;

	cost_read(&after);
	used = cost_between(before, &after);
	h->cost = (struct handover_cost){
		.cpu_ns = used.cpu_ns,
		.throttled_ns = used.throttled_ns,
		.nr_throttled = used.nr_throttled,
		.interrupted = interrupted,
	};
	atomic_store(&h->done, 1);
}

static void run_threads(struct run *run)
{
	struct run_result *result = run->result;
	struct cost before;

	cost_read(&before);
	result->system_error = start_threads(run);
	if (result->system_error || !begin(run))
		atomic_store(&run->senders.stop, STOP_NOW);
	while (!result->system_error && !all_ended(run))
		look_around(run);
	for (uint32_t i = 0; i < run->senders.options->nr_threads; i++)
		if (run->bodies[i].pthread)
			pthread_join(run->bodies[i].pthread, NULL);
	tell_cost(run->senders.handover, &before, result->interrupted);
}

static void await_scribe(struct run *run)
{
	struct run_result *result = run->result;

	while (run->scribe && waitpid(run->scribe, &run->scribe_status, 0) < 0 && errno == EINTR)
		;
	result->write_error = run->senders.handover->write_error;
	result->scribe_failed = !WIFEXITED(run->scribe_status) ||
				(WEXITSTATUS(run->scribe_status) && !result->write_error);
}

/* The memory that is shared, the process that writes, and what the threads need. 0 or -errno. */
static int set_up(struct run *run, struct schedule_writer *file, struct scribe_options *scribe)
{
	const struct load_options *o = run->senders.options;
	int error;

	sigemptyset(&run->signals);
	sigaddset(&run->signals, SIGINT);
	sigaddset(&run->signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &run->signals, NULL); /* of the threads too: they inherit it */
	run->bodies = calloc(o->nr_threads, sizeof(*run->bodies));
	if (!run->bodies)
		return -ENOMEM;
	error = handover_create(o->nr_threads, flights_needed(o), &run->senders.handover);
	if (error)
		return error;
	run->scribe = start_scribe(run->senders.handover, file, scribe);
	return run->scribe < 0 ? -errno : 0;
}

void load_run(const struct load_options *options, struct schedule_writer *file,
	      struct scribe_options *scribe, bool even_if_down, struct run_result *ret)
{
	struct run run = {
		.senders = {.options = options},
		.even_if_down = even_if_down,
		.result = ret,
	};

	*ret = (struct run_result){0};
	ret->system_error = set_up(&run, file, scribe);
	schedule_writer_abandon(file); /* it is the other process's now */
	if (!ret->system_error) {
		run_threads(&run);
		await_scribe(&run);
	}
	handover_free(run.senders.handover);
	free(run.bodies);
	sigprocmask(SIG_UNBLOCK, &run.signals, NULL);
}
