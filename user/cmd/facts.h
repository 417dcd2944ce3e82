/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a report says beside its numbers, for every command that explains a recording: of what and
 * when it is, what was lost and when, what was not recorded, what recording cost. Text to standard
 * output, or members of a JSON object.
 */
#ifndef STANDSTILL_CMD_FACTS_H
#define STANDSTILL_CMD_FACTS_H

#include "user/timeline/account.h"

struct json;

/* Length of what was recorded. */
uint64_t facts_length(const struct account *account);

void facts_text_header(const struct account *account);
void facts_text_footer(const struct account *account);
void facts_json(struct json *json, const struct account *account);

#endif
