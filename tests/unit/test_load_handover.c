/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/load/handover.h"

#define MANY 300000

static struct handover *make(uint32_t flights)
{
	struct handover *h;

	cr_assert_eq(handover_create(1, flights, &h), 0);
	return h;
}

static void *send_many(void *argument)
{
	struct handover_thread *t = argument;

	for (uint64_t i = 0; i < MANY; i++) {
		struct flight *f = handover_plan(t, i, i * 7);

		handover_tell(t, f);
		handover_release(t, f);
	}
	return NULL;
}

Test(load_handover, everything_comes_out_in_order_while_it_goes_in)
{
	struct handover *h = make(4);
	const struct schedule_request *request;
	pthread_t sender;
	uint64_t nr = 0;

	pthread_create(&sender, NULL, send_many, &h->threads[0]);
	while (nr < MANY) {
		request = handover_next(&h->threads[0]);
		if (!request)
			continue;
		cr_assert_eq(request->seq, nr);
		cr_assert_eq(request->intended_ns, nr * 7);
		nr++;
	}
	pthread_join(sender, NULL);
	cr_expect_null(handover_next(&h->threads[0]));
	cr_expect_eq(handover_total(h, COUNT_PLANNED), MANY);
	cr_expect_eq(handover_total(h, COUNT_LOST), 0);
	handover_free(h);
}

Test(load_handover, chunks_are_used_again)
{
	struct handover *h = make(4);
	struct handover_thread *t = &h->threads[0];

	for (uint64_t i = 0; i < 100 * HANDOVER_CHUNK_REQUESTS; i++) {
		struct flight *f = handover_plan(t, i, i);

		handover_tell(t, f);
		handover_release(t, f);
		cr_assert_eq(handover_next(t)->seq, i);
	}
	cr_expect_leq(t->nr_chunks, 2);
	handover_free(h);
}

Test(load_handover, beyond_the_bound_requests_are_lost_and_counted)
{
	struct handover *h = make(4);
	struct handover_thread *t = &h->threads[0];
	uint64_t room, nr = 0;

	t->max_chunks = 3; /* as if memory were that small */
	room = 3 * HANDOVER_CHUNK_REQUESTS;
	for (uint64_t i = 0; i < room + 100; i++) {
		struct flight *f = handover_plan(t, i, i);

		handover_tell(t, f);
		handover_release(t, f);
	}
	cr_expect_eq(handover_total(h, COUNT_LOST), 100);
	while (handover_next(t))
		nr++;
	cr_expect_eq(nr, room);
	handover_free(h);
}

Test(load_handover, there_is_room_for_as_many_flights_as_asked)
{
	struct handover *h = make(3);
	struct handover_thread *t = &h->threads[0];
	struct flight *f[3];

	for (uint64_t i = 0; i < 3; i++)
		cr_assert_not_null(f[i] = handover_plan(t, i, i));
	cr_expect_null(handover_plan(t, 3, 3));
	handover_tell(t, f[1]);
	handover_release(t, f[1]);
	cr_expect_eq(t->oldest, f[0]);
	cr_expect_eq(f[0]->newer, f[2]);
	cr_expect_not_null(handover_plan(t, 3, 3));
	cr_expect_eq(handover_total(h, COUNT_IN_FLIGHT_MAX), 3);
	handover_free(h);
}

Test(load_handover, a_killed_sender_leaves_what_it_told_and_what_was_in_flight)
{
	struct handover *h = make(100);
	struct handover_thread *t = &h->threads[0];
	uint64_t nr_told = 0, nr_left = 0;
	uint32_t at = 0;
	pid_t sender = fork();

	if (sender == 0) {
		for (uint64_t i = 0; i < 5000; i++) {
			struct flight *f = handover_plan(t, i, i);

			if (i % 1000 == 500)
				continue; /* stays in flight */
			handover_tell(t, f);
			if (i != 4999)
				handover_release(t, f);
		}
		raise(SIGKILL);
	}
	waitpid(sender, NULL, 0);
	while (handover_next(t))
		nr_told++;
	while (handover_unfinished(t, &at))
		nr_left++;
	cr_expect_eq(nr_told, 4995);
	cr_expect_eq(nr_left, 5);
	handover_free(h);
}
