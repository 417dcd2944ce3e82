/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the probes say about some processes: records kept in memory, in the ring's order, and losses
 * added up. For tests; every failure of the probes themselves is an assertion.
 */
#ifndef TESTS_BPF_CAPTURE_H
#define TESTS_BPF_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/bpf/subject.h"
#include "user/attach/probe.h"

struct capture {
	struct probes *probes;
	unsigned char *records;
	size_t nr, bytes, room;
	uint64_t lost[NR_EVENT_KINDS][NR_LOST_CAUSES];
	uint64_t nr_lost;
};

/* Skip the test, with the reason, where probes cannot be loaded at all. */
void capture_or_skip(void);

void capture_begin(struct capture *capture, const struct subject *const *subjects, size_t nr,
		   uint64_t ring_bytes);
void capture_drain(struct capture *capture);

/* Drain, detach and free the probes; the records stay until capture_free. */
void capture_end(struct capture *capture);
void capture_free(struct capture *capture);

/*
 * Whether the kernel kept a switch or a wake-up from every probe, as some do for threads they
 * protect: the numbers of intervals are right even then, but not everything about them is known.
 */
bool capture_is_disturbed(const struct capture *capture);

/* The same, for tests that need to know everything: @capture is freed, and the test fails when it
 * never ends. */
bool capture_must_repeat(struct capture *capture);

/* Record a new @subject while it runs @body; as often as must be. */
void capture_body(struct capture *capture, struct subject *subject, subject_fn *body);

/* The record after @after, the first one for NULL; NULL at the end. */
const struct event_hdr *capture_next(const struct capture *capture, const struct event_hdr *after);

/* Records of @kind about @tid; 0: about any. */
size_t capture_count(const struct capture *capture, uint16_t kind, uint32_t tid);

/* The next off-CPU interval after @after that ended within the stretch of @account, of its thread.
 */
const struct event_offcpu *capture_interval(const struct capture *capture,
					    const struct account *account,
					    const struct event_offcpu *after);

/* As many intervals as the kernel counted switches, numbered one after the other, none lost.
 * Returns their number. */
size_t expect_whole(const struct capture *capture, const struct account *account);

/* @tgid's record with @tid of @kind that comes first; NULL: none. */
const struct event_hdr *capture_first(const struct capture *capture, uint16_t kind, uint32_t tid);

#endif
