/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares a schedule with what the test server logged: judge SCHEDULE LOG RATE open|blocking.
 * Prints what it finds, a line a claim; exit status 1 when a claim does not hold, 2 when it cannot
 * judge.
 *
 *   - request k was planned for start + k / rate, exactly
 *   - in each stop of the server, exactly the requests planned in it (but one at its very begin)
 * were answered after it
 *   - the response time of each of those and of the drain is what the server's stamps give: 99 %
 * within 0.2 ms, all within 2 ms
 *   - blocking: at most one request a thread and stop has a service time that shows the stop; the
 * response times do all the same
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/import/schedule.h"

#define MOST_NS	 2000000ull
#define CLOSE_NS 200000ull
#define EDGE_NS	 1000000ull /* before a stop: a request may have been on its way */

struct stop {
	uint64_t from_ns, to_ns;
	size_t nr_planned, nr_delayed, nr_outside; /* outside: delayed, but planned before its begin
						      by more than the edge */
	size_t nr_slow_service;
};

struct answer {
	uint32_t port, number;
	uint64_t at_ns;
};

struct case_data {
	struct schedule_request *requests;
	size_t nr_requests;
	struct answer *answers;
	size_t nr_answers;
	struct stop stops[1024];
	size_t nr_stops;
	uint64_t start_ns, threads;
	double rate;
	bool blocking, failed;
};

static void *grow(void *array, size_t nr, size_t size)
{
	if (nr & (nr - 1) && nr)
		return array;
	array = realloc(array, (nr ? 2 * nr : 1) * size);
	if (!array)
		exit(2);
	return array;
}

static void claim(struct case_data *c, bool holds, const char *what)
{
	printf("%s: %s\n", holds ? "holds" : "DOES NOT HOLD", what);
	c->failed |= !holds;
}

static void read_schedule(struct case_data *c, const char *path)
{
	struct schedule_reader *r;
	struct schedule_request request;
	int got;

	if (schedule_open(path, &r)) {
		fprintf(stderr, "judge: cannot read %s\n", path);
		exit(2);
	}
	while ((got = schedule_next(r, &request)) > 0) {
		c->requests = grow(c->requests, c->nr_requests, sizeof(request));
		c->requests[c->nr_requests++] = request;
	}
	c->start_ns = schedule_meta_number(r, "start_ns");
	c->threads = schedule_meta_number(r, "threads");
	schedule_reader_free(r);
}

static void read_log(struct case_data *c, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[128];

	if (!file) {
		fprintf(stderr, "judge: cannot read %s: %s\n", path, strerror(errno));
		exit(2);
	}
	while (fgets(line, sizeof(line), file)) {
		unsigned long long a, b;
		struct answer answer;

		if (sscanf(line, "stop %llu %llu", &a, &b) == 2 && c->nr_stops < 1024) {
			c->stops[c->nr_stops++] = (struct stop){.from_ns = a, .to_ns = b};
		} else if (sscanf(line, "answer %u %u %llu", &answer.port, &answer.number, &a) ==
			   3) {
			answer.at_ns = a;
			c->answers = grow(c->answers, c->nr_answers, sizeof(answer));
			c->answers[c->nr_answers++] = answer;
		}
	}
	fclose(file);
}

static int by_connection(const void *a, const void *b)
{
	const struct schedule_request *x = a, *y = b;

	if (x->local != y->local)
		return x->local < y->local ? -1 : 1;
	return (x->out_from > y->out_from) - (x->out_from < y->out_from);
}

