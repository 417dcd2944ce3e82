/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/recording/output.h"

/* What is copied at the end must be readable; but a pipe opened for both would have us wait for
 * ourselves. */
static int open_flags(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) ? O_WRONLY : O_RDWR;
}

int output_create(const char *path, struct output *ret)
{
	int fd = open(path, open_flags(path) | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		int err = -errno;

		close(fd);
		return err;
	}
	*ret = (struct output){.fd = fd, .regular = S_ISREG(st.st_mode)};
	return 0;
}

static int write_all(int fd, const char *bytes, size_t nr)
{
	while (nr) {
		ssize_t written = write(fd, bytes, nr);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? -errno : -EIO;
		bytes += written;
		nr -= (size_t)written;
	}
	return 0;
}

/* Back to the end of the last whole piece. Where even that fails, readers find the torn piece by
 * its checksum. */
static void cut_torn(struct output *o)
{
	if (!o->regular || ftruncate(o->fd, (off_t)o->bytes))
		return;
	(void)lseek(o->fd, (off_t)o->bytes, SEEK_SET);
}

int output_write(struct output *o, const void *bytes, size_t nr)
{
	if (o->error)
		return o->error;
	o->error = write_all(o->fd, bytes, nr);
	if (o->error)
		cut_torn(o);
	else
		o->bytes += nr;
	return o->error;
}

int output_rewrite(const struct output *o, uint64_t offset, const void *bytes, size_t nr)
{
	ssize_t written = pwrite(o->fd, bytes, nr, (off_t)offset);

	if (written < 0)
		return -errno;
	return (size_t)written == nr ? 0 : -EIO;
}

bool output_can_free(const struct output *o)
{
	return o->regular && !fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096);
}

int output_free_range(const struct output *o, uint64_t offset, uint64_t bytes)
{
	int err;

	do
		err = fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
				(off_t)bytes);
	while (err && errno == EINTR);
	return err ? -errno : 0;
}

int output_copy(struct output *o, const struct output *from, uint64_t offset, uint64_t bytes)
{
	char buffer[65536];

	while (bytes && !o->error) {
		size_t nr = bytes < sizeof(buffer) ? bytes : sizeof(buffer);
		ssize_t got = pread(from->fd, buffer, nr, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			o->error = got < 0 ? -errno : -EIO;
			break;
		}
		output_write(o, buffer, (size_t)got);
		offset += (uint64_t)got;
		bytes -= (uint64_t)got;
	}
	return o->error;
}

int output_close(struct output *o)
{
	if (fsync(o->fd) && errno != EINVAL && errno != EROFS && !o->error) /* EINVAL: a pipe */
		o->error = -errno;
	if (close(o->fd) && errno != EINTR && !o->error)
		o->error = -errno;
	o->fd = -1;
	return o->error;
}
