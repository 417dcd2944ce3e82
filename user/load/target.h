/* SPDX-License-Identifier: BSD-2-Clause */
/* Where requests go: what a person types in, an address out. */
#ifndef STANDSTILL_LOAD_TARGET_H
#define STANDSTILL_LOAD_TARGET_H

#include <stdbool.h>

#include "user/load/options.h"

#define TARGET_NAME_BYTES 256

struct target {
	bool http;		      /* else raw TCP */
	char host[TARGET_NAME_BYTES]; /* without brackets */
	char port[8];
	char header[TARGET_NAME_BYTES + 16]; /* for the Host header */
	const char *path; /* in the word that was parsed; "/" when there is none */
};

/* "http://HOST[:PORT][/PATH]" or "HOST:PORT"; IPv6 addresses in brackets. Returns NULL, or a
 * sentence that says what is wrong. */
const char *target_parse(const char *word, struct target *ret);

/* Its first address, into @options. NULL, or a sentence. */
const char *target_resolve(const struct target *t, struct load_options *options);

#endif
