/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A capture written down as text, for tests of the judge: mkpcap < TEXT > CAPTURE. A segment a
 * line,
 *
 *   AT_NS FROM-ADDRESS PORT TO-ADDRESS PORT FLAGS SEQ BYTES
 *
 * with FLAGS of S, F, R or -; only the headers are kept, as tcpdump -s does. '#' begins a comment.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct line {
	uint64_t at_ns;
	char from[64], to[64], flags[8];
	unsigned int from_port, to_port;
	uint32_t seq, bytes;
};

struct out {
	uint8_t bytes[256];
	size_t nr;
};

static void put(struct out *out, uint32_t value, unsigned int bytes)
{
	while (bytes--)
		out->bytes[out->nr++] = (uint8_t)(value >> 8 * bytes);
}

static void put_address(struct out *out, int family, const char *text)
{
	if (inet_pton(family, text, out->bytes + out->nr) != 1)
		fprintf(stderr, "mkpcap: '%s' is no address\n", text);
	out->nr += family == AF_INET ? 4 : 16;
}

static void put_ip(struct out *out, const struct line *line)
{
	int family = strchr(line->from, ':') ? AF_INET6 : AF_INET;

	put(out, 0, 12); /* who on the Ethernet */
	if (family == AF_INET) {
		put(out, 0x0800, 2);
		put(out, 0x4500, 2);
		put(out, 40 + line->bytes, 2);
		put(out, 0, 4);
		put(out, 64 << 8 | 6, 2);
		put(out, 0, 2);
	} else {
		put(out, 0x86dd, 2);
		put(out, 6u << 28, 4);
		put(out, 20 + line->bytes, 2);
		put(out, 6 << 8 | 64, 2);
	}
	put_address(out, family, line->from);
	put_address(out, family, line->to);
}

static void put_tcp(struct out *out, const struct line *line)
{
	uint32_t flags = 0;

	flags |= strchr(line->flags, 'F') ? 1 : 0;
	flags |= strchr(line->flags, 'S') ? 2 : 0;
	flags |= strchr(line->flags, 'R') ? 4 : 0;
	put(out, line->from_port, 2);
	put(out, line->to_port, 2);
	put(out, line->seq, 4);
	put(out, 0, 4);
	put(out, 5 << 12 | flags, 2);
	put(out, 0, 6);
}

static void write_packet(const struct line *line)
{
	struct out out = {0};
	uint32_t header[4];

	put_ip(&out, line);
	put_tcp(&out, line);
	header[0] = (uint32_t)(line->at_ns / 1000000000u);
	header[1] = (uint32_t)(line->at_ns % 1000000000u);
	header[2] = (uint32_t)out.nr;
	header[3] = (uint32_t)out.nr + line->bytes;
	fwrite(header, sizeof(header), 1, stdout);
	fwrite(out.bytes, out.nr, 1, stdout);
}

int main(void)
{
	const uint32_t header[6] = {0xa1b23c4d, 4u << 16 | 2, 0, 0, 128, 1};
	struct line line;
	char text[256];

	fwrite(header, sizeof(header), 1, stdout);
	while (fgets(text, sizeof(text), stdin)) {
		if (*text == '#' || *text == '\n')
			continue;
		if (sscanf(text, "%" SCNu64 " %63s %u %63s %u %7s %" SCNu32 " %" SCNu32,
			   &line.at_ns, line.from, &line.from_port, line.to, &line.to_port,
			   line.flags, &line.seq, &line.bytes) != 8) {
			fprintf(stderr, "mkpcap: what is this: %s", text);
			return 2;
		}
		write_packet(&line);
	}
	return 0;
}
