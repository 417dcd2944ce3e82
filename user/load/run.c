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

static int start_threads(struct body *bodies, struct senders *senders)
{
	for (uint32_t i = 0; i < senders->options->nr_threads; i++) {
		bodies[i] = (struct body){.senders = senders, .thread = i};
		int error = pthread_create(&bodies[i].pthread, NULL, run_body, &bodies[i]);

		if (error)
			return -error;
	}
	return 0;
}

static void on_signal(struct senders *senders, struct run_result *ret)
{
	ret->interrupted = true;
	atomic_fetch_add(&senders->stop, atomic_load(&senders->stop) == STOP_NOW ? 0 : 1);
}

static void look_around(struct senders *senders, const sigset_t *signals, struct run_result *ret)
{
	struct timespec pause = {.tv_nsec = LOOK_NS};
	uint32_t none = STOP_NOT;

	if (sigtimedwait(signals, NULL, &pause) > 0)
		on_signal(senders, ret);
	ret->write_error = atomic_load(&senders->handover->write_error);
	if (ret->write_error) /* a run that leaves no schedule is worth nothing */
		atomic_compare_exchange_strong(&senders->stop, &none, STOP_PLANNING);
}

/* False: the run does not begin. */
static bool begin(struct senders *senders, const sigset_t *signals, bool even_if_down,
		  struct run_result *ret)
{
	while (atomic_load(&senders->nr_ready) < senders->options->nr_threads && !ret->interrupted)
		look_around(senders, signals, ret);
	if (ret->interrupted)
		return false;
	if (!atomic_load(&senders->nr_connected) && !even_if_down) {
		ret->connect_error = atomic_load(&senders->first_error);
		if (!ret->connect_error)
			ret->connect_error = -ETIMEDOUT;
		return false;
	}
	atomic_store(&senders->handover->start_ns, now_ns() + START_WAIT_NS);
	return true;
}

static bool all_ended(struct body *bodies, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (!atomic_load(&bodies[i].ended))
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

static void run_threads(struct senders *senders, const sigset_t *signals, bool even_if_down,
			struct run_result *ret)
{
	const uint32_t nr = senders->options->nr_threads;
	struct body *bodies = calloc(nr, sizeof(*bodies));
	struct cost before;

	cost_read(&before);
	ret->system_error = bodies ? start_threads(bodies, senders) : -ENOMEM;
	if (ret->system_error || !begin(senders, signals, even_if_down, ret))
		atomic_store(&senders->stop, STOP_NOW);
	while (!ret->system_error && !all_ended(bodies, nr))
		look_around(senders, signals, ret);
	for (uint32_t i = 0; bodies && i < nr; i++)
		if (bodies[i].pthread)
			pthread_join(bodies[i].pthread, NULL);
	free(bodies);
	tell_cost(senders->handover, &before, ret->interrupted);
}

static void await_scribe(pid_t scribe, const struct handover *h, struct run_result *ret)
{
	int status;

	while (waitpid(scribe, &status, 0) < 0 && errno == EINTR)
		;
	ret->write_error = h->write_error;
	ret->scribe_failed = !WIFEXITED(status) || (WEXITSTATUS(status) && !ret->write_error);
}

void load_run(const struct load_options *options, struct schedule_writer *file,
	      struct scribe_options *scribe, bool even_if_down, struct run_result *ret)
{
	struct senders senders = {.options = options};
	sigset_t signals;
	pid_t pid;

	*ret = (struct run_result){0};
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL); /* of the threads too: they inherit it */
	ret->system_error =
		handover_create(options->nr_threads, flights_needed(options), &senders.handover);
	pid = ret->system_error ? -1 : start_scribe(senders.handover, file, scribe);
	if (pid < 0 && !ret->system_error)
		ret->system_error = -errno;
	schedule_writer_abandon(file); /* it is the other process's now */
	if (pid < 0)
		return;
	run_threads(&senders, &signals, even_if_down, ret);
	await_scribe(pid, senders.handover, ret);
	handover_free(senders.handover);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
}
