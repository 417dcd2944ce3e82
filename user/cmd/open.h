/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every command that reads a recording says about it: why it cannot be opened, and, once it
 * has been read, what was damaged, cut off or lost. Messages go to stderr, so that results stay
 * clean.
 */
#ifndef STANDSTILL_CMD_OPEN_H
#define STANDSTILL_CMD_OPEN_H

struct recording_reader;

/* Open the recording @path ("-": standard input). Returns EXIT_OK, or says why not and returns the
 * exit code. */
int open_recording(const char *path, struct recording_reader **ret);

/* recording_next() failed with @error (negative errno): say so. Returns the exit code. */
int report_read_error(const char *path, int error);

/*
 * After the last record: say what of @path could not be read. EXIT_DAMAGED when parts were damaged
 * or lost; EXIT_OK when it is whole, or when only its index is missing because the recorder was
 * killed (a warning: all it wrote was read).
 */
int report_health(const char *path, const struct recording_reader *r);

#endif
