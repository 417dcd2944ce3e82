/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "user/timeline/thread_entry.h"

struct part {
	uint64_t to_ns;
	enum reason reason;
	const struct event_offcpu *off;
	bool open;
};

/* Give out [e->at_ns, part->to_ns): so the spans of a thread are always disjoint and without gap.
 */
static void give_out(struct entry *e, const struct span_sink *sink, const struct part *part)
{
	struct span span = {
		.from_ns = e->at_ns,
		.to_ns = part->to_ns,
		.tgid = e->thread.tgid,
		.tid = e->thread.tid,
		.reason = part->reason,
		.open = part->open,
		.off = part->off,
	};

	if (part->to_ns <= e->at_ns)
		return;
	e->begun = true;
	e->at_ns = part->to_ns;
	e->thread.last_ns = part->to_ns;
	e->thread.in_ns[part->reason] += span.to_ns - span.from_ns;
	if (sink->fn)
		sink->fn(sink->arg, &e->thread, &span);
}

void entry_begin(struct entry *e, uint32_t tgid, uint32_t tid, uint64_t from_ns)
{
	e->thread.tgid = tgid;
	e->thread.tid = tid;
	e->thread.first_ns = from_ns;
	e->thread.last_ns = from_ns;
	e->at_ns = from_ns;
}

/* A thread seen late may turn out to have been there earlier: as long as nothing was given out, it
 * began then. */
static void begin_earlier(struct entry *e, uint64_t from_ns)
{
	if (e->begun || from_ns >= e->at_ns)
		return;
	e->thread.first_ns = from_ns;
	e->thread.last_ns = from_ns;
	e->at_ns = from_ns;
}

static bool snapshot_is_off(const struct event_thread *seen)
{
	return seen->state != THREAD_STATE_ON_CPU && seen->off_since_ns;
}

/* What the thread did between its last interval and the next one, which begins at @start_ns and has
 * number @seq. */
static void fill_gap(struct entry *e, uint64_t start_ns, const struct event_offcpu *off,
		     const struct span_sink *sink)
{
	const struct event_thread *seen = &e->snapshot;
	struct part gap = {.to_ns = start_ns, .reason = REASON_RUNNING};

	if (e->seq_known && off->seq != e->seq + 1) {
		e->thread.nr_lost += off->seq - e->seq - 1;
		gap.reason = REASON_UNKNOWN;
		/* All that was lost had ended when it was seen running with just one interval to
		 * come. */
		if (e->has_snapshot && seen->seq == off->seq - 1 && !snapshot_is_off(seen) &&
		    seen->hdr.ts_ns < start_ns) {
			give_out(e, sink,
				 &(struct part){seen->hdr.ts_ns, REASON_UNKNOWN, NULL, false});
			gap.reason = REASON_RUNNING;
		}
	} else if (off->flags & OFFCPU_NEW_THREAD) {
		gap.reason = REASON_RUN_QUEUE; /* between the clone and the kernel's note of it */
	} else if (e->off_at_first && !e->begun) {
		gap.reason = REASON_UNKNOWN; /* it was seen waiting, for something of which no
						record came */
	}
	give_out(e, sink, &gap);
}

/*
 * Until when quota kept it from running. The clock of that is the run queue's, which differs from
 * ours by microseconds, and stands still while its CPU is idle: measured from a wake-up, it may
 * reach back before that. It cannot have been longer than the wait. Where that clock could not be
 * read, all of the wait is taken: quota waits last tens of milliseconds, the run queue behind them
 * tens of microseconds.
 */
static uint64_t throttled_until(const struct event_offcpu *off, uint64_t runnable_ns)
{
	if (off->flags & OFFCPU_THROTTLE_UNSURE || off->throttled_ns > off->hdr.ts_ns - runnable_ns)
		return off->hdr.ts_ns;
	return runnable_ns + off->throttled_ns;
}

