/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/random.h"
#include "user/import/schedule.h"
#include "user/import/schedule_csv.h"
#include "user/import/schedule_writer.h"

#define MANY 40000

static struct schedule_request requests[MANY], read_back[MANY];

struct file {
	int fd;
	char path[64];
};

static struct file new_file(void)
{
	struct file file = {.fd = memfd_create("schedule", MFD_CLOEXEC)};

	cr_assert(file.fd >= 0);
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	return file;
}

static uint64_t some_number(uint64_t *state)
{
	uint64_t random = random_next(state), kind = random_next(state) % 8;

	if (kind == 0)
		return SCHEDULE_UNKNOWN;
	if (kind == 1)
		return 0;
	if (kind == 2)
		return SCHEDULE_NUMBER_MAX;
	return random >> (2 + random_next(state) % 60);
}

/* Anything that may stand in a schedule. */
static void fill_wild(uint64_t *state, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct schedule_request *r = &requests[i];
		uint64_t *numbers[] = {&r->conn,     &r->intended_ns, &r->sent_ns,
				       &r->first_ns, &r->received_ns, &r->conn_wait_ns,
				       &r->out_from, &r->out_to,      &r->in_from,
				       &r->in_to};

		memset(r, 0, sizeof(*r));
		r->seq = i;
		for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
			*numbers[k] = some_number(state);
		r->status = (uint16_t)random_next(state);
		r->local = (uint16_t)random_next(state);
		r->peer = (uint16_t)random_next(state);
		r->failure = (uint8_t)(random_next(state) % NR_SCHEDULE_FAILURES);
		r->flags = (uint8_t)(random_next(state) & ~(unsigned int)SCHEDULE_FAILED);
		if (r->failure)
			r->flags |= SCHEDULE_FAILED;
		r->label = (uint32_t)(random_next(state) % 3);
	}
}

/* As a run against a good server makes them. */
static void fill_plain(uint64_t *state, size_t nr)
{
	uint64_t positions[16][2] = {{0}};

	for (size_t i = 0; i < nr; i++) {
		struct schedule_request *r = &requests[i];
		uint64_t *at = positions[i % 16];

		*r = (struct schedule_request){
			.seq = i,
			.conn = 1 + i % 16,
			.intended_ns = 1000000000000 + i * 100000,
			.status = 200,
			.local = (uint16_t)(40000 + i % 16),
			.peer = 8080,
			.label = 1,
			.out_from = at[0],
			.out_to = at[0] + 82,
			.in_from = at[1],
			.in_to = at[1] + 1234,
		};
		r->sent_ns = r->intended_ns + random_next(state) % 4096;
		r->first_ns = r->sent_ns + 50000 + random_next(state) % 65536;
		r->received_ns = r->first_ns + random_next(state) % 1024;
		at[0] += 82;
		at[1] += 1234;
	}
}

static void write_file(const struct file *file, size_t nr, const char *end)
{
	struct schedule_writer *w;

	cr_assert_eq(schedule_create(file->path, &w), 0);
	schedule_put_meta(w, "clock", "monotonic");
	schedule_put_label(w, 1, "GET /");
	schedule_put_label(w, 2, "POST /a,\"b\"");
	schedule_put_anchor(w, &(struct schedule_anchor){1700000000000000000, 5000000000, 20});
	for (size_t i = 0; i < nr; i++)
		cr_assert_eq(schedule_put(w, &requests[i]), 0);
	if (end) {
		schedule_flush(w);
		schedule_put_meta(w, "end", "%s", end);
	}
	cr_assert_eq(schedule_writer_close(w), 0);
}

/* All requests of @path into read_back; *ret_health is what the reader says at the end. */
static size_t read_file(const char *path, struct schedule_health *ret_health)
{
	struct schedule_reader *r;
	size_t nr = 0;
	int got;

	cr_assert_eq(schedule_open(path, &r), 0);
	while (nr < MANY && (got = schedule_next(r, &read_back[nr])) > 0)
		nr++;
	if (nr < MANY)
		cr_assert_eq(got, 0);
	schedule_health(r, ret_health);
	schedule_reader_free(r);
	return nr;
}

static void expect_same(size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		cr_assert_eq(memcmp(&requests[i], &read_back[i], sizeof(requests[i])), 0,
			     "request %zu differs", i);
}

