/* SPDX-License-Identifier: BSD-2-Clause */
/* `standstill dump` as it is run: what it prints, what it says, and its exit code. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/memory_file.h"
#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/cmd/cmd.h"
#include "user/recording/block.h"

#define START_NS  (1000 * NS_PER_S)
#define ARGUMENTS 12

struct output {
	int code;
	size_t nr_lines;
	char text[1 << 20], said[4096];
};

static size_t read_all(int fd, char *text, size_t size)
{
	ssize_t nr = pread(fd, text, size - 1, 0);

	cr_assert(ge(i64, nr, 0));
	text[nr] = 0;
	return (size_t)nr;
}

static void count_lines(struct output *output)
{
	for (const char *at = output->text; (at = strchr(at, '\n')); at++)
		output->nr_lines++;
}

/* Run the command with its outputs to files. */
static void dump(struct output *output, const char *const *arguments)
{
	char *argv[ARGUMENTS + 1] = {strdup("standstill dump")};
	FILE *out = tmpfile(), *err = tmpfile();
	int argc = 1;

	while (arguments[argc - 1]) {
		argv[argc] = strdup(arguments[argc - 1]);
		argc++;
	}
	memset(output, 0, sizeof(*output));
	fflush(NULL);
	cr_assert(ge(int, dup2(fileno(out), STDOUT_FILENO), 0));
	cr_assert(ge(int, dup2(fileno(err), STDERR_FILENO), 0));
	output->code = cmd_dump(argc, argv);
	fflush(NULL);
	read_all(fileno(out), output->text, sizeof(output->text));
	read_all(fileno(err), output->said, sizeof(output->said));
	count_lines(output);
	fclose(out);
	fclose(err);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
}

/* A record a millisecond for a second, of threads 0..9 in turn; told to begin half a second before.
 */
static void write_second(struct memory_file *file)
{
	struct recording_writer *w = memory_file_create(file, NULL);
	struct record_info info = {.hdr = {RECORD_INFO, sizeof(info), 0, START_NS},
				   .key = "standstill.start_ns"};

	snprintf(info.value, sizeof(info.value), "%llu", START_NS - NS_PER_S / 2);
	recording_put(w, &info.hdr);
	for (uint64_t i = 0; i < 1000; i++) {
		struct event_offcpu off = {.hdr = {EVENT_OFFCPU, sizeof(off), (uint32_t)i % 10,
						   START_NS + i * NS_PER_MS}};

		if (i % 100 == 0)
			recording_segment_begin(w, off.hdr.ts_ns);
		recording_put(w, &off.hdr);
		recording_tick(w, off.hdr.ts_ns);
	}
	cr_assert(zero(int, recording_close(w)));
}

struct choice {
	const char *arguments[ARGUMENTS];
	size_t nr_lines;
};

Test(dump_command, options_choose_records)
{
	static const struct choice choices[] = {
		{{NULL}, 1001},
		{{"--json"}, 1001},
		{{"--kind", "info"}, 1},
		{{"--kind", "info", "--kind", "offcpu"}, 1001},
		{{"--kind", "lost"}, 0},
		{{"--thread", "3"}, 100},
		{{"--between", "0s..0.5s"}, 0},
		{{"--between", "500ms..510ms"}, 11}, /* INFO and ten */
		{{"--between", "1s,1.1s", "--thread", "7"}, 10},
		{{"--between", "..1s", "--kind", "offcpu"}, 500},
		{{"--between", "1s..", "--kind", "offcpu"}, 500},
		{{"--between", "1000100000000..1000200000000"}, 100},
	};
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct output *output CLEANUP(freep) = malloc(sizeof(*output));

	write_second(&file);
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
		const char *arguments[ARGUMENTS + 1] = {NULL};
		size_t nr = 0;

		for (; choices[i].arguments[nr]; nr++)
			arguments[nr] = choices[i].arguments[nr];
		arguments[nr] = file.path;
		dump(output, arguments);
		cr_expect(eq(int, output->code, EXIT_OK), "%zu", i);
		cr_expect(eq(sz, output->nr_lines, choices[i].nr_lines), "%zu", i);
		cr_expect(eq(str, output->said, ""), "%zu", i);
	}
}

