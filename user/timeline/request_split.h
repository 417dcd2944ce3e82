/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requests in one finished turn: one, or as many as HTTP heads were seen in it. Pipelined
 * requests are answered in order, but where one answer ends in a write that carries several, no
 * byte position tells.
 */
#ifndef STANDSTILL_TIMELINE_REQUEST_SPLIT_H
#define STANDSTILL_TIMELINE_REQUEST_SPLIT_H

#include "user/timeline/request.h"

/* A record of kind HTTP, of @c. 0 or -ENOMEM. */
int request_mark(struct connection *c, const struct record_http *http);

/* How many requests @c->current, of an accepted connection, is; at least 1. */
size_t request_split_nr(const struct connection *c);

/* The @i-th of @nr. */
void request_split_at(const struct connection *c, size_t i, size_t nr, struct request *ret);

/* The marks of @c->current are not needed any more. */
void request_split_done(struct connection *c);

#endif
