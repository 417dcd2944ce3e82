/* SPDX-License-Identifier: BSD-2-Clause */
/* A request of ten spans of 100 ns from 1000 on, each with its thread on a CPU, and one thing
 * different a row. docs/attribution.md has the rule of each. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <string.h>

#include "user/attribution/split.h"
#include "user/base/cleanup.h"

#define NR_LIST	    6
#define NR_SEGMENTS 8

enum thread { SENDER = 21, READER = 11, ANSWERER = 12, RECEIVER = 22 };

struct one { /* a cause in [from, to) of a request; in a list of conditions, of a thread */
	uint64_t from_ns, to_ns;
	enum cause cause;
	uint64_t pause_nr;
};

struct row {
	const char *why;
	enum boundary unknown[3]; /* AT_INTENDED stands for none */
	bool nobody;		  /* neither reader nor answerer are known */
	uint64_t until_ns, since_ns, connection_wait_ns;
	struct one sender[NR_LIST], reader[NR_LIST], answerer[NR_LIST], receiver[NR_LIST];
	struct one pauses[NR_LIST], losses[NR_LIST], at_work[NR_LIST], previous[NR_LIST];
	uint64_t backlog_ns[NR_BACKLOGS];
	bool replayed;
	struct one from, to; /* what is compared lies in [from.from_ns, to.to_ns); 0: all */
	struct one want[NR_SEGMENTS];
};

struct lists {
	struct condition of[8][NR_LIST];
	size_t nr;
};

static struct conditions list(struct lists *lists, const struct one ones[NR_LIST])
{
	struct condition *at = lists->of[lists->nr++];
	size_t nr = 0;

	for (; nr < NR_LIST && ones[nr].to_ns; nr++)
		at[nr] = (struct condition){.from_ns = ones[nr].from_ns,
					    .to_ns = ones[nr].to_ns,
					    .pause_nr = ones[nr].pause_nr,
					    .cause = ones[nr].cause};
	return (struct conditions){at, nr};
}

static void make(const struct row *row, struct lists *lists, struct split_request *ret)
{
	*ret = (struct split_request){
		.at_ns = {1000, 1100, 1200, 1300, 1400, 1700, 1800, 1900, 2000},
		.reader_until_ns = row->until_ns,
		.answerer_since_ns = row->since_ns,
		.connection_wait_ns = row->connection_wait_ns,
		.sender = {SENDER, list(lists, row->sender)},
		.reader = {row->nobody ? 0 : READER, list(lists, row->reader)},
		.answerer = {row->nobody ? 0 : ANSWERER, list(lists, row->answerer)},
		.receiver = {RECEIVER, list(lists, row->receiver)},
		.pauses = list(lists, row->pauses),
		.losses = list(lists, row->losses),
		.reader_at_work = list(lists, row->at_work),
		.previous = list(lists, row->previous),
	};
	ret->last_answerer = ret->answerer;
	ret->answerer_at_work = ret->reader_at_work;
	memcpy(ret->wait.ns, row->backlog_ns, sizeof(ret->wait.ns));
	ret->wait.replayed = row->replayed;
	ret->connection = ret->hand_off = ret->wait;
	for (size_t i = 0; i < ARRAY_SIZE(row->unknown); i++)
		if (row->unknown[i])
			ret->at_ns[row->unknown[i]] = 0;
}

#define CPU(...)                                                                                   \
	{                                                                                          \
		{1000, 2000, CAUSE_ON_CPU, 0}, __VA_ARGS__                                         \
	}
#define WITHIN(a, b) .from = {.from_ns = (a)}, .to = {.to_ns = (b)}
#define BACKLOG(of)  [(of)-CAUSE_BACKLOG_PAUSE]

static const struct one on_cpu[NR_LIST] = {{1000, 2000, CAUSE_ON_CPU, 0}};

