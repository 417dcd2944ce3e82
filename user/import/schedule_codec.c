/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/base/cleanup.h"
#include "user/import/schedule_codec.h"

int schedule_codec_init(struct schedule_codec *c)
{
	*c = (struct schedule_codec){
		.connections = calloc(SCHEDULE_BLOCK_REQUESTS, sizeof(*c->connections)),
		.chains = calloc(SCHEDULE_BLOCK_REQUESTS, sizeof(*c->chains)),
		.of_request = calloc(SCHEDULE_BLOCK_REQUESTS, sizeof(*c->of_request)),
	};
	if (c->connections && c->chains && c->of_request)
		return 0;
	schedule_codec_free(c);
	return -ENOMEM;
}

void schedule_codec_free(struct schedule_codec *c)
{
	free(c->connections);
	free(c->chains);
	free(c->of_request);
	*c = (struct schedule_codec){0};
}

/*
 * A column is written and read by the same code: @value is what the request has, or gets. That both
 * directions predict alike is then no matter of care.
 */
struct column {
	struct buffer *classes; /* written, or NULL */
	struct bits_out *bits_out;
	struct schedule_codec *codec;
	struct cursor in; /* read */
	struct bits_in bits_in;
};

static uint64_t pass_number(struct column *c, uint64_t number)
{
	if (!c->classes)
		return number_get(&c->bits_in, cursor_byte(&c->in));
	buffer_byte(c->classes, number_put(c->bits_out, number));
	return number;
}

static void begin_column(struct column *c)
{
	if (c->classes && c->codec->nr_cuts < ARRAY_SIZE(c->codec->cuts))
		c->codec->cuts[c->codec->nr_cuts++] = c->classes->nr;
}

/* A number that may be unknown, told as its difference from @expected. */
static void pass(struct column *c, uint64_t *value, uint64_t expected)
{
	uint64_t number = *value == SCHEDULE_UNKNOWN ? 0 : zigzag(*value - expected) + 1;

	number = pass_number(c, number);
	*value = number ? unzigzag(number - 1) + expected : SCHEDULE_UNKNOWN;
	if (*value != SCHEDULE_UNKNOWN && *value > SCHEDULE_NUMBER_MAX)
		c->in.bad = true;
}

/* The same for a series in which differences repeat. */
struct series {
	uint64_t last, step;
};

static void pass_series(struct column *c, uint64_t *value, struct series *s)
{
	pass(c, value, s->last + s->step);
	if (*value == SCHEDULE_UNKNOWN)
		return;
	s->step = *value - s->last;
	s->last = *value;
}

static uint64_t or_zero(uint64_t number)
{
	return number == SCHEDULE_UNKNOWN ? 0 : number;
}

static void pass_times(struct column *c, struct schedule_request *requests, uint32_t nr)
{
	struct series intended = {0};
	uint64_t last = 0;

	begin_column(c);
	for (uint32_t i = 0; i < nr; i++)
		pass_series(c, &requests[i].intended_ns, &intended);
	begin_column(c);
	for (uint32_t i = 0; i < nr; i++)
		pass(c, &requests[i].conn_wait_ns, 0);
	begin_column(c);
	for (uint32_t i = 0; i < nr; i++) {
		struct schedule_request *r = &requests[i];

		pass(c, &r->sent_ns,
		     r->intended_ns == SCHEDULE_UNKNOWN
			     ? last
			     : r->intended_ns + or_zero(r->conn_wait_ns));
		if (r->sent_ns != SCHEDULE_UNKNOWN)
			last = r->sent_ns;
	}
	begin_column(c);
	for (uint32_t i = 0; i < nr; i++)
		pass(c, &requests[i].first_ns, or_zero(requests[i].sent_ns));
	begin_column(c);
	for (uint32_t i = 0; i < nr; i++) {
		struct schedule_request *r = &requests[i];

		pass(c, &r->received_ns,
		     r->first_ns == SCHEDULE_UNKNOWN ? or_zero(r->sent_ns) : r->first_ns);
	}
}

static void pass_range(struct column *c, uint64_t *from, uint64_t *to, uint64_t *at,
		       uint64_t *length)
{
	pass(c, from, *at);
	pass(c, to, or_zero(*from) + *length);
	if (*from == SCHEDULE_UNKNOWN || *to == SCHEDULE_UNKNOWN)
		return;
	*length = *to - *from;
	*at = *to;
}

static void pass_positions(struct schedule_codec *codec, struct column *c,
			   struct schedule_request *requests, uint32_t nr)
{
	uint64_t length = 0;

	begin_column(c);
	for (uint32_t i = 0; i < nr; i++) {
		struct codec_connection *conn = &codec->connections[codec->of_request[i]];

		pass_range(c, &requests[i].out_from, &requests[i].out_to, &conn->out_at, &length);
	}
	length = 0;
	begin_column(c);
	for (uint32_t i = 0; i < nr; i++) {
		struct codec_connection *conn = &codec->connections[codec->of_request[i]];

		pass_range(c, &requests[i].in_from, &requests[i].in_to, &conn->in_at, &length);
	}
}

