/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections on loopback for the tests of sockets: made by a subject within itself, or between two
 * processes. Any failure ends the process, which the test sees. Knows nothing of probes.
 */
#ifndef TESTS_BPF_WIRE_H
#define TESTS_BPF_WIRE_H

#include <stddef.h>
#include <stdint.h>

struct wire {
	int client, server; /* both ends */
	uint16_t client_port, server_port;
};

#define WIRE_BACKLOG 16

/* A listener on a free port of any address of @family, or on @port. */
int wire_listen(int family, uint16_t port, int backlog);
uint16_t wire_port(int fd);

/* A connection of @family to @port on loopback. Returns 0 or an errno; *ret is set in both cases.
 */
int wire_try(int family, uint16_t port, int *ret);
int wire_connect(int family, uint16_t port);

/* Both ends, of a listener's own. */
void wire_open(struct wire *wire, int listener, int family);
void wire_close(struct wire *wire);

void wire_write(int fd, size_t bytes);
void wire_read(int fd, size_t bytes); /* in one call */

/* @nr requests of @request bytes, each answered with @answer bytes, in one thread. */
void wire_talk(const struct wire *wire, int nr, size_t request, size_t answer);

/* A network namespace of its own, with loopback up. */
void wire_leave_network(void);

#endif