static struct row rows[] = {
	{.why = "each span is of the thread that matters in it",
	 .until_ns = 1500,
	 .since_ns = 1600,
	 .want = {{1000, 1100, CAUSE_GENERATOR, 0},
		  {1100, 1200, CAUSE_NETWORK, 0},
		  {1200, 1300, CAUSE_BODY_NOT_SENT, 0},
		  {1300, 1500, CAUSE_ON_CPU, 0},
		  {1500, 1800, CAUSE_ON_CPU, 0},
		  {1800, 1900, CAUSE_HELD, 0},
		  {1900, 2000, CAUSE_GENERATOR, 0}}},
	{.why = "between reader and answerer nobody is named when either end is not known",
	 .until_ns = 1500,
	 WITHIN(1400, 1800),
	 .want = {{1400, 1500, CAUSE_ON_CPU, 0},
		  {1500, 1700, CAUSE_NO_THREAD, 0},
		  {1700, 1800, CAUSE_ON_CPU, 0}}},
	{.why = "where reader and answerer overlap it is the reader's",
	 .until_ns = 1650,
	 .since_ns = 1450,
	 WITHIN(1400, 1700),
	 .want = {{1400, 1650, CAUSE_ON_CPU, 0}, {1650, 1700, CAUSE_ON_CPU, 0}}},
	{.why = "several pauses in one request, two of them touching",
	 .until_ns = 1700,
	 .since_ns = 1700,
	 .reader = {{1000, 1410, CAUSE_ON_CPU, 0},
		    {1410, 1450, CAUSE_PAUSE, 3},
		    {1450, 1460, CAUSE_PAUSE, 4},
		    {1460, 1500, CAUSE_ON_CPU, 0},
		    {1500, 1600, CAUSE_PAUSE_THROTTLED, 5},
		    {1600, 2000, CAUSE_ON_CPU, 0}},
	 WITHIN(1400, 1700),
	 .want = {{1400, 1410, CAUSE_ON_CPU, 0},
		  {1410, 1450, CAUSE_PAUSE, 3},
		  {1450, 1460, CAUSE_PAUSE, 4},
		  {1460, 1500, CAUSE_ON_CPU, 0},
		  {1500, 1600, CAUSE_PAUSE_THROTTLED, 5},
		  {1600, 1700, CAUSE_ON_CPU, 0}}},
	{.why = "one pause longer than the request, which never holds on the wire",
	 .until_ns = 1700,
	 .since_ns = 1700,
	 .reader = {{500, 2500, CAUSE_PAUSE, 3}},
	 .answerer = {{500, 2500, CAUSE_PAUSE, 3}},
	 .pauses = {{500, 2500, CAUSE_PAUSE, 3}},
	 WITHIN(1100, 1900),
	 .want = {{1100, 1200, CAUSE_NETWORK, 0},
		  {1200, 1300, CAUSE_BODY_NOT_SENT, 0},
		  {1300, 1700, CAUSE_PAUSE, 3},
		  {1700, 1800, CAUSE_PAUSE, 3},
		  {1800, 1900, CAUSE_HELD, 0}}},
	{.why = "a pause of the server does not hold for a generator of its own",
	 .pauses = {{500, 2500, CAUSE_PAUSE, 3}},
	 WITHIN(1000, 1100),
	 .want = {{1000, 1100, CAUSE_GENERATOR, 0}}},
	{.why = "a pause of the generator's process holds for its threads",
	 .sender = {{1000, 1040, CAUSE_PAUSE, 3}, {1040, 1100, CAUSE_SLEEPING, 0}},
	 .receiver = {{1900, 1950, CAUSE_PARKED, 0}, {1950, 1980, CAUSE_STOPPED, 0}},
	 .until_ns = 1700,
	 .since_ns = 1700,
	 .want = {{1000, 1040, CAUSE_PAUSE, 3},
		  {1040, 1100, CAUSE_GENERATOR, 0},
		  {1100, 1200, CAUSE_NETWORK, 0},
		  {1200, 1300, CAUSE_BODY_NOT_SENT, 0},
		  {1300, 1700, CAUSE_ON_CPU, 0},
		  {1700, 1800, CAUSE_ON_CPU, 0},
		  {1800, 1900, CAUSE_HELD, 0}}},
	{.why = "of a client's thread only the run queue is told",
	 .receiver = {{1900, 1940, CAUSE_RUN_QUEUE_OTHERS, 0}, {1940, 1990, CAUSE_PARKED, 0}},
	 WITHIN(1900, 2000),
	 .want = {{1900, 1940, CAUSE_RUN_QUEUE_OTHERS, 0}, {1940, 2000, CAUSE_NETWORK, 0}}},
	{.why = "no thread known: the pauses of the process hold, else nobody is blamed",
	 .nobody = true,
	 .pauses = {{1350, 1450, CAUSE_PAUSE, 3}},
	 WITHIN(1300, 1800),
	 .want = {{1300, 1350, CAUSE_NO_THREAD, 0},
		  {1350, 1450, CAUSE_PAUSE, 3},
		  {1450, 1800, CAUSE_NO_THREAD, 0}}},
	{.why = "a thread of which nothing is known there: unknown, but for its process's pauses",
	 .until_ns = 1700,
	 .since_ns = 1700,
	 .reader = {{1000, 1450, CAUSE_ON_CPU, 0}, {1600, 2000, CAUSE_ON_CPU, 0}},
	 .pauses = {{1350, 1500, CAUSE_PAUSE, 3}},
	 WITHIN(1400, 1700),
	 .want = {{1400, 1450, CAUSE_ON_CPU, 0},
		  {1450, 1500, CAUSE_PAUSE, 3},
		  {1500, 1600, CAUSE_UNKNOWN, 0},
		  {1600, 1700, CAUSE_ON_CPU, 0}}},
	{.why = "what was lost goes before all else",
	 .until_ns = 1700,
	 .since_ns = 1700,
	 .reader = {{1000, 1500, CAUSE_ON_CPU, 0}, {1500, 1600, CAUSE_PAUSE, 3}},
	 .losses = {{900, 1050, 0, 0}, {1150, 1160, 0, 0}, {1550, 1750, 0, 0}},
	 .want = {{1000, 1050, CAUSE_LOST, 0},
		  {1050, 1100, CAUSE_GENERATOR, 0},
		  {1100, 1150, CAUSE_NETWORK, 0},
		  {1150, 1160, CAUSE_LOST, 0},
		  {1160, 1200, CAUSE_NETWORK, 0},
		  {1200, 1300, CAUSE_BODY_NOT_SENT, 0},
		  {1300, 1500, CAUSE_ON_CPU, 0},
		  {1500, 1550, CAUSE_PAUSE, 3}}},
	{.why = "backlog without a replay is the load's",
	 .at_work = {{1000, 1380, 0, 0}},
	 WITHIN(1300, 1400),
	 .want = {{1300, 1380, CAUSE_BACKLOG_LOAD, 0}, {1380, 1400, CAUSE_ON_CPU, 0}}},
	{.why = "backlog in the order of blame, first in time, and the pause it is of",
	 .at_work = {{1000, 1400, 0, 0}},
	 .pauses = {{700, 800, CAUSE_PAUSE, 2}, {1000, 1250, CAUSE_PAUSE, 3}},
	 .replayed = true,
	 .backlog_ns = {BACKLOG(CAUSE_BACKLOG_PAUSE) = 30, BACKLOG(CAUSE_BACKLOG_LOCK) = 20},
	 WITHIN(1300, 1400),
	 .want = {{1300, 1330, CAUSE_BACKLOG_PAUSE, 3},
		  {1330, 1350, CAUSE_BACKLOG_LOCK, 0},
		  {1350, 1400, CAUSE_BACKLOG_LOAD, 0}}},
	{.why = "what a pause stopped itself is not its backlog once more",
	 .reader = {{1000, 1310, CAUSE_ON_CPU, 0},
		    {1310, 1350, CAUSE_PAUSE, 3},
		    {1350, 2000, CAUSE_ON_CPU, 0}},
	 .at_work = {{1000, 1400, 0, 0}},
	 .pauses = {{1310, 1350, CAUSE_PAUSE, 3}},
	 .replayed = true,
	 .backlog_ns = {BACKLOG(CAUSE_BACKLOG_PAUSE) = 60},
	 WITHIN(1300, 1400),
	 .want = {{1300, 1310, CAUSE_BACKLOG_PAUSE, 0},
		  {1310, 1350, CAUSE_PAUSE, 3},
		  {1350, 1360, CAUSE_BACKLOG_PAUSE, 3},
		  {1360, 1400, CAUSE_BACKLOG_LOAD, 0}}},
	{.why = "a replay that says more than there was fills it and no more",
	 .at_work = {{1000, 1400, 0, 0}},
	 .replayed = true,
	 .backlog_ns = {BACKLOG(CAUSE_BACKLOG_STOPPED) = 500},
	 WITHIN(1300, 1400),
	 .want = {{1300, 1400, CAUSE_BACKLOG_STOPPED, 0}}},
	{.why = "an idle thread waits for no lock; one at work on another request does",
	 .reader = {{1000, 1320, CAUSE_LOCK, 0}, {1320, 2000, CAUSE_LOCK, 0}},
	 .until_ns = 1700,
	 .since_ns = 1700,
	 WITHIN(1300, 1700),
	 .want = {{1300, 1400, CAUSE_PARKED, 0}, {1400, 1700, CAUSE_LOCK, 0}}},
	{.why = "a connection that is busy with the request before: as that one was, else its "
		"backlog",
	 .connection_wait_ns = 80,
	 .previous = {{900, 1020, CAUSE_THROTTLED, 0},
		      {1020, 1050, CAUSE_ON_CPU, 0},
		      {1050, 1060, CAUSE_PAUSE, 7}},
	 .replayed = true,
	 .backlog_ns = {BACKLOG(CAUSE_BACKLOG_DOWNSTREAM) = 10},
	 WITHIN(1000, 1100),
	 .want = {{1000, 1020, CAUSE_THROTTLED, 0},
		  {1020, 1030, CAUSE_BACKLOG_DOWNSTREAM, 0},
		  {1030, 1050, CAUSE_BACKLOG_LOAD, 0},
		  {1050, 1060, CAUSE_PAUSE, 7},
		  {1060, 1080, CAUSE_CONNECTION_WAIT, 0},
		  {1080, 1100, CAUSE_GENERATOR, 0}}},
	{.why = "a connection wait longer than the send delay is all of it",
	 .connection_wait_ns = 5000,
	 WITHIN(1000, 1200),
	 .want = {{1000, 1100, CAUSE_CONNECTION_WAIT, 0}, {1100, 1200, CAUSE_NETWORK, 0}}},
	{.why = "a step inside the server that was not seen has no thread",
	 .unknown = {AT_READ},
	 .pauses = {{1350, 1450, CAUSE_PAUSE, 3}},
	 WITHIN(1200, 1800),
	 .want = {{1200, 1300, CAUSE_BODY_NOT_SENT, 0},
		  {1300, 1350, CAUSE_NO_THREAD, 0},
		  {1350, 1450, CAUSE_PAUSE, 3},
		  {1450, 1700, CAUSE_NO_THREAD, 0},
		  {1700, 1800, CAUSE_ON_CPU, 0}}},
	{.why = "a step that was not seen elsewhere leaves unknown what lies around it",
	 .unknown = {AT_SENT, AT_FIRST_ARRIVAL},
	 .pauses = {{1050, 1250, CAUSE_PAUSE, 3}},
	 WITHIN(1000, 1400),
	 .want = {{1000, 1300, CAUSE_UNKNOWN, 0}, {1300, 1400, CAUSE_ON_CPU, 0}}},
	{.why = "begun before the recording: what it is told of begins at its first boundary",
	 .unknown = {AT_SENT, AT_FIRST_ARRIVAL, AT_ARRIVED},
	 .losses = {{900, 1200, 0, 0}},
	 WITHIN(1000, 1700),
	 .want = {{1000, 1200, CAUSE_LOST, 0},
		  {1200, 1400, CAUSE_UNKNOWN, 0},
		  {1400, 1700, CAUSE_NO_THREAD, 0}}},
	{.why = "cut off by the end of the recording: it ends at its last boundary",
	 .unknown = {AT_LAST_OUT, AT_RELEASED, AT_RECEIVED},
	 .until_ns = 1700,
	 .since_ns = 1700,
	 WITHIN(1200, 1700),
	 .want = {{1200, 1300, CAUSE_BODY_NOT_SENT, 0}, {1300, 1700, CAUSE_ON_CPU, 0}}},
};