Test(dump_command, stats_count_each_kind)
{
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct output *output CLEANUP(freep) = malloc(sizeof(*output));

	write_second(&file);
	dump(output, (const char *[]){"--stats", file.path, NULL});
	cr_expect(eq(int, output->code, EXIT_OK));
	cr_expect(not(zero(ptr,
			   strstr(output->text, "offcpu                       1000       1001.0"))),
		  "%s", output->text);
	cr_expect(not(zero(ptr, strstr(output->text, "1001 records in 999 ms, 10 segments"))), "%s",
		  output->text);
}

/* A byte of the first block of records behind the middle. */
static void damage_records(uint8_t *bytes, size_t nr)
{
	struct block_header h;

	for (size_t at = sizeof(struct file_header); at + sizeof(h) < nr; at += block_bytes(&h)) {
		memcpy(&h, bytes + at, sizeof(h));
		if (at < nr / 2 || h.type != BLOCK_RECORDS)
			continue;
		bytes[at + sizeof(h)] ^= 1;
		return;
	}
	cr_fatal("no block of records");
}

Test(dump_command, a_damaged_file_is_printed_as_far_as_it_goes_and_told)
{
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct output *output CLEANUP(freep) = malloc(sizeof(*output));
	uint8_t *bytes CLEANUP(freep) = NULL;
	size_t nr;

	write_second(&file);
	bytes = memory_file_bytes(&file, &nr);
	damage_records(bytes, nr);
	memory_file_set(&file, bytes, nr);
	dump(output, (const char *[]){file.path, NULL});
	cr_expect(eq(int, output->code, EXIT_DAMAGED));
	cr_expect(not(zero(ptr, strstr(output->said, "is damaged in 1 place"))), "%s",
		  output->said);
	cr_expect(not(zero(ptr, strstr(output->said, "at least 100 records"))), "%s", output->said);
	cr_expect(eq(sz, output->nr_lines, 1001 - 100 + 1), "and the loss");
	cr_expect(not(zero(ptr, strstr(output->text, "cause=6"))), "the loss has its place");
}

Test(dump_command, a_killed_recorder_is_told_and_no_error)
{
	struct memory_file file CLEANUP(memory_file_free) = {0};
	struct output *output CLEANUP(freep) = malloc(sizeof(*output));
	uint8_t *bytes CLEANUP(freep) = NULL;
	size_t nr;

	write_second(&file);
	bytes = memory_file_bytes(&file, &nr);
	memory_file_set(&file, bytes, nr / 2);
	dump(output, (const char *[]){file.path, NULL});
	cr_expect(eq(int, output->code, EXIT_OK));
	cr_expect(not(zero(ptr, strstr(output->said, "has no end"))), "%s", output->said);
	cr_expect(gt(sz, output->nr_lines, 300));
}

Test(dump_command, what_is_no_recording_is_refused_in_one_sentence)
{
	static const char *const paths[] = {"/there/is/none", "/", "/dev/null", "/proc/version"};
	struct output *output CLEANUP(freep) = malloc(sizeof(*output));

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		dump(output, (const char *[]){paths[i], NULL});
		cr_expect(eq(int, output->code, EXIT_NO_INPUT), "%s", paths[i]);
		cr_expect(eq(str, output->text, ""));
		cr_expect(eq(ptr, strchr(output->said, '\n'),
			     output->said + strlen(output->said) - 1),
			  "%s", output->said);
	}
}

static void usage(const char *option, const char *value)
{
	dump(malloc(sizeof(struct output)), (const char *[]){option, value, "file", NULL});
}

Test(dump_command, an_unknown_kind_is_wrong_usage, .exit_code = EXIT_USAGE)
{
	usage("--kind", "nonsense");
}

Test(dump_command, a_thread_is_a_number, .exit_code = EXIT_USAGE)
{
	usage("--thread", "main");
}

Test(dump_command, a_stretch_of_time_has_two_ends_in_order, .exit_code = EXIT_USAGE)
{
	usage("--between", "2s..1s");
}

Test(dump_command, one_file_is_needed, .exit_code = EXIT_USAGE)
{
	dump(malloc(sizeof(struct output)), (const char *[]){"--stats", NULL});
}
