/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Full names of a JVM's Java threads, from outside, while it runs: java.lang.Thread.name read in
 * its heap by way of the tables HotSpot exports for debuggers (vmStructs). No pause, no signal, no
 * ptrace. The heap moves meanwhile, so a name is given only if every step of the way is plausible,
 * two readings agree, and what the kernel calls the thread is a shortening of it. A name that
 * cannot be had soundly is not given at all.
 */
#ifndef STANDSTILL_ATTACH_JAVANAMES_H
#define STANDSTILL_ATTACH_JAVANAMES_H

#include <stdint.h>

#include "user/attach/jvm.h"

typedef void java_name_fn(void *arg, uint32_t tid,
			  const char *name); /* tid as we see it; name is UTF-8 */

/*
 * Call @fn for each Java thread whose name could be read. Returns the number of Java threads left
 * without a name (0: all named), or -EOPNOTSUPP: this build or collector cannot be read, -ESRCH,
 * -EACCES, -ENOMEM, -EBADMSG.
 */
int java_names_read(const struct jvm *jvm, java_name_fn *fn, void *arg);

#endif