static void fill(struct one ones[NR_LIST])
{
	if (!ones[0].to_ns)
		memcpy(ones, on_cpu, sizeof(on_cpu));
}

static bool shows(const struct row *row, const struct split_result *result)
{
	size_t at = 0;

	for (size_t i = 0; i < result->nr; i++) {
		const struct segment *s = &result->segments[i];
		const struct one *want = &row->want[at];

		if (s->to_ns <= row->from.from_ns || (row->to.to_ns && s->from_ns >= row->to.to_ns))
			continue;
		if (at == NR_SEGMENTS || !want->to_ns)
			return at == NR_SEGMENTS || !row->to.to_ns;
		if ((s->from_ns > row->from.from_ns && s->from_ns != want->from_ns) ||
		    ((!row->to.to_ns || s->to_ns < row->to.to_ns) && s->to_ns != want->to_ns) ||
		    s->cause != want->cause || s->pause_nr != want->pause_nr)
			return false;
		at++;
	}
	return at == NR_SEGMENTS || !row->want[at].to_ns;
}

static void tell(const struct split_result *result)
{
	for (size_t i = 0; i < result->nr; i++)
		cr_log_info("%lu..%lu %s tid %u pause %lu", result->segments[i].from_ns,
			    result->segments[i].to_ns, cause_name(result->segments[i].cause),
			    result->segments[i].tid, result->segments[i].pause_nr);
}

