/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/jvm_parts.h"
#include "user/attach/target_memory.h"
#include "user/attach/vmstructs.h"
#include "user/base/cleanup.h"

#define OPERATION_BYTES_MAX 64

static struct jvm *new_jvm(void)
{
	struct jvm *jvm = calloc(1, sizeof(*jvm));

	if (!jvm)
		return NULL;
	jvm->version_source = jvm->collector_source = "";
	jvm->libjvm = strdup("");
	jvm->libjvm_file = strdup("");
	jvm->java_command = strdup("");
	jvm->vm_arguments = strdup("");
	jvm->perfdata_path = strdup("");
	if (jvm->libjvm && jvm->libjvm_file && jvm->java_command && jvm->vm_arguments &&
	    jvm->perfdata_path)
		return jvm;
	jvm_free(jvm);
	return NULL;
}

void jvm_free(struct jvm *jvm)
{
	if (!jvm)
		return;
	free(jvm->exe);
	free(jvm->libjvm);
	free(jvm->libjvm_file);
	free(jvm->java_command);
	free(jvm->vm_arguments);
	free(jvm->perfdata_path);
	for (size_t i = 0; i < jvm->nr_usdt; i++) {
		free((char *)jvm->usdt[i].provider);
		free((char *)jvm->usdt[i].name);
		free((char *)jvm->usdt[i].arguments);
	}
	free(jvm->usdt);
	for (uint32_t i = 0; i < JVM_OPERATIONS_MAX; i++)
		free(jvm->operations[i]);
	free(jvm);
}

static uint64_t follow(const struct jvm *jvm, uint64_t pointer_at)
{
	uint64_t value;

	if (!pointer_at || target_memory_read(jvm->tgid, pointer_at, &value, sizeof(value)))
		return 0;
	return value;
}

/* VM_Operation::_names, an array of literals. One that cannot be read would shift the rest: then
 * none are known. */
static void take_operations(struct jvm *jvm, uint64_t names, uint64_t bytes)
{
	uint64_t nr = bytes / sizeof(uint64_t), texts[JVM_OPERATIONS_MAX];
	char text[OPERATION_BYTES_MAX];

	if (!names || !nr || nr > JVM_OPERATIONS_MAX ||
	    target_memory_read(jvm->tgid, names, texts, nr * sizeof(texts[0])))
		return;
	for (uint64_t i = 0; i < nr; i++) {
		if (target_memory_text(jvm->tgid, texts[i], text, sizeof(text)) <= 0)
			return;
		jvm->operations[i] = strdup(text);
		if (!jvm->operations[i])
			return;
	}
	jvm->nr_operations = (uint32_t)nr;
}

void jvm_take_pointers(struct jvm *jvm, uint64_t operation_names, uint64_t operation_names_bytes)
{
	uint64_t barrier = follow(jvm, jvm->symbols.barrier_word);

	/* WaitBarrierType and the implementation inside it share an empty base class, so that the
	 * second begins one int later: as seen in 17 and 25. */
	jvm->symbols.barrier_word = barrier ? barrier + sizeof(int32_t) : 0;
	jvm->symbols.vmop_lock = follow(jvm, jvm->symbols.vmop_lock);
	take_operations(jvm, operation_names, operation_names_bytes);
}

/* The tables cost a millisecond: only read where hsperfdata is not mapped from a file. */
static int take_facts(struct jvm *jvm)
{
	struct vmstructs *tables = NULL;
	int err = 0;

	if (!jvm->perfdata_address)
		err = vmstructs_read(jvm->tgid, jvm->vmstructs, &tables);
	if (err == -EBADMSG || err == -ENODATA || err == -EFAULT)
		err = 0; /* then that much less is known */
	if (!err)
		err = jvm_take_perfdata(jvm, tables);
	if (!err)
		jvm_take_version(jvm, tables);
	vmstructs_free(tables);
	return err;
}

static int fill(uint32_t tgid, struct jvm *jvm)
{
	int err;

	err = jvm_take_process(tgid, jvm);
	if (!err)
		err = jvm_take_library(jvm);
	if (!err && !jvm->has_vmstructs)
		err = -EOPNOTSUPP;
	if (!err)
		err = take_facts(jvm);
	if (!err && strstr(jvm->vm_name, "Zing"))
		err = -EOPNOTSUPP;
	if (!err)
		err = jvm_take_threads(jvm);
	return err;
}

int jvm_inspect(uint32_t tgid, struct jvm **ret)
{
	struct jvm *jvm = new_jvm();
	int err;

	if (!jvm)
		return -ENOMEM;
	err = fill(tgid, jvm);
	/* What was read of a process that ended or became another while we looked belongs together
	 * no longer. */
	if (jvm->libjvm_start && (!err || err == -EFAULT || err == -EBADMSG) && !jvm_is_alive(jvm))
		err = -ESRCH;
	if (err) {
		jvm_free(jvm);
		return err;
	}
	*ret = jvm;
	return 0;
}

const struct jvm_usdt *jvm_find_usdt(const struct jvm *jvm, const char *provider, const char *name,
				     size_t *ret_nr)
{
	const struct jvm_usdt *first = NULL;

	*ret_nr = 0;
	for (size_t i = 0; i < jvm->nr_usdt; i++) {
		const struct jvm_usdt *usdt = &jvm->usdt[i];

		if (strcmp(usdt->provider, provider) || strcmp(usdt->name, name))
			continue;
		if (!first)
			first = usdt;
		(*ret_nr)++;
	}
	return first;
}
