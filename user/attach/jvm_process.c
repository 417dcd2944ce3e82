/* SPDX-License-Identifier: BSD-2-Clause */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/jvm_parts.h"
#include "user/attach/target_memory.h"
#include "user/attach/target_process.h"

int jvm_take_process(uint32_t tgid, struct jvm *jvm)
{
	struct process_status status;
	struct process_stat stat;
	int err = process_status(tgid, tgid, &status);

	if (!err && (status.tgid != tgid || status.state == 'Z' || status.state == 'X'))
		err = -ESRCH; /* the id of a thread, or a process that only waits to be reaped */
	if (!err)
		err = process_stat(tgid, tgid, &stat);
	if (err)
		return err;
	jvm->tgid = tgid;
	jvm->ns_tgid = status.ns_tid;
	jvm->uid = status.uid;
	jvm->start_ticks = stat.start_ticks;
	jvm->start_ns = process_ticks_to_ns(stat.start_ticks);
	jvm->pid_namespace = process_namespace(tgid, "pid");
	process_monotonic_offset(tgid, &jvm->monotonic_offset_ns); /* 0 where it cannot be told */
	jvm->exe = process_link(tgid, "exe");
	if (!jvm->exe)
		jvm->exe = strdup("");
	return jvm->exe ? 0 : -ENOMEM;
}

bool jvm_is_alive(const struct jvm *jvm)
{
	struct process_stat stat;
	uint8_t magic[SELFMAG];

	if (process_stat(jvm->tgid, jvm->tgid, &stat) || stat.start_ticks != jvm->start_ticks ||
	    stat.state == 'Z' || stat.state == 'X')
		return false;
	/* An exec keeps pid and start time, but maps other files at other addresses. */
	return jvm->libjvm_start &&
	       !target_memory_read(jvm->tgid, jvm->libjvm_start, magic, sizeof(magic)) &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}
