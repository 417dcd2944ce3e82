/* SPDX-License-Identifier: BSD-2-Clause */
/* From process ids to attached probes; every way in which that can fail has its sentence here. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/cmd/cmd.h"
#include "user/cmd/record.h"

/* In a pid namespace of its own this process knows its neighbours by other numbers than the host
 * does. */
static bool in_pid_namespace(void)
{
	char ours[64] = "", init[64] = "";

	if (readlink("/proc/self/ns/pid", ours, sizeof(ours) - 1) < 0 ||
	    readlink("/proc/1/ns/pid", init, sizeof(init) - 1) < 0)
		return false;
	return strcmp(init, "pid:[4026531836]") != 0;
}

static int refuse_target(uint32_t tgid, int error)
{
	switch (error) {
	case -ESRCH:
		complain("there is no process %u%s", tgid,
			 in_pid_namespace()
				 ? " in this pid namespace; give the number that `ps` shows here"
				 : "; `pgrep -a java` lists the JVMs that run");
		return EXIT_NO_TARGET;
	case -ENOEXEC:
		complain("process %u is no JVM: no libjvm.so is mapped in it; `pgrep -a java` "
			 "lists those that run",
			 tgid);
		return EXIT_NOT_A_JVM;
	case -EOPNOTSUPP:
		complain("process %u runs a JVM that is not HotSpot; only HotSpot's pauses are "
			 "known so far",
			 tgid);
		return EXIT_NOT_A_JVM;
	case -EACCES:
	case -EPERM:
		complain("process %u cannot be looked into: the right CAP_SYS_PTRACE is missing; "
			 "run as root",
			 tgid);
		return EXIT_NO_PERMISSION;
	}
	complain("cannot look into process %u: %s", tgid, strerror(-error));
	return EXIT_FAILED;
}

/* A generator need not be a JVM; its sockets and threads are recorded all the same. */
static bool is_foreign_client(const struct session *s, size_t target, int error)
{
	return s->options->roles[target] == TARGET_CLIENT &&
	       (error == -ENOEXEC || error == -EOPNOTSUPP);
}

int record_open_targets(struct session *s)
{
	for (size_t i = 0; i < s->options->nr_tgids; i++) {
		uint32_t tgid = s->options->tgids[i];
		int error;

		s->pidfds[i] = (int)syscall(SYS_pidfd_open, tgid, 0);
		if (s->pidfds[i] < 0)
			return refuse_target(tgid, errno == EINVAL ? -ESRCH : -errno);
		s->nr_targets++;
		error = jvm_inspect(tgid, &s->jvms[i]);
		if (error && !is_foreign_client(s, i, error))
			return refuse_target(tgid, error);
	}
	return EXIT_OK;
}

static int code_of(int error)
{
	switch (error) {
	case -EPERM:
		return EXIT_NO_PERMISSION;
	case -EOPNOTSUPP:
		return EXIT_NO_KERNEL;
	case -ESRCH:
		return EXIT_NO_TARGET;
	case -ENOENT:
		return EXIT_NOT_A_JVM;
	}
	return EXIT_FAILED;
}

static void print_message(const char *line)
{
	fputs(line, stderr);
}

int record_attach(struct session *s)
{
	struct probe_target targets[PROBE_TARGETS_MAX] = {0};
	struct probe_problem problem = {0};
	uint64_t before_ns = monotonic_ns();
	int error;

	for (size_t i = 0; i < s->nr_targets; i++)
		targets[i] = (struct probe_target){.tgid = s->options->tgids[i],
						   .role = s->options->roles[i],
						   .jvm = s->jvms[i]};
	probes_listen(s->options->verbose ? print_message : NULL);
	error = probes_attach(targets, s->nr_targets, &s->options->probes, &s->probes, &problem);
	if (error) {
		complain("%s", problem.what);
		return code_of(error);
	}
	s->start_ns = monotonic_ns();
	s->attach_ns = s->start_ns - before_ns;
	s->status_ns = s->start_ns;
	s->drained_ns = s->losses_ns = before_ns;
	return EXIT_OK;
}

void record_close_targets(struct session *s)
{
	for (size_t i = 0; i < s->nr_targets; i++) {
		if (s->pidfds[i] >= 0)
			close(s->pidfds[i]);
		jvm_free(s->jvms[i]);
	}
}
