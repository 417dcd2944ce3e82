/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "user/load/connection.h"
#include "user/load/now.h"
#include "user/load/options.h"
#include "user/load/sender.h"

#define LOOK_AROUND_NS 50000000ull /* the longest sleep: whether to stop is seen then */

struct blocking {
	struct senders *shared;
	struct wire wire;
	struct connection connection;
	struct plan plan;
	uint64_t start_ns;
};

static void sleep_until(uint64_t at_ns)
{
	struct timespec at = {.tv_sec = (time_t)(at_ns / 1000000000),
			      .tv_nsec = (long)(at_ns % 1000000000)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static uint32_t stopped(const struct blocking *b)
{
	return atomic_load_explicit(&b->shared->stop, memory_order_relaxed);
}

/* A closed connection is opened again by the next request. 0 or a failure. */
static enum schedule_failure connect_again(struct blocking *b)
{
	int error;

	if (b->connection.state == CONNECTION_OPEN)
		return FAILURE_NONE;
	error = connection_open(&b->wire, &b->connection, true);
	if (error == 1) { /* the time for a blocking connect was over */
		connection_close(&b->wire, &b->connection, FAILURE_NONE);
		error = -ETIMEDOUT;
	}
	return error ? connection_failure(error) : FAILURE_NONE;
}

/* Send what has to be sent of the request in flight. False: the connection is lost. */
static bool write_all(struct blocking *b, struct flight *f)
{
	int got = connection_send(&b->wire, &b->connection, f, b->connection.free_ns);

	while (got == 1 && now_ns() < f->request.intended_ns + b->shared->options->timeout_ns)
		got = connection_flush(&b->wire, &b->connection);
	return got >= 0;
}

static void await_answer(struct blocking *b, struct flight *f)
{
	uint64_t deadline_ns = f->request.intended_ns + b->shared->options->timeout_ns;
	enum schedule_failure failure = FAILURE_RESET;
	struct connection *c = &b->connection;

	while (c->nr_flights) {
		enum connection_event event = connection_read(&b->wire, c, &failure);

		if (event == EVENT_ENDED) {
			connection_close(&b->wire, c, failure);
		} else if (c->nr_flights && now_ns() >= deadline_ns) {
			connection_give_up(&b->wire, c, f);
			connection_close(&b->wire, c, FAILURE_TIMEOUT);
		} else if (stopped(b) == STOP_NOW) {
			connection_close(&b->wire, c, FAILURE_CUT);
		}
	}
}

static void do_request(struct blocking *b, uint64_t seq, uint64_t intended_ns)
{
	const struct load_options *o = b->shared->options;
	struct flight *f = handover_plan(b->wire.out, seq, b->start_ns + intended_ns);
	enum schedule_failure failure = FAILURE_TIMEOUT;

	f->message = message_pick(&o->messages, seq);
	f->request.label = o->messages.messages[f->message].label ? f->message + 1 : 0;
	if (now_ns() <
	    f->request.intended_ns + o->timeout_ns) /* else its time was over before its turn */
		failure = connect_again(b);
	if (failure)
		flight_fail(&b->wire, f, failure);
	else if (!write_all(b, f))
		connection_close(&b->wire, &b->connection, FAILURE_RESET);
	else
		await_answer(b, f);
}

/* For how much of the time since @busy_ns, in which an answer was awaited, the next request should
 * have been sent already. */
static uint64_t not_open_ns(const struct blocking *b, uint64_t busy_ns)
{
	uint64_t at_ns = now_ns(), due_ns;

	if (b->plan.due_ns == PROFILE_NEVER)
		return 0;
	due_ns = b->start_ns + b->plan.due_ns;
	if (due_ns < busy_ns)
		due_ns = busy_ns;
	return at_ns > due_ns ? at_ns - due_ns : 0;
}

static void run(struct blocking *b)
{
	uint64_t seq, intended_ns, wake_ns;

	while (stopped(b) == STOP_NOT && (wake_ns = plan_wake_ns(&b->plan)) != PROFILE_NEVER) {
		uint64_t at_ns = now_ns();

		wake_ns += b->start_ns;
		if (wake_ns > at_ns + LOOK_AROUND_NS) {
			sleep_until(at_ns + LOOK_AROUND_NS);
			continue;
		}
		if (wake_ns > at_ns)
			sleep_until(wake_ns);
		at_ns = now_ns();
		if (!plan_take(&b->plan, at_ns - b->start_ns, &seq, &intended_ns))
			continue;
		do_request(b, seq, intended_ns);
		handover_count(b->wire.out, COUNT_NOT_OPEN_NS, not_open_ns(b, at_ns));
	}
}

void sender_run_blocking(struct senders *shared, uint32_t thread)
{
	struct handover_thread *out = &shared->handover->threads[thread];
	struct blocking b = {
		.shared = shared,
		.wire = {.options = shared->options,
			 .out = out,
			 .next_id = thread + 1,
			 .id_step = shared->options->nr_threads,
			 .buffer = malloc(WIRE_BUFFER_BYTES)},
		.connection = {.fd = -1},
	};
	int error = b.wire.buffer ? connection_open(&b.wire, &b.connection, true) : -ENOMEM;

	prctl(PR_SET_TIMERSLACK, 1ul);
	plan_init(&b.plan, &shared->options->plan, thread);
	if (sender_wait_for_start(shared, error == 0, error, &b.start_ns) && b.wire.buffer)
		run(&b);
	handover_set(out, COUNT_OMITTED, b.plan.nr_omitted);
	handover_set(out, COUNT_REPLANS, b.plan.nr_replans);
	connection_close(&b.wire, &b.connection, FAILURE_CUT);
	sender_count_cost(out);
	free(b.wire.buffer);
}
