/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the probes cost. Runs are counted by the programs themselves. The time of one run is
 * measured by the kernel's BPF statistics, which cost time themselves, so they are on for moments
 * only; what lies outside the program's body, getting there and back, they do not see, and is added
 * as an assumption that is named as such.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "user/attach/probe_internal.h"

int probes_measure(struct probes *p, bool on)
{
	if (on && p->stats_fd < 0) {
		p->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
		return p->stats_fd < 0 ? -errno : 0;
	}
	if (!on && p->stats_fd >= 0) {
		close(p->stats_fd);
		p->stats_fd = -1;
	}
	return 0;
}

static uint64_t measured_ns(const struct bpf_program *program)
{
	struct bpf_prog_info info = {0};
	__u32 bytes = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes) || !info.run_cnt)
		return 0;
	return info.run_time_ns / info.run_cnt;
}

void probes_costs(struct probes *p, probe_cost_fn *fn, void *arg)
{
	for (enum program i = 0; i < NR_PROGRAMS; i++) {
		const struct bpf_program *program = probe_program(p, i);
		struct record_probe cost = {
			.hdr = {.kind = RECORD_PROBE, .size = sizeof(cost)},
			.dispatch_ns = probe_dispatch_ns(p, i),
		};

		if (bpf_program__fd(program) < 0)
			continue;
		for (size_t cpu = 0; cpu < RUN_COUNT_CPUS; cpu++) {
			cost.runs += p->skel->bss->run_counts[cpu].runs[i];
			cost.hits += p->skel->bss->run_counts[cpu].hits[i];
		}
		cost.ns_per_run = measured_ns(program);
		snprintf(cost.name, sizeof(cost.name), "%s", probe_program_name(i));
		fn(arg, &cost);
	}
}
