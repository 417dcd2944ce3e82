/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bpf/subject.h"

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "subject: %s: %s\n", what, strerror(errno));
	abort();
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint32_t this_tid(void)
{
	return syscall(SYS_gettid);
}

void sleep_us(uint64_t us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000};

	must(nanosleep(&time, NULL) == 0, "nanosleep");
}

static char state_of(uint32_t tid)
{
	char path[64], line[256];
	const char *after_name;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return 'R'; /* not there yet */
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	after_name = strrchr(line, ')');
	return after_name ? after_name[2] : 'R';
}

/* The state is set a moment before the CPU is left: give it the time. */
void await_asleep(uint32_t tid)
{
	while (state_of(tid) != 'S')
		sleep_us(200);
	sleep_us(1000);
}

void pin_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	must(sched_setaffinity(0, sizeof(set), &set) == 0, "sched_setaffinity");
}

static uint64_t switches(const struct rusage *usage)
{
	return usage->ru_nvcsw + usage->ru_nivcsw;
}

/* All at one moment: repeated until the thread was not switched out while it looked. */
static void look(struct rusage *usage, uint64_t *ret_at_ns, uint64_t *ret_cpu_ns)
{
	struct rusage before;

	do {
		getrusage(RUSAGE_THREAD, &before);
		*ret_at_ns = now_ns();
		*ret_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		getrusage(RUSAGE_THREAD, usage);
	} while (switches(&before) != switches(usage));
}

void account_begin(struct account *account)
{
	struct rusage usage;

	account->tid = this_tid();
	look(&usage, &account->from_ns, &account->cpu_ns);
	account->nr_switches = switches(&usage);
	account->nr_major_faults = usage.ru_majflt;
}

void account_end(struct account *account)
{
	struct rusage usage;
	uint64_t cpu_ns;

	look(&usage, &account->to_ns, &cpu_ns);
	account->cpu_ns = cpu_ns - account->cpu_ns;
	account->nr_switches = switches(&usage) - account->nr_switches;
	account->nr_major_faults = usage.ru_majflt - account->nr_major_faults;
}

static void wait_for_byte(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1) /* the other side is gone */
		_exit(0);
}

static void live(struct subject *subject, subject_fn *first, subject_fn *then)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (first)
		first(subject->shared);
	for (;;) {
		must(write(subject->done, "d", 1) == 1, "telling the test");
		wait_for_byte(subject->go);
		if (then)
			then(subject->shared);
	}
}

void subject_start(struct subject *subject, subject_fn *first, subject_fn *then)
{
	int go[2], done[2];

	subject->shared = mmap(NULL, sizeof(*subject->shared), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(subject->shared != MAP_FAILED, "mmap");
	must(pipe(go) == 0 && pipe(done) == 0, "pipe");
	subject->tgid = fork();
	must(subject->tgid >= 0, "fork");
	if (subject->tgid == 0) {
		close(go[1]);
		close(done[0]);
		subject->go = go[0];
		subject->done = done[1];
		live(subject, first, then);
	}
	close(go[0]);
	close(done[1]);
	subject->go = go[1];
	subject->done = done[0];
	subject_wait(subject);
}

void subject_begin(struct subject *subject)
{
	must(write(subject->go, "g", 1) == 1, "telling the subject");
}

void subject_wait(struct subject *subject)
{
	char byte;

	must(read(subject->done, &byte, 1) == 1, "the subject is gone");
}

void subject_run(struct subject *subject)
{
	subject_begin(subject);
	subject_wait(subject);
}

int subject_stop(struct subject *subject)
{
	int status = 0;

	kill(subject->tgid, SIGKILL);
	waitpid(subject->tgid, &status, 0);
	munmap(subject->shared, sizeof(*subject->shared));
	close(subject->go);
	close(subject->done);
	return status;
}