static void give_out_interval(struct entry *e, const struct event_offcpu *off,
			      const struct span_sink *sink)
{
	uint64_t end_ns = off->hdr.ts_ns;
	uint64_t runnable_ns = end_ns - (off->state ? off->runq_ns : off->off_ns);

	if (off->state)
		give_out(e, sink, &(struct part){runnable_ns, reason_of_block(off), off, false});
	give_out(e, sink,
		 &(struct part){throttled_until(off, runnable_ns), REASON_THROTTLED, off, false});
	give_out(e, sink, &(struct part){end_ns, REASON_RUN_QUEUE, off, false});
}

#define CLOCKS_APART_NS 100000ull

static bool interval_is_sound(const struct event_offcpu *off)
{
	uint64_t runnable_ns = off->state ? off->runq_ns : off->off_ns;

	if (runnable_ns > off->off_ns)
		return false;
	return off->flags & OFFCPU_THROTTLED_WAKE ||
	       off->throttled_ns <= runnable_ns + CLOCKS_APART_NS;
}

bool entry_is_reused(const struct entry *e, const struct event_offcpu *off)
{
	return e->seq_known && off->seq <= e->seq && off->hdr.ts_ns - off->off_ns >= e->at_ns;
}

void entry_interval(struct entry *e, const struct event_offcpu *off, const struct span_sink *sink)
{
	uint64_t start_ns = off->hdr.ts_ns - off->off_ns;

	if (off->hdr.ts_ns <= e->at_ns || (e->seq_known && off->seq <= e->seq)) {
		e->thread.nr_disordered++;
		return;
	}
	begin_earlier(e, start_ns);
	fill_gap(e, start_ns, off, sink);
	e->thread.nr_overlaps += start_ns < e->at_ns;
	if (interval_is_sound(off)) {
		give_out_interval(e, off, sink);
	} else {
		e->thread.nr_damaged++;
		give_out(e, sink, &(struct part){off->hdr.ts_ns, REASON_UNKNOWN, off, false});
	}
	e->thread.nr_intervals++;
	e->thread.nr_wakes += (off->flags & OFFCPU_WOKEN) != 0;
	e->seq = off->seq;
	e->seq_known = true;
}

void entry_exec(struct entry *e, uint64_t exec_ns, uint64_t at_ns, uint64_t running_ns)
{
	struct thread *thread = &e->thread;

	if (exec_ns < thread->exec_last_ns)
		return; /* CPU time does not shrink: of another thread, or damaged */
	if (!thread->exec_first_at_ns) {
		thread->exec_first_ns = exec_ns;
		thread->exec_first_at_ns = at_ns;
		thread->running_first_ns = running_ns;
	}
	thread->exec_last_ns = exec_ns;
	thread->exec_last_at_ns = at_ns;
	thread->running_last_ns = running_ns;
}

/* How long the thread had run when it was @seen, by its spans. False when they do not reach that
 * far. */
static bool running_when_seen(const struct entry *e, const struct event_thread *seen, uint64_t *ret)
{
	uint64_t until_ns = snapshot_is_off(seen) ? seen->off_since_ns : seen->hdr.ts_ns;

	if (!e->seq_known || seen->seq != e->seq || seen->hdr.ts_ns < e->at_ns ||
	    until_ns < e->at_ns)
		return false;
	*ret = e->thread.in_ns[REASON_RUNNING] + (until_ns - e->at_ns);
	return true;
}

void entry_snapshot(struct entry *e, const struct event_thread *seen)
{
	uint64_t running_ns;

	if (!e->begun && !e->seq_known) {
		e->off_at_first = snapshot_is_off(seen);
		if (e->off_at_first)
			begin_earlier(e, seen->off_since_ns);
		e->seq = seen->seq;
		e->seq_known = true;
	}
	e->snapshot = *seen;
	e->has_snapshot = true;
	if (running_when_seen(e, seen, &running_ns))
		entry_exec(e, seen->exec_ns, seen->hdr.ts_ns, running_ns);
}

/* Up to when no interval of the thread can have gone missing: its last interval, or a later
 * snapshot with its number. */
