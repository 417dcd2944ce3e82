/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/load/summary.h"

static bool known(uint64_t number)
{
	return number != SCHEDULE_UNKNOWN;
}

bool load_summary_lateness(const struct schedule_request *r, uint64_t *ret_ns)
{
	uint64_t due_ns = r->intended_ns;

	if (!known(r->sent_ns) || !known(due_ns))
		return false;
	if (known(r->conn_wait_ns))
		due_ns += r->conn_wait_ns;
	if (r->sent_ns < due_ns)
		return false;
	*ret_ns = r->sent_ns - due_ns;
	return true;
}

static bool disordered(const struct schedule_request *r)
{
	uint64_t due_ns = r->intended_ns;

	if (known(due_ns) && known(r->conn_wait_ns))
		due_ns += r->conn_wait_ns;
	if (known(due_ns) && known(r->sent_ns) && r->sent_ns < due_ns)
		return true;
	if (known(r->sent_ns) && known(r->first_ns) && r->first_ns < r->sent_ns)
		return true;
	if (known(r->sent_ns) && known(r->received_ns) && r->received_ns < r->sent_ns)
		return true;
	if (known(r->first_ns) && known(r->received_ns) && r->received_ns < r->first_ns)
		return true;
	return known(r->intended_ns) && known(r->received_ns) && r->received_ns < r->intended_ns;
}

static void add_times(struct load_summary *s, const struct schedule_request *r)
{
	uint64_t lateness_ns = 0, response_ns;
	bool late_known = load_summary_lateness(r, &lateness_ns);

	if (late_known) {
		if (s->lateness.nr == 0 || lateness_ns > s->lateness.max)
			s->latest_at_ns = r->intended_ns;
		hdr_add(&s->lateness, lateness_ns);
		s->nr_late += lateness_ns > SUMMARY_LATE_NS;
	}
	if (known(r->conn_wait_ns))
		hdr_add(&s->conn_wait, r->conn_wait_ns);
	if (!known(r->received_ns))
		return;
	s->nr_answered++;
	if (known(r->sent_ns))
		hdr_add(&s->service, r->received_ns - r->sent_ns);
	if (!known(r->intended_ns)) {
		s->nr_no_intended++;
		return;
	}
	response_ns = r->received_ns - r->intended_ns;
	hdr_add(&s->response, response_ns);
	if (late_known)
		hdr_add(&s->on_time, response_ns - lateness_ns);
}

static void add_span(struct load_summary *s, const struct schedule_request *r)
{
	uint64_t ends_ns[] = {r->intended_ns, r->sent_ns, r->received_ns};

	if (known(r->intended_ns)) {
		if (!s->first_intended_ns || r->intended_ns < s->first_intended_ns)
			s->first_intended_ns = r->intended_ns;
		if (r->intended_ns > s->last_intended_ns)
			s->last_intended_ns = r->intended_ns;
	}
	for (unsigned int i = 0; i < 3; i++)
		if (known(ends_ns[i]) && ends_ns[i] > s->last_ns)
			s->last_ns = ends_ns[i];
}

bool load_summary_is_warmup(const struct load_summary *s, const struct schedule_request *r)
{
	return s->warmup_ns && known(r->intended_ns) && r->intended_ns < s->start_ns + s->warmup_ns;
}

void load_summary_add(struct load_summary *s, const struct schedule_request *r)
{
	if (load_summary_is_warmup(s, r)) {
		s->nr_warmup++;
		return;
	}
	s->nr++;
	s->nr_failures[r->failure < NR_SCHEDULE_FAILURES ? r->failure : FAILURE_OTHER]++;
	if (r->flags & SCHEDULE_SKIPPED) {
		s->nr_skipped++;
		return;
	}
	add_span(s, r);
	if (disordered(r)) {
		s->nr_negative++;
		return;
	}
	if (!known(r->received_ns) && r->failure != FAILURE_CUT)
		s->nr_unanswered++;
	add_times(s, r);
}

double load_summary_rate(const struct load_summary *s)
{
	uint64_t span_ns = s->last_intended_ns - s->first_intended_ns;

	return s->nr > 1 && span_ns ? (double)(s->nr - 1) * 1e9 / (double)span_ns : 0;
}
