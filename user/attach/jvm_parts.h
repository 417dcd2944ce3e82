/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of jvm_inspect, each filling its part of struct jvm; for user/attach/jvm*.c alone. */
#ifndef STANDSTILL_ATTACH_JVM_PARTS_H
#define STANDSTILL_ATTACH_JVM_PARTS_H

#include "user/attach/jvm.h"

struct elf_file;
struct vmstructs;

/* Identity, namespaces, exe. -ESRCH, -EACCES. */
int jvm_take_process(uint32_t tgid, struct jvm *jvm);

/* libjvm: path, file, bias, symbols, USDT; and where hsperfdata is mapped. As jvm_inspect. */
int jvm_take_library(struct jvm *jvm);

/* The counters, and what hsperfdata says of version, collector and command. None is no error. */
int jvm_take_perfdata(struct jvm *jvm, const struct vmstructs *tables);

/* Version by vmStructs, then the release file, where hsperfdata told none. */
void jvm_take_version(struct jvm *jvm, const struct vmstructs *tables);

/* Command and JVM arguments from the command line, where hsperfdata told none. */
void jvm_take_command(struct jvm *jvm);

/* Split @nr_bytes of NUL-separated arguments into what is for the JVM and what is for Java; both
 * are malloc'ed, words joined by blanks. 0 or -ENOMEM. */
int jvm_split_command(const char *words, size_t nr_bytes, char **ret_arguments, char **ret_command);

/* Feature number of a HotSpot version: "25.504-b08" 8, "17.0.15+6" 17; 0: none. */
int jvm_feature_of(const char *version);

/* VM Thread; and the collector by the names of the threads, where nothing better told it. */
int jvm_take_threads(struct jvm *jvm);

/* What is behind the symbols: barrier word, lock, operation names. */
void jvm_take_pointers(struct jvm *jvm, uint64_t operation_names, uint64_t operation_names_bytes);

enum jvm_collector jvm_collector_of_counter(const char *name);	 /* sun.gc.collector.0.name */
enum jvm_collector jvm_collector_of_arguments(const char *text); /* "... -XX:+UseG1GC ..." */

#endif
