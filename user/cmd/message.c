/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "user/cmd/cmd.h"

void complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("standstill: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

int finish_output(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (errno == EPIPE) /* the reader of our pipe has seen enough: `| head` */
		return code;
	complain("cannot write to standard output: %s", strerror(errno));
	return EXIT_NO_OUTPUT;
}
