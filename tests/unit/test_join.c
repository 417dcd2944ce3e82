/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/attribution/join.h"
#include "user/base/cleanup.h"

#define HEAD                                                                                       \
	"#sched "                                                                                  \
	"1\n#clock=monotonic\nseq,conn,sched_ns,send_ns,recv_ns,local,peer,out_from,out_to,key,"   \
	"error\n"
#define SECOND 1000000000ull

struct seen {
	size_t nr;
	struct {
		uint64_t seq; /* UINT64_MAX: a request alone */
		const void *request;
		enum join_key key;
		enum join_reason reason;
	} of[64];
};

static int on_joined(void *arg, const struct joined *joined)
{
	struct seen *seen = arg;

	cr_assert(lt(sz, seen->nr, 64));
	seen->of[seen->nr].seq = joined->entry ? joined->entry->seq : UINT64_MAX;
	seen->of[seen->nr].request = joined->request;
	seen->of[seen->nr].key = joined->key;
	seen->of[seen->nr++].reason = joined->reason;
	return 0;
}

static struct schedule_reader *schedule_of(const char *rows)
{
	struct schedule_reader *reader;
	char path[64];
	int fd = memfd_create("schedule", MFD_CLOEXEC);

	cr_assert(ge(int, fd, 0));
	cr_assert(ge(i64, write(fd, HEAD, strlen(HEAD)), 1));
	cr_assert(ge(i64, write(fd, rows, strlen(rows)), 0));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	cr_assert(zero(int, schedule_open(path, &reader)));
	close(fd);
	return reader;
}

static struct join *join_of(const char *rows, struct seen *seen)
{
	struct join_options options = {.from_ns = 0, .to_ns = UINT64_MAX};
	struct schedule_reader *reader = schedule_of(rows);
	struct join *join;

	cr_assert(zero(int, join_new(&reader, &options, 1, on_joined, seen, &join)));
	return join;
}

static void server_saw(struct join *join, const void *name, uint16_t port, uint64_t from,
		       uint64_t to, uint64_t arrived_ns, const char *key)
{
	struct join_request request = {
		.request = name,
		.client_port = port,
		.server_port = 80,
		.from = from,
		.to = to,
		.arrived_ns = arrived_ns,
		.answered_ns = arrived_ns + 50,
		.key = key,
	};

	cr_assert(zero(int, join_request(join, &request)));
}

static const char a, b, c;

/* Every entry comes once, and the tally says the same. */
static void end(struct join *join, struct seen *seen, uint64_t to_ns)
{
	const struct join_tally *tally = join_tally(join);
	uint64_t alone = 0;
	size_t entries = 0, requests = 0;

	cr_assert(zero(int, join_end(join, to_ns)));
	for (size_t i = 0; i < NR_JOIN_REASONS; i++)
		alone += tally->unmatched[i];
	for (size_t i = 0; i < seen->nr; i++) {
		entries += seen->of[i].seq != UINT64_MAX;
		requests += seen->of[i].seq == UINT64_MAX;
	}
	cr_expect(eq(u64, tally->nr_entries, entries));
	cr_expect(eq(u64, tally->nr_matched + alone, tally->nr_entries));
	cr_expect(eq(u64, tally->nr_requests_alone, requests));
	join_free(join);
}

Test(join, requests_are_told_by_connection_and_bytes_whatever_their_order)
{
	struct seen seen = {0};
	struct join *join = join_of("1,1,100,110,400,5001,80,0,10,,\n"
				    "2,2,200,210,300,5002,80,0,10,,\n"
				    "3,1,300,410,500,5001,80,10,20,,\n",
				    &seen);

	server_saw(join, &b, 5002, 0, 10, 220, NULL);
	server_saw(join, &a, 5001, 0, 10, 320, NULL);
	server_saw(join, &c, 5001, 10, 20, 420, NULL);
	end(join, &seen, 1000);
	cr_assert(eq(sz, seen.nr, 3));
	cr_expect(eq(u64, seen.of[0].seq, 2));
	cr_expect(eq(ptr, (void *)seen.of[0].request, (void *)&b));
	cr_expect(eq(u64, seen.of[1].seq, 1));
	cr_expect(eq(ptr, (void *)seen.of[1].request, (void *)&a));
	cr_expect(eq(u64, seen.of[2].seq, 3));
	cr_expect(eq(int, seen.of[2].key, JOIN_BYTES));
}

Test(join, a_turn_of_several_requests_has_all_of_them)
{
	struct seen seen = {0};
	struct join *join = join_of("1,1,100,110,400,5001,80,0,10,,\n"
				    "2,1,100,110,400,5001,80,10,20,,\n"
				    "3,1,300,410,500,5001,80,20,30,,\n",
				    &seen);

	server_saw(join, &a, 5001, 0, 20, 120, NULL);
	server_saw(join, &b, 5001, 20, 30, 420, NULL);
	end(join, &seen, 1000);
	cr_assert(eq(sz, seen.nr, 3));
	cr_expect(eq(int, seen.of[0].key, JOIN_TURN));
	cr_expect(eq(ptr, (void *)seen.of[1].request, (void *)&a));
	cr_expect(eq(int, seen.of[2].key, JOIN_BYTES));
}

