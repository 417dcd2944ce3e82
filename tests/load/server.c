/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/load/server.h"

#define CONNECTIONS_MAX 65536 /* file descriptors */
#define BUFFER_BYTES	65536
#define EVENTS_AT_ONCE	256

struct connection {
	int fd;
	uint16_t port;
	uint32_t nr_answers;
	uint32_t held;	/* bytes of a request that is not whole yet */
	uint32_t match; /* HTTP: how much of the blank line has been seen */
};

struct answer_stamp {
	uint64_t at_ns;
	uint32_t number;
	uint16_t port;
};

static volatile sig_atomic_t ended;

static void on_end(int number)
{
	(void)number;
	ended = 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t at_ns)
{
	struct timespec at = {.tv_sec = (time_t)(at_ns / 1000000000),
			      .tv_nsec = (long)(at_ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR && !ended)
		;
}

static void fail(const char *what)
{
	fprintf(stderr, "server: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void watch(struct server *s, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event))
		fail("epoll_ctl");
}

static void accept_all(struct server *s)
{
	struct sockaddr_in peer;
	socklen_t bytes = sizeof(peer);
	int one = 1, fd;

	while ((fd = accept4(s->listener, (struct sockaddr *)&peer, &bytes,
			     SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		if (fd >= CONNECTIONS_MAX)
			fail("too many connections");
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		s->connections[fd] = (struct connection){.fd = fd, .port = ntohs(peer.sin_port)};
		watch(s, fd);
	}
}

static void stamp(struct server *s, struct connection *c)
{
	if (!s->log)
		return;
	if (s->nr_stamps == s->max_stamps) {
		s->max_stamps = s->max_stamps ? 2 * s->max_stamps : 1 << 16;
		s->stamps = realloc(s->stamps, s->max_stamps * sizeof(*s->stamps));
		if (!s->stamps)
			fail("realloc");
	}
	s->stamps[s->nr_stamps++] =
		(struct answer_stamp){.at_ns = now_ns(), .number = c->nr_answers, .port = c->port};
}

static void end_connection(struct connection *c, bool with_reset)
{
	struct linger linger = {.l_onoff = 1, .l_linger = 0};

	if (with_reset)
		setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(c->fd);
	c->fd = -1;
}

static void put(struct connection *c, const char *bytes, size_t nr)
{
	while (nr > 0 && c->fd >= 0) {
		ssize_t done = send(c->fd, bytes, nr, MSG_NOSIGNAL);

		if (done < 0 && errno == EAGAIN)
			continue; /* a client that does not read: not what is tested here */
		if (done < 0) {
			end_connection(c, false);
			return;
		}
		bytes += done;
		nr -= (size_t)done;
	}
}

static void put_text(struct connection *c, const char *text)
{
	put(c, text, strlen(text));
}

static void misbehave(struct server *s, struct connection *c)
{
	switch (s->misbehave) {
	case RESET:
		end_connection(c, true);
		return;
	case CLOSE:
		end_connection(c, false);
		return;
	case SHORT:
		put(c, s->answer, s->answer_bytes / 2);
		end_connection(c, false);
		return;
	case MALFORMED:
		put_text(c, "this is no HTTP\r\n\r\n");
		return;
	case STATUS:
		put_text(c, "HTTP/1.1 500 Sorry\r\nContent-Length: 3\r\n\r\nno\n");
		return;
	case LAST:
		put_text(c,
			 "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nok\n");
		end_connection(c, false);
		return;
	case CHUNKED:
		put_text(c, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: "
			    "chunked\r\n\r\n"
			    "4\r\nchun\r\n");
		put_text(c, "3\r\nked\r\n0\r\n\r\n");
		return;
	case SLOW:
		for (size_t i = 0; i < s->answer_bytes; i++)
			put(c, s->answer + i, 1);
		return;
	case SILENT:
	case GOOD:
	case NR_MISBEHAVIOURS:
		return;
	}
}

static void plan_stops(struct server *s)
{
	s->next_stop_ns = now_ns() + (s->first_stop_ns ? s->first_stop_ns : s->stop_every_ns);
}

static void answer(struct server *s, struct connection *c)
{
	bool bad = s->misbehave != GOOD && s->nr_requests % 10 == 9;

	if (s->nr_requests++ == 0 && s->stops_from_request)
		plan_stops(s);
	if (s->service_ns)
		for (uint64_t until_ns = now_ns() + s->service_ns; now_ns() < until_ns;)
			;
	stamp(s, c);
	c->nr_answers++;
	if (bad)
		misbehave(s, c);
	else
		put(c, s->answer, s->answer_bytes);
}

/* HTTP requests without a body: each ends in a blank line. */
static void take_http(struct server *s, struct connection *c, size_t nr)
{
	static const char end[] = "\r\n\r\n";

	for (size_t i = 0; i < nr && c->fd >= 0; i++) {
		c->match = s->buffer[i] == end[c->match] ? c->match + 1 : s->buffer[i] == '\r';
		if (c->match == 4) {
			c->match = 0;
			answer(s, c);
		}
	}
}

/* Frames of a known size; those with a prefix are taken to be all of one size too (in_bytes). */
static void take_frames(struct server *s, struct connection *c, size_t nr)
{
	c->held += (uint32_t)nr;
	while (c->held >= s->in_bytes && c->fd >= 0) {
		c->held -= s->in_bytes;
		answer(s, c);
	}
}

static void on_readable(struct server *s, struct connection *c)
{
	ssize_t nr = recv(c->fd, s->buffer, BUFFER_BYTES, 0);

	if (nr <= 0) {
		if (nr == 0 || errno != EAGAIN)
			end_connection(c, false);
		return;
	}
	if (s->http)
		take_http(s, c, (size_t)nr);
	else
		take_frames(s, c, (size_t)nr);
}

/* Stop, when it is time. Returns how long until then, in ms for epoll. */
static int stop_or_wait(struct server *s)
{
	uint64_t at_ns = now_ns();

	if (s->nr_stopped == s->nr_stops || !s->next_stop_ns)
		return 50;
	if (at_ns < s->next_stop_ns)
		return (int)((s->next_stop_ns - at_ns) / 1000000); /* rounded down: never past it */
	s->stops[s->nr_stopped][0] = at_ns;
	sleep_until(at_ns + s->stop_for_ns);
	s->stops[s->nr_stopped++][1] = now_ns();
	s->next_stop_ns += s->stop_every_ns;
	return 0;
}

static void serve(struct server *s)
{
	struct epoll_event events[EVENTS_AT_ONCE];

	while (!ended && (!s->end_ns || now_ns() < s->end_ns)) {
		int nr = epoll_wait(s->epoll, events, EVENTS_AT_ONCE, stop_or_wait(s));

		for (int i = 0; i < nr; i++) {
			if (events[i].data.fd == s->listener)
				accept_all(s);
			else
				on_readable(s, &s->connections[events[i].data.fd]);
		}
	}
}

static void write_log(const struct server *s)
{
	FILE *file = s->log ? fopen(s->log, "w") : NULL;

	if (!file)
		return;
	for (uint64_t i = 0; i < s->nr_stopped; i++)
		fprintf(file, "stop %llu %llu\n", (unsigned long long)s->stops[i][0],
			(unsigned long long)s->stops[i][1]);
	for (size_t i = 0; i < s->nr_stamps; i++)
		fprintf(file, "answer %u %u %llu\n", s->stamps[i].port, s->stamps[i].number,
			(unsigned long long)s->stamps[i].at_ns);
	if (fclose(file))
		fail(s->log);
}

static void make_answer(struct server *s)
{
	s->buffer = malloc(BUFFER_BYTES);
	if (s->http) {
		s->answer = strdup("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "
				   "3\r\n\r\nok\n");
		s->answer_bytes = strlen(s->answer);
		return;
	}
	s->answer = calloc(1, s->prefix + s->out_bytes);
	s->answer_bytes = s->prefix + s->out_bytes;
	for (uint32_t i = 0; i < s->prefix; i++)
		s->answer[i] = (char)(s->out_bytes >> 8 * (s->prefix - 1 - i));
	s->in_bytes += s->prefix;
}

static void listen_on(struct server *s)
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof(own);
	char name[4096];
	FILE *file;

	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (bind(s->listener, (struct sockaddr *)&own, sizeof(own)) || listen(s->listener, 4096) ||
	    getsockname(s->listener, (struct sockaddr *)&own, &bytes))
		fail("cannot listen");
	watch(s, s->listener);
	snprintf(name, sizeof(name), "%s.tmp", s->port_file);
	file = fopen(name, "w");
	if (!file || fprintf(file, "%u\n", ntohs(own.sin_port)) < 0 || fclose(file) ||
	    rename(name, s->port_file))
		fail(s->port_file);
}

void server_run(struct server *s)
{
	struct rlimit limit = {.rlim_cur = CONNECTIONS_MAX, .rlim_max = CONNECTIONS_MAX};

	setrlimit(RLIMIT_NOFILE, &limit);
	signal(SIGTERM, on_end);
	signal(SIGINT, on_end);
	s->connections = calloc(CONNECTIONS_MAX, sizeof(*s->connections));
	if (!s->connections)
		fail("calloc");
	make_answer(s);
	listen_on(s);
	if (!s->stops_from_request)
		plan_stops(s);
	s->end_ns = s->seconds ? now_ns() + s->seconds * 1000000000 : 0;
	serve(s);
	write_log(s);
	free(s->connections);
	free(s->stamps);
	free(s->buffer);
	free(s->answer);
}