Test(schedule, what_is_written_is_read_whatever_it_is)
{
	struct file file = new_file();
	struct schedule_health health;
	uint64_t state = 3;

	fill_wild(&state, MANY - 1);
	write_file(&file, MANY - 1, "done");
	cr_expect_eq(read_file(file.path, &health), MANY - 1);
	expect_same(MANY - 1);
	cr_expect(health.complete && health.binary && !health.nr_bad && !health.nr_missing);
	close(file.fd);
}

Test(schedule, requests_of_a_block_come_out_in_the_order_of_their_numbers)
{
	struct file file = new_file();
	struct schedule_health health;
	uint64_t state = 5;

	fill_plain(&state, 1000);
	for (size_t i = 0; i + 7 < 1000; i += 8) {
		struct schedule_request swap = requests[i];

		requests[i] = requests[i + 7];
		requests[i + 7] = swap;
	}
	write_file(&file, 1000, "done");
	cr_expect_eq(read_file(file.path, &health), 1000);
	for (size_t i = 0; i < 1000; i++)
		cr_assert_eq(read_back[i].seq, i);
	close(file.fd);
}

Test(schedule, a_plain_request_takes_no_more_than_16_bytes)
{
	struct file file = new_file();
	struct stat st;
	uint64_t state = 1;

	fill_plain(&state, MANY);
	write_file(&file, MANY, "done");
	fstat(file.fd, &st);
	cr_expect_leq(st.st_size, 16 * MANY, "%g bytes a request", (double)st.st_size / MANY);
	cr_log_info("%g bytes a request", (double)st.st_size / MANY);
	close(file.fd);
}

static void convert(const char *from, const struct file *to)
{
	FILE *csv = fopen(to->path, "w");
	struct schedule_reader *r;

	cr_assert_eq(schedule_open(from, &r), 0);
	cr_assert_eq(schedule_copy_csv(r, csv), 0);
	schedule_reader_free(r);
	cr_assert_eq(fclose(csv), 0);
}

Test(schedule, the_text_form_says_the_same)
{
	struct file file = new_file(), text = new_file();
	struct schedule_health health;
	struct schedule_reader *r;
	uint64_t state = 9;

	fill_wild(&state, 3000);
	write_file(&file, 3000, "done");
	convert(file.path, &text);
	cr_expect_eq(read_file(text.path, &health), 3000);
	cr_expect_eq(health.nr_bad, 0, "line %llu: %s", (unsigned long long)health.first_bad_line,
		     health.why_bad);
	cr_expect(health.complete && !health.binary);
	for (size_t i = 0; i < 3000; i++) /* labels are numbered as they come */
		read_back[i].label = requests[i].label;
	expect_same(3000);
	cr_assert_eq(schedule_open(text.path, &r), 0);
	while (schedule_next(r, &read_back[0]) > 0)
		if (read_back[0].label)
			cr_assert_str_eq(schedule_label(r, read_back[0].label),
					 requests[read_back[0].seq].label == 1 ? "GET /"
									       : "POST /a,\"b\"");
	cr_expect_str_eq(schedule_meta(r, "clock"), "monotonic");
	cr_expect_eq(schedule_nr_anchors(r), 1);
	cr_expect_eq(schedule_anchor(r, 0)->monotonic_ns, 5000000000);
	schedule_reader_free(r);
	close(file.fd);
	close(text.fd);
}

Test(schedule, cut_anywhere_it_reads_to_its_last_whole_block)
{
	struct file file = new_file();
	struct schedule_health health;
	uint64_t state = 4;
	struct stat st;
	size_t last = MANY;

	fill_plain(&state, MANY - 1);
	write_file(&file, MANY - 1, "done");
	fstat(file.fd, &st);
	for (off_t size = st.st_size - 1; size >= 64; size -= 1 + st.st_size / 50) {
		size_t nr;

		cr_assert_eq(ftruncate(file.fd, size), 0);
		nr = read_file(file.path, &health);
		cr_assert(nr <= last && (nr == MANY - 1 || nr % 16384 == 0),
			  "%zu requests of %ld bytes", nr, (long)size);
		cr_assert_not(health.complete);
		expect_same(nr);
		last = nr;
	}
	cr_expect_eq(last, 0);
	close(file.fd);
}

