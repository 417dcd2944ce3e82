/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/load/answer.h"
#include "user/load/message.h"
#include "user/load/target.h"

static const struct message_http plain = {.host = "h:1"};

Test(load_message, a_request_has_what_http_asks_for)
{
	struct message_set set = {0};
	char wrong[MESSAGE_WRONG_LEN];

	cr_assert_eq(message_add_http(&set, &plain, NULL, "/a?b", 1, wrong), 0);
	cr_expect_str_eq(set.messages[0].label, "GET /a?b");
	cr_expect_eq(memcmp(set.messages[0].bytes,
			    "GET /a?b HTTP/1.1\r\nHost: h:1\r\nUser-Agent: standstill/", 53),
		     0);
	cr_expect_eq(memcmp(set.messages[0].bytes + set.messages[0].nr - 4, "\r\n\r\n", 4), 0);
	message_free(&set);
}

Test(load_message, headers_of_the_user_replace_and_remove_ours)
{
	static const char *const headers[] = {"host: other", "Accept:", "User-Agent: me", "X-A: b"};
	struct message_http common = {
		.host = "h", .headers = headers, .nr_headers = 4, .body = "xyz", .body_bytes = 3};
	struct message_set set = {0};
	char wrong[MESSAGE_WRONG_LEN];

	cr_assert_eq(message_add_http(&set, &common, NULL, "/", 1, wrong), 0);
	cr_expect_eq(
		set.messages[0].nr,
		strlen("POST / HTTP/1.1\r\nContent-Length: 3\r\nhost: other\r\nUser-Agent: me\r\n"
		       "X-A: b\r\n\r\nxyz"));
	cr_expect_eq(memcmp(set.messages[0].bytes,
			    "POST / HTTP/1.1\r\nContent-Length: 3\r\nhost: other\r\nUser-Agent: "
			    "me\r\nX-A: b\r\n\r\nxyz",
			    set.messages[0].nr),
		     0);
	message_free(&set);
}

Test(load_message, what_would_break_http_is_refused)
{
	static const char *const bad_headers[] = {"no colon", "a b: c", ": x", "A: b\r\nC: d"};
	static const char *const bad_paths[] = {"x", "/a b", "/a\r\nb", ""};
	struct message_set set = {0};
	char wrong[MESSAGE_WRONG_LEN];

	for (size_t i = 0; i < 4; i++) {
		struct message_http common = {
			.host = "h", .headers = &bad_headers[i], .nr_headers = 1};

		cr_expect_lt(message_add_http(&set, &common, NULL, "/", 1, wrong), 0, "%s",
			     bad_headers[i]);
		cr_expect_lt(message_add_http(&set, &plain, NULL, bad_paths[i], 1, wrong), 0, "%s",
			     bad_paths[i]);
	}
	cr_expect_lt(message_add_http(&set, &plain, "get", "/", 1, wrong), 0);
	message_free(&set);
}

static int add_text(struct message_set *set, const char *text, char *wrong)
{
	int fd = memfd_create("urls", MFD_CLOEXEC), error;
	char path[64];

	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	error = message_add_file(set, &plain, path, wrong);
	close(fd);
	return error;
}

Test(load_message, weights_are_shares_and_the_pick_depends_on_seed_and_number_alone)
{
	struct message_set set = {0};
	char wrong[MESSAGE_WRONG_LEN];
	uint32_t counts[3] = {0};

	cr_assert_eq(add_text(&set, "# mix\n70 /a\n\n20 DELETE /b\n10 /c\n", wrong), 0, "%s",
		     wrong);
	cr_assert_eq(set.nr, 3);
	cr_expect_str_eq(set.messages[1].label, "DELETE /b");
	message_finish(&set, 1);
	for (uint64_t seq = 0; seq < 100000; seq++) {
		uint32_t pick = message_pick(&set, seq);

		counts[pick]++;
		cr_assert_eq(pick, message_pick(&set, seq));
	}
	cr_expect(counts[0] > 69500 && counts[0] < 70500, "%u", counts[0]);
	cr_expect(counts[2] > 9700 && counts[2] < 10300, "%u", counts[2]);
	message_free(&set);
}

Test(load_message, a_bad_line_of_the_file_is_named)
{
	static const char *const bad[] = {"x /a\n",
					  "1\n",
					  "1 a\n",
					  "0 /a\n",
					  "-1 /a\n",
					  "1 GET /a b\n",
					  "1 /a @/nonexistent\n",
					  "#\n"};
	char wrong[MESSAGE_WRONG_LEN];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct message_set set = {0};

		cr_expect_lt(add_text(&set, bad[i], wrong), 0, "%s", bad[i]);
		message_free(&set);
	}
	cr_expect_not_null(strstr(wrong, "names no request"));
}

Test(load_message, a_frame_begins_with_its_length)
{
	struct message_set set = {0};
	char wrong[MESSAGE_WRONG_LEN];

	cr_assert_eq(message_add_raw(&set, 4, "abc", 3, wrong), 0);
	cr_expect_eq(set.messages[0].nr, 7);
	cr_expect_eq(memcmp(set.messages[0].bytes, "\0\0\0\3abc", 7), 0);
	cr_expect_lt(message_add_raw(&set, 1, NULL, 256, wrong), 0);
	cr_expect_lt(message_add_raw(&set, 0, NULL, 0, wrong), 0);
	message_free(&set);
}

