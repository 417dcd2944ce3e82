/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/recording/schema.h"

/* clang-format off */
#define FIELD(type_, member, kind_, coding_, unit_) {			\
	.name = #member,						\
	.offset = offsetof(struct type_, member),			\
	.bytes = sizeof(((struct type_ *)0)->member),			\
	.type = FIELD_##kind_,						\
	.coding = CODE_##coding_,					\
	.unit = UNIT_##unit_,						\
}

static const struct schema_field offcpu_fields[] = {
	FIELD(event_offcpu, off_ns,	  UNSIGNED, REST,    NS),
	FIELD(event_offcpu, runq_ns,	  UNSIGNED, PART,    NS),
	FIELD(event_offcpu, throttled_ns, UNSIGNED, PLAIN,   NS),
	FIELD(event_offcpu, arg0,	  UNSIGNED, TABLE,   ADDRESS),
	FIELD(event_offcpu, waker_arg0,	  UNSIGNED, TABLE,   ADDRESS),
	FIELD(event_offcpu, tgid,	  UNSIGNED, CONTEXT, NONE),
	FIELD(event_offcpu, seq,	  UNSIGNED, COUNT,   NONE),
	FIELD(event_offcpu, arg1,	  UNSIGNED, TABLE,   ADDRESS),
	FIELD(event_offcpu, arg2,	  UNSIGNED, TABLE,   ADDRESS),
	FIELD(event_offcpu, state,	  UNSIGNED, CONTEXT, NONE),
	FIELD(event_offcpu, waker_tid,	  UNSIGNED, TABLE,   NONE),
	FIELD(event_offcpu, waker_tgid,	  UNSIGNED, FOLLOW,  NONE),
	FIELD(event_offcpu, cpu,	  UNSIGNED, PLACE,   NONE),
	FIELD(event_offcpu, ahead_tid,	  UNSIGNED, AHEAD,   NONE),
	FIELD(event_offcpu, ahead_tgid,	  UNSIGNED, FOLLOW,  NONE),
	FIELD(event_offcpu, flags,	  UNSIGNED, CONTEXT, ADDRESS),
	FIELD(event_offcpu, nr,		  SIGNED,   CONTEXT, NONE),
	FIELD(event_offcpu, waker_nr,	  SIGNED,   CONTEXT, NONE),
};

static const struct schema_field thread_fields[] = {
	FIELD(event_thread, off_since_ns, UNSIGNED, DELTA,   NS),
	FIELD(event_thread, start_ns,	  UNSIGNED, DELTA,   NS),
	FIELD(event_thread, exec_ns,	  UNSIGNED, GROW,    NS),
	FIELD(event_thread, run_delay_ns, UNSIGNED, GROW,    NS),
	FIELD(event_thread, arg0,	  UNSIGNED, TABLE,   ADDRESS),
	FIELD(event_thread, tgid,	  UNSIGNED, STICKY,  NONE),
	FIELD(event_thread, seq,	  UNSIGNED, GROW,    NONE),
	FIELD(event_thread, arg1,	  UNSIGNED, TABLE,   ADDRESS),
	FIELD(event_thread, arg2,	  UNSIGNED, TABLE,   ADDRESS),
	FIELD(event_thread, state,	  UNSIGNED, STICKY,  NONE),
	FIELD(event_thread, flags,	  UNSIGNED, STICKY,  ADDRESS),
	FIELD(event_thread, nr,		  SIGNED,   STICKY,  NONE),
	FIELD(event_thread, comm,	  TEXT,	    TABLE,   NONE),
};

static const struct schema_field task_fields[] = {
	FIELD(event_task, tgid,	      UNSIGNED, STICKY, NONE),
	FIELD(event_task, parent_tid, UNSIGNED, TABLE,	NONE),
	FIELD(event_task, group_dead, UNSIGNED, STICKY, NONE),
	FIELD(event_task, exit_code,  UNSIGNED, STICKY, NONE),
	FIELD(event_task, exec_ns,    UNSIGNED, PLAIN,	NS),
	FIELD(event_task, comm,	      TEXT,	TABLE,	NONE),
};

static const struct schema_field jvm_fields[] = {
	FIELD(event_jvm, tgid, UNSIGNED, STICKY, NONE),
	FIELD(event_jvm, mode, UNSIGNED, STICKY, NONE),
	FIELD(event_jvm, id,   UNSIGNED, PLAIN,	 NONE),
	FIELD(event_jvm, name, TEXT,	 TABLE,	 NONE),
};

