/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/base/units.h"
#include "user/cmd/cmd.h"
#include "user/cmd/open.h"
#include "user/recording/reader.h"

static const char *name_of(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

int open_recording(const char *path, struct recording_reader **ret)
{
	int err = recording_open(path, ret);

	switch (err) {
	case 0:
		return EXIT_OK;
	case -EBADMSG:
		complain("%s is no recording: it does not begin as one; `standstill record` makes "
			 "them",
			 name_of(path));
		return EXIT_NO_INPUT;
	case -EPROTONOSUPPORT:
		complain("%s is in a newer format than this standstill reads; read it with the "
			 "version that "
			 "recorded it",
			 name_of(path));
		return EXIT_NO_INPUT;
	case -ENOMEM:
		complain("out of memory");
		return EXIT_FAILED;
	default:
		complain("cannot read %s: %s", name_of(path), strerror(-err));
		return EXIT_NO_INPUT;
	}
}

int report_read_error(const char *path, int error)
{
	if (error == -ENOMEM) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	complain("cannot read %s to its end: %s", name_of(path), strerror(-error));
	return EXIT_NO_INPUT;
}

static void report_damage(const char *path, const struct recording_health *health)
{
	char bytes[UNITS_BYTES];
	char what[256] = "no record is known to be missing";

	if (health->nr_missing)
		snprintf(what, sizeof(what),
			 "at least %" PRIu64
			 " record%s, between %.6f s and %.6f s of the monotonic clock",
			 health->nr_missing,
			 health->nr_missing == 1 ? " is missing" : "s are missing",
			 (double)health->bad_from_ns / 1e9, (double)health->bad_to_ns / 1e9);
	complain("%s is damaged in %" PRIu64
		 " place%s: %s could not be read, %s; the rest was read",
		 name_of(path), health->nr_bad_blocks, health->nr_bad_blocks == 1 ? "" : "s",
		 units_print_size(bytes, health->nr_skipped_bytes), what);
}

static void report_unfinished(const char *path, const struct recording_health *health)
{
	char torn[UNITS_BYTES];

	if (health->nr_torn_bytes)
		complain("%s has no end: the recorder was killed, or the file was cut off; all was "
			 "read but "
			 "the last %s, which are part of a block",
			 name_of(path), units_print_size(torn, health->nr_torn_bytes));
	else
		complain("%s has no end: the recorder was killed; all it wrote was read",
			 name_of(path));
}

int report_health(const char *path, const struct recording_reader *r)
{
	struct recording_health health;

	recording_health(r, &health);
	if (health.nr_unknown_kind)
		complain("%s was written by a newer standstill: %" PRIu64
			 " records of kinds that this one does not know were left out",
			 name_of(path), health.nr_unknown_kind);
	if (health.nr_lost_write)
		complain("%s is not whole: %" PRIu64
			 " records could not be written, as the disk was full or failed",
			 name_of(path), health.nr_lost_write);
	if (health.nr_bad_blocks || health.nr_missing) {
		report_damage(path, &health);
		return EXIT_DAMAGED;
	}
	if (!health.complete)
		report_unfinished(path, &health);
	return EXIT_OK;
}