Test(join, a_port_used_again_is_another_connection)
{
	struct seen seen = {0};
	struct join *join = join_of("1,1,100,110,200,5001,80,0,10,,\n"
				    "2,2,1000,1010,1100,5001,80,0,10,,\n",
				    &seen);

	server_saw(join, &a, 5001, 0, 10, 1020, NULL);
	end(join, &seen, 2000);
	cr_assert(eq(sz, seen.nr, 2));
	cr_expect(eq(u64, seen.of[0].seq, 2));
	cr_expect(eq(int, seen.of[1].reason, UNMATCHED_BYTES));
}

Test(join, a_value_on_the_wire_is_the_best_key)
{
	struct seen seen = {0};
	struct join *join = join_of("1,1,100,110,400,5001,80,0,10,one,\n"
				    "2,2,100,110,400,5002,80,0,10,two,\n",
				    &seen);

	server_saw(join, &a, 5001, 0, 10, 120, "two"); /* a proxy has mixed the connections */
	server_saw(join, &b, 5002, 0, 10, 130, "one");
	end(join, &seen, 1000);
	cr_expect(eq(u64, seen.of[0].seq, 2));
	cr_expect(eq(int, seen.of[0].key, JOIN_VALUE));
	cr_expect(eq(u64, seen.of[1].seq, 1));
}

Test(join, without_positions_the_nearest_in_time_and_what_is_doubtful_is_counted)
{
	struct seen seen = {0};
	struct join *join = join_of("1,,100,110,180,,,,,,\n"
				    "2,,200,210,400,,,,,,\n"
				    "3,,220,230,400,,,,,,\n",
				    &seen);

	server_saw(join, &a, 5001, 0, 10, 120, NULL);
	server_saw(join, &b, 5001, 10, 20, 240, NULL);
	cr_expect(eq(u64, join_tally(join)->nr_ambiguous, 1));
	end(join, &seen, 1000);
	cr_expect(eq(u64, seen.of[0].seq, 1));
	cr_expect(eq(int, seen.of[0].key, JOIN_TIME));
	cr_expect(eq(u64, seen.of[1].seq, 3));
	cr_expect(eq(int, seen.of[2].reason, UNMATCHED_NO_POSITION));
}

Test(join, what_has_no_request_says_why)
{
	struct seen seen = {0};
	struct join_options options = {.from_ns = 1000, .to_ns = UINT64_MAX};
	struct schedule_reader *reader = schedule_of("1,1,100,110,200,5001,80,0,10,,\n"
						     "2,1,1100,,,,,,,,refused\n"
						     "3,2,1200,1210,1300,5002,80,0,10,,\n"
						     "4,1,1300,1310,1400,5001,80,10,20,,\n"
						     "5,1,1300,1310,1400,5001,80,90,95,,\n"
						     "6,1,1300,1310,,5001,80,95,99,,\n"
						     "7,3,9000,9010,9100,5003,80,0,10,,\n");
	static const enum join_reason expected[] = {
		UNMATCHED_NONE,	 UNMATCHED_BEFORE, UNMATCHED_NOT_SENT, UNMATCHED_CONNECTION,
		UNMATCHED_BYTES, UNMATCHED_BYTES,  UNMATCHED_AFTER,
	};
	struct join *join;

	cr_assert(zero(int, join_new(&reader, &options, 1, on_joined, &seen, &join)));
	server_saw(join, &a, 5001, 10, 20, 1320, NULL);
	end(join, &seen, 5000);
	cr_assert(eq(sz, seen.nr, ARRAY_SIZE(expected)));
	for (size_t i = 0; i < seen.nr; i++)
		cr_expect(eq(int, seen.of[i].reason, expected[i]), "row %zu, entry %lu", i,
			  (unsigned long)seen.of[i].seq);
}

Test(join, a_request_of_nobody_is_told_too)
{
	struct seen seen = {0};
	struct join *join = join_of("1,1,100,110,400,5001,80,0,10,,\n", &seen);

	server_saw(join, &b, 6001, 0, 10, 120, NULL);
	end(join, &seen, 1000);
	cr_assert(eq(sz, seen.nr, 2));
	cr_expect(eq(u64, seen.of[0].seq, UINT64_MAX));
	cr_expect(eq(int, seen.of[1].reason, UNMATCHED_CONNECTION));
}

Test(join, what_cannot_be_is_counted)
{
	struct seen seen = {0};
	struct join *join = join_of("1,1,100,130,400,5001,80,0,10,,\n"
				    "2,1,400,410,430,5001,80,10,20,,\n",
				    &seen);

	server_saw(join, &a, 5001, 0, 10, 120, NULL);  /* 10 ns before it was sent */
	server_saw(join, &b, 5001, 10, 20, 420, NULL); /* answered 40 ns after it was received */
	cr_expect(eq(u64, join_tally(join)->nr_impossible, 2));
	cr_expect(eq(u64, join_tally(join)->worst_impossible_ns, 40));
	end(join, &seen, 1000);
}

Test(join, what_waits_is_given_up_after_a_while)
{
	struct seen seen = {0};
	struct join *join = join_of("1,1,100,110,400,5001,80,0,10,,\n"
				    "2,2,19000000000,19000000010,19000000100,5002,80,0,10,,\n",
				    &seen);

	server_saw(join, &b, 5002, 0, 10, 19 * SECOND + 20, NULL);
	cr_assert(eq(sz, seen.nr, 2), "the first is given up once fifteen seconds have passed");
	cr_expect(eq(int, seen.of[1].reason, UNMATCHED_CONNECTION));
	end(join, &seen, 20 * SECOND);
}
