/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "user/attach/target_process.h"
#include "user/base/cleanup.h"
#include "user/base/units.h"

#define PATH_BYTES 128

static int translate(int err)
{
	return err == ENOENT ? ESRCH : err == EPERM ? EACCES : err;
}

FILE *process_open(uint32_t tgid, const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", tgid, name);
	/* Below root/ the target decides what lies there: a FIFO must not hang us. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		errno = translate(errno);
		return NULL;
	}
	return fdopen(fd, "r");
}

char *process_link(uint32_t tgid, const char *name)
{
	char path[PATH_BYTES], target[PATH_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", tgid, name);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return NULL;
	target[length] = '\0';
	return strdup(target);
}

char *process_read(uint32_t tgid, const char *name, size_t max, size_t *ret_bytes)
{
	FILE *file CLEANUP(fclosep) = process_open(tgid, name);
	char *text = file ? malloc(max + 1) : NULL;

	if (!text)
		return NULL;
	*ret_bytes = fread(text, 1, max, file);
	text[*ret_bytes] = '\0';
	return text;
}

static void take_status_line(char *line, struct process_status *ret)
{
	char *last;

	sscanf(line, "Tgid: %" SCNu32, &ret->tgid);
	sscanf(line, "State: %c", &ret->state);
	sscanf(line, "Uid: %*u %" SCNu32, &ret->uid);
	if (strncmp(line, "NSpid:", 6))
		return;
	last = strrchr(line, '\t'); /* outermost first */
	if (last)
		ret->ns_tid = (uint32_t)strtoul(last + 1, NULL, 10);
}

int process_status(uint32_t tgid, uint32_t tid, struct process_status *ret)
{
	char name[64], line[512];
	FILE *file CLEANUP(fclosep) = NULL;

	*ret = (struct process_status){0};
	snprintf(name, sizeof(name), "task/%" PRIu32 "/status", tid);
	file = process_open(tgid, name);
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		take_status_line(line, ret);
	if (!ret->tgid)
		return -ESRCH; /* it ended between open and read */
	if (!ret->ns_tid)
		ret->ns_tid = tid; /* kernel without pid namespaces */
	return 0;
}

int process_stat(uint32_t tgid, uint32_t tid, struct process_stat *ret)
{
	char name[64], line[1024], *from, *to;
	FILE *file CLEANUP(fclosep) = NULL;

	snprintf(name, sizeof(name), "task/%" PRIu32 "/stat", tid);
	file = process_open(tgid, name);
	if (!file)
		return -errno;
	line[fread(line, 1, sizeof(line) - 1, file)] = '\0';
	from = strchr(line, '(');
	to = strrchr(line,
		     ')'); /* comm may hold parentheses and newlines; nothing behind it does */
	if (!from || !to)
		return -ESRCH;
	*ret = (struct process_stat){0};
	for (size_t i = 0; from + 1 + i < to && i < sizeof(ret->comm) - 1; i++)
		ret->comm[i] = from[1 + i];
	if (sscanf(to + 1,
		   " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
		   "%" SCNu64,
		   &ret->state, &ret->start_ticks) != 2)
		return -EBADMSG;
	return 0;
}

int process_comm(uint32_t tgid, uint32_t tid, char ret[EVENT_COMM_BYTES])
{
	int fd CLEANUP(closep) = -1;
	char path[PATH_BYTES];
	ssize_t nr;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/comm", tgid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -translate(errno);
	nr = read(fd, ret, EVENT_COMM_BYTES);
	if (nr <= 0)
		return -ESRCH;
	ret[nr - 1] = '\0'; /* the newline the kernel adds */
	return 0;
}

int process_each_thread(uint32_t tgid, int (*fn)(void *arg, uint32_t tid), void *arg)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	DIR *dir;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", tgid);
	dir = opendir(path);
	if (!dir)
		return -translate(errno);
	while (!err && (entry = readdir(dir))) {
		unsigned long tid = strtoul(entry->d_name, NULL, 10);

		if (tid)
			err = fn(arg, (uint32_t)tid);
	}
	closedir(dir);
	return err;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * (int64_t)NS_PER_S + now.tv_nsec;
}

uint64_t process_ticks_to_ns(uint64_t ticks)
{
	/* The kernel counts starts on CLOCK_BOOTTIME, which runs on while the machine is suspended.
	 */
	int64_t apart_ns = clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_MONOTONIC);
	/* Without the time between the two readings, or the same thread would start elsewhere each
	 * time. */
	int64_t suspended_ns = apart_ns / (int64_t)NS_PER_MS * (int64_t)NS_PER_MS;
	int64_t boot_ns = (int64_t)(ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK)));

	return boot_ns > suspended_ns ? (uint64_t)(boot_ns - suspended_ns) : 0;
}

uint64_t process_namespace(uint32_t tgid, const char *name)
{
	char path[PATH_BYTES];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/%s", tgid, name);
	return stat(path, &status) ? 0 : (uint64_t)status.st_ino;
}

/* The first line of timens_offsets: "monotonic  SECONDS NANOSECONDS". A kernel without time
 * namespaces has no such file. */
static int read_offset(uint32_t tgid, int64_t *ret_ns)
{
	FILE *file CLEANUP(fclosep) = process_open(tgid, "timens_offsets");
	int64_t seconds, ns;

	if (!file)
		return -errno;
	if (fscanf(file, "monotonic %" SCNd64 " %" SCNd64, &seconds, &ns) != 2)
		return -EBADMSG;
	*ret_ns = seconds * (int64_t)NS_PER_S + ns;
	return 0;
}

int process_monotonic_offset(uint32_t tgid, int64_t *ret_ns)
{
	uint64_t own = process_namespace((uint32_t)getpid(), "time");
	uint64_t its = process_namespace(tgid, "time");
	int64_t own_ns, its_ns;
	int err;

	*ret_ns = 0;
	if (own == its)
		return its || !own ? 0 : -EACCES;
	/* The file tells of the children's namespace, which is the process's own except right after
	 * an unshare. */
	if (its != process_namespace(tgid, "time_for_children"))
		return -ENODATA;
	err = read_offset(tgid, &its_ns);
	if (!err)
		err = read_offset((uint32_t)getpid(), &own_ns);
	if (!err)
		*ret_ns = its_ns - own_ns;
	return err;
}
