/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What writer and reader of a block both remember of the records so far, so that the writer need
 * not write what the reader can predict: a stream a (kind, tid, CONTEXT fields) with its last
 * record, the threads, the values of each TABLE field, the masks. Starts empty with each block that
 * stands alone. All of it is bounded: a writer begins such a block before a limit, a reader refuses
 * a block that goes beyond.
 */
#ifndef STANDSTILL_RECORDING_MODEL_H
#define STANDSTILL_RECORDING_MODEL_H

#include "user/recording/arena.h"
#include "user/recording/layout.h"
#include "user/recording/map.h"

#define MODEL_STREAMS_MAX 16384u
#define MODEL_VALUES_MAX  (1u << 18) /* of all tables and masks together */

struct model_thread {
	uint32_t tid;
	uint64_t count;	  /* of COUNT fields */
	uint64_t left_ns; /* an AHEAD field named it then */
	uint64_t came_ns; /* of its last record with a REST field; 0: none yet */
};

struct model_text {
	uint16_t nr;
	char bytes[];
};

#define MODEL_COMER                                                                                \
	1u /* index in the table of an AHEAD field: who came onto the CPU last, whoever that is */

/* The values of one field; entry 0 is 0, or the empty text. */
struct model_table {
	union {
		uint64_t *values;
		const struct model_text **texts;
	};
	uint32_t *threads;  /* AHEAD: index of the thread */
	uint64_t *partners; /* FOLLOW: by index of the leader's value */
	uint32_t nr, size, nr_partners;
};

struct model_stream {
	const struct layout_plan *plan;
	size_t kind; /* its row in the layout */
	uint32_t thread;
	uint64_t mask; /* of the last record */
	struct event_hdr *image;
	uint32_t *indices; /* of TABLE and AHEAD fields: which value the image has */
};

struct model_kind {
	uint64_t *masks;
	uint32_t nr_masks, masks_size;
	struct model_table *tables; /* one a field */
	struct model_stream *last;  /* the stream made last: what a new one starts as */
};

struct model {
	const struct layout *layout;
	struct model_kind *kinds;
	struct model_stream **streams;
	struct model_thread *threads;
	uint32_t nr_streams, streams_size, nr_threads, threads_size, nr_values;
	uint32_t *comers; /* by CPU: who came onto it last, a thread's index + 1, or 0 */
	uint32_t nr_comers, comers_size;
	struct map thread_map;
	struct arena arena;
};

/*
 * A REST field, a duration of @rest_ns up to @ts_ns, as what the thread did before it: it ran since
 * it came onto a CPU at @came_ns, which took far less time than it rests, and so fewer bits. Its
 * own inverse; wraps around where the two overlap. 0 for @came_ns: that is not known.
 */
static inline uint64_t rest_ran_ns(uint64_t rest_ns, uint64_t ts_ns, uint64_t came_ns)
{
	return came_ns ? ts_ns - rest_ns - came_ns : rest_ns;
}

int model_init(struct model *m, const struct layout *layout);
void model_reset(struct model *m);
void model_free(struct model *m);

/* A new stream for @tid, its image a copy of the kind's newest stream's. 0, -ENOMEM, or -ENOBUFS at
 * a limit. */
int model_add_stream(struct model *m, size_t kind, uint32_t tid, struct model_stream **ret);

/* Append to the table of @field in @kind. 0, -ENOMEM or -ENOBUFS. */
int model_add_value(struct model *m, size_t kind, size_t field, uint64_t value);
int model_add_text(struct model *m, size_t kind, size_t field, const void *text, size_t nr);
int model_add_mask(struct model *m, size_t kind, uint64_t mask);

/* The thread that came last onto @cpu, as index + 1, 0 when not known. NULL when out of memory. */
uint32_t *model_comer(struct model *m, uint16_t cpu);

/* Where a FOLLOW field of @stream keeps what it was for the leader's present value; NULL at a
 * limit. */
uint64_t *model_partner(struct model *m, const struct model_stream *stream, size_t field);

#endif
