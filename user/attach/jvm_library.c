/* SPDX-License-Identifier: BSD-2-Clause */
/* libjvm.so of a running JVM: which file it is, where it is loaded, what it exports. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "user/attach/elf.h"
#include "user/attach/jvm_parts.h"
#include "user/attach/maps.h"
#include "user/attach/target_memory.h"
#include "user/attach/vmstructs.h"
#include "user/base/cleanup.h"

#define HEADER_BYTES	   4096u
#define PERFDATA_BYTES_MAX (16u << 20) /* 32 KiB unless -XX:PerfDataMemorySize */

/* What is wanted of the symbol tables besides the tables of vmStructs. */
enum {
	SYMBOL_STATE = NR_VMSTRUCTS_SYMBOLS,
	SYMBOL_COUNTER,
	SYMBOL_BARRIER,
	SYMBOL_VMOP_LOCK,
	SYMBOL_CURRENT_TYPE,
	SYMBOL_INITIAL_TIME,
	SYMBOL_THREAD_NAME,
	SYMBOL_THREAD_EETOP,
	SYMBOL_STRING_VALUE,
	SYMBOL_STRING_CODER,
	SYMBOL_Z_YOUNG,
	SYMBOL_Z_OLD,
	SYMBOL_Z_YOUNG_MASK,
	SYMBOL_Z_OLD_MASK,
	SYMBOL_OPERATION_NAMES,
	SYMBOL_BEGIN,
	NR_SYMBOLS
};

static const char *const hotspot_symbols[NR_SYMBOLS] = {
	[SYMBOL_STATE] = "_ZN20SafepointSynchronize6_stateE",
	[SYMBOL_COUNTER] = "_ZN20SafepointSynchronize18_safepoint_counterE",
	[SYMBOL_BARRIER] = "_ZN20SafepointSynchronize13_wait_barrierE",
	[SYMBOL_VMOP_LOCK] = "VMOperation_lock",
	[SYMBOL_CURRENT_TYPE] = "_ZN16SafepointTracing13_current_typeE",
	[SYMBOL_INITIAL_TIME] = "_ZL18initial_time_count",
	[SYMBOL_THREAD_NAME] = "_ZN16java_lang_Thread12_name_offsetE",
	[SYMBOL_THREAD_EETOP] = "_ZN16java_lang_Thread13_eetop_offsetE",
	[SYMBOL_STRING_VALUE] = "_ZN16java_lang_String13_value_offsetE",
	[SYMBOL_STRING_CODER] = "_ZN16java_lang_String13_coder_offsetE",
	[SYMBOL_Z_YOUNG] = "_ZN11ZGeneration6_youngE",
	[SYMBOL_Z_OLD] = "_ZN11ZGeneration4_oldE",
	[SYMBOL_Z_YOUNG_MASK] = "ZPointerRemappedYoungMask",
	[SYMBOL_Z_OLD_MASK] = "ZPointerRemappedOldMask",
	[SYMBOL_OPERATION_NAMES] = "_ZN12VM_Operation6_namesE",
	[SYMBOL_BEGIN] = "_ZN20SafepointSynchronize5beginEv",
};

struct search {
	struct jvm *jvm;
	bool other_vm, out_of_memory, deleted;
	uint64_t first_start, first_end; /* the mapping of libjvm's ELF header */
	uint64_t code_start, code_offset;
	bool has_code;
};

static void take_libjvm(struct search *search, const struct map_entry *entry)
{
	struct jvm *jvm = search->jvm;

	if (!*jvm->libjvm) {
		char *path = strdup(entry->path);

		if (!path) {
			search->out_of_memory = true;
			return;
		}
		free(jvm->libjvm);
		jvm->libjvm = path;
		search->deleted = entry->deleted;
	} else if (strcmp(jvm->libjvm, entry->path)) {
		return; /* a second one, loaded by an agent: the first is the JVM's */
	}
	if (!entry->offset && !search->first_end) {
		search->first_start = jvm->libjvm_start = entry->start;
		search->first_end = entry->end;
	}
	if (entry->executable && !search->has_code) {
		search->code_start = entry->start;
		search->code_offset = entry->offset;
		search->has_code = true;
	}
}

