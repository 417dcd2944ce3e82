/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/recording/keep.h"

static bool too_old(const struct index_segment *segment, const struct keep_limits *limits,
		    uint64_t now_ns)
{
	return limits->ns && now_ns > limits->ns && segment->to_ns < now_ns - limits->ns;
}

size_t keep_count(const struct index *index, const struct keep_limits *limits, uint64_t now_ns,
		  uint64_t kept_bytes)
{
	size_t nr = 0;

	while (nr + 1 < index->nr) {
		const struct index_segment *segment = &index->segments[nr];

		if (!(limits->bytes && kept_bytes > limits->bytes) &&
		    !too_old(segment, limits, now_ns))
			break;
		kept_bytes -= segment->bytes;
		nr++;
	}
	return nr;
}

int keep_drop(const struct output *file, struct index *index, size_t nr)
{
	struct file_header header = {0};

	index_drop(index, nr);
	header.nr_segments_dropped = index->totals.nr_segments_dropped;
	header.nr_records_dropped = index->totals.nr_records_dropped;
	file_header_seal(&header);
	return output_rewrite(file, 0, &header, sizeof(header));
}

/* A new file beside @path, with its owner and rights. */
static int create_beside(const struct output *from, const char *path, struct output *ret_file,
			 char **ret_name)
{
	struct stat st;
	char *name;
	int fd, err = 0;

	if (asprintf(&name, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		free(name);
		return err;
	}
	if (fstat(from->fd, &st) || fchmod(fd, st.st_mode & 07777) ||
	    (fchown(fd, st.st_uid, st.st_gid) && errno != EPERM))
		err = -errno;
	if (err) {
		close(fd);
		unlink(name);
		free(name);
		return err;
	}
	*ret_file = (struct output){.fd = fd, .regular = true};
	*ret_name = name;
	return 0;
}

int keep_compact(const struct output *from, const char *path, size_t header_bytes,
		 struct index *index, struct output *ret_file, char **ret_name)
{
	int err = create_beside(from, path, ret_file, ret_name);

	if (err)
		return err;
	output_copy(ret_file, from, 0, header_bytes);
	for (size_t i = 0; i < index->nr; i++)
		output_copy(ret_file, from, index->segments[i].offset, index->segments[i].bytes);
	if (ret_file->error) {
		err = ret_file->error;
		close(ret_file->fd);
		unlink(*ret_name);
		free(*ret_name);
		return err;
	}
	for (size_t i = 0, at = header_bytes; i < index->nr; i++) {
		index->segments[i].offset = at;
		at += index->segments[i].bytes;
	}
	return 0;
}
