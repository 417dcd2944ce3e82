/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load of context switches whose number is known: two threads on one CPU that wake each other in
 * turn, at a given rate or as fast as they can. With --libjvm a JVM is created first and left idle,
 * since standstill records JVMs only. Says "ready PID"; then, for each line read, runs once and
 * says what it did by the kernel's own counts.
 */
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S    1000000000ull
#define TICK_NS	    1000000ull
#define JNI_VERSION 0x00010008

struct options {
	const char *libjvm;
	uint64_t rate;	  /* switches a second; 0: as many as there can be */
	uint64_t seconds; /* how long at that rate */
	uint64_t rounds;  /* without a rate: so many there-and-backs */
	int cpu;
};

/* What a thread did between two moments at which it was running. */
struct count {
	uint32_t tid;
	uint64_t from_ns, to_ns, switches, cpu_ns;
};

enum turn { TURN_ONE, TURN_OTHER, TURN_OVER };

struct pair {
	_Atomic uint32_t turn; /* enum turn; what they wait on */
	const struct options *options;
	struct count asker, answerer;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static uint64_t switches_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* All at one moment: repeated until the thread was not switched out while it looked. */
static struct count count_now(void)
{
	struct count now = {.tid = syscall(SYS_gettid)};
	uint64_t before;

	do {
		before = switches_now();
		now.from_ns = now.to_ns = clock_ns(CLOCK_MONOTONIC);
		now.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		now.switches = switches_now();
	} while (now.switches != before);
	return now;
}

static struct count count_since(struct count before)
{
	struct count now = count_now();

	now.from_ns = before.from_ns;
	now.switches -= before.switches;
	now.cpu_ns -= before.cpu_ns;
	return now;
}

static void give(struct pair *pair, enum turn to)
{
	atomic_store(&pair->turn, to);
	syscall(SYS_futex, &pair->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Wait while it is the turn of @whose; returns whose it is then. */
static enum turn await(struct pair *pair, enum turn whose)
{
	enum turn turn;

	while ((turn = atomic_load(&pair->turn)) == whose)
		syscall(SYS_futex, &pair->turn, FUTEX_WAIT_PRIVATE, whose, NULL, NULL, 0);
	return turn;
}

static void *answer(void *arg)
{
	struct pair *pair = arg;
	struct count before = count_now();

	while (await(pair, TURN_ONE) != TURN_OVER)
		give(pair, TURN_ONE);
	pair->answerer = count_since(before);
	return NULL;
}

static void ask(struct pair *pair, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++) {
		give(pair, TURN_OTHER);
		await(pair, TURN_OTHER);
	}
}

/* In bursts, one a tick; a tick that comes late is made up for. A round is two switches, the sleep
 * between ticks one. */
static void ask_at_rate(struct pair *pair, const struct options *o)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), done = 0;

	for (uint64_t tick = 1; tick <= o->seconds * NS_PER_S / TICK_NS; tick++) {
		uint64_t due_ns = begin_ns + tick * TICK_NS;
		uint64_t due = tick * TICK_NS * o->rate / NS_PER_S;
		struct timespec at = {due_ns / NS_PER_S, due_ns % NS_PER_S};

		if (due > done) {
			ask(pair, (due - done) / 2);
			done += (due - done) / 2 * 2;
		}
		if (clock_ns(CLOCK_MONOTONIC) >= due_ns)
			continue;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		done++;
	}
}

static void print_count(const struct count *count, char which)
{
	printf(" tid_%c=%u from_%c=%llu to_%c=%llu switches_%c=%llu", which, count->tid, which,
	       (unsigned long long)count->from_ns, which, (unsigned long long)count->to_ns, which,
	       (unsigned long long)count->switches);
}

static void *ask_all(void *arg)
{
	struct pair *pair = arg;
	struct count before = count_now();

	if (pair->options->rate)
		ask_at_rate(pair, pair->options);
	else
		ask(pair, pair->options->rounds);
	give(pair, TURN_OVER);
	pair->asker = count_since(before);
	return NULL;
}

