/* SPDX-License-Identifier: BSD-2-Clause */
/* The java command line taken apart: what the launcher and the JVM take, and the Java program with
 * its arguments. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/attach/jvm_parts.h"
#include "user/attach/target_process.h"
#include "user/base/cleanup.h"

#define CMDLINE_BYTES_MAX 65536u

/* Options of the launcher whose value is the next word (java.c, IsWhiteSpaceOption). */
static bool takes_next_word(const char *word)
{
	static const char *const options[] = {
		"-cp",
		"-classpath",
		"--class-path",
		"-p",
		"--module-path",
		"--upgrade-module-path",
		"--add-modules",
		"--add-exports",
		"--add-opens",
		"--add-reads",
		"--patch-module",
		"--limit-modules",
		"--describe-module",
		"-d",
		"--source",
		"--enable-native-access",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(word, options[i]))
			return true;
	return false;
}

/* Whether the word after @word is the jar or main module that the program begins with. */
static bool names_program(const char *word)
{
	return !strcmp(word, "-jar") || !strcmp(word, "-m") || !strcmp(word, "--module");
}

/* Where the Java program's words begin: @end if there are none. */
static const char *find_program(const char *words, const char *end)
{
	const char *at = words;

	at += strlen(at) + 1; /* the launcher's own name */
	while (at < end) {
		const char *word = at;

		if (*word != '-' && *word != '@')
			return word;
		at += strlen(at) + 1;
		if (names_program(word))
			return at < end ? at : end;
		if (takes_next_word(word) && at < end)
			at += strlen(at) + 1;
	}
	return end;
}

/* Words of [from, to) joined by blanks. */
static char *join_words(const char *from, const char *to)
{
	size_t bytes = from < to ? (size_t)(to - from) : 0;
	char *text = malloc(bytes + 1);

	if (!text)
		return NULL;
	memcpy(text, from, bytes);
	text[bytes] = '\0';
	while (bytes && !text[bytes - 1])
		bytes--;
	for (size_t i = 0; i < bytes; i++)
		if (!text[i])
			text[i] = ' ';
	return text;
}

int jvm_split_command(const char *words, size_t nr_bytes, char **ret_arguments, char **ret_command)
{
	char *copy CLEANUP(freep) = malloc(nr_bytes + 1);
	const char *end, *program, *first;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, words, nr_bytes);
	copy[nr_bytes] =
		'\0'; /* a process may write what it likes over its words, the last NUL too */
	end = copy + nr_bytes;
	program = nr_bytes ? find_program(copy, end) : end;
	if (program > end)
		program = end;
	first = copy + strlen(copy) + 1;
	*ret_arguments = join_words(first < program ? first : program, program);
	*ret_command = join_words(program, end);
	if (*ret_arguments && *ret_command)
		return 0;
	free(*ret_arguments);
	free(*ret_command);
	return -ENOMEM;
}

void jvm_take_command(struct jvm *jvm)
{
	char *words CLEANUP(freep) = NULL, *arguments, *command;
	size_t nr_bytes;

	if (*jvm->java_command || *jvm->vm_arguments)
		return;
	words = process_read(jvm->tgid, "cmdline", CMDLINE_BYTES_MAX, &nr_bytes);
	if (!words || jvm_split_command(words, nr_bytes, &arguments, &command))
		return;
	free(jvm->java_command);
	free(jvm->vm_arguments);
	jvm->java_command = command;
	jvm->vm_arguments = arguments;
}
