/* SPDX-License-Identifier: BSD-2-Clause */
/* USDT probes in this program itself: functions that are called a known number of times stand for
 * HotSpot's probes, with the arguments in the places that the made-up notes tell. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "tests/bpf/capture.h"
#include "user/attach/elf.h"
#include "user/attach/jvm.h"
#include "user/base/cleanup.h"

#define NR_ROUNDS 23
#define NR_WAYS	  2

TestSuite(bpf_usdt, .init = capture_or_skip, .timeout = 60);

struct told {
	const char *name;
	int32_t length;
	uint8_t mode;
};

#define PROBE __attribute__((noinline, noclone))

static PROBE void tell_begin(void)
{
	__asm__ volatile("");
}

static PROBE void tell_end(void)
{
	__asm__ volatile("");
}

static PROBE void tell_request(const char *name, long length, int mode)
{
	__asm__ volatile("" ::"r"(name), "r"(length), "r"(mode));
}

static PROBE void tell_operation(const struct told *told)
{
	__asm__ volatile("" ::"r"(told) : "memory");
}

static PROBE void tell_thread(const char *name, long length, long id, long tid)
{
	__asm__ volatile("" ::"r"(name), "r"(length), "r"(id), "r"(tid));
}

static void *tell_all(void *arg)
{
	const struct told told = {.name = "an operation, cut", .length = 12, .mode = 200};
	long tid = (long)this_tid();

	(void)arg;
	for (int i = 0; i < NR_ROUNDS; i++) {
		tell_request("who", 3, -1 - i);
		tell_begin();
		tell_operation(&told);
		tell_end();
		tell_thread("a thread", 8, 77, tid);
	}
	return NULL;
}

/* By a thread that is not the first, too. */
static void tell_by_two_threads(struct shared *shared)
{
	pthread_t other;

	account_begin(&shared->threads[0]);
	tell_all(NULL);
	pthread_create(&other, NULL, tell_all, NULL);
	pthread_join(other, NULL);
	account_end(&shared->threads[0]);
}

struct note {
	const char *provider, *name, *arguments;
	void *function;
};

static const struct note notes[] = {
	{"hotspot", "thread__start", "8@%rdi 8@%rsi 8@%rdx -4@%ecx", (void *)tell_thread},
	{"hotspot", "vmops__begin", "8@(%rdi) -4@8(%rdi) 1@12(%rdi)", (void *)tell_operation},
	{"hotspot", "vmops__request", "8@%rdi 8@%rsi -4@%edx", (void *)tell_request},
	{"hs_private", "safepoint__begin", "", (void *)tell_begin},
	{"hs_private", "safepoint__end", "", (void *)tell_end},
};

static uint64_t offset_of(void *function)
{
	int fd CLEANUP(closep) = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_file *elf;
	uint64_t offset;
	Dl_info info;

	cr_assert(ne(int, dladdr(function, &info), 0));
	cr_assert(zero(int, elf_file_open(fd, &elf)));
	cr_assert(zero(int, elf_file_offset(elf, (uintptr_t)function - (uintptr_t)info.dli_fbase,
					    &offset)));
	elf_file_close(elf);
	return offset;
}

static void attach(struct capture *capture, const struct subject *subject, bool by_perf)
{
	struct jvm_usdt usdt[ARRAY_SIZE(notes)] = {};
	struct jvm jvm = {.tgid = (uint32_t)subject->tgid,
			  .feature = 17,
			  .libjvm_file = (char *)"/proc/self/exe",
			  .usdt = usdt,
			  .nr_usdt = ARRAY_SIZE(usdt)};
	struct probe_target target = {.tgid = jvm.tgid, .jvm = &jvm};
	struct probe_options options = {.pauses = PAUSE_PROBES_USDT, .usdt_by_perf = by_perf};
	struct probe_problem problem = {};

	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		usdt[i] = (struct jvm_usdt){.provider = notes[i].provider,
					    .name = notes[i].name,
					    .arguments = notes[i].arguments,
					    .file_offset = offset_of(notes[i].function)};
	memset(capture, 0, sizeof(*capture));
	cr_assert(zero(int, probes_attach(&target, 1, &options, &capture->probes, &problem)), "%s",
		  problem.what);
}