ParameterizedTestParameters(split, the_first_cause_that_holds)
{
	return cr_make_param_array(struct row, rows, ARRAY_SIZE(rows));
}

ParameterizedTest(struct row *row, split, the_first_cause_that_holds)
{
	struct lists lists = {0};
	struct split_request request;
	struct split_result result = {0};

	fill(row->sender);
	fill(row->reader);
	fill(row->answerer);
	fill(row->receiver);
	make(row, &lists, &request);
	cr_assert(eq(int, split_request(&request, &result), 0));
	cr_expect(eq(u64, split_total_ns(&result.split), result.end_ns - result.begin_ns));
	if (!shows(row, &result)) {
		tell(&result);
		cr_expect(0, "%s", row->why);
	}
	split_free(&result);
}

Test(split, its_pause_is_the_one_with_the_largest_part_direct_and_through_backlog)
{
	struct row row = rows[0];
	struct lists lists = {0};
	struct split_request request;
	struct split_result result = {0};
	const struct condition pauses[] = {{1000, 1310, 3, CAUSE_PAUSE, false},
					   {1410, 1450, 4, CAUSE_PAUSE, false}},
			       at_work = {1300, 1400, 0, 0, false};

	make(&row, &lists, &request);
	request.reader.conditions = request.pauses = (struct conditions){pauses, 2};
	request.reader_at_work = (struct conditions){&at_work, 1};
	request.wait = (struct split_backlog){.replayed = true, .ns = {50}};
	cr_assert(eq(int, split_request(&request, &result), 0));
	cr_expect(eq(u64, result.split.pause_nr, 3));
	cr_expect(eq(u64, result.split.pause_ns, 50)); /* 10 direct, 40 backlog */
	cr_expect(eq(u64, result.split.ns[CAUSE_BACKLOG_PAUSE], 40));
	cr_expect(eq(i64, result.split.misfit_ns, 50)); /* 100 at work, 50 of them replayed */
	split_free(&result);
}