static const struct schema_field vm_futex_fields[] = {
	FIELD(event_vm_futex, uaddr,	 UNSIGNED, TABLE,  ADDRESS),
	FIELD(event_vm_futex, tgid,	 UNSIGNED, STICKY, NONE),
	FIELD(event_vm_futex, op,	 UNSIGNED, STICKY, ADDRESS),
	FIELD(event_vm_futex, val,	 UNSIGNED, GROW,   NONE),
	FIELD(event_vm_futex, word,	 UNSIGNED, GROW,   NONE),
	FIELD(event_vm_futex, ret,	 SIGNED,   STICKY, NONE),
	FIELD(event_vm_futex, word_read, UNSIGNED, STICKY, NONE),
};

static const struct schema_field jvm_counters_fields[] = {
	FIELD(event_jvm_counters, tgid,		     UNSIGNED, STICKY, NONE),
	FIELD(event_jvm_counters, valid,	     UNSIGNED, STICKY, ADDRESS),
	FIELD(event_jvm_counters, safepoints,	     UNSIGNED, GROW,   NONE),
	FIELD(event_jvm_counters, sync_ns,	     UNSIGNED, GROW,   NS),
	FIELD(event_jvm_counters, safepoint_time_ns, UNSIGNED, GROW,   NS),
	FIELD(event_jvm_counters, gc_invocations,    UNSIGNED, GROW,   NONE),
	FIELD(event_jvm_counters, cause,	     TEXT,     TABLE,  NONE),
	FIELD(event_jvm_counters, last_cause,	     TEXT,     TABLE,  NONE),
	FIELD(event_jvm_counters, application_ns,    UNSIGNED, GROW,   NS),
};

static const struct schema_field sock_fields[] = {
	FIELD(event_sock, in_bytes,  UNSIGNED, GROW,	BYTES),
	FIELD(event_sock, out_bytes, UNSIGNED, GROW,	BYTES),
	FIELD(event_sock, took_ns,   UNSIGNED, PLAIN,	NS),
	FIELD(event_sock, conn,	     UNSIGNED, CONTEXT, NONE),
	FIELD(event_sock, tgid,	     UNSIGNED, STICKY,	NONE),
	FIELD(event_sock, bytes,     UNSIGNED, STICKY,	BYTES),
	FIELD(event_sock, unsent,    UNSIGNED, STICKY,	BYTES),
	FIELD(event_sock, flags,     UNSIGNED, STICKY,	ADDRESS),
	FIELD(event_sock, window,    UNSIGNED, STICKY,	BYTES),
};

static const struct schema_field conn_fields[] = {
	FIELD(event_conn, in_bytes,    UNSIGNED, PLAIN,	 BYTES),
	FIELD(event_conn, out_bytes,   UNSIGNED, PLAIN,	 BYTES),
	FIELD(event_conn, read_bytes,  UNSIGNED, PLAIN,	 BYTES),
	FIELD(event_conn, local_high,  UNSIGNED, TABLE,	 ADDRESS),
	FIELD(event_conn, local_low,   UNSIGNED, TABLE,	 ADDRESS),
	FIELD(event_conn, remote_high, UNSIGNED, TABLE,	 ADDRESS),
	FIELD(event_conn, remote_low,  UNSIGNED, TABLE,	 ADDRESS),
	FIELD(event_conn, conn,	       UNSIGNED, GROW,	 NONE),
	FIELD(event_conn, tgid,	       UNSIGNED, STICKY, NONE),
	FIELD(event_conn, netns,       UNSIGNED, STICKY, NONE),
	FIELD(event_conn, first_in,    UNSIGNED, PLAIN,	 NONE),
	FIELD(event_conn, first_out,   UNSIGNED, PLAIN,	 NONE),
	FIELD(event_conn, flags,       UNSIGNED, STICKY, ADDRESS),
	FIELD(event_conn, backlog,     UNSIGNED, PLAIN,	 NONE),
	FIELD(event_conn, backlog_max, UNSIGNED, STICKY, NONE),
	FIELD(event_conn, local_port,  UNSIGNED, STICKY, NONE),
	FIELD(event_conn, remote_port, UNSIGNED, GROW,	 NONE),
	FIELD(event_conn, family,      UNSIGNED, STICKY, NONE),
	FIELD(event_conn, role,	       UNSIGNED, STICKY, NONE),
	FIELD(event_conn, state,       UNSIGNED, STICKY, NONE),
	FIELD(event_conn, error,       UNSIGNED, STICKY, NONE),
};

static const struct schema_field info_fields[] = {
	FIELD(record_info, key,	  TEXT, PLAIN, NONE),
	FIELD(record_info, value, TEXT, PLAIN, NONE),
};

static const struct schema_field clock_fields[] = {
	FIELD(record_clock, monotonic_before_ns, UNSIGNED, DELTA, NS),
	FIELD(record_clock, realtime_ns,	 UNSIGNED, GROW,  NS),
	FIELD(record_clock, monotonic_after_ns,	 UNSIGNED, DELTA, NS),
};

