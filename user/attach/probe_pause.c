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
#include "user/attach/usdt.h"
#include "user/base/cleanup.h"

#define FUTEX_RULE_SINCE 13 /* the barrier that one wake always ends: JDK-8203469 */

struct usdt {
	enum program program;
	const char *provider, *name;
	uint8_t wanted[USDT_WORDS]; /* the arguments that the program reads, by number */
	uint8_t nr_wanted;
	bool required;
	const char *loss;
};

/* clang-format off */
static const struct usdt usdts[] = {
	{PROGRAM_SAFEPOINT_BEGIN, "hs_private", "safepoint__begin", {0}, 0, true, NULL},
	{PROGRAM_SAFEPOINT_END, "hs_private", "safepoint__end", {0}, 0, true, NULL},
	{PROGRAM_VMOP_REQUEST, "hotspot", "vmops__request", {0, 1, 2}, 3, false, "who asked for a pause"},
	{PROGRAM_VMOP_BEGIN, "hotspot", "vmops__begin", {0, 1, 2}, 3, false, "the operation a pause is for"},
	{PROGRAM_VMOP_END, "hotspot", "vmops__end", {0, 1, 2}, 3, false, "the end of a pause's operation"},
	{PROGRAM_GC_BEGIN, "hotspot", "gc__begin", {0}, 1, false, "which pauses are collections"},
	{PROGRAM_GC_END, "hotspot", "gc__end", {0}, 0, false, "which pauses are collections"},
	{PROGRAM_THREAD_START, "hotspot", "thread__start", {0, 1, 3}, 3, false, "full names of new threads"},
	{PROGRAM_THREAD_STOP, "hotspot", "thread__stop", {0, 1, 3}, 3, false, "the end of Java threads"},
};
/* clang-format on */

/* All places of a probe that @jvm has; false: there are none, or one cannot be made use of. */
static bool find_places(const struct jvm *jvm, const struct usdt *usdt, struct probe_places *ret)
{
	const struct jvm_usdt *found = jvm_find_usdt(jvm, usdt->provider, usdt->name, &ret->nr);

	if (!found || ret->nr > PROBE_PLACES_MAX)
		return false;
	for (size_t i = 0; i < ret->nr; i++) {
		/* One with a semaphore is off until somebody counts it up; HotSpot has none. */
		if (found[i].semaphore ||
		    usdt_pack(found[i].arguments, usdt->wanted, usdt->nr_wanted, &ret->cookies[i]))
			return false;
		ret->offsets[i] = found[i].file_offset;
	}
	return true;
}

static bool has_usdt(const struct jvm *jvm)
{
	struct probe_places places;

	for (size_t i = 0; i < ARRAY_SIZE(usdts); i++)
		if (usdts[i].required && !find_places(jvm, &usdts[i], &places))
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
	struct probe_places places;

	for (size_t i = 0; i < p->nr_targets; i++)
		if (p->pauses[i] == PAUSE_PROBES_USDT &&
		    find_places(p->targets[i].jvm, usdt, &places))
			return true;
	return false;
}

static void choose_usdts(struct probes *p, bool by_perf)
{
	p->multi = !by_perf && probe_multi_works();
	for (size_t i = 0; i < ARRAY_SIZE(usdts); i++) {
		struct bpf_program *program = probe_program(p, usdts[i].program);

		if (!anyone_has(p, &usdts[i])) {
			probe_note_missing(p, usdts[i].name, usdts[i].loss);
			continue;
		}
		bpf_program__set_autoload(program, true);
		if (p->multi)
			probe_multi_expect(program);
	}
}

int probe_pauses_choose(struct probes *p, const struct probe_options *options,
			struct probe_problem *problem)
{
	bool any_usdt = false;

	for (size_t i = 0; i < p->nr_targets; i++) {
		int error = choose_one(p, i, options->pauses, problem);

		if (error)
			return error;
		if (p->pauses[i] == PAUSE_PROBES_FUTEX)
			bpf_program__set_autoload(probe_program(p, PROGRAM_FUTEX), true);
		any_usdt = any_usdt || p->pauses[i] == PAUSE_PROBES_USDT;
	}
	if (any_usdt)
		choose_usdts(p, options->usdt_by_perf);
	return 0;
}

static int attach_by_perf(struct probes *p, const struct bpf_program *program,
			  const struct jvm *jvm, const struct probe_places *places)
{
	for (size_t i = 0; i < places->nr; i++) {
		LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = places->cookies[i]);
		int error = probe_keep_link(p, bpf_program__attach_uprobe_opts(
						       program, (pid_t)jvm->tgid, jvm->libjvm_file,
						       places->offsets[i], &options));
		if (error)
			return error;
	}
	return 0;
}

static int attach_usdts(struct probes *p, const struct jvm *jvm, struct probe_problem *problem)
{
	for (size_t i = 0; i < ARRAY_SIZE(usdts); i++) {
		const struct bpf_program *program = probe_program(p, usdts[i].program);
		struct probe_places places;
		int error;

		if (!find_places(jvm, &usdts[i], &places))
			continue;
		error = p->multi ? probe_multi_attach(p, program, jvm, &places)
				 : attach_by_perf(p, program, jvm, &places);
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