static void expect_event(const struct event_jvm *event, uint16_t kind, const char *name,
			 uint32_t mode, uint64_t id)
{
	cr_assert(ne(ptr, (void *)event, NULL));
	cr_expect(eq(u16, event->hdr.kind, kind));
	cr_expect(eq(str, (char *)event->name, (char *)name));
	cr_expect(eq(u32, (uint32_t)event->mode, mode));
	cr_expect(eq(u64, (uint64_t)event->id, id));
}

static const struct event_jvm *next(const struct capture *capture, const struct event_jvm *after)
{
	const struct event_hdr *event = after ? &after->hdr : NULL;

	while ((event = capture_next(capture, event)))
		if (event->kind == EVENT_SAFEPOINT_BEGIN || event->kind == EVENT_SAFEPOINT_END ||
		    event->kind == EVENT_VMOP_REQUEST || event->kind == EVENT_VMOP_BEGIN ||
		    event->kind == EVENT_JAVA_THREAD_START)
			return (const struct event_jvm *)event;
	return NULL;
}

static void expect_story(const struct capture *capture)
{
	const struct event_jvm *event = NULL;

	for (int i = 0; i < 2 * NR_ROUNDS; i++) {
		event = next(capture, event);
		expect_event(event, EVENT_VMOP_REQUEST, "who", (uint32_t)(-1 - i % NR_ROUNDS), 0);
		event = next(capture, event);
		expect_event(event, EVENT_SAFEPOINT_BEGIN, "", 0, 0);
		event = next(capture, event);
		expect_event(event, EVENT_VMOP_BEGIN, "an operation", 200, 0);
		event = next(capture, event);
		expect_event(event, EVENT_SAFEPOINT_END, "", 0, 0);
		event = next(capture, event);
		expect_event(event, EVENT_JAVA_THREAD_START, "a thread", 0, event->hdr.tid);
	}
	cr_expect(eq(ptr, (void *)next(capture, event), NULL));
	cr_expect(zero(u64, capture->nr_lost));
}

struct counted {
	uint64_t runs;
	uint32_t dispatch_ns; /* differs between the two ways */
};

static void take_cost(void *arg, const struct record_probe *cost)
{
	struct counted *counted = arg;

	if (strcmp(cost->name, "vmops__request"))
		return;
	counted->runs = cost->runs;
	counted->dispatch_ns = cost->dispatch_ns;
}

/* Both share the file; only one of them is to have breakpoints in it. */
static uint32_t run_beside_stranger(struct capture *capture, bool by_perf)
{
	struct subject subject, stranger;
	struct counted counted = {};

	subject_start(&subject, NULL, tell_by_two_threads);
	subject_start(&stranger, NULL, tell_by_two_threads);
	attach(capture, &subject, by_perf);
	subject_run(&stranger);
	subject_run(&subject);
	probes_costs(capture->probes, take_cost, &counted);
	cr_expect(eq(u64, counted.runs, 2 * NR_ROUNDS), "a stranger runs none");
	capture_end(capture);
	subject_run(&subject); /* what was detached is gone */
	subject_stop(&subject);
	subject_stop(&stranger);
	return counted.dispatch_ns;
}

Test(bpf_usdt, a_link_of_many_places_and_perf_record_the_same)
{
	uint32_t dispatch_ns[NR_WAYS];

	for (int by_perf = 0; by_perf < NR_WAYS; by_perf++) {
		struct capture capture;

		dispatch_ns[by_perf] = run_beside_stranger(&capture, by_perf);
		expect_story(&capture);
		capture_free(&capture);
	}
	if (dispatch_ns[0] == dispatch_ns[1])
		cr_log_warn("this kernel has no links of many places: both were perf's");
}
