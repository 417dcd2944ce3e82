/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "user/cmd/report.h"

/* Two hosts, or two boots of one, have monotonic clocks that began at other times: hours apart. An
 * NTP step moves realtime by less. */
#define ONE_CLOCK_NS NS_PER_S

static int64_t distance_ns(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b);
}

static struct report_clock named(const char *name, struct report_clock clock)
{
	snprintf(clock.name, sizeof(clock.name), "%s", name);
	return clock;
}

static struct report_clock refuse(const char *name, const char *why_not)
{
	return named(name, (struct report_clock){.why_not = why_not});
}

/* How far realtime is ahead of monotonic, in the recording. */
static int64_t recording_epoch_ns(const struct clock *recording)
{
	return distance_ns(recording->first.realtime_ns, recording->first.monotonic_ns);
}

static struct report_clock of_monotonic(const struct clock *recording, const char *name,
					const struct schedule_anchor *anchor)
{
	int64_t apart_ns;

	if (!anchor) /* nothing says that it is another host's */
		return named(name, (struct report_clock){.usable = true});
	if (!recording->nr)
		return refuse(name, "the recording has no reading of its clocks");
	apart_ns = distance_ns(anchor->realtime_ns, anchor->monotonic_ns) -
		   recording_epoch_ns(recording);
	if (apart_ns > -(int64_t)ONE_CLOCK_NS && apart_ns < (int64_t)ONE_CLOCK_NS)
		return named(name, (struct report_clock){.usable = true});
	/* Another host's: by what both call realtime, which is as good as their NTP. */
	return named("monotonic of another host or boot, by realtime",
		     (struct report_clock){
			     .offset_ns = apart_ns,
			     .error_ns = 10 * NS_PER_MS,
			     .usable = true,
		     });
}

struct report_clock report_clock(const struct clock *recording, const char *name,
				 const struct schedule_anchor *anchor)
{
	if (!name || !strcmp(name, "monotonic"))
		return of_monotonic(recording, name ? name : "unknown, taken for monotonic",
				    anchor);
	if (strcmp(name, "realtime"))
		return refuse(name, "only monotonic and realtime can be put beside a recording");
	if (!recording->nr)
		return refuse(name, "the recording has no reading of its clocks");
	return named(name, (struct report_clock){
				   .offset_ns = -recording_epoch_ns(recording),
				   .error_ns = recording->error_ns + recording->step_ns,
				   .usable = true,
			   });
}
