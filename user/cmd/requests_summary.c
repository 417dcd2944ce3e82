/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/cmd/requests.h"

static struct request_group *get_group(struct request_group *groups[GROUPS_MAX], size_t *nr,
				       const char *name)
{
	struct request_group *group;
	bool last = *nr == GROUPS_MAX - 1;

	for (size_t i = 0; i < *nr; i++)
		if (!strcmp(groups[i]->name, name))
			return groups[i];
	if (*nr == GROUPS_MAX)
		return groups[GROUPS_MAX - 1];
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	snprintf(group->name, sizeof(group->name), "%s", last ? "all others" : name);
	groups[(*nr)++] = group;
	return group;
}

static void add(struct request_group *group, const struct request *request)
{
	histogram_add(&group->response, request->end_ns - request->begin_ns);
	group->nr_paused += request->pauses.nr > 0;
	for (int i = 0; request->has_spans && i < NR_REQUEST_SPANS; i++) {
		if (i == SPAN_RETURN && !(request->flags & REQUEST_BOTH))
			continue; /* not seen */
		if (request->span_ns[i] < 0)
			group->nr_crossed[i]++;
		else
			histogram_add(&group->span[i], (uint64_t)request->span_ns[i]);
	}
}

static void add_unanswered(struct requests_summary *s, const struct request_row *row)
{
	if (!s->nr_unanswered++ || row->request.begin_ns < s->unanswered_since_ns) {
		s->unanswered_since_ns = row->request.begin_ns;
		memcpy(s->unanswered_id, row->id, sizeof(s->unanswered_id));
	}
}

int requests_summary_add(struct requests_summary *s, const struct request_row *row)
{
	const struct request *request = &row->request;
	bool downstream = request->kind == REQUEST_DOWNSTREAM;
	char name[REQUEST_LABEL_BYTES];
	struct request_group *group;

	if (request->state == REQUEST_CUT_END && !downstream)
		add_unanswered(s, row);
	if (request->state != REQUEST_WHOLE)
		return 0;
	if (downstream)
		connection_print_peer(name, &request->conn);
	else
		request_row_group(name, row->label);
	group = downstream ? get_group(s->downstream, &s->nr_downstream, name)
			   : get_group(s->labels, &s->nr_labels, name);
	if (!group)
		return -ENOMEM;
	add(group, request);
	if (downstream)
		return 0;
	add(&s->all, request);
	if (request->has_handoff && request->handoff_ns)
		histogram_add(&s->handoff, request->handoff_ns);
	return 0;
}

void requests_summary_free(struct requests_summary *s)
{
	for (size_t i = 0; i < s->nr_labels; i++)
		free(s->labels[i]);
	for (size_t i = 0; i < s->nr_downstream; i++)
		free(s->downstream[i]);
}
