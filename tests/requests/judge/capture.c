/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/requests/judge/capture.h"
#include "user/base/cleanup.h"

#define MAGIC_NS       0xa1b23c4du
#define LINK_ETHERNET  1
#define PACKET_MAX     262144
#define ETHERNET_BYTES 14
#define TYPE_IPV4      0x0800
#define TYPE_IPV6      0x86dd
#define PROTOCOL_TCP   6
#define FLAG_FIN       1
#define FLAG_SYN       2
#define FLAG_RST       4

struct capture_header {
	uint32_t magic, version, zone, accuracy, snap, link;
};

struct packet_header {
	uint32_t seconds, ns, kept, length;
};

static uint32_t get(const uint8_t *at, unsigned int bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static void set_ipv4(struct address *address, const uint8_t *at)
{
	uint8_t bytes[16] = {[10] = 0xff, [11] = 0xff};

	memcpy(bytes + 12, at, 4);
	memcpy(&address->high, bytes, 8);
	memcpy(&address->low, bytes + 8, 8);
}

static void set_ipv6(struct address *address, const uint8_t *at)
{
	memcpy(&address->high, at, 8);
	memcpy(&address->low, at + 8, 8);
}

/* @tcp: @kept bytes of a header and data, of which there were @bytes. */
static bool parse_tcp(const uint8_t *tcp, size_t kept, size_t bytes, struct segment *ret)
{
	size_t header_bytes;

	if (kept < 20)
		return false;
	header_bytes = (tcp[12] >> 4) * 4u;
	if (bytes < header_bytes)
		return false;
	ret->from.port = (uint16_t)get(tcp, 2);
	ret->to.port = (uint16_t)get(tcp + 2, 2);
	ret->seq = get(tcp + 4, 4);
	ret->bytes = (uint32_t)(bytes - header_bytes);
	ret->syn = tcp[13] & FLAG_SYN;
	ret->fin = tcp[13] & FLAG_FIN;
	ret->reset = tcp[13] & FLAG_RST;
	return true;
}

static bool parse_ipv4(const uint8_t *ip, size_t kept, struct segment *ret)
{
	size_t header_bytes;

	if (kept < 20 || ip[9] != PROTOCOL_TCP || (get(ip + 6, 2) & 0x1fff))
		return false; /* no TCP, or not the first fragment */
	header_bytes = (ip[0] & 15u) * 4u;
	if (kept < header_bytes || get(ip + 2, 2) < header_bytes)
		return false;
	set_ipv4(&ret->from, ip + 12);
	set_ipv4(&ret->to, ip + 16);
	return parse_tcp(ip + header_bytes, kept - header_bytes, get(ip + 2, 2) - header_bytes,
			 ret);
}

static bool parse_ipv6(const uint8_t *ip, size_t kept, struct segment *ret)
{
	if (kept < 40 || ip[6] != PROTOCOL_TCP)
		return false;
	set_ipv6(&ret->from, ip + 8);
	set_ipv6(&ret->to, ip + 24);
	return parse_tcp(ip + 40, kept - 40, get(ip + 4, 2), ret);
}

static bool parse(const uint8_t *frame, size_t kept, struct segment *ret)
{
	if (kept < ETHERNET_BYTES)
		return false;
	switch (get(frame + 12, 2)) {
	case TYPE_IPV4:
		return parse_ipv4(frame + ETHERNET_BYTES, kept - ETHERNET_BYTES, ret);
	case TYPE_IPV6:
		return parse_ipv6(frame + ETHERNET_BYTES, kept - ETHERNET_BYTES, ret);
	default:
		return false;
	}
}

static int read_packets(FILE *file, segment_fn *fn, void *arg)
{
	static uint8_t frame[PACKET_MAX];
	struct packet_header packet;
	size_t got;

	while ((got = fread(&packet, 1, sizeof(packet), file)) == sizeof(packet)) {
		struct segment segment = {0};
		int error;

		if (packet.kept > sizeof(frame) ||
		    fread(frame, 1, packet.kept, file) != packet.kept)
			return -EBADMSG;
		segment.at_ns = packet.seconds * 1000000000ull + packet.ns;
		error = parse(frame, packet.kept, &segment) ? fn(arg, &segment) : 0;
		if (error)
			return error;
	}
	return got ? -EBADMSG : 0;
}

int capture_read(const char *path, segment_fn *fn, void *arg)
{
	FILE *file CLEANUP(fclosep) = fopen(path, "re");
	struct capture_header header;

	if (!file)
		return -errno;
	if (fread(&header, sizeof(header), 1, file) != 1 || header.magic != MAGIC_NS ||
	    header.link != LINK_ETHERNET)
		return -EPROTO;
	return read_packets(file, fn, arg);
}