static const struct schema_field lost_fields[] = {
	FIELD(record_lost, from_ns,   UNSIGNED, DELTA,	NS),
	FIELD(record_lost, nr,	      UNSIGNED, PLAIN,	NONE),
	FIELD(record_lost, lost_kind, UNSIGNED, STICKY, NONE),
	FIELD(record_lost, cause,     UNSIGNED, STICKY, NONE),
};

static const struct schema_field cost_fields[] = {
	FIELD(record_cost, since_ns,	    UNSIGNED, DELTA, NS),
	FIELD(record_cost, cpu_ns,	    UNSIGNED, GROW,  NS),
	FIELD(record_cost, rss_bytes,	    UNSIGNED, GROW,  BYTES),
	FIELD(record_cost, nr_events,	    UNSIGNED, GROW,  NONE),
	FIELD(record_cost, ring_bytes,	    UNSIGNED, GROW,  BYTES),
	FIELD(record_cost, file_bytes,	    UNSIGNED, GROW,  BYTES),
	FIELD(record_cost, bpf_runs,	    UNSIGNED, GROW,  NONE),
	FIELD(record_cost, bpf_ns,	    UNSIGNED, GROW,  NS),
	FIELD(record_cost, ring_size_bytes, UNSIGNED, GROW,  BYTES),
	FIELD(record_cost, ring_peak_bytes, UNSIGNED, GROW,  BYTES),
};

static const struct schema_field name_fields[] = {
	FIELD(record_name, tgid,   UNSIGNED, STICKY, NONE),
	FIELD(record_name, source, UNSIGNED, STICKY, NONE),
	FIELD(record_name, name,   TEXT,     TABLE,  NONE),
};

static const struct schema_field counters_fields[] = {
	FIELD(record_counters, before_ns,	  UNSIGNED, DELTA,  NS),
	FIELD(record_counters, safepoints,	  UNSIGNED, GROW,   NONE),
	FIELD(record_counters, sync_ns,		  UNSIGNED, GROW,   NS),
	FIELD(record_counters, safepoint_time_ns, UNSIGNED, GROW,   NS),
	FIELD(record_counters, gc_invocations,	  UNSIGNED, GROW,   NONE),
	FIELD(record_counters, tgid,		  UNSIGNED, STICKY, NONE),
	FIELD(record_counters, valid,		  UNSIGNED, STICKY, ADDRESS),
	FIELD(record_counters, edge,		  UNSIGNED, STICKY, NONE),
};

static const struct schema_field end_fields[] = {
	FIELD(record_end, reason,  UNSIGNED, PLAIN, NONE),
	FIELD(record_end, error,   UNSIGNED, PLAIN, NONE),
	FIELD(record_end, nr_lost, UNSIGNED, PLAIN, NONE),
};

static const struct schema_field probe_fields[] = {
	FIELD(record_probe, runs,	 UNSIGNED, GROW,    NONE),
	FIELD(record_probe, hits,	 UNSIGNED, GROW,    NONE),
	FIELD(record_probe, ns_per_run,	 UNSIGNED, STICKY,  NS),
	FIELD(record_probe, dispatch_ns, UNSIGNED, STICKY,  NS),
	FIELD(record_probe, name,	 TEXT,	   TABLE,   NONE),
};

static const struct schema_field http_fields[] = {
	FIELD(record_http, in_from, UNSIGNED, GROW,    BYTES),
	FIELD(record_http, in_to,   UNSIGNED, GROW,    BYTES),
	FIELD(record_http, conn,    UNSIGNED, CONTEXT, NONE),
	FIELD(record_http, tgid,    UNSIGNED, STICKY,  NONE),
	FIELD(record_http, method,  TEXT,     TABLE,   NONE),
	FIELD(record_http, path,    TEXT,     TABLE,   NONE),
	FIELD(record_http, key,	    TEXT,     PLAIN,   NONE),
};

#define KIND(number, type_, name_, fields_) {				\
	.kind = (number),						\
	.bytes = sizeof(struct type_),					\
	.name = (name_),						\
	.fields = (fields_),						\
	.nr_fields = ARRAY_SIZE(fields_),				\
}

