/* SPDX-License-Identifier: BSD-2-Clause */
/* inspect PID: what user/attach makes of a process, one "key=value" a line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "user/attach/jvm.h"
#include "user/attach/perfdata.h"
#include "user/attach/target.h"
#include "user/attach/target_memory.h"
#include "user/base/units.h"

static void print_fact(void *arg, const char *key, const char *value)
{
	(void)arg;
	printf("%s=%s\n", key, value);
}

static void print_counters(const struct jvm *jvm)
{
	struct perfdata_snapshot now;
	int err = perfdata_snapshot(jvm, &now);

	if (err) {
		printf("counters=%s\n", strerror(-err));
		return;
	}
	printf("counters.valid=0x%x\n", now.valid);
	printf("counters.safepoints=%llu\n", (unsigned long long)now.safepoints);
	printf("counters.sync_ns=%llu\n", (unsigned long long)now.sync_ns);
	printf("counters.time_ns=%llu\n", (unsigned long long)now.safepoint_time_ns);
	printf("counters.collections=%llu\n", (unsigned long long)now.gc_invocations);
	printf("counters.cause=%s\n", now.cause);
	printf("counters.last_cause=%s\n", now.last_cause);
}

/* The operation of the safepoint that is, or the last one. */
static void print_operation(const struct jvm *jvm)
{
	int32_t type;

	if (!jvm->symbols.current_type ||
	    target_memory_read(jvm->tgid, jvm->symbols.current_type, &type, sizeof(type)))
		return;
	if (type >= 0 && (uint32_t)type < jvm->nr_operations)
		printf("jvm.operation=%s\n", jvm->operations[type]);
}

static void print_rest(const struct jvm *jvm)
{
	size_t nr;

	printf("jvm.libjvm_file=%s\n", jvm->libjvm_file);
	printf("jvm.pid_in_namespace=%u\n", jvm->ns_tgid);
	print_operation(jvm);
	printf("jvm.barrier=%s\n", jvm->symbols.barrier_word ? "yes" : "no");
	jvm_find_usdt(jvm, "hs_private", "safepoint__begin", &nr);
	printf("jvm.safepoint_begin_locations=%zu\n", nr);
}

int main(int argc, char **argv)
{
	struct timespec before, after;
	struct jvm *jvm;
	uint64_t pid;
	int err;

	if (argc != 2 || units_parse_number(argv[1], 1, UINT32_MAX, &pid)) {
		fprintf(stderr, "inspect PID\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &before);
	err = jvm_inspect((uint32_t)pid, &jvm);
	clock_gettime(CLOCK_MONOTONIC, &after);
	if (err) {
		printf("error=%s\n", strerror(-err));
		return 1;
	}
	printf("took_us=%ld\n",
	       (after.tv_sec - before.tv_sec) * 1000000 + (after.tv_nsec - before.tv_nsec) / 1000);
	jvm_facts(jvm, print_fact, NULL);
	print_rest(jvm);
	print_counters(jvm);
	jvm_free(jvm);
	return 0;
}
