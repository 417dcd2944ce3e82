/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/bpf/wire.h"

#define BYTES_MAX 65536

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "wire: %s: %s\n", what, strerror(errno));
	abort();
}

static socklen_t fill(struct sockaddr_storage *ret, int family, uint16_t port, bool any)
{
	struct sockaddr_in *in = (void *)ret;
	struct sockaddr_in6 *in6 = (void *)ret;

	memset(ret, 0, sizeof(*ret));
	ret->ss_family = (sa_family_t)family;
	if (family == AF_INET) {
		in->sin_port = htons(port);
		in->sin_addr.s_addr = htonl(any ? INADDR_ANY : INADDR_LOOPBACK);
		return sizeof(*in);
	}
	in6->sin6_port = htons(port);
	in6->sin6_addr = any ? in6addr_any : in6addr_loopback;
	return sizeof(*in6);
}

int wire_listen(int family, uint16_t port, int backlog)
{
	struct sockaddr_storage address;
	socklen_t bytes = fill(&address, family, port, true);
	int fd = socket(family, SOCK_STREAM, 0), one = 1;

	must(fd >= 0, "socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	must(bind(fd, (void *)&address, bytes) == 0, "bind");
	must(listen(fd, backlog) == 0, "listen");
	return fd;
}

uint16_t wire_port(int fd)
{
	struct sockaddr_storage address;
	socklen_t bytes = sizeof(address);

	must(getsockname(fd, (void *)&address, &bytes) == 0, "getsockname");
	return ntohs(address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
						  : ((struct sockaddr_in6 *)&address)->sin6_port);
}

int wire_try(int family, uint16_t port, int *ret)
{
	struct sockaddr_storage address;
	socklen_t bytes = fill(&address, family, port, false);
	int one = 1;

	*ret = socket(family, SOCK_STREAM, 0);
	must(*ret >= 0, "socket");
	setsockopt(*ret, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return connect(*ret, (void *)&address, bytes) ? errno : 0;
}

int wire_connect(int family, uint16_t port)
{
	int fd, error = wire_try(family, port, &fd);

	errno = error;
	must(!error, "connect");
	return fd;
}

void wire_open(struct wire *wire, int listener, int family)
{
	int one = 1;

	wire->server_port = wire_port(listener);
	wire->client = wire_connect(family, wire->server_port);
	wire->server = accept(listener, NULL, NULL);
	must(wire->server >= 0, "accept");
	setsockopt(wire->server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	wire->client_port = wire_port(wire->client);
}

void wire_close(struct wire *wire)
{
	close(wire->client);
	close(wire->server);
}

void wire_write(int fd, size_t bytes)
{
	static const char buffer[BYTES_MAX];

	must(write(fd, buffer, bytes) == (ssize_t)bytes, "write");
}

void wire_read(int fd, size_t bytes)
{
	static __thread char buffer[BYTES_MAX];

	must(read(fd, buffer, sizeof(buffer)) == (ssize_t)bytes, "read");
}

void wire_talk(const struct wire *wire, int nr, size_t request, size_t answer)
{
	for (int i = 0; i < nr; i++) {
		wire_write(wire->client, request);
		wire_read(wire->server, request);
		wire_write(wire->server, answer);
		wire_read(wire->client, answer);
	}
}

void wire_leave_network(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd;

	must(unshare(CLONE_NEWNET) == 0, "unshare");
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	must(fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0, "loopback up");
	close(fd);
}
