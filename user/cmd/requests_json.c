/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/requests.md explains the members. */
#include <inttypes.h>
#include <stdio.h>

#include "user/base/cleanup.h"
#include "user/cmd/facts.h"
#include "user/cmd/requests.h"
#include "user/output/json.h"

#define SCHEMA_VERSION 1

static const char *const span_keys[NR_REQUEST_SPANS] = {
	"arriving_ns", "socket_wait_ns", "service_ns", "write_ns", "held_ns", "return_ns",
};

static const char *const flag_names[] = {
	"start_seen", "locked", "shared_read", "shared_write",	"assumed",
	"http",	      "window", "held_unsure", "retransmit",	"loss",
	"both_ends",  "unsure", "crossed",     "pauses_unsure",
};

static void json_time(struct json *json, const char *key, uint64_t ns)
{
	json_known(json, key, ns != 0, ns);
}

/* Times crossed are negative; JSON has such numbers. */
static void json_signed(struct json *json, const char *key, int64_t ns)
{
	if (ns >= 0) {
		json_number(json, key, (uint64_t)ns);
		return;
	}
	fprintf(json->to, "%s\"%s\":%" PRId64, json->begun ? "," : "", key, ns);
	json->begun = true;
}

static void json_times(struct json *json, const struct request *r)
{
	json_time(json, "begin_ns", r->begin_ns);
	json_known(json, "response_ns", r->state == REQUEST_WHOLE, r->end_ns - r->begin_ns);
	json_time(json, "sent_ns", r->sent_ns);
	json_time(json, "first_arrival_ns", r->first_arrival_ns);
	json_time(json, "arrived_ns", r->arrived_ns);
	json_time(json, "first_read_ns", r->first_read_ns);
	json_time(json, "read_ns", r->read_ns);
	json_time(json, "first_out_ns", r->first_out_ns);
	json_time(json, "last_out_ns", r->last_out_ns);
	json_time(json, "released_ns", r->released_ns);
	json_time(json, "received_ns", r->received_ns);
	for (int i = 0; i < NR_REQUEST_SPANS; i++) {
		if (r->has_spans)
			json_signed(json, span_keys[i], r->span_ns[i]);
		else
			json_text(json, span_keys[i], NULL);
	}
	json_time(json, "reader_until_ns", r->reader_until_ns);
	json_time(json, "answerer_since_ns", r->answerer_since_ns);
	json_known(json, "handoff_ns", r->has_handoff, r->handoff_ns);
}

static void json_thread(struct json *json, const char *key, uint32_t tid, const char *name)
{
	if (!tid) {
		json_text(json, key, NULL);
		return;
	}
	json_open(json, key, '{');
	json_number(json, "tid", tid);
	json_text(json, "name", name);
	json_close(json, '}');
}

static void json_pauses(struct json *json, const struct request *r)
{
	json_open(json, "pauses", '{');
	json_number(json, "nr", r->pauses.nr);
	json_number(json, "ns", r->pauses.ns);
	json_known(json, "longest", r->pauses.nr, r->pauses.longest_nr);
	json_text(json, "operation", *r->pauses.operation ? r->pauses.operation : NULL);
	json_text(json, "cause", *r->pauses.cause ? r->pauses.cause : NULL);
	json_close(json, '}');
}

void requests_json_members(struct json *json, const struct request_row *row)
{
	const struct request *r = &row->request;
	char peer[CONNECTION_PEER_BYTES];

	json_text(json, "id", *row->id ? row->id : NULL);
	json_text(json, "kind", request_kind_name(r->kind));
	json_text(json, "state", request_state_name(r->state));
	json_number(json, "tgid", r->conn.tgid);
	json_number(json, "conn", r->conn.conn);
	json_text(json, "peer", connection_print_peer(peer, &r->conn));
	json_number(json, "port", r->conn.local_port);
	json_text(json, "label", row->label);
	json_text(json, "key", *r->key ? r->key : NULL);
	json_number(json, "in_from", r->in_from);
	json_number(json, "in_to", r->in_to);
	json_number(json, "out_from", r->out_from);
	json_number(json, "out_to", r->out_to);
	json_times(json, r);
	json_thread(json, "reader", r->reader_tid, row->reader);
	json_thread(json, "answerer", r->answerer_tid, row->answerer);
	json_thread(json, "sender", r->sender_tid, row->sender);
	json_thread(json, "receiver", r->receiver_tid, row->receiver);
	json_number(json, "queue_conn", r->queue_conn);
	json_number(json, "queue_listener", r->queue_listener);
	json_pauses(json, r);
	json_number(json, "crossed_ns", r->crossed_ns);
	json_open(json, "flags", '[');
	for (size_t i = 0; i < ARRAY_SIZE(flag_names); i++)
		if (r->flags & 1u << i)
			json_text(json, NULL, flag_names[i]);
	json_close(json, ']');
}

