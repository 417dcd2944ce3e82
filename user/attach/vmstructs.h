/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables HotSpot exports for debuggers: gHotSpotVMStructs (fields: where they are, or their
 * offset), gHotSpotVMTypes (sizes) and the constants. In .dynsym of every build, stripped ones too.
 * Read in the target's memory once, then asked by name. Names are those of vmStructs.cpp; which
 * exist differs between JDKs, so every answer may be "none".
 */
#ifndef STANDSTILL_ATTACH_VMSTRUCTS_H
#define STANDSTILL_ATTACH_VMSTRUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

/* The exported variables that say where the tables are and how their rows look. */
enum vmstructs_symbol {
	VMSTRUCTS_FIELDS,
	VMSTRUCTS_FIELD_TYPE_AT,
	VMSTRUCTS_FIELD_NAME_AT,
	VMSTRUCTS_FIELD_TYPE_STRING_AT,
	VMSTRUCTS_FIELD_IS_STATIC_AT,
	VMSTRUCTS_FIELD_OFFSET_AT,
	VMSTRUCTS_FIELD_ADDRESS_AT,
	VMSTRUCTS_FIELD_STRIDE,
	VMSTRUCTS_TYPES,
	VMSTRUCTS_TYPE_NAME_AT,
	VMSTRUCTS_TYPE_SIZE_AT,
	VMSTRUCTS_TYPE_STRIDE,
	VMSTRUCTS_INTS,
	VMSTRUCTS_INT_NAME_AT,
	VMSTRUCTS_INT_VALUE_AT,
	VMSTRUCTS_INT_STRIDE,
	VMSTRUCTS_LONGS,
	VMSTRUCTS_LONG_NAME_AT,
	VMSTRUCTS_LONG_VALUE_AT,
	VMSTRUCTS_LONG_STRIDE,
	NR_VMSTRUCTS_SYMBOLS
};

/* The linker's names of those variables, in the order of the enum. */
extern const char *const vmstructs_symbol_names[NR_VMSTRUCTS_SYMBOLS];

struct vmstructs;

/*
 * Read the tables of process @tgid; @addresses are those of the variables in the target, 0 where
 * there is none. 0, -ENODATA (a variable is missing), -EBADMSG (the tables make no sense), -EFAULT,
 * -ESRCH, -EACCES or -ENOMEM.
 */
int vmstructs_read(uint32_t tgid, const uint64_t addresses[NR_VMSTRUCTS_SYMBOLS],
		   struct vmstructs **ret);
void vmstructs_free(struct vmstructs *v);

/* The offset of an instance's field. 0 or -ENOENT; *ret is set only on 0. */
int vmstructs_offset(const struct vmstructs *v, const char *type, const char *field, uint64_t *ret);

/* The address in the target of a static field; 0: none. */
uint64_t vmstructs_static(const struct vmstructs *v, const char *type, const char *field);

/* The C++ type of a field as vmStructs.cpp writes it: "oop", "OopHandle"; NULL: no such field. */
const char *vmstructs_type_of(const struct vmstructs *v, const char *type, const char *field);

/* sizeof(type); 0: unknown. */
uint64_t vmstructs_size(const struct vmstructs *v, const char *type);

/* A constant of either table. 0 or -ENOENT. */
int vmstructs_constant(const struct vmstructs *v, const char *name, int64_t *ret);

/* For people and experiments: call @fn with every field. */
void vmstructs_each(const struct vmstructs *v,
		    void (*fn)(void *arg, const char *type, const char *field,
			       const char *type_string, bool is_static, uint64_t where),
		    void *arg);

#endif
