/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/cmd/requests.h"

static void name_thread(char name[EVENT_NAME_BYTES], const struct threads *threads, uint32_t tid)
{
	const char *known = tid ? threads_name(threads, tid) : NULL;

	if (known)
		snprintf(name, EVENT_NAME_BYTES, "%s", known);
	else if (tid)
		snprintf(name, EVENT_NAME_BYTES, "tid %" PRIu32, tid);
	else
		name[0] = '\0';
}

void request_row_fill(struct request_row *row, const struct request *request,
		      const struct threads *threads)
{
	bool orphan = request->kind == REQUEST_SERVED && request->in_from == request->in_to;

	row->request = *request;
	row->id[0] = '\0';
	if (!orphan)
		snprintf(row->id, sizeof(row->id), "%" PRIu32 ":%" PRIu64, request->conn.conn,
			 request->kind == REQUEST_SERVED ? request->in_from : request->out_from);
	if (request->flags & REQUEST_HTTP)
		snprintf(row->label, sizeof(row->label), "%s %s", request->method, request->path);
	else
		snprintf(row->label, sizeof(row->label), "turn at port %u",
			 request->kind == REQUEST_SERVED ? request->conn.local_port
							 : request->conn.remote_port);
	name_thread(row->reader, threads, request->reader_tid);
	name_thread(row->answerer, threads, request->answerer_tid);
	name_thread(row->sender, threads, request->sender_tid);
	name_thread(row->receiver, threads, request->receiver_tid);
}

void request_row_group(char group[REQUEST_LABEL_BYTES], const char *label)
{
	bool path = false;
	size_t nr = 0;

	for (; *label && nr < REQUEST_LABEL_BYTES - 1; label++) {
		bool digit = path && isdigit((unsigned char)*label);

		path |= *label == '/';
		if (!digit || !nr || group[nr - 1] != '#')
			group[nr++] = digit ? '#' : *label;
	}
	group[nr] = '\0';
}
