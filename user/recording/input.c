/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/recording/input.h"

#define READ_BYTES (64u << 10)

int input_open(const char *path, struct input *ret)
{
	struct stat st;
	int fd;

	if (!strcmp(path, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || S_ISDIR(st.st_mode)) {
		int err = S_ISDIR(st.st_mode) ? -EISDIR : -errno;

		close(fd);
		return err;
	}
	/* Offsets below are of the whole file: a standard input that somebody has begun to read is
	 * taken as a pipe. */
	*ret = (struct input){.fd = fd,
			      .seekable = S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0};
	return 0;
}

static bool make_room(struct input *in, size_t nr)
{
	uint8_t *data;

	if (in->from) {
		in->nr -= in->from;
		memmove(in->data, in->data + in->from, in->nr);
		in->from = 0;
	}
	if (nr <= in->size)
		return true;
	data = realloc(in->data, nr);
	if (!data)
		return false;
	in->data = data;
	in->size = nr;
	return true;
}

static void read_more(struct input *in)
{
	ssize_t got;

	do
		got = read(in->fd, in->data + in->nr, in->size - in->nr);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		in->error = -errno;
	if (got <= 0)
		in->ended = true;
	else
		in->nr += (size_t)got;
}

const uint8_t *input_peek(struct input *in, size_t nr, size_t *ret_nr)
{
	if (in->nr - in->from < nr && !in->ended) {
		if (!make_room(in, nr + READ_BYTES)) {
			in->error = -ENOMEM;
			in->ended = true;
		}
		while (in->nr < nr && !in->ended)
			read_more(in);
	}
	*ret_nr = in->nr - in->from;
	return in->data ? in->data + in->from : (const uint8_t *)"";
}

void input_pass(struct input *in, size_t nr)
{
	in->from += nr;
	in->offset += nr;
}

/* When what has been read is all zeros, the next data may be far: ask the file system. */
static uint64_t pass_hole(struct input *in)
{
	off_t data;
	uint64_t passed;

	if (!in->seekable)
		return 0;
	data = lseek(in->fd, (off_t)in->offset, SEEK_DATA);
	if (data < 0 && errno == ENXIO) /* nothing but a hole up to the end */
		data = lseek(in->fd, 0, SEEK_END);
	if (data < 0 || (uint64_t)data <= in->offset) {
		(void)lseek(in->fd, (off_t)in->offset, SEEK_SET); /* back to where reading was */
		return 0;
	}
	passed = (uint64_t)data - in->offset;
	in->offset += passed;
	return passed;
}

uint64_t input_pass_zeros(struct input *in)
{
	static const uint8_t zeros[4096];
	uint64_t passed = 0;

	for (;;) {
		size_t nr, zero = 0;
		const uint8_t *at = input_peek(in, 1, &nr);

		while (zero + sizeof(zeros) <= nr && !memcmp(at + zero, zeros, sizeof(zeros)))
			zero += sizeof(zeros);
		while (zero < nr && !at[zero])
			zero++;
		input_pass(in, zero);
		passed += zero;
		if (zero < nr || in->ended)
			return passed;
		passed += pass_hole(in);
	}
}

int input_seek(struct input *in, uint64_t offset)
{
	if (lseek(in->fd, (off_t)offset, SEEK_SET) < 0)
		return -errno;
	in->offset = offset;
	in->from = 0;
	in->nr = 0;
	in->ended = false;
	return 0;
}

int input_read_at(const struct input *in, void *ret, size_t nr, uint64_t offset)
{
	char *at = ret;

	while (nr) {
		ssize_t got = pread(in->fd, at, nr, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		at += got;
		offset += (uint64_t)got;
		nr -= (size_t)got;
	}
	return 0;
}

/* The first byte at or behind @at that is not zero. */
static int find_nonzero(int fd, uint64_t at, uint64_t *ret)
{
	uint8_t bytes[4096];

	for (;;) {
		off_t data = lseek(fd, (off_t)at, SEEK_DATA);
		ssize_t nr = data < 0 ? -1 : pread(fd, bytes, sizeof(bytes), data);

		if (nr <= 0)
			return nr < 0 ? -errno : -EIO;
		at = (uint64_t)data;
		for (ssize_t i = 0; i < nr; i++) {
			if (bytes[i]) {
				*ret = at + (uint64_t)i;
				return 0;
			}
		}
		at += (uint64_t)nr;
	}
}

int input_find_data(const struct input *in, uint64_t *offset)
{
	off_t was = lseek(in->fd, 0, SEEK_CUR);
	int err = find_nonzero(in->fd, *offset, offset);

	return lseek(in->fd, was, SEEK_SET) < 0 ? -errno : err;
}

uint64_t input_size(const struct input *in)
{
	struct stat st;

	return in->seekable && !fstat(in->fd, &st) ? (uint64_t)st.st_size : 0;
}

void input_close(struct input *in)
{
	close(in->fd);
	free(in->data);
	in->data = NULL;
}
