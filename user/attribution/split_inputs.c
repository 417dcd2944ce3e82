/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/attribution/split_inputs.h"

static uint64_t known(uint64_t ns)
{
	return ns == SCHEDULE_UNKNOWN ? 0 : ns;
}

/* The recorded client's own stamps are of the kernel, and go before those of the generator, but for
 * when it should have been sent, which only the generator knows. */
static void take_times(const struct held_request *held, struct split_request *ret)
{
	const struct request *r = &held->request;
	const struct schedule_request *schedule = &held->schedule;

	ret->at_ns[AT_SENT] = r->sent_ns;
	ret->at_ns[AT_FIRST_ARRIVAL] = r->first_arrival_ns;
	ret->at_ns[AT_ARRIVED] = r->arrived_ns;
	ret->at_ns[AT_READ] = r->read_ns;
	ret->at_ns[AT_FIRST_OUT] = r->first_out_ns;
	ret->at_ns[AT_LAST_OUT] = r->last_out_ns;
	ret->at_ns[AT_RELEASED] = r->released_ns;
	ret->at_ns[AT_RECEIVED] = r->received_ns;
	if (!held->has_schedule)
		return;
	ret->at_ns[AT_INTENDED] = known(schedule->intended_ns);
	if (!r->sent_ns)
		ret->at_ns[AT_SENT] = known(schedule->sent_ns);
	if (known(schedule->received_ns))
		ret->at_ns[AT_RECEIVED] = schedule->received_ns;
	ret->connection_wait_ns = known(schedule->conn_wait_ns);
}

/* request.h: a write that is stamped after the answer was received. */
static void settle_write(const struct request *r, struct split_request *ret)
{
	uint64_t received_ns = ret->at_ns[AT_RECEIVED];

	if (!request_write_is_late(r, received_ns))
		return;
	if (ret->at_ns[AT_RELEASED] == ret->at_ns[AT_LAST_OUT])
		ret->at_ns[AT_RELEASED] = received_ns;
	ret->at_ns[AT_LAST_OUT] = received_ns;
}

static void bounds(const struct split_request *request, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	*ret_from_ns = UINT64_MAX;
	*ret_to_ns = 0;
	for (int i = 0; i < NR_BOUNDARIES; i++) {
		uint64_t ns = request->at_ns[i];

		if (ns && ns < *ret_from_ns)
			*ret_from_ns = ns;
		if (ns > *ret_to_ns)
			*ret_to_ns = ns;
	}
}

static int take_thread(const struct condition_store *store, uint32_t tid, uint64_t from_ns,
		       uint64_t to_ns, struct condition_list *list, struct split_thread *ret)
{
	int err = 0;

	list->nr = 0;
	if (tid && from_ns && from_ns < to_ns)
		err = condition_store_of(store, tid, from_ns, to_ns, list);
	*ret = (struct split_thread){tid, conditions_of_list(list)};
	return err;
}

static int take_server(struct split_inputs *in, const struct condition_store *store,
		       const struct request *r, struct split_request *ret)
{
	uint64_t arrived_ns = r->arrived_ns ? r->arrived_ns : r->read_ns;
	int err = take_thread(store, r->reader_tid, arrived_ns, r->first_out_ns, &in->reader,
			      &ret->reader);

	if (!err)
		err = take_thread(store, r->answerer_tid,
				  r->reader_until_ns ? r->reader_until_ns : r->read_ns,
				  r->last_out_ns, &in->answerer, &ret->answerer);
	ret->last_answerer = ret->answerer;
	if (!err && r->last_answerer_tid != r->answerer_tid)
		err = take_thread(store, r->last_answerer_tid, r->first_out_ns, r->last_out_ns,
				  &in->last_answerer, &ret->last_answerer);
	return err;
}

static int take_client(struct split_inputs *in, const struct condition_store *store,
		       const struct request *r, struct split_request *ret)
{
	int err = take_thread(store, r->sender_tid, ret->at_ns[AT_INTENDED], ret->at_ns[AT_SENT],
			      &in->sender, &ret->sender);
	uint64_t released_ns = r->released_ns ? r->released_ns : r->last_out_ns;

	return err ? err
		   : take_thread(store, r->receiver_tid, released_ns, ret->at_ns[AT_RECEIVED],
				 &in->receiver, &ret->receiver);
}

static int take_work(struct split_inputs *in, const struct condition_store *store,
		     const struct request *r, struct split_request *ret)
{
	int err = 0;

	in->reader_at_work.nr = in->answerer_at_work.nr = 0;
	if (r->reader_tid && r->arrived_ns < r->read_ns)
		err = condition_store_at_work(store, r->reader_tid, r->arrived_ns, r->read_ns,
					      &in->reader_at_work);
	if (!err && r->answerer_tid && r->reader_until_ns < r->answerer_since_ns)
		err = condition_store_at_work(store, r->answerer_tid, r->reader_until_ns,
					      r->answerer_since_ns, &in->answerer_at_work);
	ret->reader_at_work = conditions_of_list(&in->reader_at_work);
	ret->answerer_at_work = conditions_of_list(&in->answerer_at_work);
	return err;
}

int split_inputs_make(struct split_inputs *in, const struct condition_store *store,
		      const struct held_request *held, struct split_request *ret)
{
	const struct request *r = &held->request;
	uint64_t from_ns, to_ns;
	int err;

	*ret = (struct split_request){.reader_until_ns = r->reader_until_ns,
				      .answerer_since_ns = r->answerer_since_ns,
				      .window = r->flags & REQUEST_WINDOW};
	take_times(held, ret);
	settle_write(r, ret);
	bounds(ret, &from_ns, &to_ns);
	err = condition_store_pauses(store, r->conn.tgid, from_ns, to_ns, &in->pauses);
	if (!err)
		err = condition_store_losses(store, from_ns, to_ns, &in->losses);
	if (!err)
		err = take_server(in, store, r, ret);
	if (!err)
		err = take_client(in, store, r, ret);
	if (!err)
		err = take_work(in, store, r, ret);
	ret->pauses = conditions_of_list(&in->pauses);
	ret->losses = conditions_of_list(&in->losses);
	return err;
}

void split_inputs_free(struct split_inputs *in)
{
	condition_list_free(&in->sender);
	condition_list_free(&in->reader);
	condition_list_free(&in->answerer);
	condition_list_free(&in->last_answerer);
	condition_list_free(&in->receiver);
	condition_list_free(&in->pauses);
	condition_list_free(&in->losses);
	condition_list_free(&in->reader_at_work);
	condition_list_free(&in->answerer_at_work);
}
