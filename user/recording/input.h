/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file or pipe being read: bytes from here on, as many as are asked for, without knowing which of
 * the two it is. Holes and zeros are passed over quickly. Memory: the largest piece ever asked for.
 */
#ifndef STANDSTILL_RECORDING_INPUT_H
#define STANDSTILL_RECORDING_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input {
	int fd;
	bool seekable;
	bool ended;
	uint64_t offset; /* in the file, of data[from] */
	uint8_t *data;
	size_t from, nr, size; /* data[from..nr) has been read and not passed */
	int error;	       /* of read(2), -errno; looks like the end */
};

/* @path, or "-" for standard input. 0 or -errno. */
int input_open(const char *path, struct input *ret);

/* The next bytes, at least @nr of them unless the file ends first; *ret_nr is how many there are.
 * Valid until the next call. */
const uint8_t *input_peek(struct input *in, size_t nr, size_t *ret_nr);

/* Pass over @nr bytes that peek has shown. */
void input_pass(struct input *in, size_t nr);

/* Pass over zeros and holes. Returns their number. */
uint64_t input_pass_zeros(struct input *in);

/* Go to @offset of the file; only when seekable. 0 or -errno. */
int input_seek(struct input *in, uint64_t offset);

/* Read @nr bytes at @offset, without moving. 0, or -errno, -EIO when the file ends before. Only
 * when seekable. */
int input_read_at(const struct input *in, void *ret, size_t nr, uint64_t offset);

/* Move *offset past the hole and the zeros that are there, without moving where reading is. 0 or
 * -errno. Only when seekable. */
int input_find_data(const struct input *in, uint64_t *offset);

/* Its size, or 0 when it has none. */
uint64_t input_size(const struct input *in);

void input_close(struct input *in);

#endif
