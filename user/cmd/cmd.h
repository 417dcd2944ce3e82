/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands: one file each, all messages to people in here and nowhere else. A command gets its
 * own argv (argv[0] is "standstill NAME") and returns an exit code.
 */
#ifndef STANDSTILL_CMD_H
#define STANDSTILL_CMD_H

enum exit_code { /* documented in README and `standstill help exit-codes`; append only */
		 EXIT_OK = 0,
		 EXIT_FAILED = 1, /* something else went wrong; the message says what */
		 EXIT_USAGE = 2,  /* wrong arguments */
		 EXIT_NO_TARGET =
			 3, /* no such process, or it ended before it could be attached to */
		 EXIT_NOT_A_JVM = 4,	 /* the process is no JVM that can be recorded */
		 EXIT_NO_PERMISSION = 5, /* a right is missing; the message says which */
		 EXIT_NO_KERNEL = 6, /* the kernel lacks something required (BTF, a tracepoint) */
		 EXIT_NO_INPUT = 7,  /* the file is missing, unreadable or no recording */
		 EXIT_NO_OUTPUT = 8, /* the file cannot be created or written (full, read-only) */
		 EXIT_DAMAGED =
			 9, /* the recording was read, but parts of it were damaged or cut off */
		 EXIT_TARGET_EXITED = 10, /* the target ended before the recording should have; the
					     file is whole */
		 EXIT_SLA_BROKEN = 12,	  /* a promise on response times was broken */
		 EXIT_TARGET_EXEC = 11,	  /* the target became another program; the file is whole */
};

struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

int cmd_record(int argc, char **argv);
int cmd_pauses(int argc, char **argv);
int cmd_threads(int argc, char **argv);
int cmd_requests(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_request(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_schedule(int argc, char **argv);

/* One sentence to stderr: "standstill NAME: ..." */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flush standard output; EXIT_NO_OUTPUT with a message when it could not be written, else @code. */
int finish_output(int code);

#endif
