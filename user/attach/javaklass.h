/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of a loaded class, by HotSpot's own description of it in metaspace (which does not
 * move). For stripped builds. */
#ifndef STANDSTILL_ATTACH_JAVAKLASS_H
#define STANDSTILL_ATTACH_JAVAKLASS_H

#include <stdint.h>

#include "user/attach/vmstructs.h"

/*
 * The offset in its objects of the field @name of type @signature that the InstanceKlass at @klass
 * declares itself. 0, -EOPNOTSUPP (no such field, or this JDK describes fields in another way), or
 * as target_memory_read.
 */
int java_klass_field(uint32_t tgid, const struct vmstructs *tables, uint64_t klass,
		     const char *name, const char *signature, uint64_t *ret);

#endif
