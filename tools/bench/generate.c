/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "tools/bench/generate.h"

#define FIRST_TID    5000u
#define TGID	     4999u
#define NR_FUTEXES   100u
#define NEVER	     UINT64_MAX
#define NR_STRANGERS 12u /* other processes' threads, which come and go between ours */

enum blocked { ON_FUTEX, ON_EPOLL, ON_READ, PREEMPTED };

struct sim_thread {
	enum blocked blocked;
	uint64_t wake_ns;  /* asleep until then; NEVER: awake */
	uint64_t woken_ns; /* in the run queue since */
	uint64_t off_ns;   /* off its CPU since */
	uint64_t futex;
	uint32_t seq, waker_tid, favourite; /* favourite: of the threads that wake it */
	uint32_t cpu;
	double sleep_us;
};

struct sim_cpu {
	uint64_t
		until_ns; /* of the running thread's burst, or of a switch from idle; NEVER: idle */
	int running;	  /* thread, or -1 */
	int coming;	  /* thread that an idle CPU is waking up for, or -1 */
	int queue[64];
	uint32_t nr_queued;
};

struct generator {
	struct generator_options options;
	uint64_t random, now_ns;
	struct sim_cpu *cpus;
	struct sim_thread *threads;
};

static uint64_t next_random(struct generator *g) /* splitmix64 */
{
	uint64_t z = g->random += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static double uniform(struct generator *g) /* (0, 1] */
{
	return (double)((next_random(g) >> 11) + 1) * 0x1p-53;
}

static uint64_t lognormal_ns(struct generator *g, double median_us, double sigma)
{
	double normal = sqrt(-2 * log(uniform(g))) * cos(2 * M_PI * uniform(g));

	return (uint64_t)(median_us * 1e3 * exp(sigma * normal)) + 1;
}

struct generator *generator_new(const struct generator_options *options)
{
	struct generator *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->options = *options;
	g->random = options->seed;
	g->now_ns = 1000000000000;
	g->cpus = calloc(options->nr_cpus, sizeof(*g->cpus));
	g->threads = calloc(options->nr_threads, sizeof(*g->threads));
	if (!g->cpus || !g->threads || options->nr_threads > 64 || !options->nr_cpus) {
		generator_free(g);
		return NULL;
	}
	for (uint32_t i = 0; i < options->nr_cpus; i++)
		g->cpus[i] = (struct sim_cpu){.until_ns = NEVER, .running = -1, .coming = -1};
	for (uint32_t i = 0; i < options->nr_threads; i++) {
		struct sim_thread *t = &g->threads[i];

		t->sleep_us = options->sleep_us * (1 + i * 0.15);
		t->wake_ns = g->now_ns + lognormal_ns(g, t->sleep_us, 1.5);
		t->off_ns = g->now_ns;
		t->blocked = (enum blocked)(i % 3);
		t->favourite = (uint32_t)(next_random(g) % options->nr_threads);
		t->cpu = i % options->nr_cpus;
	}
	return g;
}

void generator_free(struct generator *g)
{
	if (!g)
		return;
	free(g->cpus);
	free(g->threads);
	free(g);
}

/* Who wakes thread @i: its favourite if that runs now, else any that runs, else an interrupt (0).
 */
static uint32_t choose_waker(struct generator *g, uint32_t i)
{
	uint32_t first = (uint32_t)(next_random(g) % g->options.nr_cpus);
	uint32_t any = 0;

	if (g->threads[i].blocked != ON_FUTEX)
		return 0;
	for (uint32_t n = 0; n < g->options.nr_cpus; n++) {
		int running = g->cpus[(first + n) % g->options.nr_cpus].running;

		if (running >= 0 && (uint32_t)running == g->threads[i].favourite)
			return FIRST_TID + (uint32_t)running;
		if (running >= 0)
			any = FIRST_TID + (uint32_t)running;
	}
	return any;
}

/* Its last CPU if that is idle, else any idle one, else its last. */
static uint32_t choose_cpu(struct generator *g, uint32_t last)
{
	for (uint32_t n = 0; n < g->options.nr_cpus; n++) {
		const struct sim_cpu *cpu = &g->cpus[(last + n) % g->options.nr_cpus];

		if (cpu->running < 0 && cpu->coming < 0)
			return (last + n) % g->options.nr_cpus;
	}
	return last;
}

static void wake(struct generator *g, uint32_t i)
{
	struct sim_thread *t = &g->threads[i];
	struct sim_cpu *cpu;

	t->waker_tid = choose_waker(g, i);
	t->woken_ns = g->now_ns;
	t->wake_ns = NEVER;
	t->cpu = choose_cpu(g, t->cpu);
	cpu = &g->cpus[t->cpu];
	if (cpu->running < 0 && cpu->coming < 0) {
		cpu->coming = (int)i;
		cpu->until_ns = g->now_ns + lognormal_ns(g, 4, 0.6);
	} else {
		cpu->queue[cpu->nr_queued++] = (int)i;
	}
}

static void describe_block(const struct sim_thread *t, uint32_t i, struct event_offcpu *ret)
{
	ret->nr = -1;
	ret->waker_nr = -1;
	if (t->blocked == PREEMPTED)
		return;
	ret->state = 1;
	ret->flags = OFFCPU_WOKEN | (t->waker_tid ? 0 : OFFCPU_WOKEN_BY_IRQ);
	if (t->blocked == ON_FUTEX) {
		ret->nr = 202;
		ret->arg0 = t->futex;
		ret->arg1 = 0x189;
		ret->waker_tid = t->waker_tid;
		ret->waker_tgid = t->waker_tid ? TGID : 0;
		ret->waker_nr = t->waker_tid ? 202 : -1;
		ret->waker_arg0 = t->waker_tid ? t->futex : 0;
	} else if (t->blocked == ON_EPOLL) {
		ret->nr = 232;
		ret->arg0 = 5 + i;
		ret->arg1 = 0x5a3c1000 + i * 0x3000;
		ret->arg2 = 1024;
	} else {
		ret->nr = 0;
		ret->arg0 = 40 + i;
		ret->arg1 = 0x40e0 + i * 0x100000;
		ret->arg2 = 8192;
	}
}

/* Thread @i comes onto its CPU, after thread @ahead (-1: idle). */
static void come_on(struct generator *g, uint32_t i, int ahead, struct event_offcpu *ret)
{
	struct sim_thread *t = &g->threads[i];
	struct sim_cpu *cpu = &g->cpus[t->cpu];

	*ret = (struct event_offcpu){
		.hdr = {EVENT_OFFCPU, sizeof(*ret), FIRST_TID + i, g->now_ns},
		.off_ns = g->now_ns - t->off_ns,
		.runq_ns = g->now_ns - t->woken_ns,
		.tgid = TGID,
		.seq = ++t->seq,
		.cpu = (uint16_t)t->cpu,
		.ahead_tid = ahead < 0 ? 0 : FIRST_TID + (uint32_t)ahead,
		.ahead_tgid = ahead < 0 ? 0 : TGID,
	};
	describe_block(t, i, ret);
	if (ahead < 0 && uniform(g) < 0.05) {
		ret->ahead_tid = 100 + (uint32_t)(next_random(g) % NR_STRANGERS);
		ret->ahead_tgid = ret->ahead_tid;
	}
	cpu->running = (int)i;
	cpu->coming = -1;
	cpu->until_ns = g->now_ns + lognormal_ns(g, 20, 1);
}

static void leave(struct generator *g, struct sim_cpu *cpu, struct sim_thread *t)
{
	t->off_ns = g->now_ns;
	if (cpu->nr_queued && uniform(g) < 0.15) {
		t->blocked = PREEMPTED;
		t->woken_ns = g->now_ns;
		cpu->queue[cpu->nr_queued++] = cpu->running;
		return;
	}
	t->blocked = uniform(g) < 0.9 ? (enum blocked)((t - g->threads) % 3)
				      : (enum blocked)(next_random(g) % 3);
	t->futex = 0x7f0012340000 +
		   ((uint64_t)(t - g->threads) * 2 + (uniform(g) < 0.1)) % NR_FUTEXES * 64;
	t->wake_ns = g->now_ns + lognormal_ns(g, t->sleep_us, 1.5);
}

/* A burst ends, or an idle CPU has woken up. True when a thread came on: @ret is its record. */
static bool switch_on(struct generator *g, struct sim_cpu *cpu, struct event_offcpu *ret)
{
	int ahead = cpu->running;
	uint32_t next;

	if (ahead < 0) {
		come_on(g, (uint32_t)cpu->coming, -1, ret);
		return true;
	}
	leave(g, cpu, &g->threads[ahead]);
	cpu->running = -1;
	cpu->until_ns = NEVER;
	if (!cpu->nr_queued)
		return false;
	next = (uint32_t)cpu->queue[0];
	for (uint32_t n = 1; n < cpu->nr_queued; n++)
		cpu->queue[n - 1] = cpu->queue[n];
	cpu->nr_queued--;
	come_on(g, next, ahead, ret);
	return true;
}

void generator_next(struct generator *g, struct event_offcpu *ret)
{
	for (;;) {
		struct sim_cpu *cpu = &g->cpus[0];
		uint32_t first = 0;

		for (uint32_t i = 1; i < g->options.nr_cpus; i++)
			if (g->cpus[i].until_ns < cpu->until_ns)
				cpu = &g->cpus[i];
		for (uint32_t i = 1; i < g->options.nr_threads; i++)
			if (g->threads[i].wake_ns < g->threads[first].wake_ns)
				first = i;
		if (g->threads[first].wake_ns <= cpu->until_ns) {
			g->now_ns = g->threads[first].wake_ns;
			wake(g, first);
		} else {
			g->now_ns = cpu->until_ns;
			if (switch_on(g, cpu, ret))
				return;
		}
	}
}
