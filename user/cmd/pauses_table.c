/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of --csv, and the same as members of --json. docs/pauses.md explains them. */
#include <string.h>

#include "user/base/cleanup.h"
#include "user/cmd/pauses.h"
#include "user/output/csv.h"
#include "user/output/json.h"

static const char *const source_names[] = {"", "usdt", "futex"};
static const char *const sync_names[] = {"", "counter", "sleep", "first look"};
static const char *const release_names[] = {"", "wake", "futex", "end", "operation"};

enum cell_type { CELL_EMPTY, CELL_NUMBER, CELL_BOOL, CELL_TEXT };

struct cell {
	const char *name;
	enum cell_type type;
	uint64_t number;
	const char *text;
};

static struct cell number(const char *name, uint64_t value)
{
	return (struct cell){name, CELL_NUMBER, value, NULL};
}

static struct cell known(const char *name, bool is_known, uint64_t value)
{
	return (struct cell){name, is_known ? CELL_NUMBER : CELL_EMPTY, value, NULL};
}

static struct cell moment(const char *name, uint64_t ns)
{
	return known(name, ns != 0, ns);
}

static struct cell boolean(const char *name, bool value)
{
	return (struct cell){name, CELL_BOOL, value, NULL};
}

static struct cell text(const char *name, const char *value)
{
	return (struct cell){name, *value ? CELL_TEXT : CELL_EMPTY, 0, value};
}

#define CELLS_MAX 48

struct cells {
	struct cell cell[CELLS_MAX];
	size_t nr;
};

#define ADD(cells, ...) ((cells)->cell[(cells)->nr++] = (__VA_ARGS__))

static void add_times(struct cells *cells, const struct pause_row *row)
{
	const struct pause *pause = &row->pause;

	ADD(cells, number("nr", pause->nr));
	ADD(cells, number("tgid", pause->tgid));
	ADD(cells, moment("begin_ns", pause->begin_ns));
	ADD(cells, moment("sync_ns", pause->sync_ns));
	ADD(cells, moment("op_begin_ns", pause->op_begin_ns));
	ADD(cells, moment("op_end_ns", pause->op_end_ns));
	ADD(cells, moment("release_ns", pause->release_ns));
	ADD(cells, moment("end_ns", pause->end_ns));
	ADD(cells, known("duration_ns", row->has_duration, row->duration_ns));
	ADD(cells, known("reaching_ns", row->has_phases, row->reaching_ns));
	ADD(cells, known("operation_ns", row->has_phases, row->operation_ns));
	ADD(cells, known("leaving_ns", row->has_leaving, row->leaving_ns));
}

static void add_kind(struct cells *cells, const struct pause_row *row)
{
	const struct pause *pause = &row->pause;

	ADD(cells, text("operation", pause->operation));
	ADD(cells, text("cause", pause->cause));
	ADD(cells, boolean("gc", pause->gc));
	ADD(cells, boolean("full", pause->gc_full));
	ADD(cells, text("source", source_names[pause->source]));
	ADD(cells, text("sync_source", sync_names[pause->sync_source]));
	ADD(cells, text("release_source", release_names[pause->release_source]));
	ADD(cells, boolean("cut", pause->cut));
	ADD(cells, boolean("incomplete", pause->incomplete));
}

static void add_threads(struct cells *cells, const struct pause_row *row)
{
	const struct pause *pause = &row->pause;
	const struct stopped_row *worst = row->worst;
	bool late = pause->late_tid != 0;

	ADD(cells, known("stopped", row->has_lost, pause->nr_stopped));
	ADD(cells, known("lost_ns", row->has_lost, pause->lost_ns));
	ADD(cells, known("worst_tid", worst, worst ? worst->stopped.tid : 0));
	ADD(cells, text("worst_name", worst ? worst->name : ""));
	ADD(cells, known("worst_lost_ns", worst, worst ? worst->lost_ns : 0));
	ADD(cells, known("late_tid", late, pause->late_tid));
	ADD(cells, text("late_name", row->late_name));
	ADD(cells, moment("late_arrived_ns", pause->late_arrived_ns));
	ADD(cells, known("late_running_ns", late, pause->late_ns[REASON_RUNNING]));
	ADD(cells, known("late_run_queue_ns", late, pause->late_ns[REASON_RUN_QUEUE]));
	ADD(cells, known("late_throttled_ns", late, pause->late_ns[REASON_THROTTLED]));
	ADD(cells, known("late_blocked_ns", late, row->late_blocked_ns));
	ADD(cells, known("requester_tid", pause->requester_tid, pause->requester_tid));
	ADD(cells, text("requester_name", row->requester_name));
}