Test(schedule, damage_costs_its_block_and_is_counted)
{
	struct file file = new_file();
	struct schedule_health health;
	uint64_t state = 8;
	struct stat st;
	char byte;

	fill_plain(&state, MANY - 1);
	write_file(&file, MANY - 1, "done");
	fstat(file.fd, &st);
	cr_assert_eq(pread(file.fd, &byte, 1, st.st_size / 2), 1);
	byte ^= 1;
	cr_assert_eq(pwrite(file.fd, &byte, 1, st.st_size / 2), 1);
	cr_expect_eq(read_file(file.path, &health), MANY - 1 - 16384);
	cr_expect_eq(health.nr_missing, 16384);
	cr_expect_eq(health.nr_bad, 1);
	cr_expect(health.complete);
	close(file.fd);
}

static void set_text(const struct file *file, const char *text)
{
	cr_assert_eq(ftruncate(file->fd, 0), 0);
	cr_assert_eq(pwrite(file->fd, text, strlen(text), 0), (ssize_t)strlen(text));
}

Test(schedule, another_generators_csv_is_read_by_the_names_of_its_columns)
{
	struct file file = new_file();
	struct schedule_health health;

	set_text(&file,
		 "#sched "
		 "1\n#clock=realtime\nrecv_ns,seq,unheard_of,send_ns,status,label,conn,flags\n"
		 "200,0,x,100,200,\"GET /a,b \"\"c\"\"\",10.0.0.1:99,\n"
		 "300,1,x,150,500,,10.0.0.1:99,F\n"
		 ",2,x,160,,,7,K\n");
	cr_expect_eq(read_file(file.path, &health), 3);
	cr_expect_eq(health.nr_bad, 0);
	cr_expect_eq(read_back[0].sent_ns, 100);
	cr_expect_eq(read_back[0].received_ns, 200);
	cr_expect_eq(read_back[0].intended_ns, SCHEDULE_UNKNOWN);
	cr_expect_eq(read_back[0].conn, read_back[1].conn);
	cr_expect_eq(read_back[1].failure, FAILURE_STATUS);
	cr_expect_eq(read_back[2].conn, 7);
	cr_expect_eq(read_back[2].flags, SCHEDULE_SKIPPED);
	close(file.fd);
}

Test(schedule, lines_that_are_no_requests_are_counted_and_the_first_is_named)
{
	static const char *const bad[] = {
		"1,2\n",       "x,1,2,3\n",   "1,1,2,-3\n",  "1,1,2,99999999999999999999\n",
		"1,\"1,2,3\n", "1,1,2,3,4\n", "1,1,2,3\"\n", "1,1,2,4611686018427387904\n",
	};
	char text[256];
	struct file file = new_file();
	struct schedule_health health;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text),
			 "#sched 1\nseq,conn,sched_ns,send_ns\n0,1,1,1\n%s2,1,3,3\n", bad[i]);
		set_text(&file, text);
		cr_expect_eq(read_file(file.path, &health), 2, "%s", bad[i]);
		cr_expect_eq(health.nr_bad, 1, "%s", bad[i]);
		cr_expect_eq(health.first_bad_line, 4, "%s", bad[i]);
	}
	close(file.fd);
}

Test(schedule, a_line_that_is_cut_off_is_no_request)
{
	struct file file = new_file();
	struct schedule_health health;

	set_text(&file, "#sched 1\nseq,conn,sched_ns,send_ns\n0,1,1,1\n1,1,2,12345");
	cr_expect_eq(read_file(file.path, &health), 1);
	cr_expect_eq(health.nr_bad, 1);
	close(file.fd);
}

Test(schedule, what_is_no_schedule_is_refused)
{
	static const char *const others[] = {"", "seq,conn\n1,2\n", "\x89STILL\r\n", "#sched",
					     "#sched 2\n"};
	struct file file = new_file();
	struct schedule_reader *r;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		set_text(&file, others[i]);
		cr_expect_lt(schedule_open(file.path, &r), 0, "%s", others[i]);
	}
	cr_expect_eq(schedule_open("/nonexistent/x", &r), -ENOENT);
	close(file.fd);
}
