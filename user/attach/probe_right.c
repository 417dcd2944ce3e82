/* SPDX-License-Identifier: BSD-2-Clause */
/* Why the kernel said no: looks at what this process may do and finds the sentence that helps. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/attach/probe_internal.h"
#include "user/base/cleanup.h"

#define CAPABILITY_SYS_ADMIN 21
#define CAPABILITY_PERFMON   38
#define CAPABILITY_BPF	     39

struct rights {
	uint64_t capabilities;
	unsigned int seccomp;
	bool confidential; /* kernel lockdown: not even reading */
};

static void read_status(struct rights *ret)
{
	FILE *file CLEANUP(fclosep) = fopen("/proc/self/status", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "CapEff: %" SCNx64, &ret->capabilities);
		sscanf(line, "Seccomp: %u", &ret->seccomp);
	}
}

static void read_lockdown(struct rights *ret)
{
	FILE *file CLEANUP(fclosep) = fopen("/sys/kernel/security/lockdown", "re");
	char line[128];

	if (file && fgets(line, sizeof(line), file))
		ret->confidential = strstr(line, "[confidentiality]") != NULL;
}

static bool may(const struct rights *rights, int capability)
{
	return rights->capabilities >> capability & 1;
}

int probe_explain_refusal(struct probe_problem *problem, int error, const char *what)
{
	struct rights rights = {0};

	if (error != -EPERM && error != -EACCES)
		return probe_fail(problem, error, "cannot %s: %s", what, strerror(-error));
	read_status(&rights);
	read_lockdown(&rights);
	if (!may(&rights, CAPABILITY_SYS_ADMIN)) {
		if (!may(&rights, CAPABILITY_BPF))
			return probe_fail(problem, -EPERM,
					  "cannot %s: the right CAP_BPF is missing; run as root",
					  what);
		if (!may(&rights, CAPABILITY_PERFMON))
			return probe_fail(
				problem, -EPERM,
				"cannot %s: the right CAP_PERFMON is missing; run as root", what);
		return probe_fail(problem, -EPERM,
				  "cannot %s: CAP_SYS_ADMIN is missing, which this kernel wants "
				  "for it; run as root",
				  what);
	}
	if (rights.seccomp)
		return probe_fail(problem, -EPERM,
				  "cannot %s: a seccomp filter forbids it; run outside the "
				  "container, or allow "
				  "bpf and perf_event_open in its profile",
				  what);
	if (rights.confidential)
		return probe_fail(
			problem, -EPERM,
			"cannot %s: the kernel is locked down (confidentiality), which forbids it",
			what);
	return probe_fail(problem, -EPERM, "cannot %s: the kernel refuses it (%s)", what,
			  strerror(-error));
}
