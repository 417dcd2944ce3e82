/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interval log of HdrHistogram, version 1.3: histograms in, lines out, which
 * HistogramLogProcessor, HistogramLogAnalyzer and the other readers of that format take. Values are
 * ns.
 */
#ifndef STANDSTILL_OUTPUT_HLOG_H
#define STANDSTILL_OUTPUT_HLOG_H

#include <stdint.h>
#include <stdio.h>

struct hdr;

/* Interval starts are relative to @start_ns, CLOCK_REALTIME. */
void hlog_begin(FILE *to, uint64_t start_ns);

/* One interval of @length_ns that begins @from_ns after the log's start. @tag has no comma, blank
 * or line feed. 0 or -ENOMEM. */
int hlog_interval(FILE *to, const char *tag, uint64_t from_ns, uint64_t length_ns,
		  const struct hdr *h);

#endif
