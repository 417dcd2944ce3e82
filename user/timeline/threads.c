/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/map.h"
#include "user/base/units.h"
#include "user/recording/record.h"
#include "user/timeline/ended.h"
#include "user/timeline/names.h"
#include "user/timeline/thread_entry.h"
#include "user/timeline/threads.h"

#define TID_MAX (1u << 22) /* PID_MAX_LIMIT of 64-bit kernels: more threads there cannot be */
#define ROUND_GAP_NS                                                                               \
	(500 * NS_PER_MS) /* snapshots closer together are of one round: a round is one walk */

struct threads {
	struct map by_tid; /* struct entry */
	struct names names;
	struct ended ended;
	struct span_sink sink;
	thread_fn *gone;
	void *arg;
	uint64_t lost_ns;		     /* intervals were last known to be lost then */
	uint64_t round_from_ns, round_to_ns; /* the newest round of snapshots */
	uint64_t nr_since_round;	     /* records since the last round was looked at */
	uint64_t round_lost_ns;		     /* snapshots were last known to be lost then */
};

struct threads *threads_new(span_fn *span, thread_fn *gone, void *arg)
{
	struct threads *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->sink = (struct span_sink){span, arg};
	t->gone = gone;
	t->arg = arg;
	return t;
}

static struct entry *make_entry(struct threads *t, uint32_t tgid, uint32_t tid, uint64_t from_ns)
{
	const struct name *name = names_get(&t->names, tid);
	struct entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	if (map_put(&t->by_tid, tid, e)) {
		free(e);
		return NULL;
	}
	entry_begin(e, tgid, tid, from_ns);
	if (name)
		entry_apply_name(e, name);
	return e;
}

static void forget(struct threads *t, struct entry *e)
{
	map_remove(&t->by_tid, e->thread.tid);
	free(e);
}

/* The thread has ended, all its spans are out. Its name stays: others may have been woken by it. */
static int say_gone(struct threads *t, struct entry *e)
{
	struct name name = {e->thread.tid, e->thread.tgid, e->thread.name_is_full, ""};
	int err = 0;

	if (e->thread.name[0]) {
		names_copy(name.text, sizeof(name.text), e->thread.name, sizeof(e->thread.name));
		err = names_put(&t->names, &name);
	}
	e->thread.exited = true;
	if (t->gone)
		t->gone(t->arg, &e->thread);
	forget(t, e);
	return err;
}

/* The record of its end was lost; it had ended by @by_ns. */
static int retire(struct threads *t, struct entry *e, uint64_t by_ns)
{
	entry_cut(e, &(struct cut){by_ns, t->lost_ns, false}, &t->sink);
	return say_gone(t, e);
}

static int on_offcpu(struct threads *t, const struct event_offcpu *off)
{
	struct entry *e = map_get(&t->by_tid, off->hdr.tid);
	int err = 0;

	if (off->off_ns > off->hdr.ts_ns)
		return 0; /* began before time did: no probe writes that */
	if (e && (e->thread.tgid != off->tgid || entry_is_reused(e, off))) {
		err = retire(t, e, off->hdr.ts_ns - off->off_ns);
		e = NULL;
	}
	if (!e && ended_has(&t->ended, off))
		return err;
	if (!e)
		e = make_entry(t, off->tgid, off->hdr.tid, off->hdr.ts_ns - off->off_ns);
	if (!e)
		return -ENOMEM;
	entry_interval(e, off, &t->sink);
	return err;
}

/* When it was last known to be alive. */
static uint64_t last_sign(const struct entry *e)
{
	return e->has_snapshot && e->snapshot.hdr.ts_ns > e->at_ns ? e->snapshot.hdr.ts_ns
								   : e->at_ns;
}

/* The newest round of snapshots is complete: who is missing in it had ended before. */
static int retire_missing(struct threads *t)
{
	struct entry **missing CLEANUP(freep) = NULL;
	size_t cursor = 0, nr = 0;
	struct entry *e;
	int err = 0;

	/* A whole round has a record a thread: so looking at it never costs more than reading it
	 * did. */
	if (!t->round_from_ns || t->round_lost_ns >= t->round_from_ns || !t->by_tid.nr ||
	    t->nr_since_round < t->by_tid.nr)
		return 0;
	t->nr_since_round = 0;
	missing = calloc(t->by_tid.nr, sizeof(missing[0]));
	if (!missing)
		return -ENOMEM;
	while ((e = map_next(&t->by_tid, &cursor)))
		if (last_sign(e) < t->round_from_ns)
			missing[nr++] = e; /* not now: the table must not change during the walk */
	while (nr && !err)
		err = retire(t, missing[--nr], t->round_from_ns);
	return err;
}