static uint64_t certain_until(const struct entry *e)
{
	const struct event_thread *seen = &e->snapshot;

	if (e->has_snapshot && e->seq_known && seen->seq == e->seq && seen->hdr.ts_ns > e->at_ns)
		return seen->hdr.ts_ns;
	return e->at_ns;
}

void entry_exit(struct entry *e, uint64_t end_ns, uint64_t lost_ns, const struct span_sink *sink)
{
	bool lost = lost_ns > certain_until(e);

	if (e->has_snapshot && e->snapshot.seq == e->seq && snapshot_is_off(&e->snapshot) &&
	    e->snapshot.off_since_ns >= e->at_ns) {
		e->thread.nr_lost++; /* seen waiting: it cannot end there, so it came back unseen */
		lost = true;
	}
	if (e->has_snapshot && e->seq_known && e->snapshot.seq > e->seq) {
		e->thread.nr_lost += e->snapshot.seq - e->seq;
		lost = true;
	}
	give_out(e, sink,
		 &(struct part){end_ns, lost ? REASON_UNKNOWN : REASON_RUNNING, NULL, false});
}

/* The wait a snapshot tells of, as far as it can tell. */
static struct event_offcpu wait_of(const struct event_thread *seen)
{
	return (struct event_offcpu){
		.hdr = {EVENT_OFFCPU, sizeof(struct event_offcpu), seen->hdr.tid, seen->hdr.ts_ns},
		.off_ns = seen->hdr.ts_ns - seen->off_since_ns,
		.tgid = seen->tgid,
		.seq = seen->seq + 1,
		.state = seen->state,
		.flags = seen->flags,
		.nr = seen->nr,
		.waker_nr = -1,
		.arg0 = seen->arg0,
		.arg1 = seen->arg1,
		.arg2 = seen->arg2,
	};
}

static void cut_wait(struct entry *e, const struct cut *cut, const struct span_sink *sink)
{
	struct event_offcpu off = wait_of(&e->snapshot);
	enum reason reason = off.state ? reason_of_block(&off) : REASON_RUN_QUEUE;
	/* It may have ended unseen after the snapshot, when something was lost since or the thread
	 * has ended since. */
	bool certain = cut->open && cut->lost_ns <= off.hdr.ts_ns;

	if (!off.state && off.flags & OFFCPU_THROTTLED)
		reason = REASON_THROTTLED;
	give_out(e, sink, &(struct part){off.hdr.ts_ns - off.off_ns, REASON_RUNNING, NULL, false});
	give_out(e, sink,
		 &(struct part){certain ? cut->end_ns : off.hdr.ts_ns, reason, &off, cut->open});
}

/* Found waiting at first sight, and never heard of since: then it waits still, or something is
 * missing. */
static bool contradicts_first_sight(const struct entry *e)
{
	return e->off_at_first && !e->begun &&
	       !(snapshot_is_off(&e->snapshot) && e->snapshot.off_since_ns == e->at_ns);
}

void entry_cut(struct entry *e, const struct cut *cut, const struct span_sink *sink)
{
	const struct event_thread *seen = &e->snapshot;
	bool useful = e->has_snapshot && e->seq_known && seen->hdr.ts_ns <= cut->end_ns &&
		      !contradicts_first_sight(e);

	if (useful && seen->seq > e->seq) {
		e->thread.nr_lost += seen->seq - e->seq;
		if (snapshot_is_off(seen)) {
			give_out(e, sink,
				 &(struct part){seen->off_since_ns, REASON_UNKNOWN, NULL, false});
			cut_wait(e, cut, sink);
		}
	} else if (useful && seen->seq == e->seq && seen->hdr.ts_ns >= e->at_ns) {
		if (snapshot_is_off(seen))
			cut_wait(e, cut, sink);
		else
			give_out(e, sink,
				 &(struct part){seen->hdr.ts_ns, REASON_RUNNING, NULL, false});
	}
	give_out(e, sink, &(struct part){cut->end_ns, REASON_UNKNOWN, NULL, cut->open});
}
