/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How late a generator's requests were on the wire: load_wire CAPTURE PORT PERIOD_NS count|floor
 * [SKIP_NS]
 *
 * CAPTURE: of tcpdump with nanoseconds, on Ethernet or loopback, IPv4. Requests are segments with
 * data to PORT. For each connection the grid t0 + k * PERIOD is laid so low that no request comes
 * before its place on it; what is above is lateness. count: the k-th request belongs to the k-th
 * place (all that were due are sent, if late). floor: to the last place before it (what was due
 * while it was late is never sent). The first SKIP_NS are left out. One line: requests,
 * connections, p50, p99, p99.9 and max in ns.
 */
#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC_NS    0xa1b23c4du
#define PACKET_MAX  65536
#define CONNECTIONS 65536 /* by client port */

struct pcap_header {
	uint32_t magic, version, zone, accuracy, snap, link;
};

struct packet_header {
	uint32_t seconds, ns, kept, length;
};

struct connection {
	uint64_t *at_ns;
	size_t nr, size;
	uint32_t next_seq; /* of TCP: what begins before it was sent before */
};

static struct connection connections[CONNECTIONS];

static void fail(const char *what)
{
	fprintf(stderr, "load_wire: %s\n", what);
	exit(2);
}

static void add(struct connection *c, uint64_t at_ns)
{
	if (c->nr == c->size) {
		c->size = c->size ? 2 * c->size : 1024;
		c->at_ns = realloc(c->at_ns, c->size * sizeof(*c->at_ns));
		if (!c->at_ns)
			fail("out of memory");
	}
	c->at_ns[c->nr++] = at_ns;
}

static uint32_t get(const uint8_t *at, unsigned int bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

/* An Ethernet frame: a request to @port, or something else. */
static void take(const uint8_t *frame, size_t nr, uint64_t at_ns, uint32_t port)
{
	const uint8_t *ip = frame + 14, *tcp;
	size_t ip_bytes, data;
	struct connection *c;

	if (nr < 54 || get(frame + 12, 2) != 0x0800 || ip[9] != 6)
		return;
	ip_bytes = (ip[0] & 15u) * 4u;
	tcp = ip + ip_bytes;
	if (14 + ip_bytes + 20 > nr || get(tcp + 2, 2) != port)
		return;
	data = get(ip + 2, 2) - ip_bytes - (tcp[12] >> 4) * 4u;
	c = &connections[get(tcp, 2)];
	if (data == 0 || (c->nr && (int32_t)(get(tcp + 4, 4) - c->next_seq) < 0))
		return;
	c->next_seq = get(tcp + 4, 4) + (uint32_t)data;
	add(c, at_ns);
}

static void read_capture(const char *path, uint32_t port)
{
	static uint8_t frame[PACKET_MAX];
	struct pcap_header header;
	struct packet_header packet;
	FILE *file = fopen(path, "r");

	if (!file || fread(&header, sizeof(header), 1, file) != 1)
		fail("cannot read the capture");
	if (header.magic != MAGIC_NS || header.link != 1)
		fail("the capture has no nanoseconds, or another byte order, or is not of loopback "
		     "or Ethernet");
	while (fread(&packet, sizeof(packet), 1, file) == 1) {
		if (packet.kept > sizeof(frame) ||
		    fread(frame, 1, packet.kept, file) != packet.kept)
			break; /* cut off */
		take(frame, packet.kept, packet.seconds * 1000000000ull + packet.ns, port);
	}
	fclose(file);
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Lateness of each request of @c into @ret. */
static size_t lateness(const struct connection *c, double period_ns, bool floored, double *ret)
{
	double lowest = INFINITY;

	for (size_t k = 0; k < c->nr; k++) {
		double offset =
			(double)(c->at_ns[k] - c->at_ns[0]) - (floored ? 0 : (double)k * period_ns);

		lowest = offset < lowest ? offset : lowest;
		ret[k] = offset;
	}
	for (size_t k = 0; k < c->nr; k++) {
		ret[k] -= lowest;
		if (floored)
			ret[k] = fmod(ret[k], period_ns);
	}
	return c->nr;
}

static int by_time(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* As if all had come on one connection. */
static void merge(void)
{
	struct connection all = {0};

	for (size_t i = 0; i < CONNECTIONS; i++) {
		for (size_t k = 0; k < connections[i].nr; k++)
			add(&all, connections[i].at_ns[k]);
		connections[i].nr = 0;
	}
	qsort(all.at_ns, all.nr, sizeof(*all.at_ns), by_time);
	connections[0] = all;
}

int main(int argc, char **argv)
{
	uint64_t skip_ns, first_ns = UINT64_MAX;
	size_t nr = 0, nr_connections = 0;
	double period_ns, *all;

	if (argc < 5)
		fail("CAPTURE PORT PERIOD_NS count|floor|all [SKIP_NS]");
	read_capture(argv[1], (uint32_t)strtoul(argv[2], NULL, 10));
	if (!strcmp(argv[4], "all"))
		merge();
	period_ns = strtod(argv[3], NULL);
	skip_ns = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;
	for (size_t i = 0; i < CONNECTIONS; i++) {
		nr += connections[i].nr;
		if (connections[i].nr && connections[i].at_ns[0] < first_ns)
			first_ns = connections[i].at_ns[0];
	}
	all = calloc(nr + 1, sizeof(*all));
	if (!all || nr == 0)
		fail("no requests in the capture");
	nr = 0;
	for (size_t i = 0; i < CONNECTIONS; i++) {
		struct connection *c = &connections[i];
		size_t skip = 0;

		while (skip < c->nr && c->at_ns[skip] < first_ns + skip_ns)
			skip++;
		c->at_ns += skip;
		c->nr -= skip;
		nr_connections += c->nr > 0;
		nr += lateness(c, period_ns, !strcmp(argv[4], "floor"), all + nr);
	}
	qsort(all, nr, sizeof(*all), by_size);
	printf("requests=%zu connections=%zu p50=%.0f p99=%.0f p999=%.0f max=%.0f\n", nr,
	       nr_connections, all[nr / 2], all[nr * 99 / 100], all[(size_t)((double)nr * 0.999)],
	       all[nr - 1]);
	return 0;
}
