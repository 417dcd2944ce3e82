/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "user/attribution/queue_pieces.h"

#define P QUEUE_PAUSE
#define T QUEUE_THROTTLED
#define L QUEUE_LOCK
#define D QUEUE_DOWNSTREAM

/* A service in [100, 200). */
struct service_case {
	char why[80];
	struct queue_interval intervals[4];
	struct queue_interval away[2];
	char expected[96]; /* cause letter and ns, '*' for elsewhere */
};

static char *print(const struct queue_pieces *p, char *to, size_t bytes)
{
	static const char letters[] = "PSTLDRGw";
	size_t at = 0;

	*to = '\0';
	for (size_t i = 0; i < p->nr_segments; i++)
		at += (size_t)snprintf(to + at, bytes - at, "%s%c%llu%s", i ? " " : "",
				       letters[p->segments[i].cause],
				       (unsigned long long)p->segments[i].ns,
				       p->segments[i].elsewhere ? "*" : "");
	return to;
}

static struct service_case rows[] = {
	{"nothing but work", {{0}}, {{0}}, "w100"},
	{"one in the midst", {{120, 150, L, false}}, {{0}}, "w20 L30 w50"},
	{"one over all of it", {{0, 900, L, false}}, {{0}}, "L100"},
	{"one that ends where it begins is none", {{150, 150, L, false}}, {{0}}, "w100"},
	{"one outside, up to its begin", {{50, 100, L, false}}, {{0}}, "w100"},
	{"one outside, from its end on", {{200, 250, L, false}}, {{0}}, "w100"},
	{"one cut at each edge", {{50, 110, L, false}, {190, 250, D, false}}, {{0}}, "L10 w80 D10"},
	{"touching, of one cause",
	 {{120, 130, L, false}, {130, 140, L, false}},
	 {{0}},
	 "w20 L20 w60"},
	{"touching, of two causes",
	 {{120, 130, L, false}, {130, 140, D, false}},
	 {{0}},
	 "w20 L10 D10 w60"},
	{"nested: the earlier in the order inside",
	 {{110, 190, L, false}, {130, 150, P, false}},
	 {{0}},
	 "w10 L20 P20 L40 w10"},
	{"nested: the earlier in the order outside",
	 {{110, 190, P, false}, {130, 150, L, false}},
	 {{0}},
	 "w10 P80 w10"},
	{"the same twice", {{110, 120, L, false}, {110, 120, L, false}}, {{0}}, "w10 L10 w80"},
	{"overlapping, given in the wrong order",
	 {{140, 170, P, false}, {110, 150, L, false}},
	 {{0}},
	 "w10 L30 P30 w30"},
	{"three deep",
	 {{110, 190, D, false}, {120, 180, L, false}, {130, 140, T, false}},
	 {{0}},
	 "w10 D10 L10 T10 L40 D10 w10"},
	{"a window is left out", {{0}}, {{120, 150, P, false}}, "w70"},
	{"a window within a lock", {{110, 190, L, false}}, {{120, 150, P, false}}, "w10 L50 w10"},
	{"a pause of the thread beyond the window's edges",
	 {{115, 155, P, false}},
	 {{120, 150, P, false}},
	 "w15 P10 w45"},
	{"elsewhere goes on in a window",
	 {{110, 140, D, true}},
	 {{120, 160, P, false}},
	 "w10 D30* w40"},
	{"elsewhere only where all of the cause are",
	 {{110, 140, D, true}, {120, 130, D, false}},
	 {{0}},
	 "w10 D10* D10 D10* w60"},
	{"two windows, one before it", {{0}}, {{50, 110, P, false}, {150, 160, T, false}}, "w80"},
	{"away all the time", {{0}}, {{50, 250, P, false}}, ""},
};

ParameterizedTestParameters(queue_pieces, services)
{
	return cr_make_param_array(struct service_case, rows, sizeof(rows) / sizeof(rows[0]));
}

ParameterizedTest(struct service_case *row, queue_pieces, services)
{
	struct queue_pieces p = {0};
	size_t nr = 0, nr_away = 0;
	char found[96];

	while (nr < 4 && row->intervals[nr].to_ns)
		nr++;
	while (nr_away < 2 && row->away[nr_away].to_ns)
		nr_away++;
	cr_assert(zero(int,
		       queue_pieces_service(&p, 100, 200, row->intervals, nr, row->away, nr_away)));
	cr_expect_str_eq(print(&p, found, sizeof(found)), row->expected, "%s: %s, not %s", row->why,
			 found, row->expected);
	queue_pieces_free(&p);
}

Test(queue_pieces, what_makes_no_sense_is_refused)
{
	struct queue_interval turned = {20, 10, L, false}, foreign = {10, 20, 8, false};
	struct queue_pieces p = {0};

	cr_expect(eq(int, queue_pieces_cut(&p, 0, 100, &turned, 1), -EINVAL));
	cr_expect(eq(int, queue_pieces_cut(&p, 0, 100, &foreign, 1), -EINVAL));
	cr_expect(eq(int, queue_pieces_service(&p, 100, 0, NULL, 0, NULL, 0), -EINVAL));
	queue_pieces_free(&p);
}
