/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "user/cmd/requests.h"
#include "user/output/csv.h"

static const char *const columns[] = {"id",
				      "kind",
				      "state",
				      "tgid",
				      "conn",
				      "peer",
				      "port",
				      "label",
				      "key",
				      "in_from",
				      "in_to",
				      "out_from",
				      "out_to",
				      "response_ns",
				      "sent_ns",
				      "first_arrival_ns",
				      "arrived_ns",
				      "first_read_ns",
				      "read_ns",
				      "first_out_ns",
				      "last_out_ns",
				      "released_ns",
				      "received_ns",
				      "arriving_ns",
				      "socket_wait_ns",
				      "service_ns",
				      "write_ns",
				      "held_ns",
				      "return_ns",
				      "handoff_ns",
				      "reader_tid",
				      "reader",
				      "answerer_tid",
				      "answerer",
				      "sender_tid",
				      "receiver_tid",
				      "queue_conn",
				      "queue_listener",
				      "pauses",
				      "pause_ns",
				      "longest_pause",
				      "crossed_ns",
				      "flags",
				      NULL};

void requests_csv_header(void)
{
	struct csv csv = {.to = stdout};

	for (const char *const *column = columns; *column; column++)
		csv_text(&csv, *column);
	csv_end_row(&csv);
}

static void csv_time(struct csv *csv, uint64_t ns)
{
	csv_known(csv, ns != 0, ns);
}

static void csv_signed(struct csv *csv, bool known, int64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)ns);
	csv_text(csv, known ? text : NULL);
}

static void csv_times(struct csv *csv, const struct request *r)
{
	csv_known(csv, r->state == REQUEST_WHOLE, r->end_ns - r->begin_ns);
	csv_time(csv, r->sent_ns);
	csv_time(csv, r->first_arrival_ns);
	csv_time(csv, r->arrived_ns);
	csv_time(csv, r->first_read_ns);
	csv_time(csv, r->read_ns);
	csv_time(csv, r->first_out_ns);
	csv_time(csv, r->last_out_ns);
	csv_time(csv, r->released_ns);
	csv_time(csv, r->received_ns);
	for (int i = 0; i < NR_REQUEST_SPANS; i++)
		csv_signed(csv, r->has_spans, r->span_ns[i]);
	csv_known(csv, r->has_handoff, r->handoff_ns);
}

void requests_csv_row(const struct request_row *row)
{
	const struct request *r = &row->request;
	struct csv csv = {.to = stdout};
	char peer[CONNECTION_PEER_BYTES];

	csv_text(&csv, row->id);
	csv_text(&csv, request_kind_name(r->kind));
	csv_text(&csv, request_state_name(r->state));
	csv_number(&csv, r->conn.tgid);
	csv_number(&csv, r->conn.conn);
	csv_text(&csv, connection_print_peer(peer, &r->conn));
	csv_number(&csv, r->conn.local_port);
	csv_text(&csv, row->label);
	csv_text(&csv, r->key);
	csv_number(&csv, r->in_from);
	csv_number(&csv, r->in_to);
	csv_number(&csv, r->out_from);
	csv_number(&csv, r->out_to);
	csv_times(&csv, r);
	csv_known(&csv, r->reader_tid, r->reader_tid);
	csv_text(&csv, row->reader);
	csv_known(&csv, r->answerer_tid, r->answerer_tid);
	csv_text(&csv, row->answerer);
	csv_known(&csv, r->sender_tid, r->sender_tid);
	csv_known(&csv, r->receiver_tid, r->receiver_tid);
	csv_number(&csv, r->queue_conn);
	csv_number(&csv, r->queue_listener);
	csv_number(&csv, r->pauses.nr);
	csv_number(&csv, r->pauses.ns);
	csv_known(&csv, r->pauses.nr, r->pauses.longest_nr);
	csv_number(&csv, r->crossed_ns);
	csv_number(&csv, r->flags);
	csv_end_row(&csv);
}
