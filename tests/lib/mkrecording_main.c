/* SPDX-License-Identifier: BSD-2-Clause */
/* mkrecording IN.txt OUT.still: a recording from records written down as text, for tests that run
 * the program. */
#include <stdio.h>

#include "tests/lib/records.h"

int main(int argc, char **argv)
{
	FILE *in;
	int err;

	if (argc != 3) {
		fprintf(stderr, "usage: mkrecording IN.txt OUT.still\n");
		return 2;
	}
	in = fopen(argv[1], "re");
	if (!in) {
		perror(argv[1]);
		return 1;
	}
	err = records_write(in, argv[2], stderr);
	fclose(in);
	return err ? 1 : 0;
}