static int on_thread(struct threads *t, const struct event_thread *seen)
{
	struct entry *e;
	int err = 0;

	if (seen->hdr.ts_ns > t->round_to_ns + ROUND_GAP_NS) {
		err = retire_missing(t);
		t->round_from_ns = seen->hdr.ts_ns;
	}
	t->round_to_ns = seen->hdr.ts_ns;
	if (seen->off_since_ns > seen->hdr.ts_ns)
		return err; /* off since the future: no probe writes that */
	e = map_get(&t->by_tid, seen->hdr.tid);
	if (e && e->thread.tgid != seen->tgid) {
		err = err ? err : retire(t, e, seen->hdr.ts_ns);
		e = NULL;
	}
	if (!e)
		e = make_entry(t, seen->tgid, seen->hdr.tid, seen->hdr.ts_ns);
	if (!e)
		return -ENOMEM;
	if (strncmp(e->comm, seen->comm, sizeof(e->comm)))
		entry_set_comm(e, seen->comm);
	entry_snapshot(e, seen);
	return err;
}

static int on_task_new(struct threads *t, const struct event_task *task)
{
	struct entry *e = map_get(&t->by_tid, task->hdr.tid);
	int err = 0;

	/* Its first interval may come before, when it was created and put on a CPU in the same
	 * microsecond. */
	if (e && e->thread.tgid == task->tgid && e->thread.first_ns >= task->hdr.ts_ns) {
		entry_set_first_comm(e, task->comm, map_get(&t->by_tid, task->parent_tid));
		return 0;
	}
	if (e)
		err = retire(t, e, task->hdr.ts_ns);
	e = make_entry(t, task->tgid, task->hdr.tid, task->hdr.ts_ns);
	if (!e)
		return -ENOMEM;
	e->seq_known = true; /* 0 so far */
	entry_set_first_comm(e, task->comm, map_get(&t->by_tid, task->parent_tid));
	entry_exec(e, 0, task->hdr.ts_ns, 0);
	return err;
}

static int on_task_exit(struct threads *t, const struct event_task *task)
{
	struct entry *e = map_get(&t->by_tid, task->hdr.tid);

	if (!e || e->thread.tgid != task->tgid)
		return 0;
	entry_exit(e, task->hdr.ts_ns, t->lost_ns, &t->sink);
	entry_exec(e, task->exec_ns, task->hdr.ts_ns, e->thread.in_ns[REASON_RUNNING]);
	if (e->seq_known)
		ended_put(&t->ended, e->thread.tid, e->thread.tgid, e->seq, task->hdr.ts_ns);
	return say_gone(t, e);
}

static int on_task_rename(struct threads *t, const struct event_task *task)
{
	struct entry *e = map_get(&t->by_tid, task->hdr.tid);

	if (!e)
		e = make_entry(t, task->tgid, task->hdr.tid, task->hdr.ts_ns);
	if (!e)
		return -ENOMEM;
	entry_set_comm(e, task->comm);
	return 0;
}

/* The thread that called execve takes over the tid of its process, and its name; the others have
 * had their own ends. */
static int on_task_exec(struct threads *t, const struct event_task *task)
{
	uint32_t before = task->parent_tid;
	struct entry *leader = map_get(&t->by_tid, task->hdr.tid);
	struct entry *caller = before == task->hdr.tid ? NULL : map_get(&t->by_tid, before);
	uint32_t seq = caller ? caller->seq : 0;
	bool seq_known = caller && caller->seq_known;
	int err = 0;

	if (caller) {
		entry_exit(caller, task->hdr.ts_ns, t->lost_ns, &t->sink);
		err = say_gone(t, caller);
		if (leader)
			err = retire(t, leader, task->hdr.ts_ns);
		leader = make_entry(t, task->tgid, task->hdr.tid, task->hdr.ts_ns);
		if (!leader)
			return -ENOMEM;
		leader->seq = seq;
		leader->seq_known = seq_known;
	}
	if (leader) {
		leader->thread.name_is_full = false;
		entry_set_comm(leader, task->comm);
	}
	return err;
}

static int put_name(struct threads *t, const struct name *name)
{
	struct entry *e = map_get(&t->by_tid, name->tid);
	const struct name *known = names_get(&t->names, name->tid);

	if (e)
		entry_apply_name(e, name);
	if (known && known->is_full && !name->is_full && known->tgid == name->tgid &&
	    names_comm_fits(known->text, name->text))
		return 0;
	return names_put(&t->names, name);
}

