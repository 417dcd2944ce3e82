/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a target's pauses are seen: its own USDT probes where libjvm has them, else the futex calls
 * of its VM Thread (JDK 13 and later), else nowhere. A later source, such as uprobes on symbols, is
 * one more row.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "user/attach/jvm.h"
#include "user/attach/probe_internal.h"
#include "user/base/cleanup.h"

#define FUTEX_RULE_SINCE 13 /* the barrier that one wake always ends: JDK-8203469 */

struct usdt {
	enum program program;
	const char *provider, *name;
	bool required;
	const char *loss;
};

static const struct usdt usdts[] = {
	{PROGRAM_SAFEPOINT_BEGIN, "hs_private", "safepoint__begin", true, NULL},
	{PROGRAM_SAFEPOINT_END, "hs_private", "safepoint__end", true, NULL},
	{PROGRAM_VMOP_REQUEST, "hotspot", "vmops__request", false, "who asked for a pause"},
	{PROGRAM_VMOP_BEGIN, "hotspot", "vmops__begin", false, "the operation a pause is for"},
	{PROGRAM_VMOP_END, "hotspot", "vmops__end", false, "the end of a pause's operation"},
	{PROGRAM_GC_BEGIN, "hotspot", "gc__begin", false, "which pauses are collections"},
	{PROGRAM_GC_END, "hotspot", "gc__end", false, "which pauses are collections"},
	{PROGRAM_THREAD_START, "hotspot", "thread__start", false, "full names of new threads"},
	{PROGRAM_THREAD_STOP, "hotspot", "thread__stop", false, "the end of Java threads"},
};

static bool has_usdt(const struct jvm *jvm)
{
	size_t nr;

	for (size_t i = 0; i < ARRAY_SIZE(usdts); i++)
		if (usdts[i].required && !jvm_find_usdt(jvm, usdts[i].provider, usdts[i].name, &nr))
			return false;
	return true;
}

static enum pause_probes best_of(const struct jvm *jvm)
{
	/* JDK 8 to 12 order and count these probes in another way; their state machine is not
	 * written yet. */
	if (jvm->feature && jvm->feature < FUTEX_RULE_SINCE)
		return PAUSE_PROBES_NONE;
	if (has_usdt(jvm))
		return PAUSE_PROBES_USDT;
	return jvm->vm_tid && jvm->feature ? PAUSE_PROBES_FUTEX : PAUSE_PROBES_NONE;
}

static int choose_one(struct probes *p, size_t target, enum pause_probes wanted,
		      struct probe_problem *problem)
{
	const struct jvm *jvm = p->targets[target].jvm;
	enum pause_probes best = jvm ? best_of(jvm) : PAUSE_PROBES_NONE;

	if (!jvm || wanted == PAUSE_PROBES_NONE)
		return 0;
	if (best == PAUSE_PROBES_NONE && wanted == PAUSE_PROBES_AUTO) {
		probe_note_missing(p,
				   jvm->feature && jvm->feature < FUTEX_RULE_SINCE
					   ? "pauses of JDK 12 and older"
					   : "pauses",
				   "stop-the-world pauses; threads are recorded");
		return 0;
	}
	if (best == PAUSE_PROBES_NONE)
		return probe_fail(problem, -ENOENT,
				  "the pauses of process %u cannot be recorded: it runs JDK %d, "
				  "and 13 or later is "
				  "needed; `--pause-source=none` records its threads",
				  jvm->tgid, jvm->feature);
	if (wanted == PAUSE_PROBES_USDT && best != PAUSE_PROBES_USDT)
		return probe_fail(problem, -ENOENT,
				  "%s has no USDT probes of safepoints; try `--pause-source=futex`",
				  jvm->libjvm);
	if (wanted == PAUSE_PROBES_FUTEX && !jvm->vm_tid)
		return probe_fail(problem, -ENOENT, "process %u has no thread called VM Thread",
				  jvm->tgid);
	p->pauses[target] = wanted == PAUSE_PROBES_AUTO ? best : wanted;
	return 0;
}

static bool anyone_has(const struct probes *p, const struct usdt *usdt)
{
	size_t nr;

	for (size_t i = 0; i < p->nr_targets; i++)
		if (p->pauses[i] == PAUSE_PROBES_USDT &&
		    jvm_find_usdt(p->targets[i].jvm, usdt->provider, usdt->name, &nr))
			return true;
	return false;
}

int probe_pauses_choose(struct probes *p, enum pause_probes wanted, struct probe_problem *problem)
{
	bool any_usdt = false;

	for (size_t i = 0; i < p->nr_targets; i++) {
		int error = choose_one(p, i, wanted, problem);

		if (error)
			return error;
		if (p->pauses[i] == PAUSE_PROBES_FUTEX)
			bpf_program__set_autoload(probe_program(p, PROGRAM_FUTEX), true);
		any_usdt = any_usdt || p->pauses[i] == PAUSE_PROBES_USDT;
	}
	for (size_t i = 0; any_usdt && i < ARRAY_SIZE(usdts); i++) {
		if (anyone_has(p, &usdts[i]))
			bpf_program__set_autoload(probe_program(p, usdts[i].program), true);
		else
			probe_note_missing(p, usdts[i].name, usdts[i].loss);
	}
	if (!any_usdt) { /* their maps are of no use to anybody else */
		bpf_map__set_autocreate(p->skel->maps.__bpf_usdt_specs, false);
		bpf_map__set_autocreate(p->skel->maps.__bpf_usdt_ip_to_spec_id, false);
	}
	return 0;
}

static int attach_usdts(struct probes *p, const struct jvm *jvm, struct probe_problem *problem)
{
	for (size_t i = 0; i < ARRAY_SIZE(usdts); i++) {
		const struct usdt *usdt = &usdts[i];
		size_t nr;
		int error;

		if (!jvm_find_usdt(jvm, usdt->provider, usdt->name, &nr))
			continue;
		error = probe_keep_link(p,
					bpf_program__attach_usdt(probe_program(p, usdt->program),
								 (pid_t)jvm->tgid, jvm->libjvm_file,
								 usdt->provider, usdt->name, NULL));
		if (error == -ESRCH || (error && !jvm_is_alive(jvm)))
			return probe_fail(problem, -ESRCH,
					  "process %u ended while it was attached to", jvm->tgid);
		if (error)
			return probe_explain_refusal(problem, error,
						     "attach to the JVM's USDT probes");
	}
	return 0;
}

static int attach_futex(struct probes *p, struct probe_problem *problem)
{
	int error = probe_tracefs_mount();

	if (error)
		return probe_fail(
			problem, error,
			"the futex source needs tracefs, and it cannot be mounted: %s; mount it at "
			"/sys/kernel/tracing",
			strerror(-error));
	error = probe_keep_link(p, bpf_program__attach(probe_program(p, PROGRAM_FUTEX)));
	return error ? probe_explain_refusal(problem, error, "attach to the futex syscall") : 0;
}

int probe_pauses_attach(struct probes *p, struct probe_problem *problem)
{
	bool futex = false;

	for (size_t i = 0; i < p->nr_targets; i++) {
		int error = 0;

		if (p->pauses[i] == PAUSE_PROBES_USDT)
			error = attach_usdts(p, p->targets[i].jvm, problem);
		futex = futex || p->pauses[i] == PAUSE_PROBES_FUTEX;
		if (error)
			return error;
	}
	return futex ? attach_futex(p, problem) : 0;
}
