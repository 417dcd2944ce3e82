/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What standstill found: the output of `standstill pauses FILE --csv` in, its pauses in order of
 * begin out; and the times at which the VM Thread was off its CPU, of `standstill threads FILE
 * --spans --csv --thread 'VM Thread'`.
 */
#ifndef STANDSTILL_LIVE_FOUND_H
#define STANDSTILL_LIVE_FOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct found { /* 0 or "": not known */
	uint64_t begin_ns, release_ns, end_ns, reaching_ns;
	bool reaching_known;
	bool cut, incomplete;
	uint64_t missed_before;
	char operation[64], late_name[64], release_source[16];
};

struct found_list {
	struct found *pauses;
	size_t nr;
};

struct off_span {
	uint64_t from_ns, to_ns;
};

struct off_list {
	struct off_span *spans; /* sorted, disjoint */
	size_t nr;
};

/* Both return 0, or -errno; *ret_line is the line at fault, *ret_why what is wrong with it
 * (-EBADMSG only). */
int found_read(const char *path, struct found_list *ret, size_t *ret_line, const char **ret_why);
int off_read(const char *path, struct off_list *ret, size_t *ret_line, const char **ret_why);

/* How much of [from_ns, to_ns) is covered. */
uint64_t off_within(const struct off_list *list, uint64_t from_ns, uint64_t to_ns);

#endif