static const struct schema_kind kinds[] = {
	KIND(EVENT_OFFCPU,	      event_offcpu,	  "offcpu",		offcpu_fields),
	KIND(EVENT_THREAD,	      event_thread,	  "thread",		thread_fields),
	KIND(EVENT_TASK_NEW,	      event_task,	  "task_new",		task_fields),
	KIND(EVENT_TASK_EXIT,	      event_task,	  "task_exit",		task_fields),
	KIND(EVENT_TASK_RENAME,	      event_task,	  "task_rename",	task_fields),
	KIND(EVENT_TASK_EXEC,	      event_task,	  "task_exec",		task_fields),
	KIND(EVENT_SAFEPOINT_BEGIN,   event_jvm,	  "safepoint_begin",	jvm_fields),
	KIND(EVENT_SAFEPOINT_END,     event_jvm,	  "safepoint_end",	jvm_fields),
	KIND(EVENT_VMOP_REQUEST,      event_jvm,	  "vmop_request",	jvm_fields),
	KIND(EVENT_VMOP_BEGIN,	      event_jvm,	  "vmop_begin",		jvm_fields),
	KIND(EVENT_VMOP_END,	      event_jvm,	  "vmop_end",		jvm_fields),
	KIND(EVENT_GC_BEGIN,	      event_jvm,	  "gc_begin",		jvm_fields),
	KIND(EVENT_GC_END,	      event_jvm,	  "gc_end",		jvm_fields),
	KIND(EVENT_JAVA_THREAD_START, event_jvm,	  "java_thread_start",	jvm_fields),
	KIND(EVENT_JAVA_THREAD_STOP,  event_jvm,	  "java_thread_stop",	jvm_fields),
	KIND(EVENT_VM_FUTEX,	      event_vm_futex,	  "vm_futex",		vm_futex_fields),
	KIND(EVENT_JVM_COUNTERS,      event_jvm_counters, "jvm_counters",	jvm_counters_fields),
	KIND(EVENT_SOCK_ARRIVE,	      event_sock,	  "arrive",		sock_fields),
	KIND(EVENT_SOCK_READ,	      event_sock,	  "read",		sock_fields),
	KIND(EVENT_SOCK_WRITE,	      event_sock,	  "write",		sock_fields),
	KIND(EVENT_SOCK_ACK,	      event_sock,	  "ack",		sock_fields),
	KIND(EVENT_SOCK_RETRANSMIT,   event_sock,	  "retransmit",		sock_fields),
	KIND(EVENT_CONN_OPEN,	      event_conn,	  "conn_open",		conn_fields),
	KIND(EVENT_CONN_CLOSE,	      event_conn,	  "conn_close",		conn_fields),
	KIND(EVENT_CONN_LISTEN,	      event_conn,	  "conn_listen",	conn_fields),
	KIND(EVENT_CONN_REFUSED,      event_conn,	  "conn_refused",	conn_fields),
	KIND(RECORD_INFO,	      record_info,	  "info",		info_fields),
	KIND(RECORD_CLOCK,	      record_clock,	  "clock",		clock_fields),
	KIND(RECORD_LOST,	      record_lost,	  "lost",		lost_fields),
	KIND(RECORD_COST,	      record_cost,	  "cost",		cost_fields),
	KIND(RECORD_NAME,	      record_name,	  "name",		name_fields),
	KIND(RECORD_COUNTERS,	      record_counters,	  "counters",		counters_fields),
	KIND(RECORD_END,	      record_end,	  "end",		end_fields),
	KIND(RECORD_PROBE,	      record_probe,	  "probe",		probe_fields),
	KIND(RECORD_HTTP,	      record_http,	  "http",		http_fields),
};
/* clang-format on */

_Static_assert(NR_EVENT_KINDS == 27 && NR_RECORD_KINDS == 73, "a new kind needs a row above");

const struct schema_kind *schema_kind(uint16_t kind)
{
	if (kind < NR_EVENT_KINDS)
		return kind == EVENT_NONE ? NULL : &kinds[kind - 1];
	if (kind < EVENT_FIRST_USER || kind >= NR_RECORD_KINDS)
		return NULL;
	return &kinds[NR_EVENT_KINDS - 1 + kind - EVENT_FIRST_USER];
}

const struct schema_kind *schema_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

const struct schema_kind *schema_kinds(size_t *ret_nr)
{
	*ret_nr = ARRAY_SIZE(kinds);
	return kinds;
}

uint64_t schema_get(const struct schema_field *field, const void *record)
{
	const char *at = (const char *)record + field->offset;
	bool is_signed = field->type == FIELD_SIGNED;
	uint16_t half;
	uint32_t word;
	uint64_t value;

	switch (field->bytes) {
	case 2:
		memcpy(&half, at, sizeof(half));
		return is_signed ? (uint64_t)(int16_t)half : half;
	case 4:
		memcpy(&word, at, sizeof(word));
		return is_signed ? (uint64_t)(int32_t)word : word;
	default:
		memcpy(&value, at, sizeof(value));
		return value;
	}
}

void schema_set(const struct schema_field *field, void *record, uint64_t value)
{
	char *at = (char *)record + field->offset;
	uint16_t half = (uint16_t)value;
	uint32_t word = (uint32_t)value;

	switch (field->bytes) {
	case 2:
		memcpy(at, &half, sizeof(half));
		return;
	case 4:
		memcpy(at, &word, sizeof(word));
		return;
	default:
		memcpy(at, &value, sizeof(value));
	}
}
