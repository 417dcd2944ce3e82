/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "user/timeline/thread_entry.h"

void entry_set_comm(struct entry *e, const char comm[EVENT_COMM_BYTES])
{
	struct thread *thread = &e->thread;
	bool first =
		!e->comm[0]; /* "main" runs as "java": only a change of comm tells of a new name */

	names_copy(e->comm, sizeof(e->comm), comm, EVENT_COMM_BYTES);
	thread->role = role_of_comm(e->comm);
	if (thread->name_is_full && (first || names_comm_fits(thread->name, e->comm)))
		return;
	names_copy(thread->name, sizeof(thread->name), e->comm, sizeof(e->comm));
	thread->name_is_full = false;
}

/*
 * A new thread bears its creator's comm until it has been given one of its own: a GC worker would
 * be a second "VM Thread". One that never gets its own has its comm from the next snapshot.
 */
void entry_set_first_comm(struct entry *e, const char comm[EVENT_COMM_BYTES],
			  const struct entry *creator)
{
	if (!creator || strncmp(creator->comm, comm, EVENT_COMM_BYTES - 1))
		entry_set_comm(e, comm);
	else if (!e->thread.name[0])
		names_copy(e->thread.name, sizeof(e->thread.name), "(new thread)",
			   sizeof("(new thread)"));
}

static void set_full_name(struct entry *e, const char name[EVENT_NAME_BYTES])
{
	names_copy(e->thread.name, sizeof(e->thread.name), name, EVENT_NAME_BYTES);
	e->thread.name_is_full = true;
	if (!e->comm[0])
		e->thread.role = role_of_comm(e->thread.name);
}

void entry_apply_name(struct entry *e, const struct name *name)
{
	char comm[EVENT_COMM_BYTES];

	if (name->tgid != e->thread.tgid)
		return; /* of an earlier owner of the tid */
	if (name->is_full) {
		set_full_name(e, name->text);
	} else if (!e->thread.name_is_full) {
		names_copy(comm, sizeof(comm), name->text, sizeof(name->text));
		entry_set_comm(e, comm);
	}
}