Test(split, stamps_that_cross_are_said_and_still_add_up)
{
	struct split_request request = {.at_ns = {0, 1000, 1005, 1005, 1010, 1020, 1100, 0, 1030}};
	struct split_result result = {0};

	cr_assert(eq(int, split_request(&request, &result), 0));
	cr_expect(eq(u64, result.crossed_ns, 70));
	cr_expect(eq(u64, split_total_ns(&result.split), 30));
	request.at_ns[AT_RECEIVED] = 900; /* before it was sent */
	cr_assert(eq(int, split_request(&request, &result), 0));
	cr_expect(eq(u64, split_total_ns(&result.split), 0));
	cr_expect(ge(u64, result.crossed_ns, 100));
	split_free(&result);
}

Test(split, one_boundary_is_no_time)
{
	struct split_request request = {.at_ns = {[AT_ARRIVED] = 1000}};
	struct split_result result = {0};

	cr_expect(eq(int, split_request(&request, &result), -EINVAL));
	split_free(&result);
}

Test(split, every_stop_has_a_backlog_of_its_kind)
{
	for (enum cause cause = 0; cause < NR_CAUSES; cause++)
		if (split_is_stop(cause))
			cr_expect(le(int, split_backlog_of(cause), CAUSE_BACKLOG_THROTTLED));
	cr_expect(eq(int, split_backlog_of(CAUSE_PAUSE_THROTTLED), CAUSE_BACKLOG_THROTTLED));
	cr_expect(eq(int, split_backlog_of(CAUSE_BACKLOG_LOCK), CAUSE_BACKLOG_LOCK));
	cr_expect(eq(int, split_backlog_of(CAUSE_ON_CPU), CAUSE_BACKLOG_LOAD));
}