/*
 * Neither of the two is the process's first thread: that one does nothing in a JVM, and uprobes
 * attached to a process by perf make the switches of its first thread dearer than all others.
 */
static void run(const struct options *o)
{
	struct pair pair = {.turn = TURN_ONE, .options = o};
	pthread_t asker, answerer;

	if (pthread_create(&answerer, NULL, answer, &pair) ||
	    pthread_create(&asker, NULL, ask_all, &pair))
		abort();
	pthread_join(asker, NULL);
	pthread_join(answerer, NULL);
	printf("switches=%llu wall_ns=%llu cpu_ns=%llu",
	       (unsigned long long)(pair.asker.switches + pair.answerer.switches),
	       (unsigned long long)(pair.asker.to_ns - pair.asker.from_ns),
	       (unsigned long long)(pair.asker.cpu_ns + pair.answerer.cpu_ns));
	print_count(&pair.asker, 'a');
	print_count(&pair.answerer, 'b');
	putchar('\n');
	fflush(stdout);
}

struct vm_option {
	char *text;
	void *extra;
};

struct vm_arguments { /* JavaVMInitArgs of jni.h, whose package a benchmark need not have */
	int32_t version, nr_options;
	struct vm_option *options;
	uint8_t ignore_unrecognized;
};

typedef int32_t create_vm_fn(void **ret_vm, void **ret_env, void *arguments);

static bool create_vm(const char *libjvm)
{
	struct vm_option options[] = {{"-Xmx32m", NULL}, {"-XX:+UseSerialGC", NULL}};
	struct vm_arguments arguments = {JNI_VERSION, 2, options, 0};
	void *library = dlopen(libjvm, RTLD_NOW | RTLD_GLOBAL), *vm, *env;
	create_vm_fn *create;

	if (!library) {
		fprintf(stderr, "switches: %s\n", dlerror());
		return false;
	}
	create = (create_vm_fn *)dlsym(library, "JNI_CreateJavaVM");
	if (!create || create(&vm, &env, &arguments) != 0) {
		fprintf(stderr, "switches: %s makes no JVM\n", libjvm);
		return false;
	}
	return true;
}

static uint64_t number(const char *word)
{
	char *end;
	uint64_t value = strtoull(word, &end, 10);

	if (*end || end == word) {
		fprintf(stderr, "switches: '%s' is no number\n", word);
		exit(2);
	}
	return value;
}

static struct options parse(int argc, char **argv)
{
	static const struct option rows[] = {
		{"libjvm", required_argument, NULL, 'l'},  {"rate", required_argument, NULL, 'r'},
		{"seconds", required_argument, NULL, 's'}, {"rounds", required_argument, NULL, 'n'},
		{"cpu", required_argument, NULL, 'c'},	   {NULL, 0, NULL, 0},
	};
	struct options o = {.seconds = 1, .rounds = 100000, .cpu = 0};
	int key;

	while ((key = getopt_long(argc, argv, "", rows, NULL)) != -1) {
		switch (key) {
		case 'l':
			o.libjvm = optarg;
			break;
		case 'r':
			o.rate = number(optarg);
			break;
		case 's':
			o.seconds = number(optarg);
			break;
		case 'n':
			o.rounds = number(optarg);
			break;
		case 'c':
			o.cpu = (int)number(optarg);
			break;
		default:
			fprintf(stderr, "Usage: switches [--libjvm FILE] [--rate N --seconds N | "
					"--rounds N] [--cpu N]\n");
			exit(2);
		}
	}
	return o;
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	char line[64];
	cpu_set_t set;

	if (o.libjvm && !create_vm(o.libjvm))
		return 1;
	CPU_ZERO(&set);
	CPU_SET(o.cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		fprintf(stderr, "switches: cpu %d: %s\n", o.cpu, strerror(errno));
		return 1;
	}
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		run(&o);
	return 0;
}
