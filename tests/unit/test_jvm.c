/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/attach/jvm_parts.h"
#include "user/attach/target.h"
#include "user/attach/target_process.h"
#include "user/base/cleanup.h"
#include "user/recording/record.h"

Test(jvm, a_version_tells_its_feature_number)
{
	static const struct {
		const char *version;
		int feature;
	} rows[] = {
		{"17.0.15+6-Debian-1deb12u1", 17},
		{"25.0.3+9-LTS", 25},
		{"25.504-b08", 8}, /* the HotSpot of JDK 8 */
		{"25.352-b08", 8},
		{"11.0.33+5-post-Debian-1", 11},
		{"25+36", 25},
		{"25-ea+12", 25},
		{"27-internal-adhoc.user.jdk", 27},
		{"1.8.0_504", 8},
		{"", 0},
		{"unknown", 0},
		{"-17", 0},
		{"0", 0},
		{"99999", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect(eq(int, jvm_feature_of(rows[i].version), rows[i].feature), "%s",
			  rows[i].version);
}

Test(jvm, a_collector_is_known_by_its_counter)
{
	static const struct {
		const char *name;
		enum jvm_collector collector;
	} rows[] = {
		{"Serial young collection pauses", JVM_COLLECTOR_SERIAL},
		{"Parallel full collection pauses", JVM_COLLECTOR_PARALLEL},
		{"G1 young collection pauses", JVM_COLLECTOR_G1},
		{"Z concurrent cycle pauses", JVM_COLLECTOR_ZGC},
		{"ZGC minor collection pauses", JVM_COLLECTOR_ZGC},
		{"Shenandoah partial", JVM_COLLECTOR_SHENANDOAH},
		{"Copy", JVM_COLLECTOR_SERIAL},
		{"PSScavenge", JVM_COLLECTOR_PARALLEL},
		{"PCopy", JVM_COLLECTOR_CMS},
		{"", JVM_COLLECTOR_UNKNOWN},
		{"Something new", JVM_COLLECTOR_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect(eq(int, (int)jvm_collector_of_counter(rows[i].name),
			     (int)rows[i].collector),
			  "%s", rows[i].name);
	cr_expect(
		eq(int, (int)jvm_collector_of_arguments("-Xmx1g -XX:+UseZGC"), JVM_COLLECTOR_ZGC));
	cr_expect(eq(int, (int)jvm_collector_of_arguments("-XX:-UseZGC"), JVM_COLLECTOR_UNKNOWN));
}

Test(jvm, a_command_line_is_split_where_the_program_begins)
{
	static const struct {
		const char *words; /* blanks stand for the NULs between words */
		const char *arguments, *command;
	} rows[] = {
		{"java -Xmx1g -cp /a:/b Main 1 -2", "-Xmx1g -cp /a:/b", "Main 1 -2"},
		{"java -jar app.jar --port=80", "-jar", "app.jar --port=80"},
		{"java -p mods -m m/Main x", "-p mods -m", "m/Main x"},
		{"java Main", "", "Main"},
		{"java", "", ""},
		{"java -version", "-version", ""},
		{"java -cp", "-cp", ""},
		{"java -jar", "-jar", ""},
		{"java @file -Dx=1 Main", "@file -Dx=1", "Main"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *arguments CLEANUP(freep) = NULL, *command CLEANUP(freep) = NULL;
		char *words CLEANUP(freep) = strdup(rows[i].words);
		size_t bytes = strlen(words) + 1;

		for (char *c = words; *c; c++)
			if (*c == ' ')
				*c = '\0';
		cr_assert(zero(int, jvm_split_command(words, bytes, &arguments, &command)));
		cr_expect(eq(str, arguments, (char *)rows[i].arguments), "%s", rows[i].words);
		cr_expect(eq(str, command, (char *)rows[i].command), "%s", rows[i].words);
	}
}

Test(jvm, a_command_line_overwritten_by_its_process_does_no_harm)
{
	static const struct {
		const char *bytes;
		size_t nr;
	} rows[] = {{"", 0}, {"x", 1}, {"java\0-cp", 8}, {"\0\0\0", 3}, {"java\0-jar\0x", 11}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *arguments = NULL, *command = NULL, *copy = malloc(rows[i].nr + !rows[i].nr);

		memcpy(copy, rows[i].bytes, rows[i].nr); /* no byte more than that may be read */
		cr_expect(zero(int, jvm_split_command(copy, rows[i].nr, &arguments, &command)),
			  "row %zu", i);
		free(arguments);
		free(command);
		free(copy);
	}
}

Test(jvm, probes_are_found_with_all_their_locations)
{
	struct jvm_usdt usdt[] = {
		{.provider = "hotspot", .name = "gc__begin", .address = 1},
		{.provider = "hotspot", .name = "gc__end", .address = 2},
		{.provider = "hotspot", .name = "gc__end", .address = 3},
		{.provider = "hs_private", .name = "gc__end", .address = 4},
	};
	const struct jvm jvm = {.usdt = usdt, .nr_usdt = ARRAY_SIZE(usdt)};
	size_t nr;

	cr_expect(eq(ptr, (void *)jvm_find_usdt(&jvm, "hotspot", "gc__end", &nr), &usdt[1]));
	cr_expect(eq(sz, nr, 2));
	cr_expect(eq(ptr, (void *)jvm_find_usdt(&jvm, "hs_private", "gc__end", &nr), &usdt[3]));
	cr_expect(eq(sz, nr, 1));
	cr_expect(zero(ptr, (void *)jvm_find_usdt(&jvm, "hotspot", "gc__", &nr)));
	cr_expect(zero(sz, nr));
}

Test(jvm, this_test_is_no_jvm)
{
	struct jvm *jvm = NULL;

	cr_expect(eq(int, jvm_inspect((uint32_t)getpid(), &jvm), -ENOEXEC));
	cr_expect(zero(ptr, jvm));
}

Test(jvm, no_such_process_is_told_apart)
{
	struct jvm *jvm = NULL;

	cr_expect(eq(int, jvm_inspect(0x7fffffff, &jvm), -ESRCH));
	cr_expect(eq(int, jvm_inspect(0, &jvm), -ESRCH));
	cr_expect(zero(ptr, jvm));
}

Test(jvm, a_process_that_has_ended_but_was_not_waited_for_is_gone)
{
	struct jvm *jvm = NULL;
	siginfo_t info;
	pid_t child = fork();

	if (!child)
		_exit(0);
	cr_assert(zero(int, waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT)));
	cr_expect(eq(int, jvm_inspect((uint32_t)child, &jvm), -ESRCH));
	waitpid(child, NULL, 0);
}

struct companion {
	sem_t up, done;
	uint32_t tid;
};

static void *accompany(void *arg)
{
	struct companion *c = arg;

	c->tid = (uint32_t)gettid();
	pthread_setname_np(pthread_self(), "odd) (name 1 2");
	sem_post(&c->up);
	sem_wait(&c->done);
	return NULL;
}

static void with_companion(void (*fn)(struct companion *c))
{
	struct companion c;
	pthread_t thread;

	sem_init(&c.up, 0, 0);
	sem_init(&c.done, 0, 0);
	cr_assert(zero(int, pthread_create(&thread, NULL, accompany, &c)));
	sem_wait(&c.up);
	fn(&c);
	sem_post(&c.done);
	pthread_join(thread, NULL);
}

static void inspect_thread(struct companion *c)
{
	struct jvm *jvm = NULL;

	cr_expect(eq(int, jvm_inspect(c->tid, &jvm), -ESRCH));
}

Test(jvm, the_id_of_a_thread_is_no_process)
{
	with_companion(inspect_thread);
}

struct threads_seen {
	uint32_t nr, tid;
	struct target_thread odd;
};

static void see_thread(void *arg, const struct target_thread *thread)
{
	struct threads_seen *seen = arg;

	seen->nr++;
	if (thread->tid == seen->tid)
		seen->odd = *thread;
}

static void list_threads(struct companion *c)
{
	struct threads_seen seen = {.tid = c->tid};
	struct timespec now;
	uint64_t now_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	cr_assert(zero(int, target_threads((uint32_t)getpid(), see_thread, &seen)));
	cr_expect(ge(u32, seen.nr, 2), "and the one Criterion may have");
	cr_expect(eq(str, seen.odd.comm, "odd) (name 1 2"));
	cr_expect(le(u64, seen.odd.start_ns, now_ns + 20000000));
	cr_expect(ge(u64, seen.odd.start_ns + 10000000000, now_ns), "it began in this test");
}

Test(target, threads_are_listed_whatever_they_call_themselves)
{
	with_companion(list_threads);
}

Test(target, threads_of_no_process_are_none)
{
	struct threads_seen seen = {0};

	cr_expect(eq(int, target_threads(0x7fffffff, see_thread, &seen), -ESRCH));
	cr_expect(zero(u32, seen.nr));
}

struct facts_seen {
	size_t nr;
	char pid[32], release[64];
};

static void see_fact(void *arg, const char *key, const char *value)
{
	struct facts_seen *seen = arg;

	cr_expect(lt(sz, strlen(key), RECORD_KEY_BYTES), "%s", key);
	cr_expect(lt(sz, strlen(value), RECORD_VALUE_BYTES), "%s", key);
	cr_expect(ne(chr, *value, '\0'), "%s", key);
	seen->nr++;
	if (!strcmp(key, "target.pid"))
		strncpy(seen->pid, value, sizeof(seen->pid) - 1);
	if (!strcmp(key, "kernel.release"))
		strncpy(seen->release, value, sizeof(seen->release) - 1);
}

Test(target, facts_fit_a_record)
{
	struct facts_seen seen = {0};
	char pid[32];

	snprintf(pid, sizeof(pid), "%d", getpid());
	machine_facts(see_fact, &seen);
	cr_assert(zero(int, target_facts((uint32_t)getpid(), see_fact, &seen)));
	cr_expect(eq(str, seen.pid, pid));
	cr_expect(ne(chr, seen.release[0], '\0'));
	cr_expect(gt(sz, seen.nr, 8));
	cr_expect(eq(int, target_facts(0x7fffffff, see_fact, &seen), -ESRCH));
}

Test(target, this_process_shares_its_own_clock)
{
	int64_t offset_ns = 7;

	cr_expect(zero(int, process_monotonic_offset((uint32_t)getpid(), &offset_ns)));
	cr_expect(zero(i64, offset_ns));
}