static void add_rest(struct cells *cells, const struct pause_row *row)
{
	const struct pause *pause = &row->pause;

	ADD(cells, known("op_running_ns", row->has_phases, row->op_running_ns));
	ADD(cells, known("op_run_queue_ns", row->has_phases, row->op_run_queue_ns));
	ADD(cells, known("op_throttled_ns", row->has_phases, row->op_throttled_ns));
	ADD(cells, known("op_fault_ns", row->has_phases, row->op_fault_ns));
	ADD(cells, moment("jvm_count", pause->nr_safepoints));
	ADD(cells, number("missed_before", pause->missed_before));
}

static void cells_of(struct cells *cells, const struct pause_row *row)
{
	cells->nr = 0;
	add_times(cells, row);
	add_kind(cells, row);
	add_threads(cells, row);
	add_rest(cells, row);
}

void pauses_csv_header(void)
{
	static const struct pause_row none;
	struct csv csv = {.to = stdout};
	struct cells cells;

	cells_of(&cells, &none);
	for (size_t i = 0; i < cells.nr; i++)
		csv_text(&csv, cells.cell[i].name);
	csv_end_row(&csv);
}

void pauses_csv_row(const struct pause_row *row)
{
	struct csv csv = {.to = stdout};
	struct cells cells;

	cells_of(&cells, row);
	for (size_t i = 0; i < cells.nr; i++) {
		const struct cell *cell = &cells.cell[i];

		if (cell->type == CELL_TEXT)
			csv_text(&csv, cell->text);
		else
			csv_known(&csv, cell->type != CELL_EMPTY, cell->number);
	}
	csv_end_row(&csv);
}

static void json_cell(struct json *json, const struct cell *cell)
{
	switch (cell->type) {
	case CELL_EMPTY:
		json_text(json, cell->name, NULL);
		break;
	case CELL_TEXT:
		json_text(json, cell->name, cell->text);
		break;
	case CELL_BOOL:
		json_bool(json, cell->name, cell->number);
		break;
	case CELL_NUMBER:
		json_number(json, cell->name, cell->number);
		break;
	}
}

static void json_reasons(struct json *json, const char *key, const uint64_t ns[NR_REASONS])
{
	json_open(json, key, '{');
	for (int reason = 0; reason < NR_REASONS; reason++)
		if (ns[reason])
			json_number(json, reason_name((enum reason)reason), ns[reason]);
	json_close(json, '}');
}

static void json_stopped(struct json *json, const struct stopped_row *row)
{
	json_open(json, NULL, '{');
	json_number(json, "tid", row->stopped.tid);
	json_text(json, "name", *row->name ? row->name : NULL);
	json_bool(json, "requester", row->stopped.requester);
	json_number(json, "arrived_ns", row->stopped.arrived_ns);
	json_number(json, "woken_ns", row->stopped.woken_ns);
	json_number(json, "back_ns", row->stopped.back_ns);
	json_number(json, "lost_ns", row->lost_ns);
	json_close(json, '}');
}

void pauses_json_row(const struct pause_row *row)
{
	struct json json = {.to = stdout};
	struct cells cells;

	cells_of(&cells, row);
	json_open(&json, NULL, '{');
	for (size_t i = 0; i < cells.nr; i++)
		json_cell(&json, &cells.cell[i]);
	json_reasons(&json, "late_ns", row->pause.late_ns);
	json_reasons(&json, "vm_reaching_ns", row->pause.vm_reaching_ns);
	json_reasons(&json, "vm_operation_ns", row->pause.vm_operation_ns);
	json_reasons(&json, "gc_operation_ns", row->pause.gc_operation_ns);
	json_open(&json, "threads", '[');
	for (size_t i = 0; i < row->pause.nr_stopped; i++)
		json_stopped(&json, &row->stopped[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	json_end_line(&json);
}
