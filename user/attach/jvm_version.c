/* SPDX-License-Identifier: BSD-2-Clause */
/* Which JDK it is, and what it was started with, where hsperfdata does not say. */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/jvm_parts.h"
#include "user/attach/target_memory.h"
#include "user/attach/vmstructs.h"
#include "user/base/cleanup.h"

#define RELEASE_LEVELS_MAX                                                                         \
	6 /* lib/server/libjvm.so is 3 below; jre/lib/amd64/server/ of JDK 8, 5 */

/* JDK 8 calls its HotSpot 25.x ("25.504-b08"); from 9 on both are one, with '+' before the build.
 */
int jvm_feature_of(const char *version)
{
	char *end;
	long number = strtol(version, &end, 10);

	if (!isdigit((unsigned char)*version) || number <= 0 || number > 999)
		return 0;
	if (number == 1 && !strncmp(version, "1.8.", 4))
		return 8;
	if (number == 25 && *end == '.' && strstr(end, "-b"))
		return 8;
	return (int)number;
}

static bool take_static_text(const struct jvm *jvm, const struct vmstructs *tables,
			     const char *type, const char *field, char *ret, size_t bytes)
{
	uint64_t at = vmstructs_static(tables, type, field), text;

	*ret = '\0';
	if (!at || target_memory_read(jvm->tgid, at, &text, sizeof(text)) || !text)
		return false;
	if (target_memory_text(jvm->tgid, text, ret, bytes) <= 0)
		*ret = '\0';
	for (char *c = ret; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	return *ret != '\0';
}

static bool take_from_tables(struct jvm *jvm, const struct vmstructs *tables)
{
	if (!take_static_text(jvm, tables, "Abstract_VM_Version", "_s_vm_release", jvm->version,
			      sizeof(jvm->version)))
		return false;
	jvm->feature = jvm_feature_of(jvm->version);
	jvm->version_source = "vmstructs";
	return true;
}

/* KEY="value" of the release file: its value, in place. */
static const char *value_of(char *line, const char *key)
{
	size_t length = strlen(key);
	char *end;

	if (strncmp(line, key, length) || line[length] != '=' || line[length + 1] != '"')
		return NULL;
	end = strchr(line + length + 2, '"');
	if (!end)
		return NULL;
	*end = '\0';
	return line + length + 2;
}

static void take_release(struct jvm *jvm, FILE *file)
{
	char line[1024];

	while (fgets(line, sizeof(line), file)) {
		const char *value = value_of(line, "JAVA_VERSION");

		if (value && !*jvm->version) {
			snprintf(jvm->version, sizeof(jvm->version), "%.*s", JVM_TEXT_BYTES - 1,
				 value);
			jvm->feature = jvm_feature_of(value);
			jvm->version_source = "release file";
		}
		value = value_of(line, "IMPLEMENTOR");
		if (value && !*jvm->vendor)
			snprintf(jvm->vendor, sizeof(jvm->vendor), "%.*s", JVM_TEXT_BYTES - 1,
				 value);
	}
}

/* What lies there is the target's choice: a FIFO must not hang us. */
static FILE *open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? NULL : fdopen(fd, "r");
}

static void take_from_release(struct jvm *jvm)
{
	char *directory CLEANUP(freep) = strdup(jvm->libjvm_file);

	for (int i = 0; directory && i < RELEASE_LEVELS_MAX; i++) {
		char *slash = strrchr(directory, '/'), *path CLEANUP(freep) = NULL;
		FILE *file CLEANUP(fclosep) = NULL;

		if (!slash)
			return;
		*slash = '\0';
		if (asprintf(&path, "%s/release", directory) < 0) {
			path = NULL;
			return;
		}
		file = open_file(path);
		if (!file)
			continue;
		take_release(jvm, file);
		return;
	}
}

void jvm_take_version(struct jvm *jvm, const struct vmstructs *tables)
{
	if (!*jvm->version && tables)
		take_from_tables(jvm, tables);
	if (!*jvm->version || !*jvm->vendor)
		take_from_release(jvm);
	jvm_take_command(jvm);
}