void requests_json_row(const struct request_row *row)
{
	struct json json = {.to = stdout};

	json_open(&json, NULL, '{');
	requests_json_members(&json, row);
	json_close(&json, '}');
	json_end_line(&json);
}

static void json_histogram(struct json *json, const char *key, struct histogram *h)
{
	json_open(json, key, '{');
	json_number(json, "nr", h->nr);
	json_number(json, "sum", h->sum);
	json_known(json, "p50", h->nr, histogram_percentile(h, 50));
	json_known(json, "p90", h->nr, histogram_percentile(h, 90));
	json_known(json, "p99", h->nr, histogram_percentile(h, 99));
	json_known(json, "p99_9", h->nr, histogram_percentile(h, 99.9));
	json_known(json, "max", h->nr, h->max);
	json_close(json, '}');
}

static void json_group(struct json *json, struct request_group *group, bool spans)
{
	json_text(json, "name", *group->name ? group->name : NULL);
	json_number(json, "in_pauses", group->nr_paused);
	json_histogram(json, "response_ns", &group->response);
	for (int i = 0; spans && i < NR_REQUEST_SPANS; i++)
		json_histogram(json, span_keys[i], &group->span[i]);
}

static void json_groups(struct json *json, const char *key, struct request_group *const *groups,
			size_t nr, bool spans)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < nr; i++) {
		json_open(json, NULL, '{');
		json_group(json, groups[i], spans);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_totals(struct json *json, const struct requests_totals *t)
{
	json_number(json, "seen", t->nr[REQUEST_SERVED] + t->nr[REQUEST_SENT]);
	json_open(json, "states", '{');
	for (int state = 0; state < NR_REQUEST_STATES; state++)
		json_number(json, request_state_name((enum request_state)state),
			    t->nr_state[state]);
	json_close(json, '}');
	json_number(json, "downstream_calls", t->nr[REQUEST_DOWNSTREAM]);
	json_number(json, "connections", t->nr_connections);
	json_number(json, "connections_before", t->nr_accepted_before);
	json_number(json, "connections_both_ends", t->nr_linked);
	json_number(json, "refused", t->nr_refused);
	json_number(json, "socket_records", t->nr_steps);
	json_number(json, "socket_records_unplaced", t->nr_unplaced);
	json_number(json, "socket_records_fallen", t->nr_fallen);
	json_number(json, "both_ends", t->nr_both);
	json_number(json, "http", t->nr_http);
	json_number(json, "crossed", t->nr_crossed);
	json_number(json, "crossed_over_20us", t->nr_crossed_far);
	json_number(json, "crossed_max_ns", t->crossed_max_ns);
	json_number(json, "rushed", t->nr_rushed);
}

void requests_json_summary(struct requests_summary *s, const struct requests_totals *totals,
			   const struct account *account)
{
	struct json json = {.to = stdout};

	json_open(&json, NULL, '{');
	json_open(&json, "summary", '{');
	json_number(&json, "schema", SCHEMA_VERSION);
	json_totals(&json, totals);
	json_open(&json, "all", '{');
	json_group(&json, &s->all, true);
	json_close(&json, '}');
	json_histogram(&json, "handoff_ns", &s->handoff);
	json_number(&json, "unanswered", s->nr_unanswered);
	json_text(&json, "unanswered_longest", s->nr_unanswered ? s->unanswered_id : NULL);
	json_known(&json, "unanswered_since_ns", s->nr_unanswered, s->unanswered_since_ns);
	json_groups(&json, "labels", s->labels, s->nr_labels, true);
	json_groups(&json, "downstream", s->downstream, s->nr_downstream, false);
	facts_json(&json, account);
	json_close(&json, '}');
	json_close(&json, '}');
	json_end_line(&json);
}