static int by_port(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;

	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Both sides in the order of connection and position: then they must run in step. */
static void pair(struct case_data *c)
{
	bool same = c->nr_requests == c->nr_answers;

	qsort(c->requests, c->nr_requests, sizeof(*c->requests), by_connection);
	qsort(c->answers, c->nr_answers, sizeof(*c->answers), by_port);
	for (size_t i = 0; same && i < c->nr_requests; i++)
		same = c->requests[i].local == c->answers[i].port &&
		       c->requests[i].received_ns != SCHEDULE_UNKNOWN;
	claim(c, same, "each request has one answer in the server's log, by port and position");
	if (!same) {
		printf("%zu requests, %zu answers\n", c->nr_requests, c->nr_answers);
		exit(1);
	}
}

static void judge_grid(struct case_data *c)
{
	size_t nr_off = 0;

	for (size_t i = 0; i < c->nr_requests; i++) {
		const struct schedule_request *r = &c->requests[i];
		double planned_ns = (double)r->seq * 1e9 / c->rate,
		       is_ns = (double)(r->intended_ns - c->start_ns);

		nr_off += planned_ns - is_ns > 0.51 || is_ns - planned_ns > 0.51;
	}
	claim(c, nr_off == 0, "every intended time is start + k / rate, to the nanosecond");
}

static struct stop *stop_of(struct case_data *c, const struct schedule_request *r,
			    uint64_t answered_ns)
{
	for (size_t i = 0; i < c->nr_stops; i++)
		if (r->intended_ns < c->stops[i].to_ns && answered_ns >= c->stops[i].to_ns)
			return &c->stops[i];
	return NULL;
}

static void count_stops(struct case_data *c)
{
	for (size_t i = 0; i < c->nr_requests; i++) {
		const struct schedule_request *r = &c->requests[i];
		struct stop *delayed_by = stop_of(c, r, c->answers[i].at_ns);

		for (size_t k = 0; k < c->nr_stops; k++)
			c->stops[k].nr_planned += r->intended_ns >= c->stops[k].from_ns &&
						  r->intended_ns < c->stops[k].to_ns;
		if (!delayed_by)
			continue;
		delayed_by->nr_delayed++;
		delayed_by->nr_outside += r->intended_ns + EDGE_NS < delayed_by->from_ns;
		delayed_by->nr_slow_service += r->received_ns - r->sent_ns >=
					       (delayed_by->to_ns - delayed_by->from_ns) / 4;
	}
}

static void judge_stops(struct case_data *c)
{
	bool exact = true, few = true;

	for (size_t i = 0; i < c->nr_stops; i++) {
		const struct stop *s = &c->stops[i];

		printf("stop %zu of %.3f ms: %zu requests planned in it, %zu answered after it "
		       "(%zu planned before), %zu with a service "
		       "time over a quarter of it\n",
		       i + 1, (double)(s->to_ns - s->from_ns) / 1e6, s->nr_planned, s->nr_delayed,
		       s->nr_outside, s->nr_slow_service);
		exact = exact && s->nr_planned > 0 && s->nr_delayed >= s->nr_planned &&
			s->nr_delayed <= s->nr_planned + 1 && s->nr_outside == 0;
		few = few && s->nr_slow_service <= c->threads;
	}
	claim(c, c->nr_stops > 0 && exact,
	      "exactly the requests planned in a stop were answered after it");
	if (c->blocking)
		claim(c, few,
		      "blocking: at most one request a thread shows the stop in its service time");
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* How much later than the server's stamp the generator has each answer. */
static void judge_times(struct case_data *c)
{
	uint64_t *errors = calloc(c->nr_requests, sizeof(*errors));
	size_t nr = 0, nr_early = 0;

	if (!errors)
		exit(2);
	for (size_t i = 0; i < c->nr_requests; i++) {
		if (!stop_of(c, &c->requests[i], c->answers[i].at_ns))
			continue;
		nr_early += c->requests[i].received_ns < c->answers[i].at_ns;
		errors[nr++] = c->requests[i].received_ns - c->answers[i].at_ns;
	}
	qsort(errors, nr, sizeof(*errors), by_size);
	claim(c, nr > 0 && nr_early == 0, "no answer was received before the server gave it");
	if (nr == 0)
		return;
	printf("of %zu requests in stops, the response time is off by p50 %.3f ms, p99 %.3f ms, "
	       "max %.3f ms\n",
	       nr, (double)errors[nr / 2] / 1e6, (double)errors[nr * 99 / 100] / 1e6,
	       (double)errors[nr - 1] / 1e6);
	claim(c, errors[nr * 99 / 100] <= CLOSE_NS,
	      "99 % of those are within 0.2 ms of the server's stamps");
	claim(c, errors[nr - 1] <= MOST_NS, "all of those are within 2 ms of the server's stamps");
	free(errors);
}

int main(int argc, char **argv)
{
	static struct case_data c;

	if (argc != 5) {
		fprintf(stderr, "judge SCHEDULE LOG RATE open|blocking\n");
		return 2;
	}
	read_schedule(&c, argv[1]);
	read_log(&c, argv[2]);
	c.rate = strtod(argv[3], NULL);
	c.blocking = !strcmp(argv[4], "blocking");
	pair(&c);
	judge_grid(&c);
	count_stops(&c);
	judge_stops(&c);
	judge_times(&c);
	return c.failed;
}
