/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One request: when its bytes and those of its answer passed each step, and who moved them. Made of
 * a turn and the points of its connection, and of its other end where that is recorded. Knows no
 * pauses and no threads but by their numbers.
 */
#ifndef STANDSTILL_TIMELINE_REQUEST_H
#define STANDSTILL_TIMELINE_REQUEST_H

#include "user/timeline/connections.h"

enum request_kind {
	REQUEST_SERVED, /* of a connection that a recorded process accepted */
	REQUEST_SENT, /* by a recorded client, to a server that is not recorded: nothing is known of
			 the time between */
	REQUEST_DOWNSTREAM, /* by a recorded server, to somebody not recorded */
	NR_REQUEST_KINDS
};

enum request_state {
	REQUEST_WHOLE,
	REQUEST_CUT_BEGIN, /* had begun before the recording did */
	REQUEST_CUT_END,   /* was not answered when the recording ended */
	REQUEST_LOST,	   /* a step is missing, and records were lost meanwhile */
	REQUEST_RESET,	   /* the connection was reset, or failed, before an answer */
	REQUEST_CLOSED,	   /* the connection was closed before an answer */
	REQUEST_SILENT,	   /* the next request was read, and nothing written in between */
	REQUEST_UNSEEN,	   /* a step is missing, and nothing says why */
	NR_REQUEST_STATES
};

enum request_flag {
	REQUEST_START_SEEN = 1 << 0,  /* first_out_ns is the begin of the write, not its end */
	REQUEST_LOCKED = 1 << 1,      /* it may have arrived a little earlier */
	REQUEST_SHARED_READ = 1 << 2, /* one read took bytes of another request, too */
	REQUEST_SHARED_WRITE =
		1 << 3,		  /* several answers in one write: their borders are not known */
	REQUEST_ASSUMED = 1 << 4, /* several writes were dealt out evenly to several requests */
	REQUEST_HTTP = 1 << 5,	  /* told apart by its HTTP head */
	REQUEST_WINDOW = 1 << 6,  /* held: the peer took no more */
	REQUEST_HELD_UNSURE = 1 << 7, /* bytes were held back, until when was not seen */
	REQUEST_RETRANSMIT = 1 << 8,
	REQUEST_LOSS = 1 << 9,		 /* records were lost while it lasted */
	REQUEST_BOTH = 1 << 10,		 /* the client's side is recorded, too */
	REQUEST_UNSURE = 1 << 11,	 /* a position was read while another CPU changed it */
	REQUEST_CROSSED = 1 << 12,	 /* two of its times are the wrong way round */
	REQUEST_PAUSES_UNSURE = 1 << 13, /* too long ago: pauses are missing */
	REQUEST_WRITE_LATE = 1 << 14,	 /* received before the last write had returned: last_out_ns
					    is received_ns, the latest that it can be */
};

enum request_span { /* each begins where the one before ended; they add up to the response time */
		    SPAN_ARRIVING, /* first to last byte at the server; with the client: sent to
				    *last byte, network* */
		    SPAN_SOCKET_WAIT,
		    SPAN_SERVICE,
		    SPAN_WRITE,
		    SPAN_HELD,
		    SPAN_RETURN, /* with the client only */
		    NR_REQUEST_SPANS
};

struct request {
	enum request_kind kind;
	enum request_state state;
	uint32_t flags; /* enum request_flag */
	struct event_conn conn;
	uint64_t in_from, in_to, out_from, out_to;

	/* 0: not known */
	uint64_t sent_ns; /* the client began to write it */
	uint64_t first_arrival_ns, arrived_ns;
	uint64_t first_read_ns, read_ns; /* of its first, its last byte */
	uint64_t first_out_ns, last_out_ns;
	uint64_t last_out_start_ns; /* the write of its last byte began; its end where not seen */
	uint64_t
		released_ns; /* its last byte left; later than last_out_ns only where it was held */
	uint64_t received_ns; /* the client read the last byte */
	uint32_t sender_tid, first_reader_tid, reader_tid, answerer_tid, last_answerer_tid,
		receiver_tid;
	uint32_t client_tgid;
	uint64_t queue_conn, queue_listener;

	bool has_spans;		   /* all of them */
	uint64_t begin_ns, end_ns; /* response time; as far as known when there are no spans */
	int64_t span_ns[NR_REQUEST_SPANS]; /* negative where two stamps crossed; they add up to
					      end_ns - begin_ns */
	uint64_t crossed_ns;		   /* the largest of those */

	uint64_t reader_until_ns, answerer_since_ns; /* serving.h; 0: not known */
	bool has_handoff;
	uint64_t handoff_ns; /* of the service, no thread's */

	struct { /* of its process, in [begin_ns, end_ns) */
		uint64_t nr, ns, longest_nr, longest_ns;
		char operation[EVENT_NAME_BYTES], cause[EVENT_CAUSE_BYTES]; /* of the longest */
	} pauses;

	char method[RECORD_METHOD_BYTES + 1];
	char path[RECORD_PATH_BYTES + 1];
	char key[RECORD_HTTP_KEY_BYTES + 1];
};

const char *request_span_name(const struct request *request, enum request_span span);
const char *request_state_name(enum request_state state);
const char *request_kind_name(enum request_kind kind);

/* The steps of @c->current, or of the bytes [@in_from, @in_to) of it, answered by the bytes
 * (@out_from, @out_to], as far as @c alone tells. */
struct request_bytes {
	uint64_t in_from, in_to, out_from, out_to;
};
void request_of_accepted(const struct connection *c, const struct request_bytes *bytes,
			 struct request *ret);
void request_of_connected(const struct connection *c, struct request *ret);

/*
 * The last byte leaves while its write lasts, and a write is stamped when it returns: the thread
 * may be preempted in between, and the peer have it long before. So a client that received it
 * within that write contradicts nothing: the byte had left by then. True: take @received_ns for
 * last_out_ns, and for released_ns where nothing was held (it equals last_out_ns). Received before
 * that write began is a contradiction.
 */
bool request_write_is_late(const struct request *request, uint64_t received_ns);

/* What the other end of the connection tells. */
void request_add_client(struct request *request, const struct connection *client);

/* All is known that will be: response time and spans, and what became of it. */
void request_finish(struct request *request, const struct connection *c, bool ended);

#endif
