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
	fprintf(to, "\n`standstill COMMAND --help` explains one. Start with:\n\n"
		    "  standstill record -p $(pgrep -n java) -d 10 -o run.still\n"
		    "  standstill pauses run.still\n");
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
