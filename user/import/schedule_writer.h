/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a schedule in its binary form. In: requests, in any order, and what is to be said about
 * them; out: a file of whole blocks, which reads to its last one whatever happens to the writer. An
 * error of the file is sticky: nothing more is written, and what would have been is counted. Knows
 * nothing of who sends.
 */
#ifndef STANDSTILL_IMPORT_SCHEDULE_WRITER_H
#define STANDSTILL_IMPORT_SCHEDULE_WRITER_H

#include <stdint.h>

#include "user/import/schedule.h"

struct schedule_writer;

/* Create @path (truncating what is there). 0 or -errno. */
int schedule_create(const char *path, struct schedule_writer **ret);

/* Say "#KEY=VALUE". Goes to the file with the next flush. */
void schedule_put_meta(struct schedule_writer *w, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Requests of label @id are called @name. Before the first of them. */
void schedule_put_label(struct schedule_writer *w, uint32_t id, const char *name);

void schedule_put_anchor(struct schedule_writer *w, const struct schedule_anchor *anchor);

/* Take one request; copied. A full block goes to the file. 0 or the -errno of the file. */
int schedule_put(struct schedule_writer *w, const struct schedule_request *request);

/* Put what there is into the file. 0 or the -errno of the file. */
int schedule_flush(struct schedule_writer *w);

struct schedule_written {
	uint64_t nr_requests, file_bytes, nr_unwritten;
	int error; /* of the file: negative errno */
};
void schedule_written(const struct schedule_writer *w, struct schedule_written *ret);

/* Flush and close; frees @w. 0 or the first -errno of the file. An orderly end is said by the
 * caller: meta "end". */
int schedule_writer_close(struct schedule_writer *w);

/* Close and free @w, and write nothing: another process has a copy of it and goes on. */
void schedule_writer_abandon(struct schedule_writer *w);

#endif
