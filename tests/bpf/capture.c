/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bpf/capture.h"

void capture_or_skip(void)
{
	if (geteuid() != 0)
		cr_skip_test("needs root");
	if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
		cr_skip_test("the kernel has no BTF");
}

static int keep(void *arg, const struct event_hdr *event)
{
	struct capture *capture = arg;

	cr_assert(le(sz, event->size, EVENT_BYTES_MAX));
	if (capture->bytes + event->size > capture->room) {
		capture->room = capture->room ? capture->room * 2 : 1 << 16;
		capture->records = realloc(capture->records, capture->room);
		cr_assert(ne(ptr, capture->records, NULL), "out of memory");
	}
	memcpy(capture->records + capture->bytes, event, event->size);
	capture->bytes += event->size;
	capture->nr++;
	return 0;
}

static void add_loss(void *arg, uint32_t kind, enum lost_cause cause, uint64_t nr)
{
	struct capture *capture = arg;

	cr_assert(lt(u32, kind, NR_EVENT_KINDS));
	cr_assert(lt(u32, cause, NR_LOST_CAUSES));
	capture->lost[kind][cause] += nr;
	capture->nr_lost += nr;
	cr_log_info("lost %llu records of kind %u for cause %d", (unsigned long long)nr, kind,
		    cause);
}

void capture_begin(struct capture *capture, const struct subject *const *subjects, size_t nr,
		   uint64_t ring_bytes)
{
	struct probe_target targets[PROBE_TARGETS_MAX] = {};
	struct probe_options options = {.ring_bytes = ring_bytes, .pauses = PAUSE_PROBES_NONE};
	struct probe_problem problem = {};
	int err;

	memset(capture, 0, sizeof(*capture));
	for (size_t i = 0; i < nr; i++)
		targets[i].tgid = subjects[i]->tgid;
	err = probes_attach(targets, nr, &options, &capture->probes, &problem);
	cr_assert(eq(int, err, 0), "%s: %s", problem.what, strerror(-err));
}

void capture_drain(struct capture *capture)
{
	int err = probes_drain(capture->probes, keep, capture);

	cr_assert(ge(int, err, 0), "%s", strerror(-err));
	probes_losses(capture->probes, add_loss, capture);
}

void capture_end(struct capture *capture)
{
	capture_drain(capture);
	probes_detach(capture->probes);
	capture->probes = NULL;
}

void capture_free(struct capture *capture)
{
	free(capture->records);
	memset(capture, 0, sizeof(*capture));
}

bool capture_is_disturbed(const struct capture *capture)
{
	const struct event_hdr *event = NULL;

	if (capture->lost[EVENT_OFFCPU][LOST_UNSEEN])
		return true;
	while ((event = capture_next(capture, event))) {
		const struct event_offcpu *off = (const void *)event;

		if (event->kind != EVENT_OFFCPU)
			continue;
		if (off->flags & OFFCPU_END_UNSEEN)
			return true;
		if (off->state != 0 && !(off->flags & OFFCPU_WOKEN))
			return true;
	}
	return false;
}

#define ATTEMPTS 20

bool capture_must_repeat(struct capture *capture)
{
	static int nr; /* each test is a process */

	if (!capture_is_disturbed(capture))
		return false;
	if (++nr == ATTEMPTS)
		cr_fatal("in each of %d runs the kernel kept something from the probes", nr);
	capture_free(capture);
	return true;
}

void capture_body(struct capture *capture, struct subject *subject, subject_fn *body)
{
	for (;;) {
		subject_start(subject, NULL, body);
		capture_begin(capture, (const struct subject *[]){subject}, 1, 0);
		subject_run(subject);
		capture_end(capture);
		if (!capture_must_repeat(capture))
			return;
		subject_stop(subject);
	}
}

const struct event_hdr *capture_next(const struct capture *capture, const struct event_hdr *after)
{
	const unsigned char *at =
		after ? (const unsigned char *)after + after->size : capture->records;

	return at < capture->records + capture->bytes ? (const struct event_hdr *)at : NULL;
}

size_t capture_count(const struct capture *capture, uint16_t kind, uint32_t tid)
{
	const struct event_hdr *event = NULL;
	size_t nr = 0;

	while ((event = capture_next(capture, event)))
		nr += event->kind == kind && (tid == 0 || event->tid == tid);
	return nr;
}

const struct event_hdr *capture_first(const struct capture *capture, uint16_t kind, uint32_t tid)
{
	const struct event_hdr *event = NULL;

	while ((event = capture_next(capture, event)))
		if (event->kind == kind && event->tid == tid)
			return event;
	return NULL;
}

const struct event_offcpu *capture_interval(const struct capture *capture,
					    const struct account *account,
					    const struct event_offcpu *after)
{
	const struct event_hdr *event = after ? &after->hdr : NULL;

	while ((event = capture_next(capture, event)))
		if (event->kind == EVENT_OFFCPU && event->tid == account->tid &&
		    event->ts_ns > account->from_ns && event->ts_ns <= account->to_ns)
			return (const struct event_offcpu *)event;
	return NULL;
}

/* What to look at when an interval is missing: the time on a CPU before each, and the probes' own
 * counts. */
static void list_intervals(const struct capture *capture, const struct account *account)
{
	const struct event_offcpu *off = NULL;
	uint64_t at_ns = account->from_ns;

	while ((off = capture_interval(capture, account, off))) {
		cr_log_error("on %lld ns, then off %llu ns: seq %u nr %d state %x flags %x cpu %u",
			     (long long)(off->hdr.ts_ns - off->off_ns - at_ns), off->off_ns,
			     off->seq, off->nr, off->state, off->flags, off->cpu);
		at_ns = off->hdr.ts_ns;
	}
	cr_log_error("on %lld ns to the end", (long long)(account->to_ns - at_ns));
}

size_t expect_whole(const struct capture *capture, const struct account *account)
{
	const struct event_offcpu *off = NULL;
	uint64_t at_ns = account->from_ns;
	uint32_t seq = 0;
	size_t nr = 0;

	cr_expect(eq(u64, capture->nr_lost, 0));
	while ((off = capture_interval(capture, account, off))) {
		cr_expect(le(u64, off->runq_ns, off->off_ns));
		cr_expect(le(u64, off->throttled_ns, off->off_ns));
		cr_expect(ge(u64, off->hdr.ts_ns - off->off_ns, at_ns),
			  "begins after the last ended");
		if (nr++)
			cr_expect(eq(u32, off->seq, seq + 1), "seq of an interval");
		seq = off->seq;
		at_ns = off->hdr.ts_ns;
	}
	cr_expect(eq(u64, nr, account->nr_switches), "the kernel's own count of switches");
	if (nr != account->nr_switches)
		list_intervals(capture, account);
	return nr;
}
