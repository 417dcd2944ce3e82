/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include "tests/lib/request_tale.h"

#define ACCEPTED                                                                                   \
	"1000 conn_open 0 conn=1 tgid=5 local_port=80 remote_port=99 family=2 role=1 state=1 "     \
	"first_in=3 first_out=4\n"
#define OLD                                                                                        \
	"1000 conn_open 0 conn=1 tgid=5 local_port=80 remote_port=99 family=2 role=1 state=1 "     \
	"first_in=3 first_out=4 flags=0x10 "
#define CLOSE(when, more) when " conn_close 0 conn=1 tgid=5 " more "\n"

struct case_row {
	char name[96];
	char lines[1600];
	char expected[640];
};

/* clang-format off */
static struct case_row cases[] = {
	{"one request, one read, one write",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5 took_ns=30 flags=0x40\n",
	 "0-10>0-5 whole 0+50+220+30+0+0 r7 a7\n"},
	{"without its start a write counts from its end",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n",
	 "0-10>0-5 whole 0+50+250+0+0+0 r7 a7\n"},
	{"keep-alive",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n"
	 "1500 arrive 0 conn=1 tgid=5 in_bytes=22 out_bytes=5\n"
	 "1600 read 8 conn=1 tgid=5 in_bytes=22 out_bytes=5 bytes=12\n"
	 "1700 write 8 conn=1 tgid=5 in_bytes=22 out_bytes=9 bytes=4\n",
	 "0-10>0-5 whole 0+50+250+0+0+0 r7 a7\n"
	 "10-22>5-9 whole 0+100+100+0+0+0 r8 a8\n"},
	{"on loopback the next request comes before the write returns",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1395 arrive 0 conn=1 tgid=5 in_bytes=22 out_bytes=5\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=22 out_bytes=5 bytes=5\n"
	 "1600 read 7 conn=1 tgid=5 in_bytes=22 out_bytes=5 bytes=12\n"
	 "1700 write 7 conn=1 tgid=5 in_bytes=22 out_bytes=9 bytes=4\n",
	 "0-10>0-5 whole 0+50+250+0+0+0 r7 a7\n"
	 "10-22>5-9 whole 0+205+100+0+0+0 r7 a7\n"},
	{"the same where what was written is only counted (Unix)",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10 flags=8\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10 flags=8\n"
	 "1395 arrive 0 conn=1 tgid=5 in_bytes=22 out_bytes=0 flags=8\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=22 out_bytes=5 bytes=5 flags=8\n"
	 "1600 read 7 conn=1 tgid=5 in_bytes=22 out_bytes=5 bytes=12 flags=8\n"
	 "1700 write 7 conn=1 tgid=5 in_bytes=22 out_bytes=9 bytes=4 flags=8\n",
	 "0-10>0-5 whole 0+50+250+0+0+0 r7 a7\n"
	 "10-22>5-9 whole 0+205+100+0+0+0 r7 a7\n"},
	{"a request in two segments, and two reads",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=4\n"
	 "1120 read 6 conn=1 tgid=5 in_bytes=4 bytes=4\n"
	 "1300 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1350 read 7 conn=1 tgid=5 in_bytes=10 bytes=6\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n",
	 "0-10>0-5 whole 200+50+50+0+0+0 r7 a7\n"},
	{"two requests in one read without a protocol are one turn",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1110 arrive 0 conn=1 tgid=5 in_bytes=20\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=20 bytes=20\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=20 out_bytes=5 bytes=5\n"
	 "1500 write 7 conn=1 tgid=5 in_bytes=20 out_bytes=10 bytes=5\n",
	 "0-20>0-10 whole 10+40+250+100+0+0 r7 a7\n"},
	{"and two with their HTTP heads",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1110 arrive 0 conn=1 tgid=5 in_bytes=20\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=20 bytes=20\n"
	 "1150 http 7 conn=1 tgid=5 in_from=0 in_to=10 method=\"GET\" path=\"/a\"\n"
	 "1150 http 7 conn=1 tgid=5 in_from=10 in_to=20 method=\"GET\" path=\"/b\"\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=20 out_bytes=5 bytes=5\n"
	 "1500 write 7 conn=1 tgid=5 in_bytes=20 out_bytes=10 bytes=5\n",
	 "0-10>0-5 whole 0+50+250+0+0+0 r7 a7 shared-read GET /a\n"
	 "10-20>5-10 whole 0+40+350+0+0+0 r7 a7 shared-read GET /b\n"},
	{"two answers in one write: the border is not known",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=20\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=20 bytes=20\n"
	 "1150 http 7 conn=1 tgid=5 in_from=0 in_to=10 method=\"GET\" path=\"/a\"\n"
	 "1150 http 7 conn=1 tgid=5 in_from=10 in_to=20 method=\"GET\" path=\"/b\"\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=20 out_bytes=10 bytes=10\n",
	 "0-10>0-10 whole 0+50+250+0+0+0 r7 a7 shared-read shared-write GET /a\n"
	 "10-20>0-10 whole 0+50+250+0+0+0 r7 a7 shared-read shared-write GET /b\n"},
	{"header and body each, of two: dealt out evenly",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=20\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=20 bytes=20\n"
	 "1150 http 7 conn=1 tgid=5 in_from=0 in_to=10 method=\"GET\" path=\"/a\"\n"
	 "1150 http 7 conn=1 tgid=5 in_from=10 in_to=20 method=\"GET\" path=\"/b\"\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=20 out_bytes=4 bytes=4\n"
	 "1410 write 7 conn=1 tgid=5 in_bytes=20 out_bytes=10 bytes=6\n"
	 "1500 write 7 conn=1 tgid=5 in_bytes=20 out_bytes=14 bytes=4\n"
	 "1520 write 7 conn=1 tgid=5 in_bytes=20 out_bytes=20 bytes=6\n",
	 "0-10>0-10 whole 0+50+250+10+0+0 r7 a7 shared-read assumed GET /a\n"
	 "10-20>10-20 whole 0+50+350+20+0+0 r7 a7 shared-read assumed GET /b\n"},
	{"the peer's window holds the answer's end back",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=90 bytes=90 unsent=50\n"
	 "1700 ack 0 conn=1 tgid=5 in_bytes=10 out_bytes=90 unsent=50 window=20\n"
	 "1900 ack 0 conn=1 tgid=5 in_bytes=10 out_bytes=90 unsent=30 window=20\n",
	 "0-10>0-90 whole 0+50+250+0+500+0 r7 a7 window\n"},
	{"held back, and the release not seen",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=90 bytes=90 unsent=50\n",
	 "0-10>0-90 whole 0+50+250+0+0+0 r7 a7 held-unsure\n"},
	{"an ACK that comes while nothing of the answer is held says nothing",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=40 bytes=40\n"
	 "1500 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=70 bytes=30 unsent=30\n"
	 "5500 ack 0 conn=1 tgid=5 in_bytes=10 out_bytes=70 unsent=30 window=1000\n"
	 "5600 arrive 0 conn=1 tgid=5 in_bytes=20 out_bytes=70\n"
	 "5700 read 7 conn=1 tgid=5 in_bytes=20 out_bytes=70 bytes=10\n"
	 "5800 write 7 conn=1 tgid=5 in_bytes=20 out_bytes=80 bytes=10\n",
	 "0-10>0-70 whole 0+50+250+100+4000+0 r7 a7\n"
	 "10-20>70-80 whole 0+100+100+0+0+0 r7 a7\n"},
	{"a connection from before: positions go on",
	 OLD "in_bytes=1000 read_bytes=1000 out_bytes=500\n"
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=1010 out_bytes=500\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=1010 out_bytes=500 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=1010 out_bytes=505 bytes=5\n",
	 "1000-1010>500-505 whole 0+50+250+0+0+0 r7 a7\n"},
	{"an answer to what was read before",
	 OLD "in_bytes=1000 read_bytes=1000 out_bytes=500\n"
	 "1090 write 7 conn=1 tgid=5 in_bytes=1000 out_bytes=505 bytes=5\n"
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=1010 out_bytes=505\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=1010 out_bytes=505 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=1010 out_bytes=510 bytes=5\n",
	 "1000-1000>500-505 cut at the begin a7\n"
	 "1000-1010>505-510 whole 0+50+250+0+0+0 r7 a7\n"},
	{"a request that had arrived before",
	 OLD "in_bytes=1000 read_bytes=990 out_bytes=500\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=1000 out_bytes=500 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=1000 out_bytes=505 bytes=5\n",
	 "990-1000>500-505 cut at the begin r7 a7\n"},
	{"not answered when the recording ends",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n",
	 "0-10>0-0 cut at the end r7\n"},
	{"not even read when the recording ends",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n",
	 "0-10>0-0 cut at the end\n"},
	{"arrived before the recording, and the next arrival is not its",
	 OLD "in_bytes=10 read_bytes=0\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n"
	 "1500 arrive 0 conn=1 tgid=5 in_bytes=22 out_bytes=5\n"
	 "1600 read 8 conn=1 tgid=5 in_bytes=22 out_bytes=5 bytes=12\n"
	 "1700 write 8 conn=1 tgid=5 in_bytes=22 out_bytes=9 bytes=4\n",
	 "0-10>0-5 cut at the begin r7 a7\n"
	 "10-22>5-9 whole 0+100+100+0+0+0 r8 a8\n"},
	{"half of it arrived before the recording",
	 OLD "in_bytes=6 read_bytes=0\n"
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n",
	 "0-10>0-5 cut at the begin r7 a7\n"},
	{"nothing followed for ten seconds: its turn is over, and what is written later is nobody's",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n"
	 "12000000000 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=8 bytes=3\n"
	 "12000001500 arrive 0 conn=1 tgid=5 in_bytes=22 out_bytes=8\n"
	 "12000001600 read 8 conn=1 tgid=5 in_bytes=22 out_bytes=8 bytes=12\n"
	 "12000001700 write 8 conn=1 tgid=5 in_bytes=22 out_bytes=9 bytes=1\n",
	 "0-10>0-5 whole 0+50+250+0+0+0 r7 a7\n"
	 "10-22>8-9 whole 0+100+100+0+0+0 r8 a8\n"},
	{"an answer that goes on after nine seconds is one",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n"
	 "9000001400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=8 bytes=3\n",
	 "0-10>0-8 whole 0+50+250+9000000000+0+0 r7 a7\n"},
	{"reset in the middle",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 CLOSE("1200", "flags=0x20 error=104"),
	 "0-10>0-0 reset r7\n"},
	{"closed without an answer",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 CLOSE("1200", ""),
	 "0-10>0-0 closed unanswered\n"},
	{"the peer has no more to send, and is answered all the same",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1120 arrive 0 conn=1 tgid=5 in_bytes=10 flags=2\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n"
	 CLOSE("1500", ""),
	 "0-10>0-5 whole 0+50+250+0+0+0 r7 a7\n"},
	{"the server speaks first: its greeting answers nothing",
	 ACCEPTED
	 "1050 write 7 conn=1 tgid=5 out_bytes=20 bytes=20\n"
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10 out_bytes=20\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 out_bytes=20 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=25 bytes=5\n",
	 "0-10>20-25 whole 0+50+250+0+0+0 r7 a7\n"},
	{"a request that is not answered before the next one is",
	 ACCEPTED
	 "1050 write 7 conn=1 tgid=5 out_bytes=20 bytes=20\n"
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10 out_bytes=20\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 out_bytes=20 bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=25 bytes=5\n"
	 "1500 arrive 0 conn=1 tgid=5 in_bytes=30 out_bytes=25\n"
	 "1600 read 7 conn=1 tgid=5 in_bytes=30 out_bytes=25 bytes=20\n",
	 "0-10>20-25 whole 0+50+250+0+0+0 r7 a7\n"
	 "10-30>25-25 cut at the end r7\n"},
	{"records lost inside: the write is missing",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1500 lost 0 from_ns=1300 nr=3 lost_kind=20 cause=1\n"
	 "1600 arrive 0 conn=1 tgid=5 in_bytes=20 out_bytes=5\n"
	 "1700 read 7 conn=1 tgid=5 in_bytes=20 out_bytes=5 bytes=10\n"
	 "1800 write 7 conn=1 tgid=5 in_bytes=20 out_bytes=9 bytes=4\n",
	 "0-10>0-5 records lost r7 loss\n"
	 "10-20>5-9 whole 0+100+100+0+0+0 r7 a7\n"},
	{"records of threads lost do not matter here",
	 ACCEPTED
	 "1100 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1150 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1300 lost 0 from_ns=1200 nr=3 lost_kind=1 cause=1\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n",
	 "0-10>0-5 whole 0+50+250+0+0+0 r7 a7\n"},
	{"stamps the wrong way round are shown",
	 ACCEPTED
	 "1100 read 7 conn=1 tgid=5 in_bytes=10 bytes=10\n"
	 "1103 arrive 0 conn=1 tgid=5 in_bytes=10\n"
	 "1400 write 7 conn=1 tgid=5 in_bytes=10 out_bytes=5 bytes=5\n",
	 "0-10>0-5 whole 0+-3+300+0+0+0 r7 a7 crossed\n"},
};
/* clang-format on */

ParameterizedTestParameters(requests, turns)
{
	return cr_make_param_array(struct case_row, cases, sizeof(cases) / sizeof(cases[0]));
}

ParameterizedTest(struct case_row *row, requests, turns)
{
	struct request_tale *tale = request_tale_new();
	struct requests_totals totals;
	uint64_t sum = 0;

	request_tale_tell(tale, row->lines);
	request_tale_end(tale, 9000);
	cr_expect(eq(str, (char *)request_tale_text(tale), row->expected), "%s", row->name);
	requests_totals(tale->requests, &totals);
	for (int state = 0; state < NR_REQUEST_STATES; state++)
		sum += totals.nr_state[state];
	cr_expect(eq(u64, sum, totals.nr[REQUEST_SERVED] + totals.nr[REQUEST_SENT]), "%s",
		  row->name);
	request_tale_free(tale);
}
