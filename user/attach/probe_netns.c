/* SPDX-License-Identifier: BSD-2-Clause */
/* Network namespaces: an iterator over sockets walks those of the namespace of who runs it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/attach/probe_internal.h"
#include "user/base/cleanup.h"

#define OWN "/proc/thread-self/ns/net"

struct netns {
	dev_t dev;
	ino_t ino;
};

static int open_netns(const char *path, struct netns *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat)) {
		int error = -errno;

		close(fd);
		return error;
	}
	*ret = (struct netns){stat.st_dev, stat.st_ino};
	return fd;
}

static bool same(const struct netns *a, const struct netns *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

static bool was_walked(const struct netns *walked, size_t nr, const struct netns *netns)
{
	for (size_t i = 0; i < nr; i++)
		if (same(&walked[i], netns))
			return true;
	return false;
}

/* In the namespace @fd, and back in our own, which @own is. */
static int visit(struct probes *p, int fd, int own, probe_netns_fn *fn, size_t *nr_refused)
{
	int error;

	if (setns(fd, CLONE_NEWNET)) {
		(*nr_refused)++;
		return 0;
	}
	error = fn(p);
	return setns(own, CLONE_NEWNET) ? -errno : error;
}

int probe_each_netns(struct probes *p, probe_netns_fn *fn, size_t *nr_refused)
{
	struct netns ours, walked[PROBE_TARGETS_MAX];
	int own CLEANUP(closep) = open_netns(OWN, &ours);

	if (own < 0)
		return own;
	*nr_refused = 0;
	for (size_t i = 0; i < p->nr_targets; i++) {
		char path[64];
		int error;

		snprintf(path, sizeof(path), "/proc/%u/ns/net", p->targets[i].tgid);
		int fd CLEANUP(closep) = open_netns(path, &walked[i]);
		if (fd < 0) { /* the target has just ended: nothing to see */
			walked[i] = (struct netns){};
			continue;
		}
		if (was_walked(walked, i, &walked[i]))
			continue;
		error = same(&walked[i], &ours) ? fn(p) : visit(p, fd, own, fn, nr_refused);
		if (error)
			return error;
	}
	return 0;
}
