/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A capture of tcpdump with nanoseconds (pcap, not pcapng; loopback or Ethernet), as TCP segments
 * in the order they were seen. Knows nothing of recordings.
 */
#ifndef STANDSTILL_TESTS_CAPTURE_H
#define STANDSTILL_TESTS_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* IPv4 as v4-mapped IPv6; both halves hold the bytes as they are on the wire. */
struct address {
	uint64_t high, low;
	uint16_t port;
};

struct segment {
	uint64_t at_ns; /* CLOCK_REALTIME */
	struct address from, to;
	uint32_t seq;	/* of its first byte, the SYN included */
	uint32_t bytes; /* of data */
	bool syn, fin, reset;
};

typedef int segment_fn(void *arg, const struct segment *segment);

/*
 * Give every segment in @path to @fn, until it returns other than 0, which is returned. -EPROTO: no
 * capture with nanoseconds, or of another kind of network; -EBADMSG: it is cut off inside a packet.
 */
int capture_read(const char *path, segment_fn *fn, void *arg);

#endif
