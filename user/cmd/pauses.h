/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `standstill pauses` share; nobody else includes it. */
#ifndef STANDSTILL_CMD_PAUSES_H
#define STANDSTILL_CMD_PAUSES_H

#include "user/base/histogram.h"
#include "user/cmd/reader_options.h"
#include "user/cmd/replay.h"

enum pauses_sort { SORT_BEGIN, SORT_DURATION, SORT_REACHING, SORT_LOST };

struct pauses_options {
	struct reader_options reader;
	enum pauses_sort sort;
	uint64_t min_ns;
	uint64_t limit; /* rows at most; 0: no limit given */
};

/* ---- pauses_row.c: one pause with its names and sums, whoever is gone by the time it is printed
 * ---- */

struct stopped_row {
	struct pause_stopped stopped;
	uint64_t lost_ns;
	char name[EVENT_NAME_BYTES];
};

struct pause_row {
	struct pause pause; /* but for its list of stopped threads */
	struct stopped_row *stopped;
	const struct stopped_row *worst; /* of stopped: who lost most, or NULL */
	char late_name[EVENT_NAME_BYTES], requester_name[EVENT_NAME_BYTES];
	bool has_duration;
	uint64_t duration_ns; /* release - begin */
	bool has_phases;
	uint64_t reaching_ns, operation_ns;
	bool has_lost; /* those it stopped are back; not when the recording ended before it did */
	bool has_leaving;
	uint64_t leaving_ns; /* from the release to the last thread's return; 0: none was stopped */
	uint64_t late_blocked_ns;
	uint64_t op_running_ns, op_run_queue_ns, op_throttled_ns, op_fault_ns,
		op_stopped_ns; /* of VM Thread and GC workers together */
};

struct pause_row *pause_row_new(const struct pause *pause, const struct threads *threads);
void pause_row_free(struct pause_row *row);
uint64_t pause_row_key(const struct pause_row *row, enum pauses_sort sort);

/* ---- pauses_top.c: the @limit rows with the largest keys, largest first ---- */

struct top {
	struct pause_row **rows; /* a heap, the smallest at its root */
	size_t nr, limit;
	enum pauses_sort sort;
};

int top_init(struct top *top, size_t limit, enum pauses_sort sort);
void top_put(struct top *top, struct pause_row *row); /* takes it */
void top_each(struct top *top, void (*fn)(void *arg, const struct pause_row *row),
	      void *arg); /* and empties it */
void top_free(struct top *top);

/* ---- pauses_summary.c: what all pauses come to ---- */

#define KINDS_MAX 48

struct pause_kind_row { /* of one operation and cause */
	char operation[EVENT_NAME_BYTES], cause[EVENT_CAUSE_BYTES];
	uint64_t nr, nr_timed; /* those whose length is known, of which the rest speaks */
	uint64_t sum_ns, max_ns;
};

#define BEGINS_KEPT 256

struct tally_mark { /* the JVM's own count at one moment, and how many pauses had been found to
		       begin by then */
	bool known;
	uint64_t counted, nr_begun;
};

struct jvm_tally {
	uint32_t tgid;
	uint64_t nr, sum_ns;
	uint64_t nr_begun;	       /* pauses whose begin was seen */
	uint64_t nr_before_first;      /* of them, begun before the recorder first read the count */
	uint64_t begins[BEGINS_KEPT];  /* of the newest of them */
	struct tally_mark first, last; /* by the first and the last pause that tells the count */
};

struct pauses_summary {
	struct histogram duration, reaching, lost;
	struct pause_kind_row kinds[KINDS_MAX]; /* the last one: all others */
	size_t nr_kinds;
	struct jvm_tally jvms[ACCOUNT_TARGETS_MAX];
	size_t nr_jvms;
	uint64_t nr, nr_cut, nr_incomplete, nr_missed, nr_stopped;
	uint64_t nr_source[3], nr_release[5], nr_sync[4]; /* by enum */
	uint64_t max_at_ns;				  /* begin of the longest */
	uint64_t throttled_ns, operation_ns;
};

void summary_add(struct pauses_summary *s, const struct account *account,
		 const struct pause_row *row);

enum agreement { AGREES, DIFFERS, NOT_CHECKED };

/* How many safepoints the JVM itself counted while @tally's pauses were recorded, and how many of
 * those were found. */
enum agreement summary_check(const struct jvm_tally *tally, const struct account *account,
			     uint64_t *ret_counted, uint64_t *ret_found);

/* ---- printing ---- */

void pauses_text_header(const struct account *account);
void pauses_text_row(const struct account *account, const struct pause_row *row);
void pauses_text_summary(struct pauses_summary *s, const struct replay *replay,
			 uint64_t nr_printed);
void pauses_csv_header(void);
void pauses_csv_row(const struct pause_row *row);
void pauses_json_row(const struct pause_row *row);
void pauses_json_summary(struct pauses_summary *s, const struct replay *replay);

#endif