/* ".../hsperfdata_USER/PID", with the JVM's own pid: tools map the files of other JVMs. */
static bool is_own_perfdata(const struct jvm *jvm, const struct map_entry *entry)
{
	const char *directory = strstr(entry->path, "/hsperfdata_"),
		   *name = maps_basename(entry->path);
	char own[16];

	snprintf(own, sizeof(own), "%" PRIu32, jvm->ns_tgid);
	return directory && name > directory + 1 && !strcmp(name, own);
}

static void take_perfdata_map(struct search *search, const struct map_entry *entry)
{
	struct jvm *jvm = search->jvm;
	uint64_t bytes = entry->end - entry->start;
	char *path;

	if (jvm->perfdata_address || entry->offset || bytes > PERFDATA_BYTES_MAX)
		return;
	path = strdup(entry->path);
	if (!path) {
		search->out_of_memory = true;
		return;
	}
	free(jvm->perfdata_path);
	jvm->perfdata_path = path;
	jvm->perfdata_address = entry->start;
	jvm->perfdata_bytes = (uint32_t)bytes;
}

static int look_at_map(void *arg, const struct map_entry *entry)
{
	struct search *search = arg;
	const char *name = maps_basename(entry->path);

	if (!strncmp(name, "libj9vm",
		     7)) /* OpenJ9 has a libjvm.so too, which only forwards to it */
		search->other_vm = true;
	else if (!strcmp(name, "libjvm.so"))
		take_libjvm(search, entry);
	else if (is_own_perfdata(search->jvm, entry))
		take_perfdata_map(search, entry);
	return search->out_of_memory ? -ENOMEM : 0;
}

/* Whether @fd is the file whose first page is mapped there: another version has other segment and
 * section sizes in it. */
static bool is_mapped_file(const struct search *search, int fd)
{
	uint8_t mapped[HEADER_BYTES], disk[HEADER_BYTES];
	struct stat status;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return false;
	return pread(fd, disk, sizeof(disk), 0) == (ssize_t)sizeof(disk) &&
	       !target_memory_read(search->jvm->tgid, search->first_start, mapped,
				   sizeof(mapped)) &&
	       !memcmp(mapped, disk, sizeof(disk));
}

/* Open @path (which becomes the JVM's) if it is the mapped file. A descriptor or -errno. */
static int try_file(const struct search *search, char *path)
{
	/* Not to hang on what a target may have put there instead of a file. */
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	int err = path ? -errno : -ENOMEM;

	if (fd >= 0 && is_mapped_file(search, fd)) {
		free(search->jvm->libjvm_file);
		search->jvm->libjvm_file = path;
		return fd;
	}
	if (fd >= 0) {
		close(fd);
		err = -ENOENT;
	}
	free(path);
	return err;
}

/*
 * Paths in maps are written for whom reads them: as the target sees them where its files are not
 * ours, as we see them where it only has another root among ours. Replaced by an upgrade, or out of
 * our sight: the kernel still has the mapped file.
 */
static int open_libjvm(const struct search *search)
{
	const struct jvm *jvm = search->jvm;
	char *paths[3] = {NULL};
	int fd = -ENOENT;

	if (asprintf(&paths[0], "/proc/%" PRIu32 "/root%s", jvm->tgid, jvm->libjvm) < 0)
		return -ENOMEM;
	paths[1] = strdup(jvm->libjvm);
	if (asprintf(&paths[2], "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, jvm->tgid,
		     search->first_start, search->first_end) < 0)
		paths[2] = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		if (fd < 0 && fd != -ENOMEM && (i == 2 || !search->deleted))
			fd = try_file(search, paths[i]);
		else
			free(paths[i]);
	}
	return fd;
}

static int compare_usdt(const void *a, const void *b)
{
	const struct jvm_usdt *x = a, *y = b;
	int order = strcmp(x->provider, y->provider);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : x->address < y->address ? -1 : x->address > y->address;
}

struct usdt_list {
	struct jvm *jvm;
	const struct elf_file *elf;
};