static int on_java_thread_start(struct threads *t, const struct event_jvm *jvm)
{
	struct name name = {(uint32_t)jvm->id, jvm->tgid, true, ""};

	if (jvm->id == 0 || jvm->id >= TID_MAX || !jvm->name[0])
		return 0;
	names_copy(name.text, sizeof(name.text), jvm->name, sizeof(jvm->name));
	return put_name(t, &name);
}

static int on_name(struct threads *t, const struct record_name *record)
{
	struct name name = {record->hdr.tid, record->tgid, record->source == NAME_JAVA, ""};

	if (!record->name[0])
		return 0;
	names_copy(name.text, sizeof(name.text), record->name, sizeof(record->name));
	return put_name(t, &name);
}

static void on_lost(struct threads *t, const struct record_lost *lost)
{
	if (lost->lost_kind == EVENT_OFFCPU || lost->lost_kind == EVENT_NONE)
		t->lost_ns = lost->hdr.ts_ns;
	if (lost->lost_kind == EVENT_THREAD || lost->lost_kind == EVENT_NONE)
		t->round_lost_ns = lost->hdr.ts_ns;
}

int threads_event(struct threads *t, const struct event_hdr *event)
{
	t->nr_since_round++;
	if (event->kind == RECORD_LOST)
		on_lost(t, (const void *)event);
	if (event->tid == 0 || event->tid >= TID_MAX)
		return 0;
	switch (event->kind) {
	case EVENT_OFFCPU:
		return on_offcpu(t, (const void *)event);
	case EVENT_THREAD:
		return on_thread(t, (const void *)event);
	case EVENT_TASK_NEW:
		return on_task_new(t, (const void *)event);
	case EVENT_TASK_EXIT:
		return on_task_exit(t, (const void *)event);
	case EVENT_TASK_RENAME:
		return on_task_rename(t, (const void *)event);
	case EVENT_TASK_EXEC:
		return on_task_exec(t, (const void *)event);
	case EVENT_JAVA_THREAD_START:
		return on_java_thread_start(t, (const void *)event);
	case RECORD_NAME:
		return on_name(t, (const void *)event);
	default:
		return 0;
	}
}

static int compare_tids(const void *left, const void *right)
{
	const struct entry *const *a = left, *const *b = right;

	return ((*a)->thread.tid > (*b)->thread.tid) - ((*a)->thread.tid < (*b)->thread.tid);
}

/* All entries, by tid: what is said of them at the end is not to depend on a hash. NULL: none, or
 * out of memory. */
static struct entry **sorted_entries(const struct threads *t)
{
	struct entry **entries = t->by_tid.nr ? calloc(t->by_tid.nr, sizeof(entries[0])) : NULL;
	size_t cursor = 0;

	for (size_t i = 0; entries && i < t->by_tid.nr; i++)
		entries[i] = map_next(&t->by_tid, &cursor);
	if (entries)
		qsort(entries, t->by_tid.nr, sizeof(entries[0]), compare_tids);
	return entries;
}

int threads_end(struct threads *t, uint64_t end_ns)
{
	int err = retire_missing(t);
	struct entry **entries CLEANUP(freep) = sorted_entries(t);

	if (t->by_tid.nr && !entries)
		return -ENOMEM;
	for (size_t i = 0; i < t->by_tid.nr; i++)
		entry_cut(entries[i], &(struct cut){end_ns, t->lost_ns, true}, &t->sink);
	return err;
}

const char *threads_name(const struct threads *t, uint32_t tid)
{
	const struct entry *e = map_get(&t->by_tid, tid);
	const struct name *name;

	if (e && e->thread.name[0])
		return e->thread.name;
	name = names_get(&t->names, tid);
	return name ? name->text : NULL;
}

const struct thread *threads_find(const struct threads *t, uint32_t tid)
{
	const struct entry *e = map_get(&t->by_tid, tid);

	return e ? &e->thread : NULL;
}

void threads_each(const struct threads *t, thread_fn *fn, void *arg)
{
	size_t cursor = 0;
	const struct entry *e;

	while ((e = map_next(&t->by_tid, &cursor)))
		fn(arg, &e->thread);
}

void threads_free(struct threads *t)
{
	size_t cursor = 0;
	void *e;

	if (!t)
		return;
	while ((e = map_next(&t->by_tid, &cursor)))
		free(e);
	map_free(&t->by_tid);
	names_free(&t->names);
	free(t);
}