/* Feed @text in pieces of @step bytes; how many bytes the answer took, SIZE_MAX when it is
 * malformed. */
static size_t feed(struct answer *a, const struct answer_format *format, bool head,
		   const char *text, size_t nr, size_t step)
{
	size_t at = 0, used;

	answer_begin(a, format, head);
	while (at < nr) {
		enum answer_state state =
			answer_feed(a, text + at, nr - at < step ? nr - at : step, &used);

		at += used;
		if (state == ANSWER_MALFORMED)
			return SIZE_MAX;
		if (state == ANSWER_WHOLE)
			return at;
	}
	return at;
}

static const struct answer_format http = {.protocol = PROTOCOL_HTTP};

Test(load_answer, an_http_answer_ends_where_it_says_however_it_is_cut)
{
	static const struct {
		const char *text, *rest;
		uint16_t status;
		bool head, last;
	} rows[] = {
		{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n", "HTTP/1.1 500", 200, false,
		 false},
		{"HTTP/1.1 204 No Content\r\n\r\n", "", 204, false, false},
		{"HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", "x", 304, false, false},
		{"HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n", "next", 200, true, false},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		 "HTTP", 200, false, false},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
		 "", 201, false, false},
		{"HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", "", 503,
		 false, true},
		{"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", "", 200, false, true},
	};
	char text[512];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t nr =
			(size_t)snprintf(text, sizeof(text), "%s%s", rows[i].text, rows[i].rest);

		for (size_t step = 1; step <= nr; step++) {
			struct answer a;

			cr_assert_eq(feed(&a, &http, rows[i].head, text, nr, step),
				     strlen(rows[i].text), "row %zu by %zu", i, step);
			cr_assert(a.whole && a.status == rows[i].status && a.last == rows[i].last,
				  "row %zu by %zu", i, step);
		}
	}
}

Test(load_answer, an_answer_without_a_length_ends_with_its_connection)
{
	static const char text[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nanything";
	struct answer a;

	cr_expect_eq(feed(&a, &http, false, text, strlen(text), 7), strlen(text));
	cr_expect_not(a.whole);
	cr_expect_eq(answer_end(&a), ANSWER_WHOLE);
	feed(&a, &http, false, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nany", 42, 7);
	cr_expect_eq(answer_end(&a), ANSWER_MORE);
}

Test(load_answer, nonsense_is_malformed)
{
	static const char *const bad[] = {
		"SSH-2.0-x\r\n", "HTTP/1.1 abc\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"};
	struct answer a;

	for (size_t i = 0; i < 4; i++)
		cr_expect_eq(feed(&a, &http, false, bad[i], strlen(bad[i]), 5), SIZE_MAX, "%s",
			     bad[i]);
}

Test(load_answer, frames_end_by_their_length)
{
	static const struct answer_format fixed = {.protocol = PROTOCOL_FIXED, .fixed_bytes = 5};
	static const struct answer_format prefix = {.protocol = PROTOCOL_PREFIX, .prefix_bytes = 2};

	for (size_t step = 1; step < 9; step++) {
		struct answer a;

		cr_expect_eq(feed(&a, &fixed, false, "12345678", 8, step), 5);
		cr_expect_eq(feed(&a, &prefix, false, "\0\3abcdefg", 9, step), 5);
		cr_expect_eq(feed(&a, &prefix, false, "\0\0abcdefg", 9, step), 2);
	}
}

Test(load_answer, a_length_beyond_all_reason_is_malformed)
{
	static const struct answer_format prefix = {.protocol = PROTOCOL_PREFIX, .prefix_bytes = 8};
	struct answer a;

	cr_expect_eq(feed(&a, &prefix, false, "HTTP/1.1 500", 12, 12), SIZE_MAX);
}

Test(load_target, what_a_person_types_is_understood)
{
	static const struct {
		const char *word, *host, *port, *path, *header;
		bool http;
	} rows[] = {
		{"http://a/b?c", "a", "80", "/b?c", "a", true},
		{"http://a:8080", "a", "8080", "/", "a:8080", true},
		{"http://[::1]:8080/x", "::1", "8080", "/x", "[::1]:8080", true},
		{"[::1]:7", "::1", "7", "/", "[::1]:7", false},
		{"localhost:7000", "localhost", "7000", "/", "localhost:7000", false},
	};
	struct target t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_assert_null(target_parse(rows[i].word, &t), "%s", rows[i].word);
		cr_expect_str_eq(t.host, rows[i].host);
		cr_expect_str_eq(t.port, rows[i].port);
		cr_expect_str_eq(t.path, rows[i].path);
		cr_expect_str_eq(t.header, rows[i].header);
		cr_expect_eq(t.http, rows[i].http);
	}
}

Test(load_target, and_the_rest_is_refused)
{
	static const char *const bad[] = {"https://a/", "ftp://a/", "a",	   "a:0",
					  "a:70000",	"a:1/x",    "http://",	   "http://:80/",
					  "[::1",	"[::1]x",   "http://a:x/", "http://a?b"};
	struct target t;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_not_null(target_parse(bad[i], &t), "%s", bad[i]);
}
