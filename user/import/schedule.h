/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A schedule: what a load generator planned, sent and got, one request at a time. In: a file,
 * binary or CSV, of a pipe too. Out: checked requests, in the order of the file, and what the file
 * says about itself. Streams: memory is bounded by a block and by the limits below, whatever the
 * file holds; a file that was cut off reads to its last whole block or line. docs/schedule.md has
 * both forms. Knows nothing of who wrote it.
 */
#ifndef STANDSTILL_IMPORT_SCHEDULE_H
#define STANDSTILL_IMPORT_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_UNKNOWN    UINT64_MAX /* of any number below: not known. 0 is a value */
#define SCHEDULE_NUMBER_MAX ((1ull << 62) - 1)

enum schedule_failure { /* append only: the numbers are in files */
			FAILURE_NONE = 0,
			FAILURE_REFUSED = 1, /* nobody listens there */
			FAILURE_RESET = 2,   /* the connection was closed or reset before the first
						byte of the answer */
			FAILURE_TIMEOUT = 3, /* no whole answer within the time allowed, counted
						from the intended send */
			FAILURE_STATUS = 4,  /* a whole answer, but its status is not 2xx */
			FAILURE_SHORT = 5,   /* the connection ended in the midst of the answer */
			FAILURE_MALFORMED = 6, /* the answer is no answer in this protocol */
			FAILURE_CONNECT = 7,   /* no connection for another reason than refusal */
			FAILURE_CUT = 8,   /* the run ended, or the generator was killed, before the
					      answer */
			FAILURE_OTHER = 9, /* failed, and the file does not say how */
			NR_SCHEDULE_FAILURES,
};

enum schedule_flag {
	SCHEDULE_INTENDED_RECONSTRUCTED = 1 << 0, /* S */
	SCHEDULE_SENT_ESTIMATED = 1 << 1,	  /* A */
	SCHEDULE_RECEIVED_ESTIMATED = 1 << 2,	  /* R */
	SCHEDULE_SKIPPED = 1 << 3,		  /* K: dropped by the generator, never sent */
	SCHEDULE_FAILED = 1 << 4,		  /* F */
	SCHEDULE_AGGREGATE = 1 << 5,		  /* T: a transaction, not a request */
	SCHEDULE_QUANTISED = 1 << 6,		  /* Q: stamps of 1 ms or coarser */
	SCHEDULE_DUPLICATE = 1 << 7,		  /* D */
};

/* Times are ns of the clock that the schedule names. Byte positions count from the connection's
 * first byte, half-open. */
struct schedule_request {
	uint64_t seq;
	uint64_t conn; /* the same for requests of one connection; never used again for another */
	uint64_t intended_ns;
	uint64_t sent_ns;      /* just before the write */
	uint64_t first_ns;     /* the first byte of the answer has been read */
	uint64_t received_ns;  /* the last byte of the answer has been read; unknown: there was no
				  whole answer */
	uint64_t conn_wait_ns; /* after intended_ns until a connection was free */
	uint64_t out_from, out_to; /* its bytes */
	uint64_t in_from, in_to;   /* its answer's bytes */
	uint32_t label;		   /* schedule_label(); 0: none */
	uint16_t status;	   /* of HTTP; 0: unknown */
	uint16_t local, peer;	   /* ports; 0: unknown */
	uint8_t failure;	   /* enum schedule_failure */
	uint8_t flags;		   /* enum schedule_flag */
};

const char *schedule_failure_name(unsigned int failure); /* "none", "refused", ..., or NULL */

struct schedule_anchor {
	uint64_t realtime_ns, monotonic_ns, width_ns;
};

#define SCHEDULE_LABELS_MAX  4096
#define SCHEDULE_ANCHORS_MAX 100000
#define SCHEDULE_META_MAX    256
#define SCHEDULE_LINE_MAX    65536

struct schedule_reader;

/* Open @path ("-": standard input). Returns 0, or -errno; -EBADMSG when it is no schedule,
 * -EPROTONOSUPPORT when it is one of a newer format. */
int schedule_open(const char *path, struct schedule_reader **ret);

/* The next request. 1, 0 at the end, or -errno. What is damaged is passed over and counted. */
int schedule_next(struct schedule_reader *r, struct schedule_request *ret);

/* What "#KEY=VALUE" says, of the lines read so far ("clock", "arrival", "planner", "start_ns",
 * ...); NULL: nothing. */
const char *schedule_meta(const struct schedule_reader *r, const char *key);

/* The same as a number; SCHEDULE_UNKNOWN when it is none. */
uint64_t schedule_meta_number(const struct schedule_reader *r, const char *key);

/* The i-th meta line without its '#', or NULL. */
const char *schedule_meta_line(const struct schedule_reader *r, size_t i);

const char *schedule_label(const struct schedule_reader *r,
			   uint32_t label); /* "" when there is none */

/* The key column of the last request of schedule_next(); "" when there is none (always in the
 * binary form). */
const char *schedule_key(const struct schedule_reader *r);

size_t schedule_nr_anchors(const struct schedule_reader *r); /* read so far */
const struct schedule_anchor *schedule_anchor(const struct schedule_reader *r, size_t i);

struct schedule_health {
	bool binary;
	bool complete; /* it says that its writer ended in an orderly way */
	uint64_t nr_requests;
	uint64_t nr_bad; /* damaged blocks (binary) or lines that are no request (CSV): passed over
			  */
	uint64_t first_bad_line; /* CSV: the first of them; 0: none */
	const char *why_bad;	 /* CSV: what is wrong with it */
	uint64_t nr_missing;	 /* binary: requests in blocks that are damaged, as their neighbours
				    tell */
	uint64_t nr_skipped_bytes;
};
void schedule_health(const struct schedule_reader *r, struct schedule_health *ret);

void schedule_reader_free(struct schedule_reader *r);

#endif