static void pass_outcomes(struct column *c, struct schedule_request *requests, uint32_t nr)
{
	begin_column(c);
	for (uint32_t i = 0; i < nr; i++)
		requests[i].status = (uint16_t)pass_number(c, requests[i].status);
	begin_column(c);
	for (uint32_t i = 0; i < nr; i++)
		requests[i].failure = (uint8_t)pass_number(c, requests[i].failure);
	begin_column(c);
	for (uint32_t i = 0; i < nr; i++)
		requests[i].flags = (uint8_t)pass_number(c, requests[i].flags);
	begin_column(c);
	for (uint32_t i = 0; i < nr; i++)
		requests[i].label = (uint32_t)pass_number(c, requests[i].label);
}

static void pass_columns(struct schedule_codec *codec, struct column *c,
			 struct schedule_request *requests, uint32_t nr)
{
	struct series seq = {0};

	begin_column(c);
	for (uint32_t i = 0; i < nr; i++)
		pass_series(c, &requests[i].seq, &seq);
	pass_times(c, requests, nr);
	pass_positions(codec, c, requests, nr);
	pass_outcomes(c, requests, nr);
}

static uint32_t find_connection(struct schedule_codec *c, const struct schedule_request *r)
{
	uint64_t hash = r->conn * 0x9e3779b97f4a7c15ull >> 32;
	uint32_t *chain = &c->chains[hash % SCHEDULE_BLOCK_REQUESTS];
	struct codec_connection *conn;

	for (uint32_t i = *chain; i; i = c->connections[i - 1].next) {
		conn = &c->connections[i - 1];
		if (conn->conn == r->conn && conn->local == r->local && conn->peer == r->peer)
			return i - 1;
	}
	c->connections[c->nr_connections] = (struct codec_connection){
		.conn = r->conn,
		.local = r->local,
		.peer = r->peer,
		.out_at = or_zero(r->out_from),
		.in_at = or_zero(r->in_from),
		.next = *chain,
	};
	*chain = ++c->nr_connections;
	return c->nr_connections - 1;
}

static int by_seq(const void *a, const void *b)
{
	const struct schedule_request *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void sort(struct schedule_request *requests, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++) {
		if (requests[i - 1].seq > requests[i].seq) {
			qsort(requests, nr, sizeof(*requests), by_seq);
			return;
		}
	}
}

static void encode_connections(struct schedule_codec *c, struct buffer *out)
{
	uint64_t last = 0;

	buffer_varint(out, c->nr_connections);
	for (uint32_t i = 0; i < c->nr_connections; i++) {
		const struct codec_connection *conn = &c->connections[i];

		buffer_varint(out, zigzag(conn->conn - last));
		buffer_varint(out, conn->local);
		buffer_varint(out, conn->peer);
		buffer_varint(out, conn->out_at);
		buffer_varint(out, conn->in_at);
		last = conn->conn;
	}
}

void schedule_encode(struct schedule_codec *c, struct schedule_request *requests, uint32_t nr,
		     struct buffer *columns, struct bits_out *bits)
{
	struct column column = {.classes = columns, .bits_out = bits, .codec = c};

	sort(requests, nr);
	c->nr_connections = 0;
	memset(c->chains, 0, SCHEDULE_BLOCK_REQUESTS * sizeof(*c->chains));
	for (uint32_t i = 0; i < nr; i++)
		c->of_request[i] = find_connection(c, &requests[i]);
	encode_connections(c, columns);
	c->nr_cuts = 0;
	begin_column(&column);
	for (uint32_t i = 0; i < nr; i++)
		buffer_byte(columns, index_put(bits, c->of_request[i]));
	pass_columns(c, &column, requests, nr);
	bits_flush(bits);
}

static int decode_connections(struct schedule_codec *c, struct cursor *in, uint32_t nr_requests)
{
	uint64_t nr = cursor_varint(in), last = 0;

	if (in->bad || nr > nr_requests)
		return -EBADMSG;
	for (uint32_t i = 0; i < nr; i++) {
		struct codec_connection *conn = &c->connections[i];

		*conn = (struct codec_connection){.conn = last + unzigzag(cursor_varint(in))};
		conn->local = (uint16_t)cursor_varint(in);
		conn->peer = (uint16_t)cursor_varint(in);
		conn->out_at = cursor_varint(in);
		conn->in_at = cursor_varint(in);
		last = conn->conn;
	}
	c->nr_connections = (uint32_t)nr;
	return in->bad ? -EBADMSG : 0;
}

static int decode_indices(struct schedule_codec *c, struct column *column, uint32_t nr,
			  struct schedule_request *ret)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t index = index_get(&column->bits_in, cursor_byte(&column->in));

		if (index >= c->nr_connections)
			return -EBADMSG;
		c->of_request[i] = index;
		ret[i] = (struct schedule_request){
			.conn = c->connections[index].conn,
			.local = c->connections[index].local,
			.peer = c->connections[index].peer,
		};
	}
	return 0;
}

int schedule_decode(struct schedule_codec *c, const struct buffer *columns,
		    const struct buffer *bits, uint32_t nr, struct schedule_request *ret)
{
	struct column column = {
		.codec = c,
		.in = {.at = columns->data, .end = columns->data + columns->nr},
		.bits_in = {.data = bits->data, .nr = bits->nr * 8},
	};

	if (nr > SCHEDULE_BLOCK_REQUESTS || decode_connections(c, &column.in, nr) ||
	    decode_indices(c, &column, nr, ret))
		return -EBADMSG;
	pass_columns(c, &column, ret, nr);
	return column.in.bad || column.bits_in.bad || column.in.at != column.in.end ? -EBADMSG : 0;
}
