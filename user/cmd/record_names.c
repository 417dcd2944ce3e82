/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names into the recording. Java threads: in full, as the JVM's probe gives them for new threads
 * and its memory for those that were there before. Strangers that woke a thread or kept a CPU from
 * it: what /proc calls them, once a segment.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/attach/javanames.h"
#include "user/base/cleanup.h"
#include "user/base/map.h"
#include "user/cmd/record.h"

#define NR_STRANGERS                                                                               \
	4096	     /* remembered at once, a power of two; one forgotten is only looked up again */
#define NR_WANTED 64 /* looked up at most in a tick */

struct java_name {
	uint32_t tgid, tid;
	bool put; /* since the segment began */
	char text[EVENT_NAME_BYTES];
};

struct stranger {
	uint32_t tgid, tid;
};

struct record_names {
	struct map java; /* tid -> struct java_name */
	struct stranger known[NR_STRANGERS];
	struct stranger wanted[NR_WANTED];
	size_t nr_wanted;
	uint32_t reading; /* tgid whose names are being read */
};

struct record_names *record_names_new(void)
{
	return calloc(1, sizeof(struct record_names));
}

void record_names_free(struct record_names *n)
{
	struct java_name *name;
	size_t cursor = 0;

	if (!n)
		return;
	while ((name = map_next(&n->java, &cursor)))
		free(name);
	map_free(&n->java);
	free(n);
}

/* Short of memory a name is left out: the thread keeps its short one. */
static void remember(struct record_names *n, uint32_t tgid, uint32_t tid, const char *text)
{
	struct java_name *name = map_get(&n->java, tid);

	if (!name) {
		name = calloc(1, sizeof(*name));
		if (!name)
			return;
		if (map_put(&n->java, tid, name)) {
			free(name);
			return;
		}
	}
	name->put &= name->tgid == tgid && !strcmp(name->text, text);
	name->tgid = tgid;
	name->tid = tid;
	snprintf(name->text, sizeof(name->text), "%s", text);
}

static bool is_target(const struct session *s, uint32_t tgid)
{
	for (size_t i = 0; i < s->nr_targets; i++)
		if (s->options->tgids[i] == tgid)
			return true;
	return false;
}

static void want(const struct session *s, uint32_t tgid, uint32_t tid)
{
	struct record_names *n = s->names;
	struct stranger *slot = &n->known[tid & (NR_STRANGERS - 1)];

	if (tid == 0 || (slot->tid == tid && slot->tgid == tgid) || n->nr_wanted == NR_WANTED ||
	    is_target(s, tgid))
		return;
	*slot = (struct stranger){.tgid = tgid, .tid = tid};
	n->wanted[n->nr_wanted++] = *slot;
}

void record_names_event(struct session *s, const struct event_hdr *event)
{
	if (event->kind == EVENT_OFFCPU) {
		const struct event_offcpu *off = (const void *)event;

		want(s, off->waker_tgid, off->waker_tid);
		want(s, off->ahead_tgid, off->ahead_tid);
	} else if (event->kind == EVENT_JAVA_THREAD_START) {
		const struct event_jvm *start = (const void *)event;

		remember(s->names, start->tgid, (uint32_t)start->id, start->name);
	} else if (event->kind == EVENT_TASK_EXIT) {
		free(map_remove(&s->names->java, event->tid));
	}
}

/* @now_ns: names found together have one time, which the file says once. */
static void put_name(struct session *s, uint64_t now_ns, uint32_t tgid, uint32_t tid,
		     enum name_source source, const char *text)
{
	struct record_name name = {
		.hdr = {.kind = RECORD_NAME, .size = sizeof(name), .tid = tid, .ts_ns = now_ns},
		.tgid = tgid,
		.source = source,
	};

	snprintf(name.name, sizeof(name.name), "%s", text);
	record_put(s, &name.hdr);
}

static void look_up(struct session *s, uint64_t now_ns, const struct stranger *stranger)
{
	char path[64], comm[EVENT_COMM_BYTES + 1];
	int fd CLEANUP(closep) = -1;
	ssize_t nr;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", stranger->tgid, stranger->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	nr = fd < 0 ? 0 : read(fd, comm, sizeof(comm) - 1);
	if (nr <= 0)
		return; /* it has ended: its number is all there is */
	comm[nr - (comm[nr - 1] == '\n')] = '\0';
	put_name(s, now_ns, stranger->tgid, stranger->tid, NAME_COMM, comm);
}

void record_names_look_up(struct session *s)
{
	struct record_names *n = s->names;
	uint64_t now_ns = monotonic_ns();

	for (size_t i = 0; i < n->nr_wanted; i++)
		look_up(s, now_ns, &n->wanted[i]);
	n->nr_wanted = 0;
}

static void on_java_name(void *arg, uint32_t tid, const char *text)
{
	struct record_names *n = arg;

	remember(n, n->reading, tid, text);
}

void record_names_begin_segment(struct session *s)
{
	struct record_names *n = s->names;
	struct java_name *name;
	size_t cursor = 0;

	memset(n->known, 0, sizeof(n->known));
	while ((name = map_next(&n->java, &cursor)))
		name->put = false;
	record_names_read(s);
}

void record_names_read(struct session *s)
{
	struct record_names *n = s->names;
	uint64_t now_ns = monotonic_ns();
	struct java_name *name;
	size_t cursor = 0;

	for (size_t i = 0; i < s->nr_targets; i++) {
		n->reading = s->options->tgids[i];
		if (s->pidfds[i] >= 0 && s->jvms[i])
			java_names_read(s->jvms[i], on_java_name, n);
	}
	while ((name = map_next(&n->java, &cursor))) {
		if (!name->put)
			put_name(s, now_ns, name->tgid, name->tid, NAME_JAVA, name->text);
		name->put = true;
	}
}
