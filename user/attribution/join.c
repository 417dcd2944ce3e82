/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/attribution/join.h"
#include "user/attribution/join_pending.h"

#define READ_AHEAD_NS 1000000000ull /* a schedule's blocks may overlap in time by its threads */

struct source {
	struct schedule_reader *reader;
	struct schedule_request next; /* read, and not yet pending */
	bool has_next, ended;
};

struct join {
	struct source *sources;
	size_t nr_sources;
	struct join_options options;
	struct pending pending;
	struct join_tally tally;
	joined_fn *fn;
	void *arg;
};

const char *join_key_words(enum join_key key)
{
	static const char *const words[NR_JOIN_KEYS] = {
		[JOIN_NONE] = "unmatched",
		[JOIN_VALUE] = "by a value in a header",
		[JOIN_BYTES] = "by connection and bytes",
		[JOIN_TURN] = "among the bytes of one turn",
		[JOIN_TIME] = "nearest in time",
	};

	return words[key];
}

const char *join_reason_words(enum join_reason reason)
{
	static const char *const words[NR_JOIN_REASONS] = {
		[UNMATCHED_NONE] = "",
		[UNMATCHED_NOT_SENT] = "never sent",
		[UNMATCHED_BEFORE] = "sent before the recording began",
		[UNMATCHED_AFTER] = "not answered when the recording ended",
		[UNMATCHED_NO_POSITION] = "the schedule does not say on which connection",
		[UNMATCHED_CONNECTION] = "their connections are not in the recording",
		[UNMATCHED_BYTES] = "their bytes are not in the recording",
	};

	return words[reason];
}