static int take_usdt(void *arg, const struct elf_usdt *usdt)
{
	struct usdt_list *list = arg;
	struct jvm *jvm = list->jvm;
	struct jvm_usdt *row;
	uint64_t file_offset;

	if (strcmp(usdt->provider, "hotspot") && strcmp(usdt->provider, "hs_private"))
		return 0; /* hotspot_jni: entries of JNI functions */
	if (elf_file_offset(list->elf, usdt->address, &file_offset))
		return -EBADMSG;
	row = realloc(jvm->usdt, (jvm->nr_usdt + 1) * sizeof(*row));
	if (!row)
		return -ENOMEM;
	jvm->usdt = row;
	row += jvm->nr_usdt++;
	*row = (struct jvm_usdt){
		.provider = strdup(usdt->provider),
		.name = strdup(usdt->name),
		.arguments = strdup(usdt->arguments),
		.address = usdt->address,
		.file_offset = file_offset,
		.semaphore = usdt->semaphore,
	};
	return row->provider && row->name && row->arguments ? 0 : -ENOMEM;
}

static void take_symbols(struct jvm *jvm, const struct elf_symbol symbols[NR_SYMBOLS])
{
	uint64_t at[NR_SYMBOLS];

	for (size_t i = 0; i < NR_SYMBOLS; i++)
		at[i] = symbols[i].address ? symbols[i].address + jvm->libjvm_bias : 0;
	memcpy(jvm->vmstructs, at, sizeof(jvm->vmstructs));
	jvm->has_vmstructs = at[VMSTRUCTS_FIELDS] != 0;
	jvm->symbols = (struct jvm_symbols){
		.safepoint_state = at[SYMBOL_STATE],
		.safepoint_counter = at[SYMBOL_COUNTER],
		.barrier_word = at[SYMBOL_BARRIER], /* of the pointer as yet: jvm_take_pointers
						       follows it */
		.vmop_lock = at[SYMBOL_VMOP_LOCK],
		.current_type = at[SYMBOL_CURRENT_TYPE],
		.initial_time = at[SYMBOL_INITIAL_TIME],
		.thread_name = at[SYMBOL_THREAD_NAME],
		.thread_eetop = at[SYMBOL_THREAD_EETOP],
		.string_value = at[SYMBOL_STRING_VALUE],
		.string_coder = at[SYMBOL_STRING_CODER],
		.z_young = at[SYMBOL_Z_YOUNG],
		.z_old = at[SYMBOL_Z_OLD],
		.z_young_mask = at[SYMBOL_Z_YOUNG_MASK],
		.z_old_mask = at[SYMBOL_Z_OLD_MASK],
	};
	jvm_take_pointers(jvm, at[SYMBOL_OPERATION_NAMES], symbols[SYMBOL_OPERATION_NAMES].bytes);
}

static int read_libjvm(const struct search *search, struct elf_file *elf)
{
	struct elf_symbol symbols[NR_SYMBOLS] = {0};
	struct jvm *jvm = search->jvm;
	struct usdt_list list = {.jvm = jvm, .elf = elf};
	uint64_t code_address;
	int64_t nr_symbols;
	int err;

	if (elf_file_address(elf, search->code_offset, &code_address))
		return -EBADMSG;
	jvm->libjvm_bias = search->code_start - code_address;
	for (size_t i = 0; i < NR_SYMBOLS; i++)
		symbols[i].name =
			i < NR_VMSTRUCTS_SYMBOLS ? vmstructs_symbol_names[i] : hotspot_symbols[i];
	nr_symbols = elf_file_symbols(elf, symbols, NR_SYMBOLS);
	if (nr_symbols < 0)
		return (int)nr_symbols;
	jvm->has_symtab = nr_symbols && symbols[SYMBOL_BEGIN].address;
	take_symbols(jvm, symbols);
	err = elf_file_usdt(elf, take_usdt, &list);
	if (jvm->nr_usdt)
		qsort(jvm->usdt, jvm->nr_usdt, sizeof(*jvm->usdt), compare_usdt);
	return err;
}

int jvm_take_library(struct jvm *jvm)
{
	struct search search = {.jvm = jvm};
	struct elf_file *elf;
	int err, fd;

	err = maps_each(jvm->tgid, look_at_map, &search);
	if (err)
		return err;
	if (search.other_vm)
		return -EOPNOTSUPP;
	if (!*jvm->libjvm || !search.has_code || !search.first_end)
		return -ENOEXEC;
	fd = open_libjvm(&search);
	if (fd < 0)
		return fd == -EPERM ? -EACCES : fd;
	err = elf_file_open(fd, &elf);
	if (!err) {
		err = read_libjvm(&search, elf);
		elf_file_close(elf);
	}
	close(fd);
	return err;
}
