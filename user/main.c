/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/cmd/cmd.h"

static const struct command commands[] = {
	{"record", "attach to running JVMs by PID and record what stops their threads", cmd_record},
	{"pauses", "list the stop-the-world pauses of a recording", cmd_pauses},
	{"threads", "where each thread's time went", cmd_threads},
	{"requests", "the requests at the sockets: response times, their parts, the worst",
	 cmd_requests},
	{"request", "one request, step by step, with its threads and pauses", cmd_request},
	{"report", "who stopped the requests: response times, split into causes", cmd_report},
	{"dump", "print every record of a recording as text or JSON", cmd_dump},
	{"load", "send requests on time, whatever the answers do, and write down each", cmd_load},
	{"schedule", "summarise or convert the schedule of a load generator", cmd_schedule},
};

static void print_help(FILE *to)
{
	fprintf(to, "Usage: standstill COMMAND [ARGUMENTS]\n\n"
		    "Says who stopped the requests of a running JVM: no agent, no flag, no "
		    "restart.\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fprintf(to, "\n`standstill COMMAND --help` explains one, `standstill help exit-codes` what "
		    "they "
		    "return. Start with:\n\n"
		    "  standstill record -p $(pgrep -n java) -d 10 -o run.still\n"
		    "  standstill pauses run.still\n");
}

/* Scripts depend on these; README.md explains them with examples. */
static const struct exit_row {
	enum exit_code code;
	const char *meaning;
} exit_rows[] = {
	{EXIT_OK, "done"},
	{EXIT_FAILED, "something else went wrong; the message says what"},
	{EXIT_USAGE, "wrong arguments"},
	{EXIT_NO_TARGET, "no such process, or it ended before it could be attached to; for load: "
			 "nobody listens there"},
	{EXIT_NOT_A_JVM, "the process is no JVM that can be recorded"},
	{EXIT_NO_PERMISSION, "a right is missing; the message says which"},
	{EXIT_NO_KERNEL, "the kernel lacks something required (BTF, a tracepoint)"},
	{EXIT_NO_INPUT, "the file is missing, unreadable or no recording"},
	{EXIT_NO_OUTPUT, "the file cannot be created or written (full, read-only)"},
	{EXIT_DAMAGED, "the recording was read, but parts of it were damaged or cut off"},
	{EXIT_TARGET_EXITED, "the target ended before -d was over; the file is whole"},
	{EXIT_TARGET_EXEC, "the target became another program; the file is whole"},
	{EXIT_SLA_BROKEN, "a promise of `report --sla` was broken"},
};

static void print_exit_codes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(exit_rows); i++)
		printf("%3d  %s\n", exit_rows[i].code, exit_rows[i].meaning);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "standstill %s", command->name);
	argv[0] = name; /* what argp calls itself */
	return command->run(argc, argv);
}

int main(int argc, char **argv)
{
	const struct command *command;

	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write(2), handled where output is
				     finished */
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("standstill %s\n", STANDSTILL_VERSION);
		return finish_output(EXIT_OK);
	}
	if (!strcmp(argv[1], "help") && argc == 3 && !strcmp(argv[2], "exit-codes")) {
		print_exit_codes();
		return finish_output(EXIT_OK);
	}
	if (!strcmp(argv[1], "help") && argc == 3 && find_command(argv[2])) {
		char *help[] = {NULL, (char[]){"--help"}, NULL};

		return run_command(find_command(argv[2]), 2, help);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return finish_output(EXIT_OK);
	}
	command = find_command(argv[1]);
	if (!command) {
		complain("there is no command '%s'; `standstill help` lists them", argv[1]);
		return EXIT_USAGE;
	}
	return run_command(command, argc - 1, argv + 1);
}
