/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `standstill threads` share; nobody else includes it. */
#ifndef STANDSTILL_CMD_THREADS_H
#define STANDSTILL_CMD_THREADS_H

#include "user/base/map.h"
#include "user/cmd/reader_options.h"
#include "user/cmd/replay.h"

enum threads_by { BY_THREAD, BY_NAME, BY_ROLE };
enum threads_sort {
	THREADS_UNSORTED,
	SORT_CPU,
	SORT_WALL,
	SORT_RUN_QUEUE,
	SORT_THROTTLED,
	SORT_PAUSES,
	SORT_NAME
};

struct threads_options {
	struct reader_options reader;
	enum threads_by by;
	enum threads_sort sort;
	bool spans;
	const char *thread; /* a tid or a name; NULL: all */
	bool has_reason;
	enum reason reason;
	uint64_t min_ns;
};

/* ---- threads_row.c: a thread, or several that are shown as one ---- */

struct thread_row {
	uint32_t tgid, tid; /* tid 0: of several */
	enum thread_role role;
	char name[EVENT_NAME_BYTES];
	uint64_t nr_threads;
	uint32_t only_tid; /* of a group: its first thread, all there is while nr_threads is 1 */
	char only_name[EVENT_NAME_BYTES];
	uint64_t first_ns, last_ns, wall_ns;
	uint64_t in_ns[NR_REASONS]; /* adds up to wall_ns */
	uint64_t in_pauses_ns; /* part of the above: stopped by a pause, or waiting for one it had
				  asked for */
	uint64_t nr_intervals, nr_lost, nr_wakes;
	bool has_exec; /* the scheduler's own CPU time was read twice */
	uint64_t exec_ns,
		exec_running_ns; /* between the two readings: by the scheduler, by the spans */
};

/* Add @span, of which [from, to) lies in the window, and @in_pause_ns of that in a pause. */
void thread_row_span(struct thread_row *row, const struct span *span, uint64_t from_ns,
		     uint64_t to_ns, uint64_t in_pause_ns);

/* What is known of the thread itself; asserts that its spans add up to its wall time. @whole: they
 * are all of the recording's. */
void thread_row_finish(struct thread_row *row, const struct thread *thread, bool whole);

/* Add all of @from to @into. */
void thread_row_merge(struct thread_row *into, const struct thread_row *from);

/* On a CPU, or wanting to be. */
uint64_t thread_row_busy(const struct thread_row *row);

/* "http-worker-12" is one of "http-worker-#". */
void thread_row_pattern(char pattern[EVENT_NAME_BYTES], const char *name);

/* ---- threads_set.c: rows kept to be sorted, grouped, printed at the end; bounded ---- */

#define ROWS_MAX                                                                                   \
	100000 /* threads kept as themselves; those that ended after so many go into groups */

struct row_set {
	struct thread_row **rows;
	size_t nr, room;
	uint64_t nr_grouped; /* threads that are in groups for want of room */
	enum threads_by by;
};

int row_set_add(struct row_set *set, const struct thread_row *row); /* 0 or -ENOMEM */
void row_set_sort(struct row_set *set, enum threads_sort sort);
void row_set_free(struct row_set *set);

/* ---- printing ---- */

struct threads_check {			  /* spans against the scheduler's own figures */
	uint64_t nr, exec_ns, running_ns; /* of all threads of which nothing was lost */
	uint64_t worst_ns, worst_of_ns;	  /* the largest difference, and the CPU time it is of */
	uint64_t worst_intervals;
	char worst_name[EVENT_NAME_BYTES];
	uint64_t nr_lost, nr_disordered, nr_overlaps, nr_damaged;
};

/* 0 or -ENOMEM. */
int threads_text(struct row_set *set, const struct replay *replay,
		 const struct threads_check *check, enum threads_by by);
void threads_csv_header(void);
void threads_csv_row(const struct thread_row *row);
void threads_json_row(const struct thread_row *row);
void threads_json_summary(const struct replay *replay, const struct threads_check *check);

/* ---- the two ways: threads_tabulate.c, threads_spans.c. An exit code; what is wrong has been said
 * ---- */

int threads_tabulate(const struct threads_options *options);
int threads_list_spans(const struct threads_options *options);

#endif
