/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "user/import/schedule_csv.h"
#include "user/recording/print.h"

#define CSV_LINE_BYTES                                                                             \
	(2 * SCHEDULE_LINE_MAX + 4096) /* two texts that may be as long as a line                  \
					*/

struct copy {
	FILE *to;
	size_t nr_lines, nr_anchors; /* already copied */
	bool header;
};

char *schedule_flag_letters(unsigned int flags, char *buffer)
{
	static const char letters[] = "SARKFTQD";
	char *to = buffer;

	for (unsigned int i = 0; i < sizeof(letters) - 1; i++)
		if (flags & 1u << i)
			*to++ = letters[i];
	*to = '\0';
	return buffer;
}

static void print_number(struct print *p, uint64_t number)
{
	print_char(p, ',');
	if (number != SCHEDULE_UNKNOWN)
		print_unsigned(p, number);
}

static void print_small(struct print *p, uint16_t number)
{
	print_number(p, number ? number : SCHEDULE_UNKNOWN);
}

static void print_quoted(struct print *p, const char *text)
{
	print_char(p, ',');
	if (!strpbrk(text, ",\"")) {
		print_string(p, text);
		return;
	}
	print_char(p, '"');
	for (; *text; text++) {
		if (*text == '"')
			print_char(p, '"');
		print_char(p, *text);
	}
	print_char(p, '"');
}

static void print_request(struct print *p, const struct schedule_reader *r,
			  const struct schedule_request *request)
{
	const uint64_t ends[] = {request->out_from, request->out_to, request->in_from,
				 request->in_to, request->conn_wait_ns};
	char letters[9];

	if (request->seq != SCHEDULE_UNKNOWN)
		print_unsigned(p, request->seq);
	print_number(p, request->conn);
	print_number(p, request->intended_ns);
	print_number(p, request->sent_ns);
	print_number(p, request->first_ns);
	print_number(p, request->received_ns);
	print_small(p, request->status);
	print_quoted(p, schedule_label(r, request->label));
	print_quoted(p, schedule_key(r));
	print_quoted(p, schedule_flag_letters(request->flags, letters));
	print_small(p, request->local);
	print_small(p, request->peer);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		print_number(p, ends[i]);
	print_quoted(p, request->failure ? schedule_failure_name(request->failure) : "");
	print_char(p, '\n');
}

/* What @r has said about itself since last time. */
static void copy_meta(struct copy *c, const struct schedule_reader *r)
{
	const struct schedule_anchor *a;
	const char *line;

	for (; (line = schedule_meta_line(r, c->nr_lines)); c->nr_lines++)
		if (strncmp(line, "sched ", 6))
			fprintf(c->to, "#%s\n", line);
	for (; (a = schedule_anchor(r, c->nr_anchors)); c->nr_anchors++)
		fprintf(c->to, "#anchor=%llu,%llu,%llu\n", (unsigned long long)a->realtime_ns,
			(unsigned long long)a->monotonic_ns, (unsigned long long)a->width_ns);
}

static void copy_header(struct copy *c)
{
	if (!c->header)
		fputs("seq,conn,sched_ns,send_ns,first_ns,recv_ns,status,label,key,flags,local,"
		      "peer,out_from,out_to,"
		      "in_from,in_to,conn_wait_ns,error\n",
		      c->to);
	c->header = true;
}

int schedule_copy_csv(struct schedule_reader *r, FILE *to)
{
	struct copy copy = {.to = to};
	struct schedule_request request;
	int got;

	fputs("#sched 1\n", to);
	while ((got = schedule_next(r, &request)) > 0 && !ferror(to)) {
		char line[CSV_LINE_BYTES];
		struct print p = print_into(line, sizeof(line));

		copy_meta(&copy, r);
		copy_header(&copy);
		print_request(&p, r, &request);
		fwrite(line, 1, (size_t)(p.at - line), to);
	}
	copy_meta(&copy, r);
	copy_header(&copy);
	return got < 0 ? got : 0;
}
