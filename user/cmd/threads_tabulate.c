/* SPDX-License-Identifier: BSD-2-Clause */
/* One row a thread: the spans of a recording added up. */
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/cmd/cmd.h"
#include "user/cmd/threads.h"

struct tabulation {
	const struct threads_options *options;
	struct replay *replay;
	struct map live; /* struct thread_row by tid, of threads that have not ended */
	struct row_set set;
	struct threads_check check;
	bool begun;
	bool out_of_memory;
};

/* Rows go out as threads end when nothing has to be sorted or added up. */
static bool is_streamed(const struct threads_options *options)
{
	return options->reader.format != FORMAT_TEXT && options->sort == THREADS_UNSORTED &&
	       options->by == BY_THREAD;
}

static void print_row(struct tabulation *t, const struct thread_row *row)
{
	if (!t->begun && t->options->reader.format == FORMAT_CSV)
		threads_csv_header();
	t->begun = true;
	if (t->options->reader.format == FORMAT_CSV)
		threads_csv_row(row);
	else
		threads_json_row(row);
}

static struct thread_row *row_of(struct tabulation *t, uint32_t tid)
{
	struct thread_row *row = map_get(&t->live, tid);

	if (row)
		return row;
	row = calloc(1, sizeof(*row));
	if (row && !map_put(&t->live, tid, row))
		return row;
	free(row);
	t->out_of_memory = true;
	return NULL;
}

/* Whether the VM Thread ended the wait at a barrier: then it was one, even where its pause is not
 * known yet. */
static bool is_barrier(const struct tabulation *t, const struct event_offcpu *off)
{
	const struct thread *waker = threads_find(t->replay->threads, off->waker_tid);

	return pauses_is_barrier_wait(off) && waker && waker->role == ROLE_VM_THREAD;
}

/* How much of [from, to) of @span it was stopped in a pause, or waited for one it had asked for. */
static uint64_t in_pause(const struct tabulation *t, const struct span *span, uint64_t from_ns,
			 uint64_t to_ns)
{
	const struct pause *pause;
	bool later;

	if (!span->off)
		return 0;
	pause = pauses_of(t->replay->pauses, span->off, &later);
	if (!pause && !is_barrier(t, span->off))
		return 0;
	if (pause && pause->begin_ns > from_ns)
		from_ns = pause->begin_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void on_span(void *arg, const struct thread *thread, const struct span *span)
{
	struct tabulation *t = arg;
	struct thread_row *row;
	uint64_t from_ns, to_ns;

	replay_bounds(t->replay, &from_ns, &to_ns);
	if (span->to_ns <= from_ns || span->from_ns >= to_ns)
		return;
	from_ns = span->from_ns > from_ns ? span->from_ns : from_ns;
	to_ns = span->to_ns < to_ns ? span->to_ns : to_ns;
	row = row_of(t, thread->tid);
	if (row)
		thread_row_span(row, span, from_ns, to_ns, in_pause(t, span, from_ns, to_ns));
}

static void check_row(struct threads_check *check, const struct thread *thread,
		      const struct thread_row *row)
{
	uint64_t difference_ns;

	check->nr_lost += thread->nr_lost;
	check->nr_disordered += thread->nr_disordered;
	check->nr_overlaps += thread->nr_overlaps;
	check->nr_damaged += thread->nr_damaged;
	if (!row->has_exec || thread->nr_lost)
		return; /* what it did in the time that is unknown, only the scheduler knows */
	check->exec_ns += row->exec_ns;
	check->running_ns += row->exec_running_ns;
	difference_ns = row->exec_ns > row->exec_running_ns ? row->exec_ns - row->exec_running_ns
							    : row->exec_running_ns - row->exec_ns;
	if (!check->nr++ || difference_ns > check->worst_ns) {
		check->worst_ns = difference_ns;
		check->worst_of_ns = row->exec_ns;
		check->worst_intervals = row->nr_intervals;
		memcpy(check->worst_name, row->name, sizeof(check->worst_name));
	}
}

static void close_row(struct tabulation *t, const struct thread *thread, bool stream)
{
	struct thread_row *row CLEANUP(freep) = map_remove(&t->live, thread->tid);

	if (!row)
		return; /* not one span of it in the window */
	thread_row_finish(row, thread, !t->options->reader.window.set);
	check_row(&t->check, thread, row);
	if (stream)
		print_row(t, row);
	else if (row_set_add(&t->set, row))
		t->out_of_memory = true;
}

static void on_gone(void *arg, const struct thread *thread)
{
	struct tabulation *t = arg;

	close_row(t, thread, is_streamed(t->options));
}

static void on_living(void *arg, const struct thread *thread)
{
	close_row(arg, thread, false);
}

static void finish(struct tabulation *t)
{
	const struct threads_options *options = t->options;
	enum threads_sort sort = options->sort;

	if (options->reader.format == FORMAT_TEXT && sort == THREADS_UNSORTED)
		sort = SORT_CPU;
	threads_each(t->replay->threads, on_living, t);
	row_set_sort(&t->set, sort);
	if (options->reader.format == FORMAT_TEXT) {
		if (threads_text(&t->set, t->replay, &t->check, options->by))
			t->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < t->set.nr; i++)
		print_row(t, t->set.rows[i]);
	if (!t->begun && options->reader.format == FORMAT_CSV)
		threads_csv_header();
	if (options->reader.format == FORMAT_JSON)
		threads_json_summary(t->replay, &t->check);
}

static void replayp(struct replay **r)
{
	replay_free(*r);
}

static void tabulation_free(struct tabulation *t)
{
	struct thread_row *row;
	size_t cursor = 0;

	while ((row = map_next(&t->live, &cursor)))
		free(row);
	map_free(&t->live);
	row_set_free(&t->set);
}

static int out_of_memory(void)
{
	complain("out of memory");
	return EXIT_FAILED;
}

int threads_tabulate(const struct threads_options *options)
{
	struct tabulation t CLEANUP(tabulation_free) = {.options = options, .set.by = options->by};
	struct replay_hooks hooks = {.span = on_span, .gone = on_gone, .arg = &t};
	struct replay *replay CLEANUP(replayp) = NULL;
	int code;

	if (replay_new(&hooks, &options->reader.window, &replay))
		return out_of_memory();
	t.replay = replay;
	code = replay_file(replay, options->reader.path);
	if (code == EXIT_OK || code == EXIT_DAMAGED)
		finish(&t);
	return t.out_of_memory ? out_of_memory() : code;
}