int join_new(struct schedule_reader **schedules, const struct join_options *options, size_t nr,
	     joined_fn *fn, void *arg, struct join **ret)
{
	struct join *j = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	j->sources = calloc(nr ? nr : 1, sizeof(*j->sources));
	if (!j->sources) {
		free(j);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		j->sources[i].reader = schedules[i];
	j->nr_sources = nr;
	j->options = *options;
	j->fn = fn;
	j->arg = arg;
	*ret = j;
	return 0;
}

static void move_time(uint64_t *time_ns, int64_t offset_ns)
{
	if (*time_ns != SCHEDULE_UNKNOWN)
		*time_ns += (uint64_t)offset_ns;
}

static void to_recording_clock(struct schedule_request *r, int64_t offset_ns)
{
	move_time(&r->intended_ns, offset_ns);
	move_time(&r->sent_ns, offset_ns);
	move_time(&r->first_ns, offset_ns);
	move_time(&r->received_ns, offset_ns);
}

/* When it is known at the earliest that it was due: what it is read ahead by. */
static uint64_t due_ns(const struct schedule_request *r)
{
	return r->intended_ns != SCHEDULE_UNKNOWN ? r->intended_ns : r->sent_ns;
}

static int read_next(struct join *j, struct source *source)
{
	int got;

	if (source->has_next || source->ended)
		return 0;
	got = schedule_next(source->reader, &source->next);
	if (got < 0)
		return got;
	source->ended = got == 0;
	source->has_next = got > 0;
	if (got > 0)
		to_recording_clock(&source->next, j->options.offset_ns);
	return 0;
}

/* Make all entries pending that were due until @until_ns. 0 or -errno. */
static int read_until(struct join *j, uint64_t until_ns)
{
	for (size_t i = 0; i < j->nr_sources; i++) {
		struct source *source = &j->sources[i];
		int error = read_next(j, source);

		while (!error && source->has_next &&
		       (due_ns(&source->next) == SCHEDULE_UNKNOWN ||
			due_ns(&source->next) <= until_ns)) {
			j->tally.nr_entries++;
			error = pending_put(&j->pending, &source->next, (uint32_t)i,
					    schedule_key(source->reader));
			source->has_next = false;
			if (!error)
				error = read_next(j, source);
		}
		if (error)
			return error;
	}
	return 0;
}

/* Two clocks that differ by more than they may, or another request after all. */
static void check_order(struct join *j, const struct schedule_request *entry,
			const struct join_request *request)
{
	uint64_t error_ns = j->options.error_ns, worst_ns = 0;

	if (entry->sent_ns != SCHEDULE_UNKNOWN && entry->sent_ns > request->arrived_ns + error_ns)
		worst_ns = entry->sent_ns - request->arrived_ns;
	if (entry->received_ns != SCHEDULE_UNKNOWN &&
	    entry->received_ns + error_ns < request->answered_ns &&
	    request->answered_ns - entry->received_ns > worst_ns)
		worst_ns = request->answered_ns - entry->received_ns;
	j->tally.nr_impossible += worst_ns > 0;
	if (worst_ns > j->tally.worst_impossible_ns)
		j->tally.worst_impossible_ns = worst_ns;
}

static int match(struct join *j, struct pending_entry *entry, const struct join_request *request,
		 enum join_key key)
{
	struct joined joined = {
		.entry = &entry->request,
		.request = request->request,
		.schedule = entry->schedule,
		.key = key,
	};

	j->tally.nr_matched++;
	j->tally.by_key[key]++;
	check_order(j, &entry->request, request);
	pending_done(&j->pending, entry);
	return j->fn(j->arg, &joined);
}

/* An earlier connection had the same ports, and this entry is one of its. */
static bool of_an_earlier_life(const struct join *j, const struct schedule_request *entry,
			       const struct join_request *request)
{
	return entry->received_ns != SCHEDULE_UNKNOWN &&
	       entry->received_ns + j->options.error_ns < request->arrived_ns;
}

/* All entries of schedule @i whose bytes are within the request's. Returns their number or -errno.
 */
static int match_bytes(struct join *j, uint32_t i, const struct join_request *request)
{
	struct pending_connection *connection =
		pending_find(&j->pending, i, request->client_port, request->server_port);
	struct pending_entry *entry, *after;
	int nr = 0;

	if (!connection)
		return 0;
	connection->seen = true;
	for (entry = connection->first; entry && entry->request.out_from < request->to;
	     entry = after) {
		const struct schedule_request *r = &entry->request;
		bool whole = r->out_from == request->from && r->out_to == request->to;
		int error;

		after = entry->after;
		if (r->out_from < request->from || r->out_to > request->to ||
		    of_an_earlier_life(j, r, request))
			continue;
		error = match(j, entry, request, whole ? JOIN_BYTES : JOIN_TURN);
		if (error)
			return error;
		nr++;
	}
	return nr;
}

static bool can_be(const struct join *j, const struct schedule_request *entry,
		   const struct join_request *request)
{
	uint64_t error_ns = j->options.error_ns;

	return entry->sent_ns != SCHEDULE_UNKNOWN &&
	       entry->sent_ns <= request->arrived_ns + error_ns &&
	       (entry->received_ns == SCHEDULE_UNKNOWN ||
		entry->received_ns + error_ns >= request->answered_ns);
}

/* Of those without positions the one that was sent last before it arrived. Their number or -errno.
 */
static int match_time(struct join *j, const struct join_request *request)
{
	struct pending_entry *best = NULL;
	int nr = 0, error;

	for (struct pending_entry *entry = j->pending.unplaced.first; entry; entry = entry->after) {
		if (!can_be(j, &entry->request, request))
			continue;
		nr++;
		if (!best || entry->request.sent_ns > best->request.sent_ns)
			best = entry;
	}
	if (!best)
		return 0;
	j->tally.nr_ambiguous += nr > 1;
	error = match(j, best, request, JOIN_TIME);
	return error ? error : 1;
}

static enum join_reason why_alone(const struct join *j, const struct pending_entry *entry,
				  uint64_t to_ns)
{
	const struct schedule_request *r = &entry->request;
	bool failed_to_connect = r->failure == FAILURE_REFUSED || r->failure == FAILURE_CONNECT;

	if (r->sent_ns == SCHEDULE_UNKNOWN || r->flags & SCHEDULE_SKIPPED || failed_to_connect)
		return UNMATCHED_NOT_SENT;
	if (r->sent_ns < j->options.from_ns)
		return UNMATCHED_BEFORE;
	if (r->received_ns == SCHEDULE_UNKNOWN ? r->sent_ns > to_ns : r->received_ns > to_ns)
		return UNMATCHED_AFTER;
	if (!pending_has_position(r))
		return UNMATCHED_NO_POSITION;
	return entry->connection->seen ? UNMATCHED_BYTES : UNMATCHED_CONNECTION;
}

static int give_up_oldest(struct join *j, uint64_t to_ns)
{
	struct pending_entry *entry = j->pending.oldest;
	struct joined joined = {
		.entry = &entry->request,
		.schedule = entry->schedule,
		.reason = why_alone(j, entry, to_ns),
	};
	int error;

	j->tally.unmatched[joined.reason]++;
	error = j->fn(j->arg, &joined);
	pending_drop_oldest(&j->pending);
	return error;
}

/* When its request must have been seen by, if ever. */
static uint64_t patience_ends_ns(const struct schedule_request *r)
{
	uint64_t last_ns = r->received_ns != SCHEDULE_UNKNOWN ? r->received_ns
			   : r->sent_ns != SCHEDULE_UNKNOWN   ? r->sent_ns + 60000000000ull
							      : due_ns(r);

	return last_ns == SCHEDULE_UNKNOWN ? 0 : last_ns + JOIN_PATIENCE_NS;
}

static int give_up_until(struct join *j, uint64_t now_ns)
{
	struct pending_entry *oldest;
	int error = 0;

	while (!error && (oldest = pending_oldest(&j->pending)) &&
	       patience_ends_ns(&oldest->request) < now_ns)
		error = give_up_oldest(j, UINT64_MAX);
	return error;
}

static int match_any(struct join *j, const struct join_request *request)
{
	struct pending_entry *valued = pending_valued(&j->pending, request->key);
	int nr = 0;

	if (valued) {
		int error = match(j, valued, request, JOIN_VALUE);

		return error ? error : 1;
	}
	for (uint32_t i = 0; nr == 0 && i < j->nr_sources; i++)
		nr = match_bytes(j, i, request);
	return nr ? nr : match_time(j, request);
}

int join_request(struct join *j, const struct join_request *request)
{
	struct joined alone = {.request = request->request};
	int nr, error = read_until(j, request->answered_ns + j->options.error_ns + READ_AHEAD_NS);

	if (error)
		return error;
	j->tally.nr_requests++;
	nr = match_any(j, request);
	if (nr < 0)
		return nr;
	if (nr == 0) {
		j->tally.nr_requests_alone++;
		error = j->fn(j->arg, &alone);
	}
	return error ? error : give_up_until(j, request->arrived_ns);
}

int join_end(struct join *j, uint64_t to_ns)
{
	int error = read_until(j, UINT64_MAX);

	while (!error && pending_oldest(&j->pending))
		error = give_up_oldest(j, to_ns);
	return error;
}

const struct join_tally *join_tally(const struct join *j)
{
	return &j->tally;
}

void join_free(struct join *j)
{
	if (!j)
		return;
	pending_free(&j->pending);
	for (size_t i = 0; i < j->nr_sources; i++)
		schedule_reader_free(j->sources[i].reader);
	free(j->sources);
	free(j);
}
